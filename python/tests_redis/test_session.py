"""The session in valkey-bloom's documentation, replayed: here, and against each server that can.

Its numbers are those that valkey-bloom 1.0 computes. The documentation prints 23912 for the size of `usernames` and
26214300 for what it can grow to; both are of other versions and filters.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
import run
import valkey
from redis_helpers import raises

import tepal
from tepal import ScalableBloomFilter
from tepal.redis import RemoteBloomFilter, server_defaults, server_info

Open = Callable[..., Any]


def here(_name: str, **options: Any) -> ScalableBloomFilter:
    return ScalableBloomFilter(scheme="valkey", **options)


@pytest.fixture(params=["here", "valkey-bloom", "redisbloom"])
def reserve(request: pytest.FixtureRequest) -> Iterator[Open]:
    """BF.RESERVE name ..., or the first use of a name."""
    if request.param == "here":
        yield here
        return
    fixture = "valkey_bloom_server" if request.param == "valkey-bloom" else "redis_server"
    server: run.Server = request.getfixturevalue(fixture)
    with redis.Redis(port=server.port) as client:
        yield lambda name, **options: RemoteBloomFilter(client, name, **options)


@pytest.fixture(params=["here", "valkey-bloom"])
def reserve_valkey(request: pytest.FixtureRequest) -> Iterator[Open]:
    """Of valkey-bloom's kind only."""
    if request.param == "here":
        yield here
        return
    server: run.Server = request.getfixturevalue("valkey_bloom_server")
    with valkey.Valkey(port=server.port) as client:
        yield lambda name, **options: RemoteBloomFilter(client, name, **options)


def test_usernames(reserve: Open) -> None:
    usernames = reserve("usernames", fpr=0.001, capacity=10_000)  # BF.RESERVE usernames 0.001 10000
    assert usernames.add("johnsmith") == 1  # BF.ADD
    assert list(usernames.add_many(["JaneDoe", "valkeyFan", "bloomEnjoyer"])) == [1, 1, 1]  # BF.MADD
    assert "johnsmith" in usernames  # BF.EXISTS
    assert "fake_user" not in usernames
    assert list(usernames.contains_many(["johnsmith", "fake_user", "JaneDoe"])) == [1, 0, 1]  # BF.MEXISTS
    assert usernames.inserted_count == 4  # BF.CARD
    info = usernames.info()  # BF.INFO
    expected = {
        "capacity": 10_000,
        "filter_count": 1,
        "inserted_count": 4,
        "fpr": 0.001,
        "expansion": 2,
        "tightening": 0.5,
    }
    if usernames.scheme == "valkey":
        expected |= {"size": 18236, "max_scaled_capacity": 20_470_000}
    assert {name: info[name] for name in expected} == expected


def test_limited_users(reserve: Open) -> None:
    # BF.RESERVE limited_users 0.00001 1000 NONSCALING
    limited = reserve("limited_users", fpr=0.00001, capacity=1_000, expansion=None)
    answers = limited.add_many(f"user-{i}" for i in range(1_000))
    more = (f"more-{i}" for i in range(1_000))
    while limited.inserted_count < 1_000:  # should one have been taken for another
        limited.add(next(more))
    assert answers.count() >= 999
    with raises("ERR_FULL", tepal.CapacityError):
        limited.add("one too many")
    assert "user-1" in limited
    assert "one too many" not in limited
    assert limited.info()["expansion"] is None


def test_expanding_users(reserve: Open) -> None:
    # BF.RESERVE expanding_users 0.001 10000 EXPANSION 4
    expanding = reserve("expanding_users", fpr=0.001, capacity=10_000, expansion=4)
    expanding.update(f"user-{i}" for i in range(10_100))
    info = expanding.info()
    assert (info["filter_count"], info["capacity"], info["expansion"]) == (2, 50_000, 4)


def test_scaling_out(reserve: Open) -> None:
    filter = reserve("scaling", capacity=100, fpr=1e-6)
    for items, capacity in ((100, 100), (101, 300), (300, 300), (301, 700)):
        filter.update(range(items))
        assert (filter.inserted_count, filter.capacity) == (items, capacity)


def test_default_filter(reserve: Open) -> None:
    filter = reserve("default_filter")
    assert filter.add("item") == 1  # BF.ADD default_filter item
    info = filter.info()
    expected = {"capacity": 100, "filter_count": 1, "inserted_count": 1, "fpr": 0.01, "expansion": 2, "tightening": 0.5}
    if filter.scheme == "valkey":
        expected |= {"size": 384, "max_scaled_capacity": 26_214_300}
    assert {name: info[name] for name in expected} == expected


