"""One suite for filters here and filters in a server: whoever changes one for the other changes one line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import redis
import run
import valkey
from redis_helpers import once, raises

import tepal
from tepal import ScalableBloomFilter
from tepal.redis import RemoteBloomFilter
from tepal.redis._local_only import LocalOnly

Make = Callable[..., Any]


@pytest.fixture(params=["local redisbloom", "local valkey", "redis", "valkey", "valkey-bloom"])
def make(request: pytest.FixtureRequest) -> Iterator[Make]:
    """Makes filters of one kind; each call makes another."""
    if request.param.startswith("local"):
        scheme = request.param.split()[1]
        yield lambda **options: ScalableBloomFilter(scheme=scheme, **options)
        return
    library, fixture = {
        "redis": (redis.Redis, "redis_server"),
        "valkey": (valkey.Valkey, "valkey_server"),
        "valkey-bloom": (valkey.Valkey, "valkey_bloom_server"),
    }[request.param]
    server: run.Server = request.getfixturevalue(fixture)
    made = 0

    def make(**options: Any) -> RemoteBloomFilter:
        nonlocal made
        made += 1
        return RemoteBloomFilter(client, f"filter-{made}", **options)

    with library(port=server.port) as client:
        yield make


def test_one_key(make: Make) -> None:
    seen = make(capacity=1_000)
    assert "alice" not in seen
    assert seen.add("alice") is True
    assert seen.add("alice") is False
    assert "alice" in seen
    assert "bob" not in seen


def test_a_key_is_its_bytes(make: Make) -> None:
    seen = make(capacity=1_000, fpr=1e-6)
    seen.update(["Größe", 1, 2**63, tepal.key("ad", 17), np.int32(5), bytearray(b"array")])
    for same in (
        "Größe".encode(), b"\x01" + bytes(7), np.uint8(1), -(2**63), memoryview(tepal.key("ad", 17)), 5, b"array",
    ):  # fmt: skip
        assert same in seen
    for other in ("1", b"\x01", tepal.key("ad", "17"), tepal.key("ad1", 7), "array "):
        assert other not in seen


def test_what_is_no_key(make: Make) -> None:
    seen = make(capacity=1_000)
    for wrong, code in ((1.5, "ERR_KEY_TYPE"), (None, "ERR_KEY_TYPE"), (True, "ERR_KEY_TYPE"), (2**64, "ERR_KEY_RANGE"),
                        ("\ud800", "ERR_KEY_SURROGATE"), (["a"], "ERR_KEY_TYPE")):  # fmt: skip
        for call in (seen.add, seen.__contains__):
            with raises(code, tepal.KeyTypeError) as caught:
                call(wrong)
            assert caught.value.index is None
        with raises(code, tepal.KeyTypeError) as caught:
            seen.add_many(["before", wrong, "after"])
        assert caught.value.index == 1
    assert ("before" in seen, "after" in seen) == (True, False)
    for wrong in ("alice", b"alice", bytearray(b"a"), memoryview(b"a"), 7, None):
        for call in (seen.add_many, seen.contains_many, seen.update):
            with raises("ERR_ARGUMENT_TYPE", tepal.ArgumentError):
                call(wrong)
    assert "alice" not in seen


def test_many_keys(make: Make) -> None:
    seen = make(capacity=100_000, fpr=1e-6)
    keys = [f"key-{i}" for i in range(40_000)]
    answers = seen.add_many(keys)
    assert isinstance(answers, tepal.Mask)
    assert answers.all()
    assert len(answers) == 40_000
    assert not seen.add_many(keys).any()
    assert seen.contains_many(reversed(keys)).all()
    asked = seen.contains_many(key for pair in zip(keys, range(40_000), strict=True) for key in pair)
    assert list(asked) == [True, False] * 40_000
    assert len(seen.add_many([])) == len(seen.contains_many(())) == 0


def test_the_same_key_twice_in_a_batch(make: Make) -> None:
    assert list(make(capacity=100).add_many(["a", "b", "a"])) == [True, True, False]


def test_columns(make: Make) -> None:
    seen = make(capacity=10_000, fpr=1e-6)
    column = np.arange(3_000, dtype=np.uint32)
    assert seen.add_many(column).all()
    assert seen.contains_many(column.astype(np.int64)).all()
    assert seen.contains_many(column.tolist(), threads=2).all()


def test_update_takes_several(make: Make) -> None:
    seen = make(capacity=1_000)
    assert seen.update(["a"], ("b", "c"), iter([1])) is None
    assert seen.contains_many(["a", "b", "c", 1]).all()
    seen.update()
    assert seen.inserted_count == 4


def test_an_iterable_that_raises(make: Make) -> None:
    def keys() -> Iterator[str]:
        yield from (f"key-{i}" for i in range(1_500))
        raise ZeroDivisionError

    seen = make(capacity=10_000)
    with pytest.raises(ZeroDivisionError):
        seen.update(keys())
    assert seen.contains_many(f"key-{i}" for i in range(1_500)).all()


def test_growing(make: Make) -> None:
    seen = make(capacity=100, fpr=1e-6)
    seen.update(range(100))
    assert (seen.filter_count, seen.capacity, seen.initial_capacity, seen.inserted_count) == (1, 100, 100, 100)
    seen.add(100)
    assert (seen.filter_count, seen.capacity, seen.initial_capacity, seen.inserted_count) == (2, 300, 100, 101)
    seen.update(range(301))
    assert (seen.filter_count, seen.capacity, seen.inserted_count) == (3, 700, 301)
    assert seen.contains_many(range(301)).all()


def test_expansion(make: Make) -> None:
    seen = make(capacity=100, fpr=1e-6, expansion=4)
    seen.update(range(101))
    assert (seen.expansion, seen.capacity) == (4, 500)


def test_full(make: Make) -> None:
    seen = make(capacity=3_000, fpr=1e-9, expansion=None)
    with raises("ERR_FULL", tepal.CapacityError) as caught:
        seen.add_many(["twice", "twice", *range(5_000)])
    # "twice" took one place, so that 2,999 numbers found room.
    assert caught.value.index == 3_001
    answers = caught.value.answers
    assert isinstance(answers, tepal.Mask)
    assert list(answers) == [True, False] + [True] * 2_999
    assert (seen.expansion, seen.filter_count, seen.inserted_count) == (None, 1, 3_000)
    with raises("ERR_FULL", tepal.CapacityError) as caught:
        seen.add("new")
    assert caught.value.index is None
    assert "new" not in seen
    assert seen.add("twice") is False
    assert seen.contains_many(range(5_000)).count() == 2_999


def test_facts(make: Make) -> None:
    seen = make(capacity=1_000, fpr=0.001)
    seen.update(range(10))
    info = seen.info()
    assert list(info) == [
        "capacity", "size", "filter_count", "inserted_count", "fpr", "expansion", "tightening", "max_scaled_capacity",
    ]  # fmt: skip
    for name, value in info.items():
        assert getattr(seen, name) == value
    del info["size"], info["max_scaled_capacity"]
    assert info == {
        "capacity": 1_000, "filter_count": 1, "inserted_count": 10, "fpr": 0.001, "expansion": 2, "tightening": 0.5,
    }  # fmt: skip
    assert 1_000 < seen.size < 10_000
    assert seen.scheme in ("redisbloom", "valkey")


def test_defaults(make: Make) -> None:
    seen = make()
    assert (seen.capacity, seen.fpr, seen.expansion) == (100, 0.01, 2)


def test_arguments_out_of_range(make: Make) -> None:
    for wrong, code in (
        ({"capacity": 0}, "ERR_CAPACITY_ZERO"),
        ({"capacity": 1.5}, "ERR_CAPACITY_RANGE"),
        ({"fpr": 0.0}, "ERR_FPR_RANGE"),
        ({"fpr": 1.0}, "ERR_FPR_RANGE"),
        ({"capacity": "many"}, "ERR_ARGUMENT_TYPE"),
        ({"capacity": True}, "ERR_ARGUMENT_TYPE"),
        ({"fpr": "low"}, "ERR_ARGUMENT_TYPE"),
        ({"expansion": "fast"}, "ERR_ARGUMENT_TYPE"),
    ):
        with raises(code, tepal.ArgumentError):
            make(**wrong)


def test_with(make: Make) -> None:
    with make(capacity=100) as seen:
        assert seen.add("a")
    assert "RemoteBloomFilter" in repr(seen) or "ScalableBloomFilter" in repr(seen)


class TestRemoteOnly:
    """What a local filter has no need of."""

    def test_every_method_is_there_or_says_why_not(self, client: redis.Redis) -> None:
        remote, local = RemoteBloomFilter(client, "seen"), ScalableBloomFilter()
        static = {
            "build",
            "from_bytes",
            "from_buffer",
            "load",
            "from_redisbloom",
            "from_valkey",
            "from_guava",
            "from_spark",
        }
        for name in sorted({name for name in dir(local) if not name.startswith("_")} - static):
            if name in vars(LocalOnly):
                with raises("ERR_UNSUPPORTED", tepal.UnsupportedError) as caught:
                    getattr(remote, name)()
                assert "pull()" in str(caught.value)
            else:
                assert hasattr(remote, name), name

    def test_operators(self, client: redis.Redis) -> None:
        import copy
        import pickle

        remote = RemoteBloomFilter(client, "seen")
        for call in (
            lambda: remote | remote,
            lambda: remote.__ior__(remote),
            lambda: copy.copy(remote),
            lambda: copy.deepcopy(remote),
            lambda: pickle.dumps(remote),
        ):
            with raises("ERR_UNSUPPORTED", tepal.UnsupportedError):
                call()

    def test_opening_what_is_there(self, client: redis.Redis) -> None:
        RemoteBloomFilter(client, "seen", capacity=500, fpr=0.001, expansion=4).add("alice")
        for options in ({}, {"create": False}, {"capacity": 500}, {"fpr": 0.001, "expansion": 4, "capacity": 500.0}):
            assert "alice" in RemoteBloomFilter(client, "seen", **options)
        for options, code in (
            ({"capacity": 501}, "ERR_CAPACITY_DIFFERS"),
            ({"fpr": 0.01}, "ERR_FPR_DIFFERS"),
            ({"expansion": 2}, "ERR_EXPANSION_DIFFERS"),
            ({"expansion": None}, "ERR_EXPANSION_DIFFERS"),
        ):
            with raises(code, tepal.MismatchError):
                RemoteBloomFilter(client, "seen", **options)

    def test_without_creating(self, client: redis.Redis) -> None:
        with raises("ERR_IO", tepal.FilterIOError, 2):
            RemoteBloomFilter(client, "seen", create=False)
        assert client.dbsize() == 0

    def test_a_filter_that_went_away(self, client: redis.Redis) -> None:
        opened = RemoteBloomFilter(client, "opened", capacity=500)
        opened = RemoteBloomFilter(client, "opened", create=False)
        made = RemoteBloomFilter(client, "made", capacity=500, fpr=0.001)
        client.delete("opened", "made")
        # Who opened a filter that was there is told; who makes one has it made again, as it was asked for.
        for call in (lambda: opened.add("a"), lambda: "a" in opened, lambda: opened.contains_many(["a"])):
            with raises("ERR_IO", tepal.FilterIOError, 2):
                call()
        assert "a" not in made
        assert made.add("a")
        assert (made.capacity, made.fpr) == (500, 0.001)
        assert client.keys() == [b"made"]

    def test_a_key_that_is_no_filter(self, client: redis.Redis) -> None:
        client.set("seen", "text")
        with raises("ERR_FOREIGN", tepal.FormatError):
            RemoteBloomFilter(client, "seen")
        remote = RemoteBloomFilter(client, "other")
        client.set("other", "text")
        for call in (lambda: remote.add("a"), lambda: "a" in remote, remote.info, lambda: remote.scheme):
            with raises("ERR_FOREIGN", tepal.FormatError):
                call()

    def test_options_of_valkey_bloom(self, client: redis.Redis) -> None:
        for options in ({"tightening": 0.3}, {"seed": bytes(32)}, {"validate_scale_to": 1_000}):
            with raises("ERR_UNSUPPORTED", tepal.UnsupportedError):
                RemoteBloomFilter(client, "seen", **options)

    def test_no_server(self) -> None:
        with run.server("redis") as server:
            assert server
            remote = RemoteBloomFilter(once(server.port), "seen")
        with raises("ERR_IO", tepal.FilterIOError) as caught:
            remote.add("a")
        assert isinstance(caught.value.__cause__, redis.ConnectionError)
