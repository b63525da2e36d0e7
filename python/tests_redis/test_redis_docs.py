"""Every public thing of tepal.redis is documented, and its examples run."""

from __future__ import annotations

import doctest
import functools
import inspect

import pytest
import redis
import run
import valkey

import tepal.redis
from tepal import ScalableBloomFilter
from tepal.redis import aio, push

THINGS = {name: getattr(tepal.redis, name) for name in tepal.redis.__all__} | {"tepal.redis": tepal.redis}


@pytest.mark.parametrize("name", THINGS)
def test_documented(name: str) -> None:
    thing = THINGS[name]
    assert len(inspect.getdoc(thing) or "") > 20
    if inspect.isclass(thing):
        for member, value in vars(thing).items():
            if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                assert len(inspect.getdoc(value) or "") > 10, member


def test_asyncio_is_documented() -> None:
    for name in aio.__all__:
        assert "tepal.redis" in (inspect.getdoc(getattr(aio, name)) or "")


@pytest.mark.parametrize("name", [name for name, thing in THINGS.items() if ">>>" in (inspect.getdoc(thing) or "")])
def test_examples_run(name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    server: run.Server = request.getfixturevalue("valkey_bloom_server" if name == "server_info" else "redis_server")
    monkeypatch.setattr(redis, "Redis", functools.partial(redis.Redis, port=server.port))
    monkeypatch.setattr(valkey, "Valkey", functools.partial(valkey.Valkey, port=server.port))
    if name != "server_info":
        push(redis.Redis(), "seen", ScalableBloomFilter.build(["alice"], scheme="redisbloom"))
    test = doctest.DocTestParser().get_doctest(inspect.getdoc(THINGS[name]) or "", {}, name, None, 0)
    failures, tried = doctest.DocTestRunner().run(test)
    assert (failures, tried > 0) == (0, True)
