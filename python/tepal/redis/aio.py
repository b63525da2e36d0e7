"""tepal.redis over an asyncio client of redis-py or valkey-py: the same names, with ``await`` before them.

``key in filter`` cannot wait: it is ``await filter.contains(key)`` here. Facts are awaited too:
``await filter.capacity``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Generator, Iterable, Sequence
from typing import Any, SupportsFloat, SupportsIndex

import tepal

from . import _doctor, _remote, _server, _transfer
from ._doctor import Report
from ._local_only import LocalOnly
from ._remote import Expansion, Info
from ._script import AS_BYTES, Command, Reply, Script, T, is_cluster, key_of, of_one_server, translated
from ._server import ServerDefaults
from ._transfer import Progress

__all__ = ["RemoteBloomFilter", "doctor", "pull", "push", "server_defaults", "server_info"]


async def run(client: Any, script: Script[T], key: bytes | None = None) -> T:
    """Runs a script; in a cluster, on the server that has ``key``."""
    try:
        batch = next(script)
        while True:
            try:
                replies = await _send(client, batch, key)
            except BaseException as raised:
                batch = script.throw(translated(raised))
            else:
                batch = script.send(replies)
    except StopIteration as done:
        result: T = done.value
        return result


async def _send(client: Any, batch: list[Command], key: bytes | None) -> list[Reply]:
    if is_cluster(client):
        return await _send_to_node(client, batch, key)
    pipeline = client.pipeline(transaction=False)
    for name, *arguments in batch:
        # A name in bytes passes by the client's own ideas of what a reply should look like.
        pipeline.execute_command(str(name).encode(), *arguments, **AS_BYTES)
    replies: list[Reply] = await pipeline.execute(raise_on_error=False)
    return replies


async def _send_to_node(client: Any, batch: list[Command], key: bytes | None) -> list[Reply]:
    """A cluster's nodes have no pipelines of their own in asyncio: one command after the other."""
    name_of_server = of_one_server(key)
    await client.initialize()
    node = client.get_node_from_key(name_of_server)
    replies: list[Reply] = []
    for name, *arguments in batch:
        try:
            replies.append(await node.execute_command(str(name).encode(), *arguments, **AS_BYTES))
        except Exception as raised:
            if not any(base.__name__ == "ResponseError" for base in type(raised).__mro__):
                raise
            replies.append(raised)
    return replies


async def push(
    client: Any,
    key: str | bytes,
    filter: tepal.ScalableBloomFilter,
    *,
    progress: Progress | None = None,
    overwrite: bool = True,
    expire: float | None = None,
) -> None:
    """Puts a filter into a server, all or nothing: see `tepal.redis.push`."""
    name = key_of(key)
    await run(client, _transfer.push(name, filter, progress, overwrite, expire), name)


async def pull(client: Any, key: str | bytes, *, progress: Progress | None = None) -> tepal.ScalableBloomFilter:
    """Fetches a filter from a server: see `tepal.redis.pull`."""
    name = key_of(key)
    return await run(client, _transfer.pull(name, progress), name)


async def server_info(client: Any) -> dict[str, int]:
    """What INFO BF says: see `tepal.redis.server_info`."""
    return await run(client, _server.info())


async def server_defaults(client: Any) -> ServerDefaults:
    """What a filter becomes about which nothing is said: see `tepal.redis.server_defaults`."""
    return await run(client, _server.defaults())


async def doctor(client: Any, match: str = "*", *, deep: bool = False, replicas: Sequence[Any] = ()) -> Report:
    """Says what nobody told the owners of the filters: see `tepal.redis.doctor`."""
    report = await run(client, _doctor.examine(match, deep))
    for replica in replicas:
        counts = await run(replica, _doctor.counts([one.key for one in report.filters]))
        report = _doctor.with_replica(report, _doctor.name_of(replica), counts)
    return report


