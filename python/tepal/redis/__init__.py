"""Filters in Redis (RedisBloom) and Valkey (valkey-bloom): push them, pull them, use them where they are.

Takes the client that you have, of redis-py or valkey-py; tepal needs neither to be installed. `tepal.redis.aio` has the
same names for asyncio.

>>> import redis, tepal, tepal.redis
>>> client = redis.Redis()
>>> seen = tepal.ScalableBloomFilter(10_000, scheme="redisbloom")
>>> seen.update(["alice", "bob"])
>>> tepal.redis.push(client, "seen", seen)
>>> "alice" in tepal.redis.RemoteBloomFilter(client, "seen")
True
"""

from __future__ import annotations

from ._doctor import FilterReport, Report
from ._remote import Info
from ._server import ServerDefaults
from ._sync import RemoteBloomFilter, doctor, pull, push, server_defaults, server_info

__all__ = [
    "FilterReport",
    "Info",
    "RemoteBloomFilter",
    "Report",
    "ServerDefaults",
    "doctor",
    "pull",
    "push",
    "server_defaults",
    "server_info",
]
