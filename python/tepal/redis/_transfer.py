"""Whole filters into a server and out of it.

Into RedisBloom: the chunks of BF.LOADCHUNK under a temporary key, then RENAME, so that everybody sees the old filter or
the new one, never a half. The temporary key expires by itself should we die before the end. Into valkey-bloom: one
RESTORE, which the server runs whole or not at all. Not BF.LOAD: the server replicates and logs that as a BF.INSERT of
the payload as one *item*, so that replicas, and the server after a restart, have an empty filter.

Out of valkey-bloom: one DUMP. Out of RedisBloom: BF.SCANDUMP, chunk by chunk; see `_read_chunks` for what happens when
others write meanwhile.
"""

from __future__ import annotations

import errno
import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

import tepal
from tepal.errors import ArgumentError, FilterIOError, TepalError

from ._header import parse
from ._refusals import coded, missing, refusal, unsupported
from ._script import Command, Reply, Script, is_error, text
from ._server import scheme_of

Progress: TypeAlias = Callable[[int, int], object]
#: What BF.SCANDUMP gave, and BF.LOADCHUNK takes.
Chunks: TypeAlias = list[tuple[int, bytes]]

#: A push that died leaves its temporary key for so long.
TEMPORARY_SECONDS = 3600
#: How often a pull starts again because somebody wrote, before it asks the server to stand still.
ATTEMPTS = 3
# All chunks at one moment. A script of the server is the only thing that is one moment in a cluster too.
_READ_AT_ONCE = """
local chunks, iterator = {}, 0
repeat
  local chunk = redis.call('BF.SCANDUMP', KEYS[1], iterator)
  iterator = chunk[1]
  if iterator ~= 0 then chunks[#chunks + 1] = chunk end
until iterator == 0
return chunks
"""


def push(
    key: bytes,
    filter: tepal.ScalableBloomFilter,
    progress: Progress | None = None,
    overwrite: bool = True,
    expire: float | None = None,
) -> Script[None]:
    milliseconds = _milliseconds(expire)
    scheme = getattr(filter, "scheme", "tepal")
    if scheme == "redisbloom":
        yield from _load_chunks(key, filter.to_redisbloom(), progress, overwrite, milliseconds)
    elif scheme == "valkey":
        yield from _restore(key, filter.to_valkey_dump(), progress, overwrite, milliseconds)
    else:
        raise unsupported(
            f"filter: expected one that a server can ask, got scheme {scheme!r}; build it as "
            "ScalableBloomFilter(..., scheme='redisbloom') for RedisBloom or scheme='valkey' for valkey-bloom"
        )


def pull(key: bytes, progress: Progress | None = None) -> Script[tepal.ScalableBloomFilter]:
    [kind] = yield [("TYPE", key)]
    if is_error(kind):
        raise refusal(kind)
    if text(kind) == "none":
        raise missing()
    if scheme_of(text(kind)) == "redisbloom":
        chunks = yield from _read_chunks(key, progress)
        return tepal.ScalableBloomFilter.from_redisbloom(chunks)
    [payload] = yield [("DUMP", key)]
    if is_error(payload):
        raise refusal(payload)
    if payload is None:
        raise missing()
    _report(progress, len(payload), len(payload))
    return tepal.ScalableBloomFilter.from_valkey(payload)


def _load_chunks(
    key: bytes, chunks: Chunks, progress: Progress | None, overwrite: bool, milliseconds: int | None
) -> Script[None]:
    temporary = temporary_key(key)
    total = sum(len(chunk) for _, chunk in chunks)
    done = 0
    try:
        for at, (iterator, chunk) in enumerate(chunks):
            load: list[Command] = [("BF.LOADCHUNK", temporary, iterator, chunk)]
            replies = yield load + [("EXPIRE", temporary, TEMPORARY_SECONDS)] * (at == 0)
            _check_load(replies)
            done += len(chunk)
            _report(progress, done, total)
        live: Command = ("PERSIST", temporary) if milliseconds is None else ("PEXPIRE", temporary, milliseconds)
        # In one packet, so that nothing comes between.
        replies = yield [live, ("RENAME" if overwrite else "RENAMENX", temporary, key)]
        _check(replies)
        if not overwrite and replies[1] == 0:
            raise _exists()
    except BaseException:
        with suppress(TepalError):
            yield [("DEL", temporary)]
        raise


