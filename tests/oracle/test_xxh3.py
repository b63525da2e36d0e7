"""The oracle's own hash against the reference implementation (the `xxhash` package), every code path."""

import random

import pytest
import xxhash
from xxh3 import SECRET, xxh3_128


def test_secret_is_whole():
    assert len(SECRET) == 192


@pytest.mark.parametrize("seed", [0, 1, 42, 2**32 - 1, 2**63, 2**64 - 1])
def test_equals_the_reference(seed):
    rng = random.Random(seed)
    lengths = [*range(300), 511, 512, 513, 1023, 1024, 1025, 1087, 1088, 1089, 2047, 2048, 2049, 5000]
    for n in lengths:
        data = rng.randbytes(n)
        hi, lo = xxh3_128(data, seed)
        assert (hi << 64) | lo == xxhash.xxh3_128_intdigest(data, seed), n


def test_canonical_digest_starts_with_hi():
    hi, lo = xxh3_128(b"tepal", 7)
    assert xxhash.xxh3_128_digest(b"tepal", 7) == hi.to_bytes(8, "big") + lo.to_bytes(8, "big")
