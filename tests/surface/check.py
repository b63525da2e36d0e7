"""Every language has the same classes and members: what introspection finds is exactly what surface.json lists.

The rule: a member has its name in Rust and Python, and the same in camelCase in JavaScript. surface.json notes exceptions:
another name, several names (a list), or null with the reason in `why`. TEPAL_PYTHON and TEPAL_PACKAGE as in tests/cross/run.sh.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
LANGUAGES = ("rust", "python", "js")


def camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def names(entry: dict, language: str) -> list[str]:
    name = entry["name"]
    found = entry.get(language, camel(name) if language == "js" and "_" in name[1:] else name)
    return [] if found is None else [found] if isinstance(found, str) else found


def output(command: list[str], **more: str) -> str:
    env = os.environ | more
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=env).stdout


def python() -> dict:
    return json.loads(output([os.environ.get("TEPAL_PYTHON", sys.executable), str(HERE / "surface.py")]))


def js() -> dict:
    return json.loads(output(["node", str(HERE / "surface.mjs")]))


def rust() -> dict:
    """From rustdoc's JSON, which a stable compiler gives when asked like this."""
    folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    target = ["--target-dir", str(folder / "surface")]  # its own: the main documentation stays as it is
    command = [
        "cargo",
        "rustdoc",
        "--quiet",
        "--locked",
        "-p",
        "tepal",
        "--lib",
        *target,
        "--",
        "-Zunstable-options",
        "--output-format",
        "json",
    ]
    output(command, RUSTC_BOOTSTRAP="1")
    return read_rustdoc(json.loads((folder / "surface/doc/tepal.json").read_text()))


def read_rustdoc(document: dict) -> dict:
    index = document["index"]

    def kind(item: dict) -> tuple[str, dict]:
        return next(iter(item["inner"].items()))

    def exported() -> list[str]:
        items = (index[str(i)] for i in index[str(document["root"])]["inner"]["module"]["items"])
        return sorted(item["inner"]["use"]["name"] if kind(item)[0] == "use" else item["name"] for item in items)

    def members(item: dict) -> list[str]:
        found = set()
        fields = kind(item)[1]["kind"]
        if isinstance(fields, dict) and "plain" in fields:
            found |= {
                index[str(i)]["name"]
                for i in fields["plain"]["fields"]
                if str(i) in index and index[str(i)]["visibility"] == "public"
            }
        for number in kind(item)[1]["impls"]:
            block = index[str(number)]["inner"]["impl"]
            if block["trait"] is None:
                found |= {index[str(i)]["name"] for i in block["items"] if index[str(i)]["visibility"] == "public"}
            elif not block["is_synthetic"] and block["blanket_impl"] is None:
                found.add("impl " + block["trait"].get("path", block["trait"].get("name", "")).split("::")[-1])
        return sorted(found - {"impl StructuralPartialEq", "impl Copy", "impl Eq"})

    wanted = (
        "BloomFilter",
        "ScalableBloomFilter",
        "LevelFacts",
        "Info",
        "Metrics",
        "KeyHash",
        "Explanation",
        "ExplainedLine",
        "ExplainedBit",
    )
    structs = {item["name"]: item for item in index.values() if item["name"] in wanted and kind(item)[0] == "struct"}
    return {"module": exported()} | {name: members(item) for name, item in structs.items()}


def differences(table: dict, found: dict[str, dict]) -> list[str]:
    wrong = []
    for section, entries in table.items():
        for entry in entries:
            if any(language in entry and entry[language] is None for language in LANGUAGES) and not entry.get("why"):
                wrong.append(f"{section}.{entry['name']}: missing somewhere, and no reason is given")
        for language in LANGUAGES:
            listed = {name for entry in entries for name in names(entry, language)}
            there = set(found[language].get(section, []))
            wrong += [f"{language}: {section}.{name} is listed but is not there" for name in sorted(listed - there)]
            wrong += [f"{language}: {section}.{name} is there but is not listed" for name in sorted(there - listed)]
    return wrong


def main() -> int:
    table = json.loads((HERE / "surface.json").read_text("utf-8"))
    wrong = differences(table, {"rust": rust(), "python": python(), "js": js()})
    for line in wrong:
        print(line)
    members = sum(len(entries) for entries in table.values())
    print(
        f"surface: {members} names in {len(table)} places, in {', '.join(LANGUAGES)}: {len(wrong) or 'no'} differences"
    )
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
