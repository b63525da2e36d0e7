"""The values of the steps in tests/vectors/README.md: keys, loose numbers, metadata, answers."""

from __future__ import annotations

from collections.abc import Iterator

from errors import OracleError


def key(item: dict):
    """A key of a vector as the oracle takes it; values that are no keys come out as what they are."""
    ((kind, value),) = item.items()
    if kind == "parts":
        return tuple(key(part) for part in value)
    return {
        "text": lambda: value,
        "int": lambda: int(value),
        "hex": lambda: bytes.fromhex(value),
        "repeat": lambda: bytes.fromhex(value[0]) * value[1],
        "float": lambda: float(value),
        "bool": lambda: value,
        "null": lambda: None,
        "surrogate": lambda: chr(int(value, 16)),
    }[kind]()


def keys(items: list[dict]) -> Iterator:
    for item in items:
        if "ints" in item:
            yield from range(int(item["ints"][0]), int(item["ints"][1]))
        elif "texts" in item:
            prefix, start, end = item["texts"]
            yield from (f"{prefix}{i}" for i in range(start, end))
        else:
            yield key(item)


def loose(item):
    """A loose argument, `{"int": …}`, `{"float": …}`, `{"text": …}`, `{"bool": …}` or `{"null": …}`, or plain JSON."""
    typed = isinstance(item, dict) and len(item) == 1 and set(item) <= {"int", "float", "text", "bool", "null"}
    return key(item) if typed else item


def integer(item, code: str) -> int:
    """A number from a caller: a float with an integer value is that integer."""
    number = loose(item)
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise OracleError("ERR_ARGUMENT_TYPE")
    if isinstance(number, float) and not number.is_integer():
        raise OracleError(code)
    return int(number)


def checked(item, kind: type | tuple):
    found = loose(item)
    if isinstance(found, bool) or not isinstance(found, kind):
        raise OracleError("ERR_ARGUMENT_TYPE")
    return found


def metadata(pairs: dict) -> dict[str, str]:
    return {k: v["repeat"][0] * v["repeat"][1] if isinstance(v, dict) else v for k, v in pairs.items()}


def answers(asked: Iterator[bool]) -> str:
    return "".join("01"[yes] for yes in asked)
