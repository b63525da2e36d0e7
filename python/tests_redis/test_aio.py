"""The asyncio face: the scripts are those of the synchronous one, so it is the driver that is tested."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
import redis
import redis.asyncio
import run
from redis.backoff import NoBackoff
from redis_helpers import raises

import tepal
import tepal.redis
from tepal import ScalableBloomFilter
from tepal.redis import aio


def grown() -> ScalableBloomFilter:
    made = ScalableBloomFilter(100, scheme="redisbloom")
    made.update(range(5_000))
    return made


def with_client(make: Callable[[], Any], work: Callable[[Any], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        async with make() as client:
            await work(client)

    asyncio.run(main())


def test_names() -> None:
    for name in aio.__all__:
        ours, theirs = getattr(aio, name), getattr(tepal.redis, name)
        assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters)
    public = {name for name in dir(tepal.redis.RemoteBloomFilter) if not name.startswith("_")}
    assert {name for name in dir(aio.RemoteBloomFilter) if not name.startswith("_")} == public | {"contains"}


def test_transfer(any_aio: Callable[[], Any]) -> None:
    async def work(client: Any) -> None:
        done: list[int] = []
        await aio.push(client, "seen", grown(), progress=lambda now, _total: done.append(now))
        assert done == sorted(done)
        assert len(done) == 7
        assert await aio.pull(client, "seen") == grown()

    with_client(any_aio, work)


def test_remote(any_aio: Callable[[], Any]) -> None:
    async def work(client: Any) -> None:
        seen = await aio.RemoteBloomFilter(client, "seen", capacity=100, fpr=0.01)
        assert await seen.add("alice") is True
        assert await seen.add("alice") is False
        assert await seen.contains("alice")
        assert not await seen.contains("bob")
        local = ScalableBloomFilter(100, scheme="redisbloom")
        local.add("alice")
        assert await seen.add_many(range(3_000)) == local.add_many(range(3_000))
        await seen.update(["a"], ["b"])
        local.update(["a"], ["b"])
        assert (await seen.contains_many(range(9_000))) == local.contains_many(range(9_000))
        info = await seen.info()
        for name, value in info.items():
            assert await getattr(seen, name) == value
        assert await seen.initial_capacity == 100
        assert await seen.scheme == "redisbloom"
        async with seen as same:
            assert same is seen
        with raises("ERR_UNSUPPORTED", tepal.UnsupportedError):
            seen.to_bytes()

    with_client(any_aio, work)


def test_the_first_call_opens(redis_server: run.Server) -> None:
    async def work(client: Any) -> None:
        seen = aio.RemoteBloomFilter(client, "seen", capacity=500)
        assert await client.dbsize() == 0
        assert await seen.capacity == 500
        with raises("ERR_IO", tepal.FilterIOError, 2):
            await aio.RemoteBloomFilter(client, "none", create=False)

    with_client(lambda: redis.asyncio.Redis(port=redis_server.port), work)


def test_a_push_that_is_cancelled(redis_server: run.Server, client: redis.Redis) -> None:
    client.set("seen", "old")
    big = ScalableBloomFilter(30_000_000, scheme="redisbloom")

    async def work(own: Any) -> None:
        task = asyncio.ensure_future(aio.push(own, "seen", big, progress=lambda *_: task.cancel()))
        with pytest.raises(asyncio.CancelledError):
            await task

    with_client(lambda: redis.asyncio.Redis(port=redis_server.port), work)
    assert client.get("seen") == b"old"
    assert client.keys() == [b"seen"]


def test_a_server_that_hangs(redis_server: run.Server) -> None:
    retry = redis.asyncio.retry.Retry(NoBackoff(), 0)

    async def work(client: Any) -> None:
        seen = await aio.RemoteBloomFilter(client, "seen")
        with redis_server.hung():
            for call in (seen.add("a"), aio.pull(client, "seen"), aio.push(client, "seen", grown())):
                with raises("ERR_IO", tepal.FilterIOError, 110):
                    await call
        assert await seen.add("a") in (True, False)

    with_client(lambda: redis.asyncio.Redis(port=redis_server.port, socket_timeout=0.3, retry=retry), work)


def test_full(redis_server: run.Server) -> None:
    async def work(client: Any) -> None:
        seen = await aio.RemoteBloomFilter(client, "seen", capacity=10, expansion=None)
        with raises("ERR_FULL", tepal.CapacityError) as caught:
            await seen.add_many(range(20))
        assert caught.value.index is not None
        assert len(caught.value.answers) == caught.value.index

    with_client(lambda: redis.asyncio.Redis(port=redis_server.port), work)
