"""push and pull: a filter built here is the server's, and back; all or nothing, whatever breaks on the way."""

from __future__ import annotations

import errno
import os
import threading
from typing import Any

import pytest
import redis
import run
import valkey
from redis_helpers import cut_after, once, raises

import tepal
from tepal import ScalableBloomFilter
from tepal.redis import RemoteBloomFilter, _transfer, pull, push

MEMBERS = 100_000
STRANGERS = 1_000_000


def grown(keys: int = 5_000, **options: Any) -> ScalableBloomFilter:
    """A filter of several levels."""
    made = ScalableBloomFilter(100, scheme="redisbloom", **options)
    made.update(range(keys))
    return made


@pytest.mark.parametrize("library", [redis.Redis, valkey.Valkey])
def test_the_server_answers_as_the_filter_that_was_pushed(
    library: Any, redis_server: run.Server, valkey_server: run.Server
) -> None:
    client = library(port=(redis_server if library is redis.Redis else valkey_server).port)
    local = ScalableBloomFilter(1_000, 0.01, scheme="redisbloom")
    local.update(f"member-{i}" for i in range(MEMBERS))
    push(client, "seen", local)
    remote = RemoteBloomFilter(client, "seen", create=False)
    members = [f"member-{i}" for i in range(MEMBERS)]
    assert remote.contains_many(members).all()
    strangers = [f"stranger-{i}" for i in range(STRANGERS)]
    there, here = remote.contains_many(strangers), local.contains_many(strangers)
    assert there == here
    assert 0 < there.count() < 0.013 * STRANGERS
    for fact in ("capacity", "initial_capacity", "filter_count", "inserted_count", "expansion", "tightening", "scheme"):
        assert getattr(remote, fact) == getattr(local, fact), fact
    assert remote.fpr == local.fpr


def test_valkey_bloom_answers_as_the_filter_that_was_pushed(valkey_bloom_server: run.Server) -> None:
    with valkey.Valkey(port=valkey_bloom_server.port) as client:
        local = ScalableBloomFilter(1_000, scheme="valkey")
        local.update(range(MEMBERS))
        push(client, "seen", local)
        remote = RemoteBloomFilter(client, "seen", create=False)
        assert remote.info() == local.info()
        assert remote.contains_many(range(2 * MEMBERS)) == local.contains_many(range(2 * MEMBERS))
        assert remote.add_many(range(0, -MEMBERS, -1)) == local.add_many(range(0, -MEMBERS, -1))
        assert pull(client, "seen").to_bytes() == local.to_bytes()


def test_what_comes_back_is_what_went(any_client: Any) -> None:
    local = grown()
    push(any_client, "seen", local)
    back = pull(any_client, "seen")
    assert back.to_bytes() == local.to_bytes()
    assert back.add("new")
    assert "new" not in local


def test_a_filter_of_the_server_is_the_one_built_here(any_client: Any) -> None:
    remote = RemoteBloomFilter(any_client, "seen", capacity=100, fpr=0.01)
    local = ScalableBloomFilter(100, 0.01, scheme="redisbloom")
    keys = ["Größe", b"\x00\xff", "", 7, -1, 2**64 - 1, tepal.key("ad", 17), *range(3_000)]
    assert remote.add_many(keys) == local.add_many(keys)
    assert pull(any_client, "seen").to_bytes() == local.to_bytes()


def test_both_go_on_alike(client: redis.Redis) -> None:
    local = grown(90)
    push(client, "seen", local)
    remote = RemoteBloomFilter(client, "seen", create=False)
    more = [f"more-{i}" for i in range(2_000)]
    assert remote.add_many(more) == local.add_many(more)
    assert pull(client, "seen").to_bytes() == local.to_bytes()


def test_non_scaling(client: redis.Redis) -> None:
    local = grown(0, fpr=1e-6, expansion=None)
    local.update(range(100))
    push(client, "seen", local)
    with raises("ERR_FULL", tepal.CapacityError):
        RemoteBloomFilter(client, "seen", create=False).add("one more")
    assert pull(client, "seen").expansion is None


