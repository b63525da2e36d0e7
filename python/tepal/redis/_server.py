"""What a server says about its Bloom filters as a whole: INFO BF and the configuration."""

from __future__ import annotations

from typing import TypedDict

from tepal.errors import FormatError

from ._refusals import coded, refusal, unsupported
from ._script import Script, is_error, pairs, text

_PREFIX = "bf_bloom_"
#: The types of keys that are Bloom filters.
TYPES = {"MBbloom--": "redisbloom", "bloomfltr": "valkey"}


class ServerDefaults(TypedDict):
    """What a filter becomes about which nothing is said. None: this server has no such setting."""

    capacity: int
    fpr: float
    expansion: int | None
    tightening: float | None
    max_bytes: int | None
    random_seed: bool | None
    defrag: bool | None


def info() -> Script[dict[str, int]]:
    [reply] = yield [("INFO", "BF")]
    if is_error(reply):
        raise refusal(reply)
    found = parse_info(text(reply))
    if not found:
        raise unsupported("server: expected valkey-bloom, whose INFO has a section BF, got a server without it")
    return found


def parse_info(said: str) -> dict[str, int]:
    """``bf_bloom_num_objects:3`` and its like, without the prefix that all of them have."""
    found = {}
    for line in said.splitlines():
        name, colon, value = line.strip().partition(":")
        if colon and name.startswith(_PREFIX) and value.isdigit():
            found[name.removeprefix(_PREFIX)] = int(value)
    return found


def defaults() -> Script[ServerDefaults]:
    valkey, redis8, modules = yield [("CONFIG", "GET", "bf.*"), ("CONFIG", "GET", "bf-*"), ("MODULE", "LIST")]
    for config in (valkey, redis8):
        if not is_error(config) and (found := pairs(config)):
            return parse_config({name: text(value) for name, value in found.items()})
    if is_error(modules):
        # Managed servers let nobody ask. What both modules do when nobody configured them:
        return parse_config({})
    for module in map(pairs, modules):
        if module.get("name") == b"bf":
            arguments = [text(argument).lower() for argument in module.get("args") or []]
            return parse_config(dict(zip(arguments[::2], arguments[1::2], strict=False)))
    raise unsupported("server: expected one with the module bf (RedisBloom, valkey-bloom), got one without it")


def parse_config(config: dict[str, str]) -> ServerDefaults:
    """The settings under the names of valkey-bloom, of Redis 8 and of RedisBloom's load arguments."""

    def first(*names: str) -> str | None:
        return next((config[name] for name in names if name in config), None)

    max_bytes = first("bf.bloom-memory-usage-limit")
    tightening = first("bf.bloom-tightening-ratio")
    return ServerDefaults(
        capacity=int(first("bf.bloom-capacity", "bf-initial-size", "initial_size") or 100),
        fpr=float(first("bf.bloom-fp-rate", "bf-error-rate", "error_rate") or 0.01),
        expansion=int(first("bf.bloom-expansion", "bf-expansion-factor") or 2) or None,
        tightening=None if tightening is None else float(tightening),
        max_bytes=None if max_bytes is None else int(max_bytes),
        random_seed=_flag(first("bf.bloom-use-random-seed")),
        defrag=_flag(first("bf.bloom-defrag-enabled")),
    )


def _flag(value: str | None) -> bool | None:
    return None if value is None else value.lower() in ("yes", "true", "1")


def scheme_of(kind: str) -> str:
    """The scheme of a key's type, as TYPE calls it.

    Raises:
        FormatError: ``ERR_FOREIGN``: it is no Bloom filter.
    """
    if kind not in TYPES:
        raise coded(FormatError(f"key: expected a Bloom filter, got a key of type {kind}"), "ERR_FOREIGN")
    return TYPES[kind]
