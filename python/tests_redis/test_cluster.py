"""The same in a cluster: all commands of a call go to the server that has the key."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
import redis
import redis.asyncio
import run
from redis_helpers import raises

import tepal
import tepal.redis
from tepal import ScalableBloomFilter
from tepal.redis import RemoteBloomFilter, aio, pull, push


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """A cluster of one."""
    with run.server("redis", "--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf") as server:
        assert server
        with redis.Redis(port=server.port) as node:
            node.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
            while node.execute_command("CLUSTER INFO")["cluster_state"] != "ok":
                pass
        yield server.port


def local() -> ScalableBloomFilter:
    made = ScalableBloomFilter(100, scheme="redisbloom")
    made.update(range(5_000))
    return made


def test_sync(port: int) -> None:
    with redis.RedisCluster(host="127.0.0.1", port=port) as client:
        for key in ("seen", "{user}:seen"):
            push(client, key, local())
            assert pull(client, key) == local()
            remote = RemoteBloomFilter(client, key, create=False)
            assert remote.contains_many(range(5_000)).all()
            assert remote.add("new")
            assert "new" in remote
        with raises("ERR_ARGUMENT_TYPE", tepal.ArgumentError):
            tepal.redis.doctor(client)


def test_aio(port: int) -> None:
    async def main() -> None:
        async with redis.asyncio.RedisCluster(host="127.0.0.1", port=port) as client:
            await aio.push(client, "other", local())
            assert await aio.pull(client, "other") == local()
            remote = await aio.RemoteBloomFilter(client, "other", create=False)
            assert (await remote.contains_many(range(5_000))).all()
            with raises("ERR_IO", tepal.FilterIOError):
                await aio.RemoteBloomFilter(client, "none", create=False)
            with raises("ERR_ARGUMENT_TYPE", tepal.ArgumentError):
                await aio.server_defaults(client)

    asyncio.run(main())