def test_chunks_of_a_large_filter(client: redis.Redis) -> None:
    local = ScalableBloomFilter(30_000_000, 0.01, scheme="redisbloom")  # 40 MB: three chunks
    local.update(range(1_000))
    calls: list[tuple[int, int]] = []
    push(client, "seen", local, progress=lambda done, total: calls.append((done, total)))
    assert len(calls) == 4  # the header too
    assert [done for done, _ in calls] == sorted({done for done, _ in calls})
    assert calls[-1][0] == calls[-1][1] > 40_000_000
    calls.clear()
    assert pull(client, "seen", progress=lambda done, total: calls.append((done, total))) == local
    assert len(calls) == 4
    assert calls[-1][0] == calls[-1][1]


def test_expiry_is_that_of_the_push(client: redis.Redis) -> None:
    push(client, "seen", grown(), expire=100)
    assert 0 < client.ttl("seen") <= 100
    push(client, "seen", grown())
    assert client.ttl("seen") == -1
    for wrong in (0, -1, "soon", True, float("nan")):
        with raises("ERR_ARGUMENT_TYPE", tepal.ArgumentError):
            push(client, "seen", grown(), expire=wrong)


def test_overwriting_can_be_forbidden(client: redis.Redis) -> None:
    client.set("seen", "something else")
    with raises("ERR_IO", tepal.FilterIOError, errno.EEXIST):
        push(client, "seen", grown(), overwrite=False)
    assert (client.get("seen"), client.dbsize()) == (b"something else", 1)
    push(client, "seen", grown())
    client.delete("seen")
    push(client, "seen", grown(), overwrite=False)
    assert client.dbsize() == 1


def test_a_filter_that_no_server_can_ask(client: redis.Redis) -> None:
    for made in (ScalableBloomFilter(100), tepal.BloomFilter(100)):
        with raises("ERR_UNSUPPORTED", tepal.UnsupportedError) as caught:
            push(client, "seen", made)
        assert "scheme='redisbloom'" in str(caught.value)
    assert client.dbsize() == 0


def test_a_server_without_the_type(client: redis.Redis) -> None:
    client.set("seen", "old")
    with raises("ERR_UNSUPPORTED", tepal.UnsupportedError) as caught:
        push(client, "seen", ScalableBloomFilter(100, scheme="valkey"))
    assert "valkey-bloom" in str(caught.value)
    assert client.get("seen") == b"old"


def test_a_server_without_the_module() -> None:
    bare = [str(run.HOME / "valkey-server")]
    with run.started("bare", bare) as server, valkey.Valkey(port=server.port) as client:
        with raises("ERR_UNSUPPORTED", tepal.UnsupportedError) as caught:
            push(client, "seen", grown())
        assert "BF.LOADCHUNK" in str(caught.value)
        with raises("ERR_UNSUPPORTED", tepal.UnsupportedError):
            RemoteBloomFilter(client, "seen")
        assert client.dbsize() == 0


def test_keys_that_are_missing_or_something_else(client: redis.Redis) -> None:
    with raises("ERR_IO", tepal.FilterIOError, errno.ENOENT):
        pull(client, "seen")
    client.set("seen", "text")
    with raises("ERR_FOREIGN", tepal.FormatError):
        pull(client, "seen")
    with raises("ERR_ARGUMENT_TYPE", tepal.ArgumentError):
        pull(client, 7)


