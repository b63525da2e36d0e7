"""What all of tepal.redis is written in: scripts, which know nothing of sockets.

A script is a generator that yields batches of commands and is sent the replies, in order, as bytes, integers, lists and
errors; what it returns is the result. One driver runs scripts over a synchronous client (_sync.py), another over an
asyncio one (aio.py). When a batch cannot be answered the driver raises into the script, which may clean up.

Neither redis-py nor valkey-py is imported: their clients are told by what they can do, their exceptions by name.
"""

from __future__ import annotations

import errno
from collections.abc import Generator, Mapping
from typing import Any, TypeAlias, TypeVar

from tepal.errors import ArgumentError, FilterIOError

T = TypeVar("T")
Command: TypeAlias = tuple[bytes | str | int | float, ...]
Reply: TypeAlias = Any
Script: TypeAlias = Generator[list[Command], list[Reply], T]

#: Given to every command: the reply comes as bytes, also from a client that decodes responses.
AS_BYTES: dict[str, Any] = {"NEVER_DECODE": []}

# The roots of what redis-py and valkey-py raise.
_ROOTS = {"RedisError", "ValkeyError", "RedisClusterException", "ValkeyClusterException"}


def is_cluster(client: Any) -> bool:
    """Is it a client of a cluster?"""
    return hasattr(client, "get_node_from_key")


def of_one_server(key: bytes | None) -> bytes:
    """The key that names a server of a cluster.

    Raises:
        ArgumentError: ``ERR_ARGUMENT_TYPE``: the question is about one server, and a cluster has many.
    """
    if key is None:
        error = ArgumentError("client: expected a client of one server, got one of a cluster; ask its nodes one by one")
        error.code = "ERR_ARGUMENT_TYPE"
        raise error
    return key


def translated(raised: BaseException) -> BaseException:
    """An exception of the client as ours, with the client's own as its cause; any other as it is."""
    names = {base.__name__ for base in type(raised).__mro__}
    if not (names & _ROOTS or isinstance(raised, OSError)):
        return raised
    number = errno.ETIMEDOUT if "TimeoutError" in names else errno.ECONNABORTED
    error = FilterIOError(number, f"server: expected an answer, got {type(raised).__name__}: {raised}")
    error.code = "ERR_IO"
    error.__cause__ = raised
    return error


def is_error(reply: Reply) -> bool:
    """Is this reply an error of the server?"""
    return isinstance(reply, Exception)


def text(value: Reply) -> str:
    """A reply, or the name of something in it, as text."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def pairs(reply: Reply) -> dict[str, Reply]:
    """A reply of names and values: flat in RESP2, a map in RESP3."""
    if isinstance(reply, Mapping):
        return {text(name): value for name, value in reply.items()}
    return {text(name): value for name, value in zip(reply[::2], reply[1::2], strict=True)}


def key_of(key: str | bytes) -> bytes:
    """A key of the server as bytes.

    Raises:
        ArgumentError: ``ERR_ARGUMENT_TYPE``.
    """
    if isinstance(key, str):
        return key.encode("utf-8", "surrogateescape")
    if isinstance(key, bytes):
        return key
    error = ArgumentError(f"key: expected the name of a key as str or bytes, got {type(key).__name__}")
    error.code = "ERR_ARGUMENT_TYPE"
    raise error
