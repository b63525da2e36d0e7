"""The oracle against itself and against mathematics: what can be checked without another implementation."""

import itertools
import math
import struct

import pytest
import sizing
import wire
from errors import OracleError
from layouts import NAMES, addresses, key_bytes, key_hash
from wire import checksum

from oracle import Bloom


def code_of(call, *args, **kwargs):
    with pytest.raises(OracleError) as caught:
        call(*args, **kwargs)
    return caught.value.code


def test_keys():
    assert key_bytes("ä") == b"\xc3\xa4"
    assert key_bytes(-1) == key_bytes(2**64 - 1) == b"\xff" * 8
    assert key_bytes(("ab", "c")) != key_bytes(("a", "bc"))
    assert key_bytes(("ab", 1)) == struct.pack("<Q2sQQ", 2, b"ab", 8, 1)
    assert code_of(key_bytes, "\ud800") == "ERR_KEY_SURROGATE"
    assert code_of(key_bytes, 2**64) == code_of(key_bytes, -(2**63) - 1) == "ERR_KEY_RANGE"
    assert code_of(key_bytes, 1.0) == code_of(key_bytes, True) == code_of(key_bytes, None) == "ERR_KEY_TYPE"


@pytest.mark.parametrize("layout", NAMES)
def test_no_key_is_lost_and_the_rate_is_kept(layout):
    f = Bloom.new(2000, 0.01, seed=5, layout=layout)
    for i in range(2000):
        f.insert(i)
    assert all(i in f for i in range(2000))
    false = sum(i in f for i in range(10**9, 10**9 + 20000))
    assert abs(false - 20000 * f.estimated_fpr()) < 5 * math.sqrt(200)
    assert f.estimated_fpr() < 0.01 * 1.15
    assert abs(f.estimated_count() - 2000) < 60


@pytest.mark.parametrize("layout", NAMES)
def test_fold_equals_the_smaller_filter(layout):
    record = wire.Record(NAMES[layout], 16, 100, 0.01, 24, 9, bytes(24 * 64))
    big = Bloom(record)
    small = Bloom(wire.Record(NAMES[layout], 16, 100, 0.01, 8, 9, bytes(8 * 64)))
    for i in range(150):
        big.insert(i)
        small.insert(i)
    assert big.fold(3).bits == small.bits
    assert big.union(small).bits == small.union(big).bits == small.bits
    assert code_of(big.fold, 5) == code_of(big.fold, 0) == "ERR_FACTOR"


def test_addresses_of_a_filter_nobody_could_allocate():
    probes, lines = sizing.plan(NAMES["line"], 10**12, 1e-3)
    bits = addresses(NAMES["line"], key_hash("tepal", 0), lines, probes)
    assert len(bits) == probes and 2**32 < bits[0][0] < lines


def test_own_exp_and_logarithm():
    for i in range(0, 7000):
        assert math.isclose(sizing.exp(-i / 10), math.exp(-i / 10), rel_tol=4e-16)
    assert sizing.exp(-701.0) == 0.0
    for u in (1, 2, 3, 100, 10**6, 10**12):
        x = 1 / (512 * u)
        assert math.isclose(sizing.ln1m(x), math.log1p(-x), rel_tol=4e-16)


def test_canonical_sizes_ascend():
    sizes = [sizing.size(i) for i in range(1, sizing.END)]
    assert all(a < b <= a * (1 + 1 / 128) + 1 for a, b in itertools.pairwise(sizes))
    assert sizes[-1] == 255 << 42 and sizes[254:257] == [255, 256, 258]


@pytest.mark.parametrize("layout", NAMES)
def test_smallest_size_that_keeps_the_promise(layout):
    number = NAMES[layout]
    for n in (1, 7, 300, 9999, 10000, 10**6):
        for fpr in (0.5, 0.03, 1e-3, 1e-5, 1e-9):
            probes, lines = sizing.plan(number, n, fpr)
            units = lines // 2 if layout == "pair" else lines
            i = next(i for i in range(1, sizing.END) if sizing.size(i) == units)
            assert sizing.rate(number, n, units, probes) <= fpr
            assert i == 1 or sizing.rate(number, n, sizing.size(i - 1), probes) > fpr


def test_round_trip_with_metadata_and_withheld_seed():
    f = Bloom.build(["a", "b"], 0.001, seed=2**64 - 1, metadata={"z": "", "ä": "ü", "a": "1"})
    open_, secret = f.to_bytes(), f.to_bytes(withhold_seed=True)
    assert Bloom.from_bytes(open_).r == Bloom.from_bytes(open_, 2**64 - 1).r == f.record()
    assert Bloom.from_bytes(secret, 2**64 - 1).to_bytes() == open_
    assert code_of(Bloom.from_bytes, open_, 0) == code_of(Bloom.from_bytes, secret, 0) == "ERR_SEED_DIFFERS"
    assert code_of(Bloom.from_bytes, secret) == "ERR_SEED_REQUIRED"


def test_every_flipped_bit_and_every_cut_is_noticed():
    good = Bloom.build(range(3), metadata={"k": "v"}).to_bytes()
    for i in range(len(good)):
        assert code_of(Bloom.from_bytes, good[:i]) == "ERR_TRUNCATED"
        for bit in range(8):
            bad = bytearray(good)
            bad[i] ^= 1 << bit
            assert code_of(Bloom.from_bytes, bytes(bad)).startswith("ERR_")
    assert code_of(Bloom.from_bytes, good + b"\0") == "ERR_TRAILING"


def test_header_checksum_alone_does_not_make_a_header_good():
    good = Bloom.build(range(3)).to_bytes()
    for at, value, code in [(10, 2, "ERR_KIND"), (11, 4, "ERR_LAYOUT"), (12, 2, "ERR_HASH"), (13, 1, "ERR_RESERVED"),
                            (14, 9, "ERR_HEADER"), (16, 2, "ERR_FLAGS"), (72, 1, "ERR_RESERVED")]:  # fmt: skip
        bad = bytearray(good)
        bad[at] = value
        bad[120:128] = checksum(bytes(bad[:120])).to_bytes(8, "little")
        assert code_of(Bloom.from_bytes, bytes(bad)) == code


def test_arguments():
    for code, kwargs in [
        ("ERR_CAPACITY_ZERO", {"capacity": 0}),
        ("ERR_CAPACITY_RANGE", {"capacity": 2**48 + 1}),
        ("ERR_FPR_RANGE", {"capacity": 1, "fpr": math.nan}),
        ("ERR_FPR_RANGE", {"capacity": 1, "fpr": 1.0}),
        ("ERR_SEED_RANGE", {"capacity": 1, "seed": 2**64}),
        ("ERR_LAYOUT_NAME", {"capacity": 1, "layout": "Line"}),
        ("ERR_METADATA", {"capacity": 1, "metadata": {"": "x"}}),
        ("ERR_METADATA", {"capacity": 1, "metadata": {"k": "x" * 65536}}),
    ]:
        assert code_of(Bloom.new, **kwargs) == code