class TestBrokenOff:
    """A push that ends half-way leaves the old key as it was."""

    CHUNKS = 1 + 6  # the header, and one for each level

    @pytest.fixture
    def old(self, client: redis.Redis) -> bytes:
        RemoteBloomFilter(client, "seen", capacity=50).update(["alice", "bob"])
        dump = client.dump("seen")
        assert dump
        return dump

    @pytest.mark.parametrize("at", range(CHUNKS))
    def test_by_who_pushes(self, client: redis.Redis, old: bytes, at: int) -> None:
        calls = 0

        def die(_done: int, _total: int) -> None:
            nonlocal calls
            calls += 1
            if calls == at + 1:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            push(client, "seen", grown(), progress=die)
        assert client.dump("seen") == old
        assert client.keys() == [b"seen"]

    @pytest.mark.parametrize("part", [0.02, 0.3, 0.5, 0.7, 0.9, 0.99])
    def test_by_the_network(self, client: redis.Redis, redis_server: run.Server, old: bytes, part: float) -> None:
        new = grown()
        size = sum(len(chunk) for _, chunk in new.to_redisbloom())
        with cut_after(redis_server.port, int(size * part)) as port:
            with raises("ERR_IO", tepal.FilterIOError) as caught:
                push(once(port), "seen", new)
            assert isinstance(caught.value.__cause__, redis.ConnectionError)
        assert client.dump("seen") == old
        # The temporary key could not be removed by who lost the connection; it goes away by itself.
        for left in set(client.keys()) - {b"seen"}:
            assert 0 < client.ttl(left) <= _transfer.TEMPORARY_SECONDS
        assert RemoteBloomFilter(client, "seen").contains_many(["alice", "bob", "carol"]).count() == 2

    def test_by_a_server_that_is_full(self, client: redis.Redis, old: bytes) -> None:
        used = client.info("memory")["used_memory"]
        client.config_set("maxmemory", used + 100_000)
        try:
            big = ScalableBloomFilter(1_000_000, scheme="redisbloom")
            with raises("ERR_OUT_OF_MEMORY", tepal.FilterMemoryError):
                for _attempt in range(3):
                    push(client, "other", big)
        finally:
            client.config_set("maxmemory", 0)
        assert client.dump("seen") == old


class TestHanging:
    """A server that takes connections and says nothing holds nobody longer than the client's timeout."""

    def test_and_going_on(self, client: redis.Redis, redis_server: run.Server) -> None:
        push(client, "seen", grown())
        remote = RemoteBloomFilter(once(redis_server.port, socket_timeout=0.3), "seen", create=False)
        impatient = once(redis_server.port, socket_timeout=0.3)
        with redis_server.hung():
            for call in (
                lambda: push(impatient, "seen", grown()),
                lambda: pull(impatient, "seen"),
                lambda: remote.add("x"),
                lambda: "x" in remote,
                lambda: remote.capacity,
            ):
                with raises("ERR_IO", tepal.FilterIOError, errno.ETIMEDOUT):
                    call()
        assert remote.contains_many(range(5_000)).all()
        assert pull(impatient, "seen").contains_many(range(5_000)).all()


class TestOthersWrite:
    """A pull is of one moment, whatever others do to the key meanwhile."""

    def test_adding(self, client: redis.Redis, redis_server: run.Server) -> None:
        RemoteBloomFilter(client, "seen", capacity=20_000)
        stop = threading.Event()

        def write() -> None:
            with redis.Redis(port=redis_server.port) as own:
                remote = RemoteBloomFilter(own, "seen", create=False)
                for start in range(0, 10**9, 10):
                    remote.update(range(start, start + 10))
                    if stop.is_set():
                        return

        writer = threading.Thread(target=write)
        writer.start()
        try:
            pulled = [pull(client, "seen") for _ in range(20)]
        finally:
            stop.set()
            writer.join()
        assert pulled[0].inserted_count < pulled[-1].inserted_count
        twin = ScalableBloomFilter(20_000, scheme="redisbloom")
        key = 0
        for one in pulled:
            while twin.inserted_count < one.inserted_count:
                twin.add(key)
                key += 1
            assert one.to_bytes() == twin.to_bytes()

    def test_putting_another_in_its_place(self, client: redis.Redis) -> None:
        # Two chunks; same shape, same counts: only the bits tell.
        filters = []
        for name in ("a", "b"):
            made = ScalableBloomFilter(15_000_000, scheme="redisbloom")
            made.update(f"{name}{i}" for i in range(1_000))
            filters.append(made)
        assert filters[0].inserted_count == filters[1].inserted_count == 1_000
        push(client, "seen", filters[0])
        swapped = False

        def swap(done: int, _total: int) -> None:
            nonlocal swapped
            if done > 1_000 and not swapped:
                swapped = True
                push(client, "seen", filters[1])

        assert pull(client, "seen", progress=swap) == filters[1]
        assert swapped


def test_temporary_keys_stay_in_the_slot() -> None:
    from redis.crc import key_slot

    for key in (b"seen", b"{user}:seen", b"a{b}c{d}", os.urandom(8).replace(b"{", b"").replace(b"}", b"")):
        temporary = _transfer.temporary_key(key)
        assert temporary.startswith(key)
        assert key_slot(temporary) == key_slot(key)
        assert _transfer.temporary_key(key) != temporary
