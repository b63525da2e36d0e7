"""The exceptions of tepal, one class for each kind of mistake.

Each has a ``code`` that is the same in every language (``ERR_FPR_RANGE``); messages come from the Rust core and name
the field, what was expected and what came, never a key. Each is also the built-in exception that a caller would expect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._native import Mask

__all__ = [
    "ArgumentError",
    "CapacityError",
    "FilterIOError",
    "FilterMemoryError",
    "FormatError",
    "KeyTypeError",
    "MismatchError",
    "StateError",
    "TepalError",
    "UnsupportedError",
]


class TepalError(Exception):
    """The base of all exceptions of tepal.

    >>> import tepal
    >>> try:
    ...     tepal.BloomFilter(1000, 1.5)
    ... except tepal.TepalError as error:
    ...     print(error.code)
    ERR_FPR_RANGE
    """

    #: What went wrong, for programs: the same word in every language.
    code: str = "ERR_INTERNAL"
    #: Which key of a batch (or part of a compound key) was refused, counted from 0; otherwise None.
    index: int | None = None


class ArgumentError(TepalError, ValueError):
    """An argument is out of range or of a wrong type (``ERR_CAPACITY_RANGE``, ``ERR_ARGUMENT_TYPE``, ...)."""


class KeyTypeError(TepalError, TypeError):
    """A value is no key (``ERR_KEY_TYPE``, ``ERR_KEY_RANGE``, ``ERR_KEY_SURROGATE``); the message says what to do."""


class FormatError(TepalError, ValueError):
    """Bytes are no filter, or not a whole, unchanged one (``ERR_MAGIC``, ``ERR_TRUNCATED``, ``ERR_CHECKSUM``, ...)."""


class MismatchError(TepalError, ValueError):
    """Filters, or a filter and a hash, do not belong together (``ERR_SEED_DIFFERS``, ``ERR_LAYOUT_DIFFERS``, ...)."""


class CapacityError(TepalError):
    """A filter takes no more keys (``ERR_FULL``, ``ERR_MEMORY_LIMIT``, ``ERR_FPR_UNDERFLOW``).

    >>> import tepal
    >>> full = tepal.ScalableBloomFilter(2, expansion=None)
    >>> try:
    ...     full.add_many(["a", "b", "c"])
    ... except tepal.CapacityError as error:
    ...     print(error.code, error.index, list(error.answers))
    ERR_FULL 2 [True, True]
    """

    #: What the keys of a batch before ``index`` got for an answer (they stay added); otherwise None.
    answers: Mask | None = None


class StateError(TepalError):
    """A filter is read-only (``ERR_READ_ONLY``) or closed (``ERR_FREED``)."""


class UnsupportedError(TepalError):
    """This runtime cannot do it (``ERR_UNSUPPORTED``)."""


class FilterMemoryError(TepalError, MemoryError):
    """The memory cannot be had (``ERR_OUT_OF_MEMORY``, ``ERR_TOO_LARGE``); nothing was changed."""


class FilterIOError(TepalError, OSError):
    """The operating system refused (``ERR_IO``); ``errno`` and ``filename`` as with any `OSError`."""