def _check_load(replies: list[Reply]) -> None:
    if is_error(replies[0]) and "unknown command" in text(replies[0]).lower():
        raise unsupported(
            "server: expected RedisBloom, got a server without BF.LOADCHUNK; for valkey-bloom build the filter with "
            "scheme='valkey'"
        )
    _check(replies)


def _restore(
    key: bytes, payload: bytes, progress: Progress | None, overwrite: bool, milliseconds: int | None
) -> Script[None]:
    _report(progress, 0, len(payload))
    replace = ("REPLACE",) if overwrite else ()
    [reply] = yield [("RESTORE", key, milliseconds or 0, payload, *replace)]
    if is_error(reply):
        said = text(reply).lower()
        if "busykey" in said or "already exists" in said:
            raise _exists()
        # An older server says of a newer one's payload that version or checksum are wrong.
        if "bad data format" in said or "version or checksum" in said:
            raise unsupported(
                "server: expected valkey-bloom, got a server that does not know its type (or a filter beyond its "
                "bf.bloom-memory-usage-limit); for RedisBloom build the filter with scheme='redisbloom'"
            )
        raise refusal(reply)
    _report(progress, len(payload), len(payload))


def _read_chunks(key: bytes, progress: Progress | None) -> Script[Chunks]:
    """All chunks of one moment.

    BF.SCANDUMP takes many calls, and others may write between them: then keys are in the bits of one chunk and not of
    the next. So the header, which counts the keys, is read again at the end, and the first chunk with it, which differs
    if another filter has taken the key's place. When something changed all is read again; at the last attempt by a
    script inside the server, which holds up everybody else for as long as it takes to copy the filter.
    """
    for _attempt in range(ATTEMPTS):
        chunks = yield from _read_one_by_one(key, progress)
        if chunks is not None:
            return chunks
    [read] = yield [("EVAL", _READ_AT_ONCE, 1, key)]
    if is_error(read):
        raise refusal(read)
    total = sum(len(chunk) for _, chunk in read)
    _report(progress, total, total)
    return [(iterator, chunk) for iterator, chunk in read]


def _read_one_by_one(key: bytes, progress: Progress | None) -> Script[Chunks | None]:
    """The chunks; None when the filter changed meanwhile."""
    chunks: Chunks = []
    done = total = iterator = 0
    while True:
        [reply] = yield [("BF.SCANDUMP", key, iterator)]
        if is_error(reply):
            if chunks:  # there is less than there was
                return None
            raise refusal(reply)
        iterator, chunk = reply
        if iterator == 0:
            break
        if not chunks:
            total = len(chunk) + parse(chunk).nbytes
        chunks.append((iterator, chunk))
        done += len(chunk)
        _report(progress, min(done, total), total)
    head, first = yield [("BF.SCANDUMP", key, 0), ("BF.SCANDUMP", key, chunks[0][0])]
    same = [head, first] == [list(chunk) for chunk in chunks[:2]]
    return chunks if same else None


def temporary_key(key: bytes) -> bytes:
    """A key that nobody has, in the same slot of a cluster and with the same beginning, which permissions ask for."""
    suffix = b":loading-" + secrets.token_hex(8).encode()
    start = key.find(b"{")
    tagged = start >= 0 and key.find(b"}", start) > start + 1
    return key + suffix if tagged else key + suffix + b"{" + key + b"}"


def _milliseconds(expire: float | None) -> int | None:
    if expire is None:
        return None
    if isinstance(expire, bool) or not isinstance(expire, int | float) or not 0.001 <= expire < 2**53 / 1000:
        raise coded(ArgumentError(f"expire: expected seconds above 0, got {expire!r}"), "ERR_ARGUMENT_TYPE")
    return int(expire * 1000)


def _check(replies: list[Reply]) -> None:
    for reply in replies:
        if is_error(reply):
            raise refusal(reply)


def _exists() -> FilterIOError:
    return coded(FilterIOError(errno.EEXIST, "key: expected one that does not exist, got one that does"), "ERR_IO")


def _report(progress: Progress | None, done: int, total: int) -> None:
    if progress is not None:
        progress(done, total)
