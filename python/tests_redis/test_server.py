"""What servers say about themselves: INFO BF and the settings."""

from __future__ import annotations

import asyncio

import pytest
import redis
import run
import valkey
from redis_helpers import raises

import tepal
from tepal.redis import RemoteBloomFilter, _server, aio, server_defaults, server_info

SAID = """# bf_bloom_core_metrics\r
\r
bf_bloom_total_memory_bytes:384\r
bf_bloom_num_objects:1\r
bf_bloom_num_filters_across_objects:1\r
bf_bloom_num_items_across_objects:1\r
bf_bloom_capacity_across_objects:100\r
\r
# bf_bloom_defrag_metrics\r
\r
bf_bloom_defrag_hits:0\r
bf_bloom_defrag_misses:12\r
"""


def test_info_as_documented() -> None:
    found = _server.parse_info(SAID)
    assert found == {
        "total_memory_bytes": 384, "num_objects": 1, "num_filters_across_objects": 1, "num_items_across_objects": 1,
        "capacity_across_objects": 100, "defrag_hits": 0, "defrag_misses": 12,
    }  # fmt: skip
    assert set(tepal.metrics()) <= set(found)


def test_info_of_a_server_that_has_none(client: redis.Redis) -> None:
    with raises("ERR_UNSUPPORTED", tepal.UnsupportedError):
        server_info(client)


def test_info_of_valkey_bloom(valkey_bloom_server: run.Server) -> None:
    with valkey.Valkey(port=valkey_bloom_server.port) as client:
        before = server_info(client)
        seen = RemoteBloomFilter(client, "seen")
        seen.update(range(150))  # some are taken for others
        count = seen.inserted_count
        after = server_info(client)
    assert set(before) == set(_server.parse_info(SAID))
    grown = {name: after[name] - before[name] for name in after}
    assert (grown["num_objects"], grown["num_filters_across_objects"]) == (1, 2)
    assert (grown["num_items_across_objects"], grown["capacity_across_objects"]) == (count, 300)


def test_defaults_of_an_unconfigured_server(client: redis.Redis) -> None:
    assert server_defaults(client) == {
        "capacity": 100, "fpr": 0.01, "expansion": 2, "tightening": None, "max_bytes": None, "random_seed": None,
        "defrag": None,
    }  # fmt: skip


def test_defaults_are_what_the_server_does() -> None:
    # The options of a module follow its path.
    with run.server("redis", "INITIAL_SIZE", "500", "ERROR_RATE", "0.001") as server:
        assert server
        with redis.Redis(port=server.port) as client:
            assert (server_defaults(client)["capacity"], server_defaults(client)["fpr"]) == (500, 0.001)
            remote = RemoteBloomFilter(client, "seen")
            assert (remote.capacity, remote.fpr) == (500, 0.001)
            client.execute_command("BF.ADD", "by the server", "a")
            assert RemoteBloomFilter(client, "by the server").info()["capacity"] == 500


@pytest.mark.parametrize(
    "config",
    [
        {"bf.bloom-capacity": "1000", "bf.bloom-fp-rate": "0.001", "bf.bloom-expansion": "4",
         "bf.bloom-tightening-ratio": "0.6", "bf.bloom-memory-usage-limit": "134217728",
         "bf.bloom-use-random-seed": "no", "bf.bloom-defrag-enabled": "yes"},
        {"bf-initial-size": "1000", "bf-error-rate": "0.001", "bf-expansion-factor": "4"},
    ],
)  # fmt: skip
def test_defaults_by_name(config: dict[str, str]) -> None:
    found = _server.parse_config(config)
    assert (found["capacity"], found["fpr"], found["expansion"]) == (1_000, 0.001, 4)
    if len(config) == 7:
        assert (found["tightening"], found["max_bytes"]) == (0.6, 134217728)
        assert (found["random_seed"], found["defrag"]) == (False, True)


def test_defaults_of_valkey_bloom(valkey_bloom_server: run.Server) -> None:
    with valkey.Valkey(port=valkey_bloom_server.port) as client:
        found = server_defaults(client)
        assert (found["capacity"], found["fpr"], found["expansion"], found["tightening"]) == (100, 0.01, 2, 0.5)
        assert (found["max_bytes"], found["random_seed"]) == (134217728, False)


def test_defaults_without_the_module() -> None:
    bare = [str(run.HOME / "redis-server")]
    with (
        run.started("bare", bare) as server,
        redis.Redis(port=server.port) as client,
        raises("ERR_UNSUPPORTED", tepal.UnsupportedError),
    ):
        server_defaults(client)


def test_defaults_where_nobody_may_ask(client: redis.Redis) -> None:
    client.acl_setuser("app", enabled=True, nopass=True, keys=["*"], commands=["+@all", "-config", "-module"])
    with redis.Redis(port=client.get_connection_kwargs()["port"], username="app", password="x") as limited:
        assert server_defaults(limited)["capacity"] == 100
        assert RemoteBloomFilter(limited, "seen").add("a")


def test_aio(redis_server: run.Server) -> None:
    async def main() -> None:
        async with redis.asyncio.Redis(port=redis_server.port) as client:
            assert (await aio.server_defaults(client))["fpr"] == 0.01
            with raises("ERR_UNSUPPORTED", tepal.UnsupportedError):
                await aio.server_info(client)

    asyncio.run(main())
