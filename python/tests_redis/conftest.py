"""Real servers for all tests, one of each kind for the whole run, emptied before every test."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
import redis.asyncio
import valkey
import valkey.asyncio

HERE = Path(__file__).parent
# Tests are about the installed wheel; `python -m pytest` would put the source tree before it.
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != HERE.parent]
sys.path.append(str(HERE.parents[1] / "tests" / "servers"))

import run  # noqa: E402

#: How a user may have set up the client, and for which server: library, server, its options.
CLIENTS = {
    "redis-py": (redis.Redis, redis.asyncio.Redis, "redis", {"protocol": 2}),
    "redis-py-decoding-resp3": (redis.Redis, redis.asyncio.Redis, "redis", {"protocol": 3, "decode_responses": True}),
    "valkey-py-decoding": (valkey.Valkey, valkey.asyncio.Valkey, "valkey", {"decode_responses": True}),
    "valkey-py-resp3": (valkey.Valkey, valkey.asyncio.Valkey, "valkey", {"protocol": 3}),
}


@pytest.fixture(scope="session")
def servers() -> Iterator[dict[str, run.Server | None]]:
    with run.servers("redis", "valkey", "valkey_bloom") as started:
        yield started


@pytest.fixture
def redis_server(servers: dict[str, run.Server]) -> run.Server:
    return emptied(servers["redis"])


@pytest.fixture
def valkey_server(servers: dict[str, run.Server]) -> run.Server:
    return emptied(servers["valkey"])


@pytest.fixture
def valkey_bloom_server(servers: dict[str, run.Server | None]) -> run.Server:
    server = servers["valkey_bloom"]
    if server is None:
        pytest.skip("no valkey-bloom module here (TEPAL_VALKEY_BLOOM)")
    with valkey.Valkey(port=server.port) as client:
        # Else each run has other false positives.
        client.config_set("bf.bloom-use-random-seed", "no")
    return emptied(server)


def emptied(server: run.Server) -> run.Server:
    with redis.Redis(port=server.port) as client:
        client.execute_command("FLUSHALL", "SYNC")  # not in the background: INFO counts what is not freed yet
    return server


@pytest.fixture
def client(redis_server: run.Server) -> Iterator[Any]:
    """A client as most people have it."""
    with redis.Redis(port=redis_server.port) as one:
        yield one


@pytest.fixture(params=CLIENTS)
def any_client(request: pytest.FixtureRequest, servers: dict[str, run.Server]) -> Iterator[Any]:
    """Each kind of client in turn."""
    make, _, name, options = CLIENTS[request.param]
    with make(port=emptied(servers[name]).port, **options) as one:
        yield one


@pytest.fixture(params=CLIENTS)
def any_aio(request: pytest.FixtureRequest, servers: dict[str, run.Server]) -> Callable[[], Any]:
    """Makes an asyncio client of each kind in turn; it belongs to the event loop that runs then."""
    _, make, name, options = CLIENTS[request.param]
    server = emptied(servers[name])
    return lambda: make(port=server.port, **options)
