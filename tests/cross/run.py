"""Runs the same scripts in every language and compares: equal bytes, equal answers, equal errors.

    python tests/cross/run.py NAME=COMMAND …

COMMAND is an adapter without its last two arguments, SCRIPT.json and RESULT.json. `oracle` stands for the second implementation, which
shares nothing with the others; floats that are not stored may differ there in the last digits, nowhere else.
"""

from __future__ import annotations

import json
import math
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import plan
import scalable_plan
from plan import ANY, Task

LANGUAGE = {"node-native": "js", "node-wasm": "js", "node": "js", "chromium-wasm": "js"}
ESTIMATES = {"fill_ratio", "estimated_count", "estimated_fpr", "saturation"}


class Adapter:
    def __init__(self, name: str, command: str, folder: Path):
        self.name, self.command, self.folder = name, shlex.split(command), folder / name
        self.language = LANGUAGE.get(name, name)
        self.folder.mkdir()
        self.failures: list[str] = []

    def run(self, tasks: list[Task], writer: Adapter | None = None) -> list[list]:
        text = json.dumps([task.steps for task in tasks]).replace('"OUT/', f'"{self.folder}/')
        if writer is not None:
            text = text.replace('"WRITER/', f'"{writer.folder}/')
        script, result = self.folder / "script.json", self.folder / "result.json"
        script.write_text(text, "utf-8")
        subprocess.run([*self.command, str(script), str(result)], check=True)
        return json.loads(result.read_text("utf-8"))

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted(self.folder.glob("*.tepal"))}

    def fail(self, task: str, got, expected) -> None:
        self.failures.append(
            f"{task}:\n      got      {json.dumps(got)[:300]}\n      expected {json.dumps(expected)[:300]}"
        )


def same(got, expected, near: bool) -> bool:
    """Equal; with `near`, numbers that come from a logarithm or a long sum may differ a little."""
    if isinstance(expected, dict) and isinstance(got, dict):
        got = exact_above_2_53(got, expected)
        return got.keys() == expected.keys() and all(
            close(got[k], expected[k], k) if near and k in ESTIMATES else got[k] == expected[k] for k in expected
        )
    if near and isinstance(expected, list) and isinstance(got, list) and len(got) == len(expected):
        return all(same(a, b, near) for a, b in zip(got, expected, strict=True))
    if near and isinstance(expected, float):
        return math.isclose(got, expected, rel_tol=1e-9)
    return got == expected


def exact_above_2_53(got: dict, expected: dict) -> dict:
    """JavaScript's numbers above 2^53 are the nearest that there are."""
    name = "max_scaled_capacity"
    if name in got and name in expected and float(got[name]) == float(expected[name]) > 2**53:
        return got | {name: expected[name]}
    return got


def close(got: float, expected: float, name: str) -> bool:
    if name == "estimated_count":
        return abs(got - expected) <= 1
    return math.isclose(got, expected, rel_tol=1e-9) or (name == "saturation" and abs(got - expected) <= 1)


def compare(adapter: Adapter, task: Task, got: list, expected: list) -> None:
    if task.last_only:
        got = got[-1:]
    near = adapter.name == "oracle"
    if len(got) != len(expected):
        adapter.fail(task.name, got[-1:], f"{len(expected)} outcomes, not {len(got)}")
        return
    for number, (a, b) in enumerate(zip(got, expected, strict=True)):
        if b is not ANY and not same(a, b, near):
            adapter.fail(f"{task.name}, step {number} {task.steps[number]['op'] if not task.last_only else ''}", a, b)
            return


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory(prefix="tepal-cross-") as folder:
        adapters = [Adapter(*argument.split("=", 1), Path(folder)) for argument in arguments]
        golden = plan.golden() + scalable_plan.golden()
        adventures = plan.adventures() + scalable_plan.adventures()
        tables = plan.hashes() + plan.sizes() + scalable_plan.foreign()
        against_vectors = golden + tables + plan.malformed() + plan.mistakes() + scalable_plan.mistakes()
        first: Adapter | None = None
        outcomes: list[list] = []
        for adapter in adapters:
            started = time.monotonic()
            tasks = [task for task in against_vectors if adapter.language not in task.without]
            all_got = adapter.run(tasks + adventures)
            for task, got in zip(tasks, all_got, strict=False):
                compare(adapter, task, got, task.expected)
            # What the vectors leave open (`explain`, the random scripts) must be as the first adapter says.
            free = all_got[: len(golden)] + all_got[len(tasks) :]
            if first is None:
                first, outcomes = adapter, free
            for task, got, expected in zip(golden + adventures, free, outcomes, strict=True):
                compare(adapter, task, got, expected)
            written = adapter.files()
            expected_files = first.files() | {task.name: committed(task.name) for task in golden}
            for name, data in expected_files.items():
                if written.get(name) != data:
                    adapter.fail(name, "other bytes", "the golden ones, or those of the first adapter")
            print(
                f"cross: {adapter.name:13} {len(golden)} golden files, {len(tables)} table rows and payloads, {len(tasks) - len(golden) - len(tables)} errors,"
                f" {len(adventures)} random scripts, {len(written)} files written: {verdict(adapter)}"
                f" ({time.monotonic() - started:.0f} s)",
                flush=True,
            )
        matrix(adapters, adventures[:20] + adventures[-12:])
        for adapter in adapters:
            for failure in adapter.failures[:20]:
                print(f"  {adapter.name}: {failure}")
        return any(adapter.failures for adapter in adapters)


def committed(name: str) -> bytes:
    scalable = name.removeprefix("scalable-")
    return (plan.V1 / name if scalable == name else plan.SCALABLE / scalable).read_bytes()


def matrix(adapters: list[Adapter], adventures: list[Task]) -> None:
    """Every reader with every writer's files."""
    tasks = [plan.reading(task) for task in adventures]
    expected: list[list] = []
    for reader in adapters:
        before = len(reader.failures)
        for writer in adapters:
            got = reader.run(tasks, writer)
            expected = expected or got
            for task, a, b in zip(tasks, got, expected, strict=True):
                compare(reader, Task(f"{task.name} of {writer.name}", task.steps), a, b)
            again = {
                name.replace("again", "adventure"): data
                for name, data in reader.files().items()
                if name[0:5] == "again"
            }
            written = writer.files()
            for name, data in again.items():
                if data != written.get(name):
                    reader.fail(f"{name} of {writer.name}", "other bytes written", "those that were read")
        count = sum(step["op"] == "load" for task in tasks for step in task.steps) * len(adapters)
        result = "ok" if len(reader.failures) == before else "FAILED"
        print(
            f"cross: {reader.name:13} reads {count} files of {', '.join(w.name for w in adapters)}: {result}",
            flush=True,
        )


def verdict(adapter: Adapter) -> str:
    return "ok" if not adapter.failures else f"{len(adapter.failures)} FAILED"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
