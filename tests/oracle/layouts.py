"""FORMAT.md sections 2 and 3: from a key to the bits it owns.

`addresses(layout, hash, lines, probes)` gives (line, lane, bit) triples and allocates nothing, so it answers for a
filter of any size. Everything else in the oracle is built on it.
"""

from __future__ import annotations

from errors import OracleError
from xxh3 import M64, rotl64, xxh3_128

K1 = 0x9E3779B97F4A7C15
K2 = 0xD6E8FEB86659FD93

LINE, PAIR, CLASSIC = 1, 2, 3
ANYWHERE = 4  # bits anywhere in a level: sections 6.2 and 7.2
NAMES = {"line": LINE, "pair": PAIR, "classic": CLASSIC}

Hash = tuple[int, int]
Bit = tuple[int, int, int]


def key_bytes(key: bytes | str | int | tuple) -> bytes:
    """The byte string a key stands for; a tuple is a compound key."""
    if isinstance(key, (bytes, bytearray)):
        return bytes(key)
    if isinstance(key, str):
        try:
            return key.encode("utf-8")
        except UnicodeEncodeError:
            raise OracleError("ERR_KEY_SURROGATE") from None
    if isinstance(key, bool):
        raise OracleError("ERR_KEY_TYPE")
    if isinstance(key, int):
        if not -(2**63) <= key < 2**64:
            raise OracleError("ERR_KEY_RANGE")
        return (key & M64).to_bytes(8, "little")
    if isinstance(key, tuple):
        parts = [key_bytes(part) for part in key]
        return b"".join(len(part).to_bytes(8, "little") + part for part in parts)
    raise OracleError("ERR_KEY_TYPE")


def key_hash(key: bytes | str | int | tuple, seed: int) -> Hash:
    return xxh3_128(key_bytes(key), seed)


def mulhi(a: int, b: int) -> int:
    return (a * b) >> 64


def pattern(line: int, bits48: int) -> list[Bit]:
    return [(line, lane, (bits48 >> (6 * lane)) & 63) for lane in range(8)]


def addresses(layout: int, key: Hash, lines: int, probes: int) -> list[Bit]:
    hi, lo = key
    t = (((lo ^ (lo >> 32)) * K1) & M64) >> 16
    if layout == LINE:
        line = mulhi(hi, lines)
        return pattern(line, lo) + (pattern(line, t) if probes == 16 else [])
    if layout == PAIR:
        half = lines // 2
        hi2 = (rotl64(hi, 32) ^ lo) * K2 & M64
        return pattern(mulhi(hi, half), lo) + pattern(half + mulhi(hi2, half), t)
    bits, s = [], hi
    for _ in range(probes):
        b = (s >> 8) & 511
        bits.append((mulhi(s, lines), b >> 6, b & 63))
        s = (rotl64(s, 32) ^ lo) * K2 & M64
    return bits
