"""FORMAT.md section 7: the hashes, probes and sizes of other libraries' filters.

A scheme is its name here; `IDS` are the header's `hash` numbers. `test_schemes.py` checks the hashes with published values.
"""

from __future__ import annotations

import math
import struct

from layouts import Hash
from xxh3 import M64, rotl64, xxh3_128

IDS = {"tepal": 1, "valkey": 3, "redisbloom": 4, "guava": 5, "spark-v1": 6, "spark-v2": 7}
NAMES = {number: name for name, number in IDS.items()}
SEED_LEN = {"tepal": 8, "valkey": 32, "redisbloom": 0, "guava": 0, "spark-v1": 0, "spark-v2": 4}
VALKEY_SEED = bytes.fromhex("590FF522EA7811DAA714D8093B3E7BD91D898A733E988887307F97CD28073383")
M32 = (1 << 32) - 1
PRIME = 0xFFFFFFFFFFFFFFC5
LN2 = 0.6931471805599453


def words(data: bytes, size: int) -> list[int]:
    """Whole little-endian words of so many bytes."""
    return [int.from_bytes(data[i : i + size], "little") for i in range(0, len(data) - size + 1, size)]


def signed(x: int, bits: int) -> int:
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def siphash13(data: bytes, k0: int, k1: int) -> int:
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    def rounds(n: int) -> None:
        for _ in range(n):
            v[0] = (v[0] + v[1]) & M64
            v[1] = rotl64(v[1], 13) ^ v[0]
            v[0] = rotl64(v[0], 32)
            v[2] = (v[2] + v[3]) & M64
            v[3] = rotl64(v[3], 16) ^ v[2]
            v[0] = (v[0] + v[3]) & M64
            v[3] = rotl64(v[3], 21) ^ v[0]
            v[2] = (v[2] + v[1]) & M64
            v[1] = rotl64(v[1], 17) ^ v[2]
            v[2] = rotl64(v[2], 32)

    tail = data[len(data) & ~7 :]
    last = int.from_bytes(tail, "little") | (len(data) & 255) << 56
    for word in [*words(data, 8), last]:
        v[3] ^= word
        rounds(1)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(3)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def murmur64a(data: bytes, seed: int) -> int:
    m = 0xC6A4A7935BD1E995
    h = seed ^ (len(data) * m & M64)
    for k in words(data, 8):
        k = k * m & M64
        k = (k ^ k >> 47) * m & M64
        h = (h ^ k) * m & M64
    tail = data[len(data) & ~7 :]
    if tail:
        h = (h ^ int.from_bytes(tail, "little")) * m & M64
    h = (h ^ h >> 47) * m & M64
    return h ^ h >> 47


def murmur3_x64_128(data: bytes) -> Hash:
    """Seed 0; the two words in the order in which the reference returns them."""
    c1, c2 = 0x87C37B91114253D5, 0x4CF5AD432745937F
    h1 = h2 = 0

    def mix1(k: int) -> int:
        return rotl64(k * c1 & M64, 31) * c2 & M64

    def mix2(k: int) -> int:
        return rotl64(k * c2 & M64, 33) * c1 & M64

    whole = words(data[: len(data) & ~15], 8)
    for k1, k2 in zip(whole[::2], whole[1::2], strict=True):
        h1 = ((rotl64(h1 ^ mix1(k1), 27) + h2) * 5 + 0x52DCE729) & M64
        h2 = ((rotl64(h2 ^ mix2(k2), 31) + h1) * 5 + 0x38495AB5) & M64
    tail = data[len(data) & ~15 :]
    h2 ^= mix2(int.from_bytes(tail[8:], "little"))
    h1 ^= mix1(int.from_bytes(tail[:8], "little"))

    def final(h: int) -> int:
        h = (h ^ h >> 33) * 0xFF51AFD7ED558CCD & M64
        h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53 & M64
        return h ^ h >> 33

    h1, h2 = h1 ^ len(data), h2 ^ len(data)
    h1 = (h1 + h2) & M64
    h2 = (h2 + h1) & M64
    h1, h2 = final(h1), final(h2)
    h1 = (h1 + h2) & M64
    return h1, (h2 + h1) & M64


def spark_hash(data: bytes, seed: int) -> int:
    """The text's S, as a signed number; its seed is the low 32 bits."""
    tail = [signed(byte, 8) & M32 for byte in data[len(data) & ~3 :]]
    h = seed & M32
    for k in words(data, 4) + tail:
        k = k * 0xCC9E2D51 & M32
        k = (k << 15 | k >> 17) & M32
        h ^= k * 0x1B873593 & M32
        h = (h << 13 | h >> 19) & M32
        h = (h * 5 + 0xE6546B64) & M32
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & M32
    h = (h ^ h >> 13) * 0xC2B2AE35 & M32
    return signed(h ^ h >> 16, 32)


def key_hash(scheme: str, seed: bytes, key: bytes) -> Hash:
    if scheme == "tepal":
        return xxh3_128(key, int.from_bytes(seed[:8], "little"))
    if scheme == "valkey":
        message = struct.pack("<Q", len(key)) + key
        w = struct.unpack("<4Q", seed)
        return siphash13(message, w[0], w[1]), siphash13(message, w[2], w[3])
    if scheme == "redisbloom":
        a = murmur64a(key, 0xC6A4A7935BD1E995)
        return a, murmur64a(key, a)
    if scheme == "guava":
        return murmur3_x64_128(key)
    h1 = spark_hash(key, int.from_bytes(seed[:4], "little") if scheme == "spark-v2" else 0)
    return h1 & M64, spark_hash(key, h1) & M64


def positions(scheme: str, hash_: Hash, m: int, k: int) -> list[int]:
    """The bits p(0) … p(k − 1), each below m."""
    hi, lo = hash_

    def p(i: int) -> int:
        if scheme == "valkey":
            return (hi, lo)[i] if i < 2 else (hi + i * lo & M64) % PRIME
        if scheme == "redisbloom":
            return hi + i * lo & M64
        if scheme == "guava":
            return (hi + i * lo) & (2**63 - 1)
        c = signed(hi + (i + 1) * lo, 32) if scheme == "spark-v1" else signed(hi * 0x7FFFFFFF + (i + 1) * lo, 64)
        return c if c >= 0 else -c - 1

    return [p(i) % m for i in range(k)]


def valkey_probes(size: int, n: int) -> int:
    return max(1, math.floor((8 * size / n) * LN2 + 0.5))


def valkey_size(n: int, r: float) -> tuple[int, int] | None:
    """(bytes, probes); none where there is no such level."""
    size = math.ceil((float(n) * math.log(r)) / (-8.0 * (LN2 * LN2)))
    return (size, valkey_probes(size, n)) if size < 2**60 else None


def redisbloom_probes(b: float) -> int:
    return math.ceil(0.693147180559945 * b)


def redisbloom_bits_per_entry(r: float) -> float:
    return -(math.log(r) / 0.480453013918201)


def redisbloom_size(n: int, r: float) -> tuple[int, int] | None:
    """(bits, probes)"""
    b = redisbloom_bits_per_entry(r)
    bits = max(1, math.trunc(float(n) * b))
    return ((bits + 63) // 64 * 64, redisbloom_probes(b)) if bits < 2**63 else None
