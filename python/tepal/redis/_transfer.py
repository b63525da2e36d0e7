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

from ._header import Header, parse
from ._refusals import coded, missing, refusal, unsupported
from ._script import Command, Reply, Script, is_error, text
from ._server import scheme_of

Progress: TypeAlias = Callable[[int, int], object]

#: A push that died leaves its temporary key for so long.
TEMPORARY_SECONDS = 3600
#: How often a pull starts again because somebody wrote, before it asks the server to stand still.
ATTEMPTS = 3
# All chunks at one moment. A script of the server is the only thing that is one moment in a cluster too.
_READ_AT_ONCE = "local r = {} for i = 1, #ARGV do r[i] = redis.call('BF.SCANDUMP', KEYS[1], ARGV[i])[2] end return r"


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
    key: bytes, chunks: list[tuple[int, bytes]], progress: Progress | None, overwrite: bool, milliseconds: int | None
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
        if "bad data format" in said:
            raise unsupported(
                "server: expected valkey-bloom, got a server that does not know its type (or a filter beyond its "
                "bf.bloom-memory-usage-limit); for RedisBloom build the filter with scheme='redisbloom'"
            )
        raise refusal(reply)
    _report(progress, len(payload), len(payload))


def _read_chunks(key: bytes, progress: Progress | None) -> Script[list[tuple[int, bytes]]]:
    """All chunks of one moment.

    BF.SCANDUMP takes many calls, and others may write between them: then keys are in the bits of one chunk and not of
    the next. So the header, which counts the keys, is read again at the end, and the first chunk with it, which differs
    if another filter has taken the key's place. When something changed all is read again; at the last attempt by a
    script inside the server, which holds up everybody else for as long as it takes to copy the filter.
    """
    for _attempt in range(ATTEMPTS):
        head, header = yield from _read_header(key)
        iterators = header.boundaries()[:-1]
        total = len(head) + header.nbytes
        parts: list[bytes] = []
        done = len(head)
        for iterator in iterators:
            part = yield from _one_part(key, iterator)
            parts.append(part)
            done += len(part)
            _report(progress, min(done, total), total)
        again, first = yield [("BF.SCANDUMP", key, 0), ("BF.SCANDUMP", key, iterators[0])]
        if not is_error(again) and not is_error(first) and again[1] == head and first[1] == parts[0]:
            return _numbered(head, header, parts)
    for _attempt in range(ATTEMPTS):
        head, header = yield from _read_header(key)
        iterators = header.boundaries()[:-1]
        [read] = yield [("EVAL", _READ_AT_ONCE, 1, key, 0, *iterators)]
        if is_error(read):
            break
        # A level that was added since then has chunks that we did not ask for.
        if len(read[0]) == len(head):
            _report(progress, len(head) + header.nbytes, len(head) + header.nbytes)
            return _numbered(read[0], parse(read[0]), read[1:])
    said = "key: expected a filter that can be read as of one moment, got one that others change"
    raise coded(FilterIOError(errno.EAGAIN, said), "ERR_IO")


def _read_header(key: bytes) -> Script[tuple[bytes, Header]]:
    head = yield from _one_part(key, 0)
    return head, parse(head)


def _one_part(key: bytes, iterator: int) -> Script[bytes]:
    [reply] = yield [("BF.SCANDUMP", key, iterator)]
    if is_error(reply):
        raise refusal(reply)
    part: bytes = reply[1]
    return part


def _numbered(head: bytes, header: Header, parts: list[bytes]) -> list[tuple[int, bytes]]:
    return [(1, head), *zip(header.boundaries()[1:], parts, strict=True)]


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