class RemoteBloomFilter(LocalOnly):
    """A Bloom filter that is in a server: see `tepal.redis.RemoteBloomFilter`, whose arguments these are.

    Making it talks to the server, so it is awaited: ``seen = await RemoteBloomFilter(client, "seen")``. Without that
    the first call does it.
    """

    __slots__ = ("_client", "_key", "_opened", "_wanted")

    def __init__(
        self,
        client: Any,
        key: str | bytes,
        *,
        capacity: SupportsIndex | float | None = None,
        fpr: SupportsFloat | None = None,
        expansion: Expansion = "server",
        tightening: float | None = None,
        seed: bytes | None = None,
        validate_scale_to: int | None = None,
        create: bool = True,
    ) -> None:
        self._client = client
        self._key = key_of(key)
        self._wanted = _remote.wanted(capacity, fpr, expansion, tightening, seed, validate_scale_to, create)
        self._opened = False

    def __await__(self) -> Generator[Any, None, RemoteBloomFilter]:
        return self._open().__await__()

    async def _open(self) -> RemoteBloomFilter:
        if not self._opened:
            await run(self._client, _remote.open_filter(self._key, self._wanted), self._key)
            self._opened = True
        return self

    async def _run(self, script: Script[T]) -> T:
        await self._open()
        return await run(self._client, script, self._key)

    async def add(self, key: Any, /) -> bool:
        """Adds a key. True: it was new."""
        return await self._run(_remote.add(self._key, self._wanted, key))

    async def contains(self, key: Any, /) -> bool:
        """Is the key in? What ``in`` is elsewhere."""
        return await self._run(_remote.contains(self._key, self._wanted, key))

    async def add_many(self, keys: Iterable[Any], *, threads: int = 1) -> tepal.Mask:
        """Adds many keys; which were new."""
        return await self._run(_remote.add_many(self._key, self._wanted, keys))

    async def contains_many(self, keys: Iterable[Any], *, threads: int = 1) -> tepal.Mask:
        """Which of many keys are in."""
        return await self._run(_remote.contains_many(self._key, self._wanted, keys))

    async def update(self, *iterables: Iterable[Any]) -> None:
        """Adds all keys of all iterables."""
        await self._run(_remote.update(self._key, self._wanted, iterables))

    async def info(self) -> Info:
        """All fields of BF.INFO at one moment."""
        return await self._run(_remote.info(self._key))

    async def _fact(self, name: str) -> Any:
        return (await self.info())[name]  # type: ignore[literal-required]

    @property
    def capacity(self) -> Awaitable[int]:
        """How many keys all levels so far are made for."""
        return self._fact("capacity")

    @property
    def initial_capacity(self) -> Awaitable[int]:
        """How many keys the first level is made for."""
        return self._run(_remote.initial_capacity(self._key))

    @property
    def fpr(self) -> Awaitable[float]:
        """The rate that the filter was made with."""
        return self._fact("fpr")

    @property
    def expansion(self) -> Awaitable[int | None]:
        """How many times larger each level is than the one before; None: non-scaling."""
        return self._fact("expansion")

    @property
    def tightening(self) -> Awaitable[float | None]:
        """By what each level's rate is multiplied for the next; None: non-scaling."""
        return self._fact("tightening")

    @property
    def filter_count(self) -> Awaitable[int]:
        """How many levels there are."""
        return self._fact("filter_count")

    @property
    def inserted_count(self) -> Awaitable[int]:
        """How many adds answered True: BF.CARD."""
        return self._fact("inserted_count")

    @property
    def size(self) -> Awaitable[int]:
        """Its bytes, as the server counts them."""
        return self._fact("size")

    @property
    def max_scaled_capacity(self) -> Awaitable[int | None]:
        """How many keys it can grow to hold within the server's limits; None where the server does not say."""
        return self._fact("max_scaled_capacity")

    @property
    def scheme(self) -> Awaitable[str]:
        """``"redisbloom"`` or ``"valkey"``: what the server is."""
        return self._run(_remote.scheme(self._key))

    async def close(self) -> None:
        """Does nothing, as there is nothing to free here; the client stays open."""

    async def __aenter__(self) -> RemoteBloomFilter:
        return await self

    async def __aexit__(self, *_exception: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<tepal.redis.aio.RemoteBloomFilter {self._key.decode('utf-8', 'backslashreplace')!r}>"
