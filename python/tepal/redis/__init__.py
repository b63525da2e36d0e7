"""Filters in Redis (RedisBloom) and Valkey (valkey-bloom): push them, pull them, use them where they are.

Takes the client that you have, of redis-py or valkey-py; tepal needs neither to be installed. `tepal.redis.aio` has the
same names for asyncio.

>>> import redis, tepal, tepal.redis                                         # doctest: +SKIP
>>> client = redis.Redis()                                                   # doctest: +SKIP
>>> seen = tepal.ScalableBloomFilter(10_000, scheme="redisbloom")            # doctest: +SKIP
>>> seen.update(["alice", "bob"])                                            # doctest: +SKIP
>>> tepal.redis.push(client, "seen", seen)                                   # doctest: +SKIP
>>> "alice" in tepal.redis.RemoteBloomFilter(client, "seen")                 # doctest: +SKIP
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
