"""Section 5 of FORMAT.md is what the oracle computes, to the letter."""

from pathlib import Path

import examples
import pytest

from oracle import Bloom

FORMAT = Path(__file__).parent.parent.parent / "crates/tepal/FORMAT.md"


def test_worked_examples_are_recomputed():
    text = FORMAT.read_text("utf-8")
    assert text[text.index("## 5. ") : text.index("\n## 6. ")] == examples.render()


@pytest.mark.parametrize("section", ["### 5.1", "### 5.2"])
def test_a_dump_is_a_file_that_can_be_read(section):
    """The first dump of a section, typed in as a reader would, with the rows of zeros that it leaves out."""
    text = FORMAT.read_text("utf-8")
    dump = text[text.index(section) :].split("```text\n")[1].split("```")[0]
    data = bytearray()
    for row in dump.splitlines():
        at, digits = row[:4], row[4:]
        data.extend(bytes(int(at, 16) - len(data)) + bytes.fromhex(digits))
    if section == "### 5.1":
        f = Bloom.from_bytes(bytes(data))
        assert "tepal" in f and -1 in f and f.r.capacity == 2 and 1 not in f
    else:
        assert examples.second_header() == data
