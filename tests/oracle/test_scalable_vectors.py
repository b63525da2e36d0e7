"""The golden vectors of scalable filters and foreign payloads, recomputed from FORMAT.md alone."""

import hashlib
import json
import math
from pathlib import Path

import pytest
import script

FOLDER = Path(__file__).parent.parent / "vectors" / "v1-scalable"


def load(name):
    return json.loads((FOLDER / name).read_text("utf-8"))


def named(entries, name):
    return [pytest.param(entry, id=entry[name]) for entry in entries]


MANIFEST, FOREIGN = load("manifest.json"), load("foreign.json")
ENTRIES, BAD = named(MANIFEST["files"], "file"), named(load("malformed.json"), "file")


def check_facts(found, facts):
    for fact, expected in facts.items():
        if fact == "estimated_count":
            assert (
                abs(found[fact] - expected) <= facts["filter_count"]
            )  # the oracle's logarithm may round a half the other way
        elif fact == "saturation":
            assert abs(found[fact] - expected) <= facts["filter_count"] / facts["capacity"]
        elif fact in ("fill_ratio", "estimated_fpr"):
            assert math.isclose(found[fact], expected, rel_tol=MANIFEST["tolerance"]), fact
        else:
            assert found[fact] == expected, fact


@pytest.mark.parametrize("entry", ENTRIES)
def test_builds_the_same_bytes(entry, tmp_path):
    *steps, save = entry["steps"]
    outcomes = script.run([*steps, save | {"file": str(tmp_path / "made")}])
    assert outcomes == [step.get("new", step.get("refused")) for step in entry["steps"]]
    golden = (FOLDER / entry["file"]).read_bytes()
    assert (tmp_path / "made").read_bytes() == golden
    assert hashlib.sha256(golden).hexdigest() == entry["sha256"] and len(golden) == entry["bytes"]


@pytest.mark.parametrize("entry", ENTRIES)
def test_reads_the_same_filter(entry, tmp_path):
    again = str(tmp_path / "again")
    outcomes = script.run([
        {"op": "load_scalable", "id": "f", "file": str(FOLDER / entry["file"]), "seed": entry.get("open_seed")},
        {"op": "facts", "id": "f"},
        {"op": "ask", "id": "f", "keys": entry["present"]},
        {"op": "ask", "id": "f", "keys": entry["asked"]["keys"]},
        {"op": "save", "id": "f", "file": again, "withhold_seed": "open_seed" in entry},
    ])  # fmt: skip
    check_facts(outcomes[1], entry["facts"])
    assert "0" not in outcomes[2] and outcomes[3] == entry["asked"]["answers"]
    assert Path(again).read_bytes() == (FOLDER / entry["file"]).read_bytes()


@pytest.mark.parametrize("bad", BAD)
def test_refuses_what_is_malformed(bad):
    step = {"op": "load_scalable", "id": "f", "file": str(FOLDER / bad["file"]), "seed": bad.get("seed")}
    refused = {"error": bad["code"]}
    assert script.run([step]) == [refused]
    lazy = [step | {"lazy": True}, {"op": "verify", "id": "f"}]
    assert script.run(lazy) == ([None, refused] if bad.get("lazy") else [refused])


@pytest.mark.parametrize("entry", named(FOREIGN["read"], "name"))
def test_reads_the_payloads_of_others(entry):
    outcomes = script.run([
        entry | {"id": "f"},
        {"op": "facts", "id": "f"},
        {"op": "ask", "id": "f", "keys": entry["present"]},
        {"op": "ask", "id": "f", "keys": entry["asked"]["keys"]},
    ])  # fmt: skip
    check_facts(outcomes[1], entry["facts"])
    assert "0" not in outcomes[2] and outcomes[3] == entry["asked"]["answers"]


@pytest.mark.parametrize("entry", named(FOREIGN["refused"], "name"))
def test_refuses_the_payloads_of_nobody(entry):
    assert script.run([entry | {"id": "f"}]) == [{"error": entry["code"]}]


@pytest.mark.parametrize("entry", named(FOREIGN["written"], "file"))
def test_writes_the_payloads_of_others(entry):
    for op in entry.keys() & {"to_valkey_load", "to_valkey_dump", "to_redisbloom"}:
        back = {"op": "from_redisbloom" if op == "to_redisbloom" else "from_valkey", "id": "g"}
        outcomes = script.run([
            {"op": "load_scalable", "id": "f", "file": str(FOLDER / entry["file"])},
            {"op": op, "id": "f"},
            back | {"hex": entry[op], "chunks": entry[op]},
            {"op": "equal", "id": "f", "other": "g"},
        ])  # fmt: skip
        assert outcomes[1:] == [entry[op], None, True]


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=f"{i}-{row['code']}") for i, row in enumerate(load("errors.json"))]
)
def test_mistakes(row):
    outcomes = script.run(row["steps"])
    assert len(outcomes) == len(row["steps"]) and outcomes[-1] == {"error": row["code"]}, row


def test_every_code_of_a_reader_has_a_malformed_file():
    text = (FOLDER.parent.parent.parent / "crates/tepal/FORMAT.md").read_text("utf-8")
    table = text[text.index("### 6.3") : text.index("### 6.4")]
    codes = {word.strip("`,|();:.") for word in table.split() if "`ERR_" in word}
    assert codes and codes <= {bad.values[0]["code"] for bad in BAD} and len(BAD) >= 120
