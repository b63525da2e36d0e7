"""tepal.redis over a synchronous client of redis-py or valkey-py."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, SupportsFloat, SupportsIndex

import tepal

from . import _doctor, _remote, _server, _transfer
from ._doctor import Report
from ._local_only import LocalOnly
from ._remote import Expansion, Info
from ._script import AS_BYTES, Command, Reply, Script, T, is_cluster, key_of, of_one_server, translated
from ._server import ServerDefaults
from ._transfer import Progress


def run(client: Any, script: Script[T], key: bytes | None = None) -> T:
    """Runs a script; in a cluster, on the server that has ``key``."""
    server = _server_of(client, key)
    try:
        batch = next(script)
        while True:
            try:
                replies = _send(server, batch)
            except BaseException as raised:
                batch = script.throw(translated(raised))
            else:
                batch = script.send(replies)
    except StopIteration as done:
        result: T = done.value
        return result


def _server_of(client: Any, key: bytes | None) -> Any:
    if not is_cluster(client):
        return client
    return client.get_redis_connection(client.get_node_from_key(of_one_server(key)))


def _send(server: Any, batch: list[Command]) -> list[Reply]:
    pipeline = server.pipeline(transaction=False)
    for name, *arguments in batch:
        # A name in bytes passes by the client's own ideas of what a reply should look like.
        pipeline.execute_command(str(name).encode(), *arguments, **AS_BYTES)
    replies: list[Reply] = pipeline.execute(raise_on_error=False)
    return replies


def push(
    client: Any,
    key: str | bytes,
    filter: tepal.ScalableBloomFilter,
    *,
    progress: Progress | None = None,
    overwrite: bool = True,
    expire: float | None = None,
) -> None:
    """Puts a filter into a server, where BF.* commands ask and fill it. All or nothing.

    A filter of scheme ``redisbloom`` goes in chunks (BF.LOADCHUNK, at most 16 MiB each) to a temporary key, which is
    renamed at the end; while that lasts the server holds both filters. One of scheme ``valkey`` goes in one RESTORE,
    which also replicas and the append-only file get right (with BF.LOAD they end up with an empty filter). Until the
    last command is done everybody sees the old key; a push that fails leaves it as it was.

    Args:
        client: of redis-py or valkey-py, for one server or a cluster.
        key: where to put it.
        filter: built with ``scheme="redisbloom"`` or ``scheme="valkey"``, as the server wants it.
        progress: called with (bytes done, bytes in all).
        overwrite: False: only if there is no such key.
        expire: seconds until the key goes away. None: never, whatever the key it replaces had, as SET does.

    Raises:
        UnsupportedError: a filter of another scheme, or a server without its module.
        FilterIOError: the server, or the way to it, failed (``ERR_IO``); ``errno`` is ``EEXIST`` when the key exists.
        FilterMemoryError: the server has no room for it.

    >>> import redis, tepal, tepal.redis
    >>> seen = tepal.ScalableBloomFilter.build(["alice"], scheme="redisbloom")
    >>> tepal.redis.push(redis.Redis(), "seen", seen)
    """
    name = key_of(key)
    run(client, _transfer.push(name, filter, progress, overwrite, expire), name)


def pull(client: Any, key: str | bytes, *, progress: Progress | None = None) -> tepal.ScalableBloomFilter:
    """Fetches a filter from a server: a local one that answers as the server did at one moment, and can go on growing.

    From RedisBloom in chunks; when somebody wrote meanwhile it is read again, and at the last in one go inside the
    server. From valkey-bloom in one DUMP.

    Args:
        client: of redis-py or valkey-py, for one server or a cluster.
        key: where it is.
        progress: called with (bytes done, bytes in all); starts again when the filter is read again.

    Raises:
        FilterIOError: there is no such key (``errno`` is ``ENOENT``), or the way to the server failed.
        FormatError: the key is no Bloom filter, or a malformed one (``ERR_FOREIGN``).

    >>> import redis, tepal.redis
    >>> "alice" in tepal.redis.pull(redis.Redis(), "seen")
    True
    """
    name = key_of(key)
    return run(client, _transfer.pull(name, progress), name)


def server_info(client: Any) -> dict[str, int]:
    """What INFO BF says of all filters of a valkey-bloom server, under the names of `tepal.metrics`.

    Returns:
        ``total_memory_bytes``, ``num_objects``, ``num_filters_across_objects``, ``num_items_across_objects``,
        ``capacity_across_objects``, ``defrag_hits``, ``defrag_misses``.

    Raises:
        UnsupportedError: the server has no such section (RedisBloom).

    >>> import valkey, tepal.redis
    >>> tepal.redis.server_info(valkey.Valkey())["num_objects"]
    0
    """
    return run(client, _server.info())


def server_defaults(client: Any) -> ServerDefaults:
    """What a filter becomes about which nothing is said.

    From the settings bf.* of valkey-bloom, bf-* of Redis 8, or the load arguments of RedisBloom. Where nobody may read
    them: what both modules do unconfigured.

    Returns:
        ``capacity``, ``fpr``, ``expansion`` (None: non-scaling), and, None where there is no such setting,
        ``tightening``, ``max_bytes``, ``random_seed``, ``defrag``.

    Raises:
        UnsupportedError: the server has no such module.

    >>> import redis, tepal.redis
    >>> tepal.redis.server_defaults(redis.Redis())["capacity"]
    100
    """
    return run(client, _server.defaults())


def doctor(client: Any, match: str = "*", *, deep: bool = False, replicas: Sequence[Any] = ()) -> Report:
    """Looks at the Bloom filters of a server and says what nobody told their owner.

    For each: the rate that was promised and the one that all levels together may reach; the bytes that a rebuild for
    the keys that are in would save; copies on replicas that are missing or empty.

    Args:
        client: of redis-py or valkey-py, for one server.
        match: which keys, a pattern as in SCAN. Walking through a server of millions of keys takes a while; it holds
            nobody up.
        deep: also fetch every filter and measure its rate as it is now.
        replicas: clients of the server's replicas.

    Returns:
        A `Report`; ``print`` shows it as a table.

    >>> import redis, tepal.redis
    >>> report = tepal.redis.doctor(redis.Redis())
    >>> [(one.key, one.inserted_count) for one in report.filters]
    [(b'seen', 1)]
    """
    report = run(client, _doctor.examine(match, deep))
    for replica in replicas:
        counts = run(replica, _doctor.counts([one.key for one in report.filters]))
        report = _doctor.with_replica(report, _doctor.name_of(replica), counts)
    return report


class RemoteBloomFilter(LocalOnly):
    """A Bloom filter that is in a server: the methods of a local `ScalableBloomFilter`, over BF.* commands.

    ``ScalableBloomFilter(capacity=10_000)`` becomes ``RemoteBloomFilter(client, "seen", capacity=10_000)``, and nothing
    else changes. Keys are the same bytes as locally. Each call is one round trip; batches send 16,000 keys per round
    trip. Every fact (``seen.capacity``) asks the server. What BF.* cannot do (union, bytes, fill) raises
    `UnsupportedError`; `pull` makes a local copy that can.

    Two things happen with a server that do not locally: a filter that somebody deleted is made again by the next
    `add`, as it was asked for (with ``create=False`` it is an error); and a client that tries again after a lost reply,
    as redis-py's does, may answer False for a key that it has just added itself.

    Args:
        client: of redis-py or valkey-py, for one server or a cluster. Its timeouts are those of this filter, and it is
            never closed here.
        key: where the filter is.
        capacity, fpr, expansion, tightening, seed, validate_scale_to: as with `ScalableBloomFilter`, for a filter that
            has to be made; where nothing is said the server's defaults. ``expansion=None`` is non-scaling. The last
            three are of valkey-bloom only.
        create: False: open the filter that is there, never make one (NOCREATE).

    Raises:
        MismatchError: there is a filter, and it is not as asked for (``ERR_CAPACITY_DIFFERS``, ``ERR_FPR_DIFFERS``).
        FilterIOError: the server cannot be reached, or (``errno`` is ``ENOENT``) there is no such filter and ``create``
            is False.
        UnsupportedError: the server has no such module, or not such an option.

    >>> import redis
    >>> from tepal.redis import RemoteBloomFilter
    >>> seen = RemoteBloomFilter(redis.Redis(), "visitors", capacity=10_000)
    >>> seen.add("alice"), "alice" in seen, "bob" in seen
    (True, True, False)
    """

    __slots__ = ("_client", "_key", "_wanted")

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
        self._run(_remote.open_filter(self._key, self._wanted))

    def _run(self, script: Script[T]) -> T:
        return run(self._client, script, self._key)

    def add(self, key: Any, /) -> bool:
        """Adds a key. True: it was new."""
        return self._run(_remote.add(self._key, self._wanted, key))

    def __contains__(self, key: Any, /) -> bool:
        return self._run(_remote.contains(self._key, self._wanted, key))

    def add_many(self, keys: Iterable[Any], *, threads: int = 1) -> tepal.Mask:
        """Adds many keys; which were new. ``threads`` is for local filters and does nothing here.

        Raises:
            CapacityError: the filter cannot take all. ``.index`` is the place of the first key that was not added;
                those before it are in, ``.answers`` has their answers.
        """
        return self._run(_remote.add_many(self._key, self._wanted, keys))

    def contains_many(self, keys: Iterable[Any], *, threads: int = 1) -> tepal.Mask:
        """Which of many keys are in. ``threads`` is for local filters and does nothing here."""
        return self._run(_remote.contains_many(self._key, self._wanted, keys))

    def update(self, *iterables: Iterable[Any]) -> None:
        """Adds all keys of all iterables."""
        self._run(_remote.update(self._key, self._wanted, iterables))

    def info(self) -> Info:
        """All fields of BF.INFO at one moment."""
        return self._run(_remote.info(self._key))

    @property
    def capacity(self) -> int:
        """How many keys all levels so far are made for."""
        return self.info()["capacity"]

    @property
    def initial_capacity(self) -> int:
        """How many keys the first level is made for."""
        return self._run(_remote.initial_capacity(self._key))

    @property
    def fpr(self) -> float:
        """The rate that the filter was made with."""
        return self.info()["fpr"]

    @property
    def expansion(self) -> int | None:
        """How many times larger each level is than the one before; None: non-scaling."""
        return self.info()["expansion"]

    @property
    def tightening(self) -> float | None:
        """By what each level's rate is multiplied for the next; None: non-scaling."""
        return self.info()["tightening"]

    @property
    def filter_count(self) -> int:
        """How many levels there are."""
        return self.info()["filter_count"]

    @property
    def inserted_count(self) -> int:
        """How many adds answered True: BF.CARD."""
        return self.info()["inserted_count"]

    @property
    def size(self) -> int:
        """Its bytes, as the server counts them."""
        return self.info()["size"]

    @property
    def max_scaled_capacity(self) -> int | None:
        """How many keys it can grow to hold within the server's limits; None where the server does not say."""
        return self.info()["max_scaled_capacity"]

    @property
    def scheme(self) -> str:
        """``"redisbloom"`` or ``"valkey"``: what the server is."""
        return self._run(_remote.scheme(self._key))

    def close(self) -> None:
        """Does nothing, as there is nothing to free here; the client stays open."""

    def __enter__(self) -> RemoteBloomFilter:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<tepal.redis.RemoteBloomFilter {self._key.decode('utf-8', 'backslashreplace')!r}>"
