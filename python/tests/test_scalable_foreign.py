"""ScalableBloomFilter in the formats of RedisBloom, valkey-bloom, Guava and Spark, from Python's side."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from helpers import raises

import tepal
from tepal import ScalableBloomFilter

#: What a filter of scheme "valkey" begins with in BF.LOAD: version, expansion, rate, ratio, seed is not random.
HEAD = bytes([1]) + (2).to_bytes(4, "little")


def test_valkey_both_ways() -> None:
    f = ScalableBloomFilter(100, scheme="valkey")
    f.update(range(1000))
    load, dump = f.to_valkey_load(), f.to_valkey_dump()
    assert isinstance(load, bytes)
    assert isinstance(dump, bytes)
    for data in (load, dump, bytearray(load), memoryview(dump)):
        g = ScalableBloomFilter.from_valkey(data)
        assert g == f
        assert (g.to_valkey_load(), g.to_valkey_dump()) == (load, dump)
        assert (g.inserted_count, g.max_bytes, g.read_only) == (f.inserted_count, 128 << 20, False)
        assert g.add_many(range(1000, 5000)).any()
    with raises("ERR_CHECKSUM", tepal.FormatError):
        ScalableBloomFilter.from_valkey(dump[:-1] + bytes([dump[-1] ^ 1]))


def test_a_random_seed_travels() -> None:
    f = ScalableBloomFilter.build(["a"], scheme="valkey", seed=bytes(range(32)))
    g = ScalableBloomFilter.from_valkey(f.to_valkey_dump())
    assert (g.seed, "a" in g) == (bytes(range(32)), True)


@pytest.mark.parametrize("expansion", [2, 3, None])
def test_redisbloom_both_ways(expansion: int | None) -> None:
    f = ScalableBloomFilter(2000, scheme="redisbloom", expansion=expansion)
    f.update(range(1500))
    chunks = f.to_redisbloom()
    assert chunks[0][0] == 1
    assert all(type(iterator) is int and type(chunk) is bytes for iterator, chunk in chunks)
    for given in (chunks, iter(chunks), [(i, bytearray(chunk)) for i, chunk in chunks], tuple(map(list, chunks))):
        if isinstance(given, tuple):
            with raises("ERR_ARGUMENT_TYPE", tepal.ArgumentError):
                ScalableBloomFilter.from_redisbloom(given)
            continue
        g = ScalableBloomFilter.from_redisbloom(given)
        assert g == f
        assert g.to_redisbloom() == chunks
        assert (g.expansion, g.inserted_count) == (expansion, f.inserted_count)


def test_only_ones_own_format() -> None:
    calls: dict[str, Callable[[ScalableBloomFilter], object]] = {
        "valkey": ScalableBloomFilter.to_redisbloom,
        "redisbloom": ScalableBloomFilter.to_valkey_dump,
        "tepal": ScalableBloomFilter.to_valkey_load,
    }
    for scheme, call in calls.items():
        with raises("ERR_UNSUPPORTED", tepal.UnsupportedError):
            call(ScalableBloomFilter(scheme=scheme))


@pytest.mark.parametrize("name", ["from_valkey", "from_guava", "from_spark"])
def test_bytes_that_are_something_else(name: str) -> None:
    read = getattr(ScalableBloomFilter, name)
    for data in (b"", b"\0", b"\1" * 40, HEAD, bytes(100), bytes([255]) * 100):
        with pytest.raises(tepal.FormatError):
            read(data)
    for value in ("text", 5, None):
        with raises("ERR_ARGUMENT_TYPE", tepal.ArgumentError):
            read(value)


def test_chunks_that_are_something_else() -> None:
    for chunks in (5, [5], [(1,)], [("1", b"")], [(1, "x")], b"ab"):
        with raises("ERR_ARGUMENT_TYPE", tepal.ArgumentError):
            ScalableBloomFilter.from_redisbloom(chunks)
    for chunks in ([], [(1, b"")], [(1, bytes(73))]):
        with pytest.raises(tepal.FormatError):
            ScalableBloomFilter.from_redisbloom(chunks)
    good = ScalableBloomFilter.build(["a"], scheme="redisbloom").to_redisbloom()
    with pytest.raises(tepal.FormatError):
        ScalableBloomFilter.from_redisbloom(good[:1])


def test_what_an_iterator_raises_passes() -> None:
    def chunks():
        yield (1, b"")
        raise OSError("the network")

    with pytest.raises(OSError, match="the network"):
        ScalableBloomFilter.from_redisbloom(chunks())


@pytest.mark.parametrize(
    ("read", "data"),
    [
        (ScalableBloomFilter.from_guava, bytes.fromhex("0101" + "00000001" + "f0" * 8)),
        (ScalableBloomFilter.from_spark, bytes.fromhex("00000001" * 3 + "f0" * 8)),
    ],
)
def test_filters_that_are_only_asked(read: Callable[[bytes], ScalableBloomFilter], data: bytes) -> None:
    f = read(data)
    assert f.read_only
    assert f.fill_ratio == 0.5
    assert 300 < f.contains_many(range(1000)).count() < 700
    for change in (lambda: f.add("a"), f.clear, lambda: f.update(["a"])):
        with raises("ERR_READ_ONLY", tepal.StateError):
            change()
    assert tepal.from_bytes(f.to_bytes()) == f
