"""What a local filter can do and the BF.* commands cannot."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from ._refusals import unsupported


def _method(name: str) -> Callable[..., NoReturn]:
    def method(self: object, *_arguments: object, **_options: object) -> NoReturn:
        said = f"{name}: expected a local filter, got one that is in a server; pull() makes a local copy of it"
        raise unsupported(said)

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

    seed = property(_method("seed"))
    max_bytes = property(_method("max_bytes"))
    nbytes = property(_method("nbytes"))
    num_bits = property(_method("num_bits"))
    fill_ratio = property(_method("fill_ratio"))
    estimated_count = property(_method("estimated_count"))
    estimated_fpr = property(_method("estimated_fpr"))
    saturation = property(_method("saturation"))
    metadata = property(_method("metadata"))
    read_only = property(_method("read_only"))
    levels = property(_method("levels"))
