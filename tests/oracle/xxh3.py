"""XXH3-128 with a 64-bit seed, straight from the xxHash specification.

Slow and plain on purpose: the oracle needs a hash that shares no code with the one it checks.
`test_xxh3.py` compares it with the reference implementation.
"""

from __future__ import annotations

M64 = (1 << 64) - 1
P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P64_1, P64_2, P64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P64_4, P64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
MIX = 0x9FB21C651E98DF25

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)


def r32(b: bytes, at: int) -> int:
    return int.from_bytes(b[at : at + 4], "little")


def r64(b: bytes, at: int) -> int:
    return int.from_bytes(b[at : at + 8], "little")


def swap32(x: int) -> int:
    return int.from_bytes(x.to_bytes(4, "little"), "big")


def swap64(x: int) -> int:
    return int.from_bytes(x.to_bytes(8, "little"), "big")


def rotl64(x: int, r: int) -> int:
    return ((x << r) | (x >> (64 - r))) & M64


def fold64(a: int, b: int) -> int:
    p = a * b
    return (p & M64) ^ (p >> 64)


def avalanche(h: int) -> int:
    h ^= h >> 37
    h = h * 0x165667919E3779F9 & M64
    return h ^ (h >> 32)


def avalanche64(h: int) -> int:
    """The final mix of the older XXH64."""
    h ^= h >> 33
    h = h * P64_2 & M64
    h ^= h >> 29
    h = h * P64_3 & M64
    return h ^ (h >> 32)


def mix16(data: bytes, at: int, s: int, seed: int) -> int:
    lo = r64(data, at) ^ ((r64(SECRET, s) + seed) & M64)
    hi = r64(data, at + 8) ^ ((r64(SECRET, s + 8) - seed) & M64)
    return fold64(lo, hi)


def spread_seed(seed: int) -> int:
    return seed ^ (swap32(seed & 0xFFFFFFFF) << 32)


def short_word(data: bytes) -> int:
    n = len(data)
    return (data[0] << 16) | (data[n >> 1] << 24) | data[n - 1] | (n << 8)


def long_accumulate(data: bytes, seed: int) -> tuple[list[int], bytes]:
    """Inputs above 240 bytes: eight accumulators over 64-byte stripes, and the seeded secret."""
    secret = b"".join(
        ((r64(SECRET, i) + seed) & M64).to_bytes(8, "little")
        + ((r64(SECRET, i + 8) - seed) & M64).to_bytes(8, "little")
        for i in range(0, 192, 16)
    )
    acc = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1]

    def stripe(at: int, s: int) -> None:
        for i in range(8):
            value = r64(data, at + 8 * i)
            key = value ^ r64(secret, s + 8 * i)
            acc[i ^ 1] = (acc[i ^ 1] + value) & M64
            acc[i] = (acc[i] + (key & 0xFFFFFFFF) * (key >> 32)) & M64

    n = len(data)
    for number in range((n - 1) // 64):  # whole stripes before the last one
        stripe(64 * number, 8 * (number % 16))
        if number % 16 == 15:
            for i in range(8):
                h = acc[i] ^ (acc[i] >> 47) ^ r64(secret, 128 + 8 * i)
                acc[i] = h * P32_1 & M64
    stripe(n - 64, 128 - 7)
    return acc, secret


def merge(acc: list[int], secret: bytes, s: int, start: int) -> int:
    for i in range(4):
        start += fold64(acc[2 * i] ^ r64(secret, s + 16 * i), acc[2 * i + 1] ^ r64(secret, s + 16 * i + 8))
    return avalanche(start & M64)


def xxh3_128(data: bytes, seed: int = 0) -> tuple[int, int]:
    """(hi, lo)"""
    n = len(data)
    if n == 0:
        lo = avalanche64(seed ^ r64(SECRET, 64) ^ r64(SECRET, 72))
        return avalanche64(seed ^ r64(SECRET, 80) ^ r64(SECRET, 88)), lo
    if n <= 3:
        low = short_word(data)
        swapped = swap32(low)
        high = ((swapped << 13) | (swapped >> 19)) & 0xFFFFFFFF
        lo = low ^ (((r32(SECRET, 0) ^ r32(SECRET, 4)) + seed) & M64)
        hi = high ^ (((r32(SECRET, 8) ^ r32(SECRET, 12)) - seed) & M64)
        return avalanche64(hi), avalanche64(lo)
    if n <= 8:
        flip = ((r64(SECRET, 16) ^ r64(SECRET, 24)) + spread_seed(seed)) & M64
        product = ((r32(data, 0) + (r32(data, n - 4) << 32)) ^ flip) * (P64_1 + (n << 2))
        hi, lo = (product >> 64) & M64, product & M64
        hi = (hi + (lo << 1)) & M64
        lo ^= hi >> 3
        lo ^= lo >> 35
        lo = lo * MIX & M64
        return avalanche(hi), lo ^ (lo >> 28)
    if n <= 16:
        flip_lo = ((r64(SECRET, 32) ^ r64(SECRET, 40)) - seed) & M64
        flip_hi = ((r64(SECRET, 48) ^ r64(SECRET, 56)) + seed) & M64
        first, last = r64(data, 0), r64(data, n - 8)
        product = (first ^ last ^ flip_lo) * P64_1
        hi, lo = product >> 64, ((product & M64) + ((n - 1) << 54)) & M64
        last ^= flip_hi
        hi = (hi + last + (last & 0xFFFFFFFF) * (P32_2 - 1)) & M64
        lo ^= swap64(hi)
        product = lo * P64_2
        return avalanche(((product >> 64) + hi * P64_2) & M64), avalanche(product & M64)
    if n > 240:
        acc, secret = long_accumulate(data, seed)
        lo = merge(acc, secret, 11, n * P64_1 & M64)
        return merge(acc, secret, 192 - 64 - 11, ~(n * P64_2) & M64), lo

    lo, hi = n * P64_1 & M64, 0

    def mix32(a: int, b: int, s: int, seed: int) -> None:
        nonlocal lo, hi
        lo = (lo + mix16(data, a, s, seed)) & M64
        lo ^= (r64(data, b) + r64(data, b + 8)) & M64
        hi = (hi + mix16(data, b, s + 16, seed)) & M64
        hi ^= (r64(data, a) + r64(data, a + 8)) & M64

    if n <= 128:
        for i in reversed(range((n - 1) // 32 + 1)):
            mix32(16 * i, n - 16 * (i + 1), 32 * i, seed)
    else:
        for i in range(0, 128, 32):
            mix32(i, i + 16, i, seed)
        lo, hi = avalanche(lo), avalanche(hi)
        for i in range(128, n - 31, 32):
            mix32(i, i + 16, 3 + i - 128, seed)
        mix32(n - 16, n - 32, 136 - 17 - 16, -seed & M64)
    mixed = lo * P64_1 + hi * P64_4 + ((n - seed) & M64) * P64_2
    return -avalanche(mixed & M64) & M64, avalanche((lo + hi) & M64)
