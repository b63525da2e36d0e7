"""What a server says no with, as the exceptions that a local filter raises for the same reason.

The servers have no error codes, only sentences; this table is the one place that knows them (RedisBloom 2.8 and 8,
valkey-bloom 1.0). What is not in it is an `ERR_IO` with the server's own words.
"""

from __future__ import annotations

import errno
from typing import TypeVar

from tepal.errors import (
    ArgumentError,
    CapacityError,
    FilterIOError,
    FilterMemoryError,
    FormatError,
    TepalError,
    UnsupportedError,
)

from ._script import Reply, text

E = TypeVar("E", bound=TepalError)

# part of the sentence, in lower case | class | code; the first that fits
_TABLE: tuple[tuple[str, type[TepalError], str], ...] = (
    ("wrongtype", FormatError, "ERR_FOREIGN"),
    ("validatescaleto", ArgumentError, "ERR_SCALE_TO"),
    ("filter is full", CapacityError, "ERR_FULL"),
    ("memory limit", CapacityError, "ERR_MEMORY_LIMIT"),
    ("max number of filters", CapacityError, "ERR_MEMORY_LIMIT"),
    ("insufficient memory", CapacityError, "ERR_MEMORY_LIMIT"),
    ("degrades to 0", CapacityError, "ERR_FPR_UNDERFLOW"),
    ("oom ", FilterMemoryError, "ERR_OUT_OF_MEMORY"),
    ("used memory >", FilterMemoryError, "ERR_OUT_OF_MEMORY"),
    ("unknown command", UnsupportedError, "ERR_UNSUPPORTED"),
    ("unknown argument", UnsupportedError, "ERR_UNSUPPORTED"),
    ("tightening", ArgumentError, "ERR_TIGHTENING_RANGE"),
    ("expansion", ArgumentError, "ERR_EXPANSION_RANGE"),
    ("seed", ArgumentError, "ERR_SEED_LENGTH"),
    ("capacity should be larger than 0", ArgumentError, "ERR_CAPACITY_ZERO"),
    ("capacity", ArgumentError, "ERR_CAPACITY_RANGE"),
    ("error rate", ArgumentError, "ERR_FPR_RANGE"),
)


def refusal(reply: Reply) -> TepalError:
    """The exception for an error that came as a reply."""
    # The server repeats the arguments of a command that it does not know; they may be keys.
    said = text(reply).split(", with args beginning with")[0].strip()
    lower = said.lower()
    if lower in ("not found", "err not found", "no such key"):
        return missing()
    for part, kind, code in _TABLE:
        if part in lower:
            return coded(kind(f"server: {said}"), code)
    return coded(FilterIOError(errno.EPROTO, f"server: {said}"), "ERR_IO")


def missing() -> FilterIOError:
    """There is no such key."""
    return coded(FilterIOError(errno.ENOENT, "key: expected one that exists, got none of this name"), "ERR_IO")


def unsupported(sentence: str) -> UnsupportedError:
    """The server, or every server, cannot do it."""
    return coded(UnsupportedError(sentence), "ERR_UNSUPPORTED")


def coded(error: E, code: str) -> E:
    """The error with its code."""
    error.code = code
    return error
