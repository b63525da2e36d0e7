"""Keys of a filter as the bytes that go to the server: the same that a local filter hashes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import tepal
from tepal.errors import ArgumentError, KeyTypeError

from ._refusals import coded

# key() writes each part with its length, eight bytes, before it.
_LENGTH = 8


def key_bytes(key: Any) -> bytes:
    """One key: text as UTF-8, integers as eight bytes, little-endian, bytes as they are.

    Raises:
        KeyTypeError: as with a local filter.
    """
    try:
        return tepal.key(key)[_LENGTH:]
    except KeyTypeError as error:
        error.index = None
        raise


def each_key(keys: Iterable[Any]) -> Iterator[bytes]:
    """Many keys.

    Raises:
        ArgumentError: ``ERR_ARGUMENT_TYPE``: one key, or nothing that can be gone through.
        KeyTypeError: at the key that is none, with its ``.index``.
    """
    if isinstance(keys, str | bytes | bytearray) or (isinstance(keys, memoryview) and keys.format == "B"):
        said = f"keys: expected several keys (a list, an array or another iterable), got {type(keys).__name__}"
        raise coded(ArgumentError(f"{said}; for one key call add, or put it into a list"), "ERR_ARGUMENT_TYPE")
    try:
        iterator = iter(keys)
    except TypeError:
        said = f"keys: expected an iterable of keys, got {type(keys).__name__}"
        raise coded(ArgumentError(said), "ERR_ARGUMENT_TYPE") from None
    for index, key in enumerate(iterator):
        try:
            part = tepal.key(key)
        except KeyTypeError as error:
            error.index = index
            raise
        yield part[_LENGTH:]