def test_validate_scale_to(reserve_valkey: Open) -> None:
    # BF.INSERT validate_scale_fail VALIDATESCALETO 26214301
    with raises("ERR_SCALE_TO", tepal.ArgumentError):
        reserve_valkey("validate_scale_fail", validate_scale_to=26_214_301)
    valid = reserve_valkey("validate_scale_valid", validate_scale_to=26_214_300)
    assert valid.max_scaled_capacity == 26_214_300  # BF.INFO validate_scale_valid MAXSCALEDCAPACITY
    assert valid.size == 384  # BF.INFO validate_scale_valid SIZE


@pytest.mark.parametrize(
    ("options", "limit"),
    [
        ({}, 26_214_300),
        ({"capacity": 10_000, "fpr": 0.001}, 20_470_000),
        ({"capacity": 1_000, "fpr": 0.001, "expansion": 4}, 21_845_000),
        ({"expansion": 1}, 101_600),
        ({"capacity": 5_000, "fpr": 0.0001, "expansion": 3, "tightening": 0.85}, 49_205_000),
        ({"capacity": 50_000_000}, 50_000_000),
    ],
)
def test_how_far_filters_scale(reserve_valkey: Open, options: dict[str, Any], limit: int) -> None:
    assert reserve_valkey("filter", **options).max_scaled_capacity == limit


def test_the_memory_limit_here() -> None:
    # CONFIG SET bf.bloom-memory-usage-limit 1000
    full = ScalableBloomFilter(scheme="valkey", max_bytes=1_000)
    with raises("ERR_MEMORY_LIMIT", tepal.CapacityError) as caught:
        full.add_many(f"item-{i}" for i in range(1_000))
    assert caught.value.index is not None
    with raises("ERR_MEMORY_LIMIT", tepal.CapacityError):
        full.add("ne_item")
    assert "ne_item" not in full


def test_the_memory_limit_there(valkey_bloom_server: run.Server) -> None:
    with valkey.Valkey(port=valkey_bloom_server.port) as client:
        full = RemoteBloomFilter(client, "full_filter")
        before = client.config_get("bf.bloom-memory-usage-limit")
        client.config_set("bf.bloom-memory-usage-limit", 1_000)
        try:
            with raises("ERR_MEMORY_LIMIT", tepal.CapacityError):
                full.add_many(f"item-{i}" for i in range(1_000))
            with raises("ERR_MEMORY_LIMIT", tepal.CapacityError):
                full.add("ne_item")
        finally:
            client.config_set("bf.bloom-memory-usage-limit", before["bf.bloom-memory-usage-limit"])


def test_other_defaults(valkey_bloom_server: run.Server) -> None:
    changed = {
        "bf.bloom-fp-rate": "0.001", "bf.bloom-capacity": "1000", "bf.bloom-expansion": "4",
        "bf.bloom-tightening-ratio": "0.6", "bf.bloom-use-random-seed": "no",
    }  # fmt: skip
    with valkey.Valkey(port=valkey_bloom_server.port) as client:
        before = {name: client.config_get(name)[name] for name in changed}
        try:
            for name, value in changed.items():
                client.config_set(name, value)
            found = server_defaults(client)
            assert (found["fpr"], found["capacity"], found["expansion"]) == (0.001, 1_000, 4)
            assert (found["tightening"], found["random_seed"]) == (0.6, False)
            info = RemoteBloomFilter(client, "filter").info()
            assert (info["fpr"], info["capacity"], info["expansion"], info["tightening"]) == (0.001, 1_000, 4, 0.6)
        finally:
            for name, value in before.items():
                client.config_set(name, value)


def test_monitoring_here() -> None:
    gc.collect()  # what other tests left behind would be taken off meanwhile
    before: Any = tepal.metrics()
    filter = ScalableBloomFilter(scheme="valkey")
    filter.add("value")
    grown = {name: after - before[name] for name, after in tepal.metrics().items()}
    assert grown.pop("total_memory_bytes") > 120
    assert grown == {
        "num_objects": 1, "num_filters_across_objects": 1, "num_items_across_objects": 1,
        "capacity_across_objects": 100,
    }  # fmt: skip


def test_monitoring_there(valkey_bloom_server: run.Server) -> None:
    with valkey.Valkey(port=valkey_bloom_server.port) as client:
        empty = server_info(client)
        assert empty["num_objects"] == 0
        client.execute_command("BF.ADD", "key", "value")
        found = server_info(client)
        expected = (384, 1, 1, 1, 100)
        assert tuple(found.values())[:5] == expected
