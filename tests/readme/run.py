"""Runs the code of the README, in order, in one directory: what a reader copies must work.

    python run.py PYTHON NODE_MODULES        an interpreter with the wheel, a directory with the npm package

Each ```python, ```js and ```rust block is a program of its own. A comment at the end of a line that prints is what it must print.
"""

import os
import re
import subprocess
import sys
import tempfile
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


def expected_output(language: str, code: str) -> list[str]:
    """The comments behind printing lines, None where a line prints something unstated."""
    lines = [line for line in code.splitlines() if line.startswith(PRINTS[language])]
    found = [re.search(r"(?:#|//) (.*)$", line) for line in lines]
    return [match[1].strip() if match else None for match in found]


def program(language: str, code: str, work: Path, python: str) -> list[str]:
    """Writes the block as a program and gives the command that runs it."""
    if language == "python":
        (work / "block.py").write_text(code)
        return [python, "block.py"]
    if language == "js":
        (work / "block.mjs").write_text(code)
        return ["node", "block.mjs"]
    (work / "src").mkdir(exist_ok=True)
    (work / "Cargo.toml").write_text(CARGO.format(core=ROOT / "crates/tepal"))
    body = "\n".join(f"    {line}" for line in code.splitlines())
    (work / "src/main.rs").write_text(
        f"fn main() -> Result<(), Box<dyn std::error::Error>> {{\n{body}\n    Ok(())\n}}\n"
    )
    target = os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))
    return ["cargo", "run", "--quiet", "--target-dir", str(Path(target) / "readme")]


def main() -> None:
    python, node_modules = sys.argv[1], Path(sys.argv[2]).resolve()
    blocks = re.findall(r"^```(python|js|rust)\n(.*?)^```", (ROOT / "README.md").read_text(), re.S | re.M)
    if not {"python", "js", "rust"} <= {language for language, _ in blocks}:
        sys.exit("README.md has no block of some language")
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        (work / "node_modules").symlink_to(node_modules)
        for language, code in blocks:
            command = program(language, code, work, python)
            run = subprocess.run(command, cwd=work, capture_output=True, text=True)
            said = run.stdout.splitlines()
            want = expected_output(language, code)
            good = run.returncode == 0 and len(said) == len(want)
            good = good and all(w in (None, s) for w, s in zip(want, said, strict=True))
            print(f"{'ok' if good else 'FAILED'}: README {language} block: {' / '.join(said)}")
            if not good:
                failed += 1
                print(f"expected {want}\n{run.stderr}")
    print(f"{len(blocks) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
