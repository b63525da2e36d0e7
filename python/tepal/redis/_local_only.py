"""What a local filter can do and the BF.* commands cannot."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from ._refusals import unsupported


def _refuse(name: str) -> NoReturn:
    raise unsupported(f"{name}: expected a local filter, got one that is in a server; pull() makes a local copy of it")


def _method(name: str) -> Callable[..., NoReturn]:
    def method(self: object, *_arguments: object, **_options: object) -> NoReturn:
        _refuse(name)

    method.__name__ = name
    method.__doc__ = f"``ERR_UNSUPPORTED``: no server does it; `pull` makes a local filter, which has `{name}`."
    return method


class LocalOnly:
    """All of them, each raising ``ERR_UNSUPPORTED`` and saying what to do instead."""

    __slots__ = ()

    union = _method("union")
    __or__ = _method("union")
    __ior__ = _method("union")
    copy = _method("copy")
    __copy__ = _method("copy")
    __deepcopy__ = _method("copy")
    clear = _method("clear")
    key_hash = _method("key_hash")
    add_hash = _method("add_hash")
    contains_hash = _method("contains_hash")
    to_bytes = _method("to_bytes")
    __reduce_ex__ = _method("to_bytes")
    save = _method("save")
    verify = _method("verify")
    validate_scale_to = _method("validate_scale_to")
    to_redisbloom = _method("to_redisbloom")
    to_valkey_load = _method("to_valkey_load")
    to_valkey_dump = _method("to_valkey_dump")

    @property
    def seed(self) -> NoReturn:
        """``ERR_UNSUPPORTED``: no server tells it; `pull` makes a local filter that does."""
        _refuse("seed")

    @property
    def max_bytes(self) -> NoReturn:
        """``ERR_UNSUPPORTED``: no server tells it; `pull` makes a local filter that does."""
        _refuse("max_bytes")

    @property
    def nbytes(self) -> NoReturn:
        """``ERR_UNSUPPORTED``: no server tells it; `pull` makes a local filter that does."""
        _refuse("nbytes")

    @property
    def num_bits(self) -> NoReturn:
        """``ERR_UNSUPPORTED``: no server tells it; `pull` makes a local filter that does."""
        _refuse("num_bits")

    @property
    def fill_ratio(self) -> NoReturn:
        """``ERR_UNSUPPORTED``: no server tells it; `pull` makes a local filter that does."""
        _refuse("fill_ratio")

    @property
    def estimated_count(self) -> NoReturn:
        """``ERR_UNSUPPORTED``: no server tells it; `pull` makes a local filter that does."""
        _refuse("estimated_count")

    @property
    def estimated_fpr(self) -> NoReturn:
        """``ERR_UNSUPPORTED``: no server tells it; `pull` makes a local filter that does."""
        _refuse("estimated_fpr")

    @property
    def saturation(self) -> NoReturn:
        """``ERR_UNSUPPORTED``: no server tells it; `pull` makes a local filter that does."""
        _refuse("saturation")

    @property
    def metadata(self) -> NoReturn:
        """``ERR_UNSUPPORTED``: no server tells it; `pull` makes a local filter that does."""
        _refuse("metadata")

    @property
    def read_only(self) -> NoReturn:
        """``ERR_UNSUPPORTED``: no server tells it; `pull` makes a local filter that does."""
        _refuse("read_only")

    @property
    def levels(self) -> NoReturn:
        """``ERR_UNSUPPORTED``: no server tells it; `pull` makes a local filter that does."""
        _refuse("levels")
