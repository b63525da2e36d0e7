"""The golden vectors of scalable filters and of other libraries' payloads (tests/vectors/README.md), in Python."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from test_vectors import all_keys, bits, loose, one_key

import tepal
from tepal import ScalableBloomFilter

FOLDER = Path(__file__).parents[2] / "tests" / "vectors" / "v1-scalable"
ESTIMATES = ("fill_ratio", "estimated_count", "estimated_fpr", "saturation")


def read(name: str) -> Any:
    return json.loads((FOLDER / name).read_text("utf-8"))


MANIFEST, FOREIGN = read("manifest.json"), read("foreign.json")


def new(step: dict[str, Any]) -> ScalableBloomFilter:
    options = {name: loose(value) for name, value in step.items() if name not in ("op", "id", "seed")}
    if "seed" in step:
        seed = step["seed"]
        options["seed"] = int(seed) if isinstance(seed, str) else loose(seed)
    return ScalableBloomFilter(**options)


def foreign(step: dict[str, Any]) -> ScalableBloomFilter:
    if step["op"] == "from_redisbloom":
        return ScalableBloomFilter.from_redisbloom([(at, bytes.fromhex(chunk)) for at, chunk in step["chunks"]])
    made: ScalableBloomFilter = getattr(ScalableBloomFilter, step["op"])(bytes.fromhex(step["hex"]))
    return made


def export(f: ScalableBloomFilter, op: str) -> Any:
    if op == "to_redisbloom":
        return [[at, chunk.hex()] for at, chunk in f.to_redisbloom()]
    return getattr(f, op)().hex()


def refused(f: ScalableBloomFilter, step: dict[str, Any]) -> dict[str, str]:
    batch = list(all_keys(step["keys"]))
    answers: list[bool] = []
    try:
        if step["op"] == "add_many_until_refused":
            f.add_many(batch)
        else:
            for key in batch:
                answers.append(f.add(key))
    except tepal.CapacityError as error:
        if error.answers is not None:
            answers = list(error.answers)[: error.index]
        return {"new": bits(answers), "code": error.code}
    raise AssertionError("nothing was refused")


def play(steps: list[dict[str, Any]]) -> Any:
    """Runs a script; what its last step gives."""
    f: dict[str, ScalableBloomFilter] = {}
    last: Any = None
    for step in steps:
        name, op, last = step.get("id", ""), step["op"], None
        match op:
            case "new_scalable":
                f[name] = new(step)
            case "from_valkey" | "from_redisbloom" | "from_guava" | "from_spark":
                f[name] = foreign(step)
            case "add":
                answers = bits([f[name].add(key) for key in all_keys(step["keys"])])
                assert answers == step.get("new", answers)
            case "add_many":
                f[name].add_many(all_keys(step["keys"]))
            case "ask":
                assert [key in f[name] for key in all_keys(step["keys"])]
            case "ask_many":
                f[name].contains_many(all_keys(step["keys"]))
            case "add_until_refused" | "add_many_until_refused":
                assert refused(f[name], step) == step["refused"]
            case "union":
                f[name] = f[step["of"][0]].union(f[step["of"][1]])
            case "union_with":
                f[name] |= f[step["other"]]
            case "copy":
                f[name] = f[step["from"]].copy()
            case "clear":
                f[name].clear()
            case "hash":
                for key in all_keys(step["keys"]):
                    f[name].key_hash(key)
            case "ask_hash_of":
                f[name].contains_hash(f[step["other"]].key_hash(one_key(step["keys"][0])))
            case "validate_scale_to":
                f[name].validate_scale_to(loose(step["keys"]))
            case "to_valkey_load" | "to_valkey_dump" | "to_redisbloom":
                last = export(f[name], op)
            case "save":
                last = f[name].to_bytes(withhold_seed=step.get("withhold_seed", False))
            case other:
                raise AssertionError(other)
    return last


def check(f: ScalableBloomFilter, facts: dict[str, Any], present: Any, asked: dict[str, Any]) -> None:
    seed = f.seed
    found: dict[str, Any] = {
        "seed": seed.hex() if isinstance(seed, bytes) else None if seed is None else str(seed),
        "byte_len": f.nbytes,
        "max_scaled_capacity": str(f.max_scaled_capacity),
        "levels": [[v.capacity, v.inserted_count, v.fpr, v.num_bits, v.num_probes, v.layout] for v in f.levels],
    }
    for name, expected in facts.items():
        fact = found[name] if name in found else getattr(f, name)
        if name in ESTIMATES:
            assert math.isclose(fact, expected, rel_tol=MANIFEST["tolerance"])
        else:
            assert fact == expected, name
    info = dict(f.info())
    assert len(info) == 8
    assert all(info[name] == facts[name] for name in info if name != "max_scaled_capacity")
    assert info["max_scaled_capacity"] == f.max_scaled_capacity
    assert f.contains_many(all_keys(present)).all()
    strangers = list(all_keys(asked["keys"]))
    assert bits(f.contains_many(strangers)) == asked["answers"]
    assert bits([key in f for key in strangers]) == asked["answers"]


@pytest.mark.parametrize("entry", MANIFEST["files"], ids=lambda entry: entry["file"])
def test_file(entry: dict[str, Any], tmp_path: Path) -> None:
    path = FOLDER / entry["file"]
    data = path.read_bytes()
    assert play(entry["steps"]) == data
    seed = None if "open_seed" not in entry else int(entry["open_seed"])
    opened = [
        ScalableBloomFilter.from_bytes(data, seed=seed),
        ScalableBloomFilter.from_buffer(data, seed=seed),
        ScalableBloomFilter.load(path, seed=seed),
        ScalableBloomFilter.load(path, seed=seed, mmap=True),
        tepal.from_bytes(data, seed=seed),
        tepal.load(path, seed=seed),
    ]
    for f in opened:
        assert isinstance(f, ScalableBloomFilter)
        check(f, entry["facts"], entry["present"], entry["asked"])
        f.verify()
        f.save(tmp_path / "f", withhold_seed=seed is not None)
        assert (tmp_path / "f").read_bytes() == data == f.to_bytes(withhold_seed=seed is not None)


@pytest.mark.parametrize("case", read("malformed.json"), ids=lambda case: case["file"])
def test_malformed(case: dict[str, Any]) -> None:
    path = FOLDER / case["file"]
    data, seed = path.read_bytes(), None if "seed" not in case else int(case["seed"])
    for opener in (
        lambda: ScalableBloomFilter.from_bytes(data, seed=seed),
        lambda: ScalableBloomFilter.load(path, seed=seed),
        lambda: ScalableBloomFilter.from_buffer(data, seed=seed).verify(),
        lambda: ScalableBloomFilter.load(path, seed=seed, mmap=True).verify(),
    ):
        with pytest.raises(tepal.TepalError) as caught:
            opener()
        assert caught.value.code == case["code"]
    if case.get("lazy"):
        ScalableBloomFilter.from_buffer(data, seed=seed)


@pytest.mark.parametrize("entry", FOREIGN["read"], ids=lambda entry: entry["name"])
def test_payload_is_read(entry: dict[str, Any]) -> None:
    check(foreign(entry), entry["facts"], entry["present"], entry["asked"])


@pytest.mark.parametrize("entry", FOREIGN["refused"], ids=lambda entry: entry["name"])
def test_payload_is_refused(entry: dict[str, Any]) -> None:
    with pytest.raises(tepal.FormatError) as caught:
        foreign(entry)
    assert caught.value.code == entry["code"]


@pytest.mark.parametrize("entry", FOREIGN["written"], ids=lambda entry: entry["file"])
def test_payload_is_written(entry: dict[str, Any]) -> None:
    f = ScalableBloomFilter.load(FOLDER / entry["file"])
    for op in entry.keys() - {"file"}:
        assert export(f, op) == entry[op]
        back = "from_redisbloom" if op == "to_redisbloom" else "from_valkey"
        assert foreign({"op": back, "hex": entry[op], "chunks": entry[op]}) == f


MISTAKES = [row for row in read("errors.json") if "python" not in row.get("not", [])]


@pytest.mark.parametrize("row", MISTAKES, ids=lambda row: json.dumps(row["steps"])[:120])
def test_mistake(row: dict[str, Any]) -> None:
    play(row["steps"][:-1])
    with pytest.raises(tepal.TepalError) as caught:
        play(row["steps"])
    assert caught.value.code == row["code"]
