"""The check notices: a member too few, one too many, one under another name, an exception without a reason."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import check

TABLE = {"F": [{"name": "add_many", "rust": "insert_many"}, {"name": "free", "rust": None, "why": "Drop"}]}
FOUND = {
    "rust": {"F": ["insert_many"]},
    "python": {"F": ["add_many", "free"]},
    "js": {"F": ["addMany", "free"]},
}


def test_equal_surfaces():
    assert check.differences(TABLE, FOUND) == []


def test_each_kind_of_difference():
    def count(found=FOUND, table=TABLE):
        return len(check.differences(table, found))

    assert count(FOUND | {"js": {"F": ["addMany"]}}) == 1
    assert count(FOUND | {"js": {"F": ["addMany", "free", "more"]}}) == 1
    assert count(FOUND | {"js": {"F": ["add_many", "free"]}}) == 2
    assert count(FOUND | {"rust": {}}) == 1
    assert count(table={"F": [TABLE["F"][0], {"name": "free", "rust": None}]}) == 1
