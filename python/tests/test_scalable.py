"""ScalableBloomFilter: growth, refusal, batches, facts, bytes, files, pickles, unions, schemes."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from helpers import keys as any_keys
from helpers import raises
from hypothesis import given
from hypothesis import strategies as st

import tepal
from tepal import BloomFilter, LevelFacts, Mask, ScalableBloomFilter

SCHEMES = ("tepal", "valkey", "redisbloom")


def test_it_grows_and_keeps_its_promise() -> None:
    f = ScalableBloomFilter(100, 0.01)
    for key in range(20_000):
        f.add(key)
        assert key in f
    assert f.filter_count > 3
    strangers = np.arange(10**6, 10**6 + 100_000)
    rate = f.contains_many(strangers).count() / 100_000
    assert rate <= 0.01
    assert math.isclose(rate, f.estimated_fpr, rel_tol=0.3)
    assert f.estimated_fpr <= 0.01
    assert abs(f.estimated_count - f.inserted_count) < 0.02 * f.inserted_count
    assert 20_000 * 0.99 < f.inserted_count <= 20_000


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_first_key_beyond_the_capacity_makes_it_grow(scheme: str) -> None:
    f = ScalableBloomFilter(10, 1e-6, scheme=scheme)
    f.update(range(10))
    assert (f.filter_count, f.inserted_count, f.capacity) == (1, 10, 10)
    assert f.add(3) is False
    assert f.filter_count == 1
    assert f.add(10) is True
    expansion = 4 if scheme == "tepal" else 2
    assert (f.filter_count, f.capacity, f.initial_capacity) == (2, 10 + 10 * expansion, 10)


def test_defaults() -> None:
    f = ScalableBloomFilter()
    assert (f.capacity, f.fpr, f.expansion, f.tightening, f.max_bytes) == (1000, 0.01, 4, None, None)
    assert (f.seed, f.scheme, f.metadata, f.read_only) == (0, "tepal", {}, False)
    v = ScalableBloomFilter(scheme="valkey")
    assert (v.capacity, v.fpr, v.expansion, v.tightening, v.max_bytes) == (100, 0.01, 2, 0.5, 128 << 20)
    assert isinstance(v.seed, bytes)
    assert len(v.seed) == 32
    r = ScalableBloomFilter(scheme="redisbloom")
    assert (r.capacity, r.fpr, r.expansion, r.tightening, r.max_bytes) == (100, 0.01, 2, 0.5, None)
    assert r.seed is None


def test_none_is_something_else_than_nothing() -> None:
    f = ScalableBloomFilter(scheme="valkey", expansion=None, max_bytes=None)
    assert (f.expansion, f.max_bytes) == (None, None)
    assert ScalableBloomFilter(expansion=None).expansion is None
    assert ScalableBloomFilter(tightening=0.5).tightening == 0.5
    assert ScalableBloomFilter(tightening=None).tightening is None
    assert ScalableBloomFilter(expansion=1).expansion == 1


def test_numbers_of_valkey() -> None:
    f = ScalableBloomFilter(scheme="valkey")
    assert (f.size, f.max_scaled_capacity) == (384, 26_214_300)
    assert ScalableBloomFilter(10_000, 0.001, scheme="valkey").size == 18_236
    f.validate_scale_to(26_214_300)
    with raises("ERR_SCALE_TO", tepal.ArgumentError):
        f.validate_scale_to(26_214_301)
    with raises("ERR_SCALE_TO", tepal.ArgumentError):
        ScalableBloomFilter(scheme="valkey", validate_scale_to=26_214_301)
    assert f.info() == {
        "capacity": 100,
        "size": 384,
        "filter_count": 1,
        "inserted_count": 0,
        "fpr": 0.01,
        "expansion": 2,
        "tightening": 0.5,
        "max_scaled_capacity": 26_214_300,
    }


@pytest.mark.parametrize("scheme", SCHEMES)
def test_full(scheme: str) -> None:
    f = ScalableBloomFilter(5, 1e-6, expansion=None, scheme=scheme)
    f.update(["a", "b", "c", "d", "e"])
    before = f.to_bytes()
    with raises("ERR_FULL", tepal.CapacityError) as caught:
        f.add("f")
    assert caught.value.index is None
    assert f.add("a") is False  # what is in needs no room
    assert f.to_bytes() == before
    with raises("ERR_FULL", tepal.CapacityError) as caught:
        f.update(["a"], ["b", "x"])
    assert caught.value.index == 1
    assert caught.value.answers is None
    assert f.add_many(["a", "e"]).any() is False


@pytest.mark.parametrize("extra", [0, 20_000, 40_000])
def test_a_batch_that_is_refused(extra: int) -> None:
    f = ScalableBloomFilter(1000 + extra, 1e-6, expansion=None)
    keys = np.arange(60_000)
    with raises("ERR_FULL", tepal.CapacityError) as caught:
        f.add_many(keys)
    index, answers = caught.value.index, caught.value.answers
    assert isinstance(answers, Mask)
    assert len(answers) == index
    assert answers.count() == f.inserted_count == 1000 + extra
    assert f.contains_many(keys[:index]).all()
    assert index not in f
    looped = ScalableBloomFilter(1000 + extra, 1e-6, expansion=None)
    assert list(answers) == [looped.add(key) for key in range(index)]
    assert looped == f
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.code, again.index, again.answers) == ("ERR_FULL", index, answers)


def test_memory_limit_and_used_up_rate() -> None:
    f = ScalableBloomFilter(100, max_bytes=2000)
    with raises("ERR_MEMORY_LIMIT", tepal.CapacityError) as caught:
        f.add_many(range(100_000))
    assert caught.value.index is not None
    assert f.size <= 2000
    with raises("ERR_MEMORY_LIMIT", tepal.CapacityError):
        ScalableBloomFilter(10**6, max_bytes=1000)
    g = ScalableBloomFilter(1, 0.01, expansion=1, tightening=1e-9)
    with raises("ERR_FPR_UNDERFLOW", tepal.CapacityError) as caught:
        g.add_many(range(100))
    assert caught.value.index == g.inserted_count == 2


@pytest.mark.parametrize("scheme", SCHEMES)
@given(batch=st.lists(any_keys, max_size=60))
def test_a_batch_is_a_loop(scheme: str, batch: list[str | int | bytes]) -> None:
    many, one = (ScalableBloomFilter(4, 0.1, scheme=scheme) for _ in range(2))
    assert list(many.add_many(batch)) == [one.add(key) for key in batch]
    assert many == one
    assert many.to_bytes() == one.to_bytes()
    assert list(many.contains_many(batch)) == [True] * len(batch)
    assert all(key in one for key in batch)
    assert ScalableBloomFilter.build(batch, 0.1, capacity=4, scheme=scheme) == one


@pytest.mark.parametrize("scheme", SCHEMES)
def test_one_key_in_every_form(scheme: str) -> None:
    f = ScalableBloomFilter(scheme=scheme)
    assert f.add("é")
    assert "é".encode() in f
    assert bytearray("é".encode()) in f
    assert f.add(-1)
    assert 2**64 - 1 in f
    assert b"\xff" * 8 in f
    assert np.int8(-1) in f
    assert f.add_many(np.array([7, 8], dtype=np.uint16)).all()
    assert (7).to_bytes(8, "little") in f
    for key in (None, 1.5, True, "\ud800", 2**64):
        for call in (f.add, f.__contains__, lambda key: f.add_many([key])):
            with pytest.raises(tepal.KeyTypeError):
                call(key)


BAD = [
    ({"capacity": 0}, "ERR_CAPACITY_ZERO"),
    ({"capacity": -1}, "ERR_CAPACITY_RANGE"),
    ({"capacity": 2**48 + 1}, "ERR_CAPACITY_RANGE"),
    ({"capacity": 1.5}, "ERR_CAPACITY_RANGE"),
    ({"capacity": "1"}, "ERR_ARGUMENT_TYPE"),
    ({"capacity": 0, "scheme": "valkey"}, "ERR_CAPACITY_ZERO"),
    ({"capacity": 0.0, "scheme": "valkey"}, "ERR_CAPACITY_ZERO"),
    ({"capacity": 2**63, "scheme": "valkey"}, "ERR_CAPACITY_RANGE"),
    ({"capacity": 10**50, "scheme": "redisbloom"}, "ERR_CAPACITY_RANGE"),
    ({"capacity": -1, "scheme": "redisbloom"}, "ERR_CAPACITY_RANGE"),
    ({"capacity": math.nan, "scheme": "redisbloom"}, "ERR_CAPACITY_RANGE"),
    ({"fpr": 0.6}, "ERR_FPR_RANGE"),
    ({"fpr": 1.0, "scheme": "valkey"}, "ERR_FPR_RANGE"),
    ({"fpr": "x"}, "ERR_ARGUMENT_TYPE"),
    ({"expansion": 0}, "ERR_EXPANSION_RANGE"),
    ({"expansion": 2**32}, "ERR_EXPANSION_RANGE"),
    ({"expansion": 1.5}, "ERR_EXPANSION_RANGE"),
    ({"expansion": True}, "ERR_ARGUMENT_TYPE"),
    ({"tightening": 0}, "ERR_TIGHTENING_RANGE"),
    ({"tightening": 1}, "ERR_TIGHTENING_RANGE"),
    ({"tightening": math.nan}, "ERR_TIGHTENING_RANGE"),
    ({"tightening": 0.4, "scheme": "redisbloom"}, "ERR_TIGHTENING_RANGE"),
    ({"tightening": "0.5"}, "ERR_ARGUMENT_TYPE"),
    ({"max_bytes": 0}, "ERR_MAX_BYTES_RANGE"),
    ({"max_bytes": 2**63}, "ERR_MAX_BYTES_RANGE"),
    ({"max_bytes": "1"}, "ERR_ARGUMENT_TYPE"),
    ({"seed": -1}, "ERR_SEED_RANGE"),
    ({"seed": 2**64}, "ERR_SEED_RANGE"),
    ({"seed": "a"}, "ERR_ARGUMENT_TYPE"),
    ({"seed": b"\1" * 32}, "ERR_SEED_LENGTH"),
    ({"seed": b"\1" * 31, "scheme": "valkey"}, "ERR_SEED_LENGTH"),
    ({"seed": 7, "scheme": "valkey"}, "ERR_ARGUMENT_TYPE"),
    ({"seed": 7, "scheme": "redisbloom"}, "ERR_SEED_RANGE"),
    ({"scheme": "redis"}, "ERR_SCHEME_NAME"),
    ({"scheme": 3}, "ERR_ARGUMENT_TYPE"),
    ({"metadata": {"": "x"}}, "ERR_METADATA"),
    ({"metadata": {"x": 1}}, "ERR_ARGUMENT_TYPE"),
    ({"validate_scale_to": 0}, "ERR_SCALE_TO"),
    ({"validate_scale_to": 2**63}, "ERR_SCALE_TO"),
    ({"validate_scale_to": 2000, "expansion": None}, "ERR_SCALE_TO"),
    ({"validate_scale_to": "1"}, "ERR_ARGUMENT_TYPE"),
]


@pytest.mark.parametrize(("arguments", "code"), BAD, ids=str)
def test_bad_arguments(arguments: dict[str, object], code: str) -> None:
    with raises(code, tepal.ArgumentError) as caught:
        ScalableBloomFilter(**arguments)
    assert next(iter(arguments)) in str(caught.value)
    with raises(code, tepal.ArgumentError):
        ScalableBloomFilter.build(["a"], **arguments)


@pytest.mark.parametrize("scheme", ["guava", "spark-v1", "spark-v2"])
def test_schemes_to_be_read_only(scheme: str) -> None:
    with raises("ERR_UNSUPPORTED", tepal.UnsupportedError):
        ScalableBloomFilter(scheme=scheme)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_bytes_files_and_pickles(scheme: str, tmp_path: Path) -> None:
    f = ScalableBloomFilter(10, scheme=scheme, metadata={"a": "b"})
    f.update(range(500))
    data, path = f.to_bytes(), tmp_path / "f.tepal"
    assert len(data) == f.nbytes
    f.save(path)
    assert path.read_bytes() == data
    buffers: list[pickle.PickleBuffer] = []
    outside = pickle.dumps(f, protocol=5, buffer_callback=buffers.append)
    assert len(outside) < 200
    writable = [
        ScalableBloomFilter.from_bytes(data),
        tepal.from_bytes(bytearray(data)),
        ScalableBloomFilter.load(path),
        tepal.load(str(path)),
        pickle.loads(pickle.dumps(f)),
        pickle.loads(pickle.dumps(f, protocol=2)),
        copy.copy(f),
        copy.deepcopy(f),
        f.copy(),
    ]
    views = [
        ScalableBloomFilter.from_buffer(data),
        tepal.from_buffer(memoryview(data)),
        ScalableBloomFilter.load(path, mmap=True),
        tepal.load(path, mmap=True),
        pickle.loads(outside, buffers=buffers),
    ]
    for g in writable + views:
        assert type(g) is ScalableBloomFilter
        assert g == f
        assert g.to_bytes() == data
        assert g.contains_many(range(500)).all()
        assert (g.metadata, g.scheme, g.seed, g.inserted_count) == ({"a": "b"}, scheme, f.seed, f.inserted_count)
        g.verify()
    for g in writable:
        assert not g.read_only
        g.update(range(500, 5000))
        assert g != f
    for g in views:
        assert g.read_only
        for change in (lambda g=g: g.add("x"), g.clear, lambda g=g: g.add_many(iter(int, 1)), lambda g=g: g.__ior__(f)):
            with raises("ERR_READ_ONLY", tepal.StateError):
                change()
        assert g.copy().add_many(range(500, 5000)).any()


def test_the_other_class_is_refused() -> None:
    growing, fixed = ScalableBloomFilter(), BloomFilter(10)
    assert growing != fixed
    for call in (lambda: growing | fixed, lambda: fixed | growing):
        with pytest.raises(TypeError):
            call()
    for call in (growing.union, fixed.union):
        with raises("ERR_ARGUMENT_TYPE", tepal.ArgumentError):
            call(fixed if call == growing.union else growing)  # type: ignore[comparison-overlap]
    with pytest.raises(tepal.FormatError):
        BloomFilter.from_bytes(growing.to_bytes())
    with pytest.raises(tepal.FormatError):
        ScalableBloomFilter.from_bytes(fixed.to_bytes())
    assert type(tepal.from_bytes(fixed.to_bytes())) is BloomFilter


def test_broken_bytes() -> None:
    data = bytearray(ScalableBloomFilter.build(range(5000)).to_bytes())
    for cut in (0, 15, 16, 63, 64, 300, len(data) - 1):
        for reader in (ScalableBloomFilter.from_bytes, tepal.from_bytes, tepal.from_buffer):
            with pytest.raises(tepal.FormatError):
                reader(bytes(data[:cut]))
    data[2000] ^= 1
    with raises("ERR_CHECKSUM", tepal.FormatError):
        tepal.from_bytes(data)
    with raises("ERR_CHECKSUM", tepal.FormatError):
        tepal.from_buffer(data).verify()


def test_files_that_are_none(tmp_path: Path) -> None:
    for loader in (tepal.load, ScalableBloomFilter.load):
        with raises("ERR_IO", tepal.FilterIOError) as caught:
            loader(tmp_path / "none")
        assert caught.value.errno == 2
        assert caught.value.filename == tmp_path / "none"
        with raises("ERR_IO", tepal.FilterIOError):
            loader(tmp_path)
    (tmp_path / "short").write_bytes(b"TE")
    with pytest.raises(tepal.FormatError):
        tepal.load(tmp_path / "short")


def test_withheld_seed(tmp_path: Path) -> None:
    f = ScalableBloomFilter.build(range(3000), seed=77)
    data = f.to_bytes(withhold_seed=True)
    f.save(tmp_path / "f", withhold_seed=True)
    assert (tmp_path / "f").read_bytes() == data
    for opener in (
        ScalableBloomFilter.from_bytes,
        tepal.from_bytes,
        ScalableBloomFilter.from_buffer,
        tepal.from_buffer,
    ):
        with raises("ERR_SEED_REQUIRED"):
            opener(data)
        with raises("ERR_SEED_DIFFERS", tepal.MismatchError):
            opener(data, seed=78)
        assert opener(data, seed=77) == f
    for mmap in (False, True):
        assert tepal.load(tmp_path / "f", seed=77, mmap=mmap) == f
    with raises("ERR_UNSUPPORTED", tepal.UnsupportedError):
        ScalableBloomFilter(scheme="valkey").to_bytes(withhold_seed=True)


def test_hashes() -> None:
    f, fixed = ScalableBloomFilter(seed=3), BloomFilter(10, seed=3)
    assert f.key_hash("a") == fixed.key_hash("a")
    assert f.add_hash(fixed.key_hash("a"))
    assert "a" in f
    assert f.contains_hash(f.key_hash("a"))
    with raises("ERR_SEED_DIFFERS", tepal.MismatchError):
        f.add_hash(BloomFilter(10).key_hash("a"))
    foreign = ScalableBloomFilter(scheme="valkey")
    for call in (lambda: foreign.key_hash("a"), lambda: foreign.add_hash(f.key_hash("a"))):
        with raises("ERR_UNSUPPORTED", tepal.UnsupportedError):
            call()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_unions(scheme: str) -> None:
    a, b = (ScalableBloomFilter(100, scheme=scheme) for _ in range(2))
    a.update(range(300))
    b.update(range(200, 1000))
    both = a | b
    assert both == b | a == a.union(b)
    assert both.contains_many(range(1000)).all()
    a |= b
    assert (a.fpr, a.filter_count, a.inserted_count) == (both.fpr, both.filter_count, both.inserted_count)
    assert a.contains_many(range(1000)).all()
    before = a.to_bytes()
    a |= a
    assert a.to_bytes() == before
    others = [
        (ScalableBloomFilter(101, scheme=scheme), "ERR_CAPACITY_DIFFERS"),
        (ScalableBloomFilter(100, 0.02, scheme=scheme), "ERR_FPR_DIFFERS"),
        (ScalableBloomFilter(100, expansion=3, scheme=scheme), "ERR_EXPANSION_DIFFERS"),
        (ScalableBloomFilter(100, scheme="valkey" if scheme == "tepal" else "tepal"), "ERR_SCHEME_DIFFERS"),
    ]
    if scheme == "tepal":
        others.append((ScalableBloomFilter(100, tightening=0.5), "ERR_TIGHTENING_DIFFERS"))
        others.append((ScalableBloomFilter(100, seed=1), "ERR_SEED_DIFFERS"))
    if scheme == "valkey":
        others.append((ScalableBloomFilter(100, scheme="valkey", seed=bytes(32)), "ERR_SEED_DIFFERS"))
    for other, code in others:
        for call in (lambda o=other: a | o, lambda o=other: a.union(o), lambda o=other: a.__ior__(o)):
            with raises(code, tepal.MismatchError):
                call()
    assert a.to_bytes() == before


def test_facts() -> None:
    f = ScalableBloomFilter.build(range(10_000), capacity=100)
    levels = f.levels
    assert len(levels) == f.filter_count
    assert all(type(level) is LevelFacts for level in levels)
    assert [level.capacity for level in levels] == [100 * 4**i for i in range(len(levels))]
    assert sum(level.capacity for level in levels) == f.capacity
    assert sum(level.inserted_count for level in levels) == f.inserted_count
    assert sum(level.num_bits for level in levels) == f.num_bits
    assert sum(level.fpr for level in levels) <= f.fpr
    assert {level.layout for level in levels} <= {"line", "pair", "classic"}
    assert all(level.num_probes > 0 and level.estimated_fpr <= level.fpr * 1.2 for level in levels)
    assert 0 < f.fill_ratio < 0.6
    assert math.isclose(f.saturation, f.estimated_count / f.capacity)
    assert ScalableBloomFilter(scheme="valkey").levels[0].layout is None
    text = f"scheme='tepal' levels={f.filter_count} inserted={f.inserted_count} "
    assert repr(f) == f"<tepal.ScalableBloomFilter {text}capacity={f.capacity} fpr=0.01 nbytes={f.nbytes}>"
    assert "read-only" in repr(ScalableBloomFilter.from_buffer(f.to_bytes()))
    html = ScalableBloomFilter(metadata={"<a>": "&"})._repr_html_()
    assert "<th>level</th><td>0 of 1000 keys" in html
    assert "&lt;a&gt;: &amp;" in html


def test_clear_and_close() -> None:
    f = ScalableBloomFilter.build(range(10_000))
    f.clear()
    assert (f.filter_count, f.inserted_count, 5 in f) == (1, 0, False)
    assert f == ScalableBloomFilter()
    with f as same:
        assert same is f
        assert f.add("x")
    assert repr(f) == "<tepal.ScalableBloomFilter closed>"
    f.close()
    uses: list[Callable[[], object]] = [
        lambda: f.add("x"),
        lambda: "x" in f,
        lambda: f.add_many(["x"]),
        lambda: f.contains_many(["x"]),
        lambda: f.key_hash("x"),
        lambda: f.levels,
        lambda: f.seed,
        f.info,
        f.copy,
        f.to_bytes,
        f.to_redisbloom,
        f.to_valkey_dump,
        f._repr_html_,
        lambda: f | f,
        lambda: f.validate_scale_to(10),
    ]
    for use in uses:
        with raises("ERR_FREED", tepal.StateError):
            use()


def test_metrics() -> None:
    before = tepal.metrics()
    filters = [ScalableBloomFilter(10, 1e-6, scheme=scheme) for scheme in SCHEMES]
    for f in filters:
        f.update(range(11))
    after = tepal.metrics()
    delta = {name: value - before[name] for name, value in after.items()}
    assert delta == {
        "total_memory_bytes": sum(f.size for f in filters),
        "num_objects": 3,
        "num_filters_across_objects": 6,
        "num_items_across_objects": 33,
        "capacity_across_objects": 50 + 30 + 30,
    }
    filters.pop().close()
    del f
    assert tepal.metrics()["num_objects"] == before["num_objects"] + 2
