"""What a local filter can do and the BF.* commands cannot."""

from __future__ import annotations

from typing import Any, NoReturn

from ._refusals import unsupported

METHODS = (
    "union", "__or__", "__ior__", "copy", "__copy__", "__deepcopy__", "clear", "key_hash", "add_hash", "contains_hash",
    "to_bytes", "save", "verify", "validate_scale_to", "to_redisbloom", "to_valkey_load", "to_valkey_dump",
    "__reduce_ex__",
)  # fmt: skip
FACTS = (
    "seed", "max_bytes", "nbytes", "num_bits", "fill_ratio", "estimated_count", "estimated_fpr", "saturation",
    "metadata", "read_only", "levels",
)  # fmt: skip


class LocalOnly:
    """All of them, each raising ``ERR_UNSUPPORTED`` and saying what to do instead."""

    __slots__ = ()


def _refuse(name: str) -> NoReturn:
    raise unsupported(f"{name}: expected a local filter, got one that is in a server; pull() makes a local copy of it")


def _method(name: str) -> Any:
    def method(self: object, *_arguments: object, **_options: object) -> NoReturn:
        _refuse(name)

    method.__name__ = name
    method.__doc__ = f"``ERR_UNSUPPORTED``: no server does it; `pull` makes a local filter, which has `{name}`."
    return method


for _name in METHODS:
    setattr(LocalOnly, _name, _method(_name))
for _name in FACTS:
    setattr(LocalOnly, _name, property(_method(_name)))
