"""Runs the code of a page, in order, in one directory: what a reader copies must work.

    python run.py PYTHON NODE_MODULES PAGE...    an interpreter with the wheel, directories (a:b) with the npm package

Each ```python, ```js and ```rust block is a program of its own; each line of a ```console block that begins with $ is a
command, run beside the page's neighbours, and the lines below it are what it must print. A comment at the end of a line
that prints is what it must print; a ```text block directly below is all that the block must print.

A block that calls redis.Redis() or new Redis() gets a real Redis with RedisBloom for it, one that calls valkey.Valkey()
a real Valkey with valkey-bloom, which is skipped, and said so, where that module cannot be had.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRINTS = {"python": "print(", "js": "console.log(", "rust": "println!("}
CARGO = """[package]
name = "readme"
edition = "2021"
[dependencies]
tepal = {{ path = "{core}" }}
[workspace]
"""
BLOCK = re.compile(r"^```(python|js|rust|console)\n(.*?)^```\n(?:\n?```text\n(.*?)^```)?", re.S | re.M)
# The client that a reader writes, the server that it gets here, and the same with that server's port.
CLIENTS = (
    ("redis.Redis()", "redis", "redis.Redis(port={port})"),
    ("new Redis()", "redis", "new Redis({port})"),
    ("valkey.Valkey()", "valkey_bloom", "valkey.Valkey(port={port})"),
)


@dataclass(frozen=True)
class Program:
    """Code, and the lines that it must print; None where a line says nothing about that."""

    language: str
    code: str
    want: list[str | None]


def programs(text: str) -> list[Program]:
    """The programs of a page."""
    found = []
    for language, code, output in BLOCK.findall(text):
        if language == "console":
            for session in re.split(r"^\$ ", code, flags=re.M)[1:]:
                command, _, printed = session.partition("\n")
                found.append(Program("console", command, printed.rstrip("\n").splitlines()))
        elif output:
            found.append(Program(language, code, output.splitlines()))
        else:
            found.append(Program(language, code, expected_output(language, code)))
    return found


def expected_output(language: str, code: str) -> list[str | None]:
    """The comments behind printing lines, None where a line prints something unstated."""
    lines = [line for line in code.splitlines() if line.lstrip().startswith(PRINTS[language])]
    found = [re.search(r"(?:#|//) (.*)$", line) for line in lines]
    return [match[1].strip() if match else None for match in found]


def command(language: str, code: str, work: Path, python: str) -> list[str]:
    """Writes the program and gives the command that runs it."""
    if language == "python":
        (work / "block.py").write_text(code)
        return [python, "block.py"]
    if language == "js":
        (work / "block.mjs").write_text(code)
        return ["node", "block.mjs"]
    if language == "console":
        name, *arguments = code.split()
        return [python if name == "python" else name, *arguments]
    (work / "src").mkdir(exist_ok=True)
    (work / "Cargo.toml").write_text(CARGO.format(core=ROOT / "crates/tepal"))
    body = "\n".join(f"    {line}" for line in code.splitlines())
    (work / "src/main.rs").write_text(
        f"fn main() -> Result<(), Box<dyn std::error::Error>> {{\n{body}\n    Ok(())\n}}\n"
    )
    target = os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))
    return ["cargo", "run", "--quiet", "--target-dir", str(Path(target) / "readme")]


class Servers:
    """Real servers for a page's blocks: each started when first needed, all ended at the end."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._ports: dict[str, int | None] = {}

    def port(self, name: str) -> int | None:
        """Where the server listens; None when it cannot be had here."""
        if name not in self._ports:
            sys.path.insert(0, str(ROOT / "tests/servers"))
            from run import server

            started = self._stack.enter_context(server(name))
            self._ports[name] = started.port if started else None
        return self._ports[name]

    def connected(self, code: str) -> str | None:
        """The code with the ports of the servers that it asks for; None when one cannot be had here."""
        for written, name, with_port in CLIENTS:
            if written in code:
                port = self.port(name)
                if port is None:
                    return None
                code = code.replace(written, with_port.format(port=port))
        return code


def directory(page: Path, node_modules: list[Path], work: Path) -> None:
    """What is beside the page, as the blocks find it, and the packages that they import."""
    for one in page.parent.iterdir():
        if page.parent != ROOT and one.suffix in {".py", ".mjs"}:
            shutil.copy(one, work)
    (work / "node_modules").mkdir()
    for package in (package for folder in node_modules for package in folder.iterdir()):
        if not package.name.startswith(".") and not (work / "node_modules" / package.name).exists():
            (work / "node_modules" / package.name).symlink_to(package)


def run_page(page: Path, python: str, node_modules: list[Path], only: set[str]) -> tuple[int, int, int]:
    """How many programs of the page passed, failed, and were skipped."""
    passed = failed = skipped = 0
    name = page.relative_to(ROOT)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        work, servers = Path(folder), Servers(stack)
        directory(page, node_modules, work)
        for program in programs(page.read_text()):
            language, want = program.language, program.want
            if only and language not in only:
                continue
            code = servers.connected(program.code)
            if code is None:
                print(f"skipped: {name} {language} block: there is no valkey-bloom here (TEPAL_VALKEY_BLOOM names one)")
                skipped += 1
                continue
            line = command(language, code, work, python)
            run = subprocess.run(line, cwd=work, capture_output=True, text=True)
            said = run.stdout.rstrip("\n").splitlines()
            good = run.returncode == 0 and len(said) == len(want)
            good = good and all(w in (None, s) for w, s in zip(want, said, strict=True))
            print(f"{'ok' if good else 'FAILED'}: {name} {language} block: {' / '.join(said)}")
            if good:
                passed += 1
            else:
                failed += 1
                print(f"expected {want}\nin\n{program.code}\n{run.stderr}")
    return passed, failed, skipped


def main() -> None:
    python, packages, *pages = sys.argv[1:]
    python = os.path.abspath(python)  # not resolved: the link of a venv is what makes it one
    node_modules = [Path(folder).resolve() for folder in packages.split(":") if folder]
    only = set(filter(None, os.environ.get("ONLY", "").split()))
    totals = [0, 0, 0]
    for page in pages:
        counts = run_page(Path(page).resolve(), python, node_modules, only)
        if counts[0] == 0:
            sys.exit(f"{page}: no block ran")
        totals = [sum(pair) for pair in zip(totals, counts, strict=True)]
    passed, failed, skipped = totals
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
