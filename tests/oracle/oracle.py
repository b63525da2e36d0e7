"""A second tepal, written from FORMAT.md alone: short, slow and clear.

It knows nothing of any other implementation. Where it and the core differ, one of them is wrong, or the text is.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Iterable

import layouts
import sizing
import wire
from errors import OracleError
from layouts import CLASSIC, LINE, NAMES, PAIR, Hash


class Bloom:
    def __init__(self, record: wire.Record):
        self.r = record
        self.bits = bytearray(record.body)

    # Constructors

    @classmethod
    def new(cls, capacity: int, fpr: float = 0.01, seed: int = 0, layout: str = "auto", metadata=None) -> Bloom:
        check_capacity(capacity)
        if not 1e-9 <= fpr <= 0.5:
            raise OracleError("ERR_FPR_RANGE")
        if not 0 <= seed < 2**64:
            raise OracleError("ERR_SEED_RANGE")
        if layout != "auto" and layout not in NAMES:
            raise OracleError("ERR_LAYOUT_NAME")
        metadata = dict(metadata or {})
        wire.encode_metadata(metadata)  # refuses what cannot be stored
        number = sizing.auto(fpr) if layout == "auto" else NAMES[layout]
        probes, lines = sizing.plan(number, capacity, fpr)
        return cls(wire.Record(number, probes, capacity, fpr, lines, seed, bytes(64 * lines), metadata))

    @classmethod
    def build(cls, keys: Iterable, fpr: float = 0.01, seed: int = 0, layout: str = "auto", metadata=None) -> Bloom:
        hashes = list(dict.fromkeys(layouts.key_hash(key, seed) for key in keys))
        made = cls.new(max(1, len(hashes)), fpr, seed, layout, metadata)
        for key in hashes:
            made.insert_hash(key)
        return made

    @classmethod
    def from_bytes(cls, data: bytes, seed: int | None = None) -> Bloom:
        return cls(wire.read(data, seed))

    # Keys

    def key_hash(self, key) -> Hash:
        return layouts.key_hash(key, self.r.seed)

    def addresses(self, key: Hash) -> list[tuple[int, int]]:
        """(byte, mask) of each bit: lanes are little-endian, so bit b of a lane is bit b & 7 of its byte b >> 3."""
        bits = layouts.addresses(self.r.layout, key, self.r.lines, self.r.probes)
        return [(64 * line + 8 * lane + (bit >> 3), 1 << (bit & 7)) for line, lane, bit in bits]

    def insert_hash(self, key: Hash) -> bool:
        new = False
        for byte, mask in self.addresses(key):
            new |= not self.bits[byte] & mask
            self.bits[byte] |= mask
        return new

    def contains_hash(self, key: Hash) -> bool:
        return all(self.bits[byte] & mask for byte, mask in self.addresses(key))

    def insert(self, key) -> bool:
        return self.insert_hash(self.key_hash(key))

    def __contains__(self, key) -> bool:
        return self.contains_hash(self.key_hash(key))

    # Derived filters

    @property
    def units(self) -> int:
        return self.r.lines // 2 if self.r.layout == PAIR else self.r.lines

    def folded_bits(self, factor: int) -> bytearray:
        """Line i is the OR of lines factor·i … factor·i + factor − 1 (the halves of `pair` keep apart by themselves)."""
        out = bytearray(len(self.bits) // factor)
        for at in range(0, len(self.bits), 64):
            to = at // 64 // factor * 64
            for i in range(64):
                out[to + i] |= self.bits[at + i]
        return out

    def with_bits(self, bits: bytearray, capacity: int, fpr: float, metadata: dict[str, str]) -> Bloom:
        r = self.r
        return Bloom(
            wire.Record(r.layout, r.probes, capacity, fpr, len(bits) // 64, r.seed, bytes(bits), dict(metadata))
        )

    def fold(self, factor: int) -> Bloom:
        if factor < 1 or self.units % factor:
            raise OracleError("ERR_FACTOR")
        capacity = max(1, self.r.capacity // factor)
        return self.with_bits(self.folded_bits(factor), capacity, self.r.fpr, self.r.metadata)

    def shrink_to(self, capacity: int) -> Bloom:
        r = self.r
        check_capacity(capacity)
        if capacity > r.capacity:
            raise OracleError("ERR_CAPACITY_RANGE")
        divisors = [d for d in range(1, self.units + 1) if self.units % d == 0]
        keeps = [d for d in divisors if sizing.rate(r.layout, capacity, self.units // d, r.probes) <= r.fpr]
        return self.with_bits(self.folded_bits(max(keeps, default=1)), capacity, r.fpr, r.metadata)

    def check_mergeable(self, other: Bloom) -> None:
        for field in ("layout", "seed", "probes"):
            if getattr(self.r, field) != getattr(other.r, field):
                raise OracleError(f"ERR_{field.upper()}_DIFFERS")
        small, large = sorted((self.units, other.units))
        if large % small:
            raise OracleError("ERR_SIZE_DIFFERS")

    def combine(self, other: Bloom, merge) -> Bloom:
        self.check_mergeable(other)
        a, b = self.r, other.r
        lines = min(a.lines, b.lines)
        left, right = self.folded_bits(a.lines // lines), other.folded_bits(b.lines // lines)
        metadata = dict(a.metadata.items() & b.metadata.items())
        return self.with_bits(merge_bytes(merge, left, right), min(a.capacity, b.capacity), max(a.fpr, b.fpr), metadata)

    def combine_in_place(self, other: Bloom, merge) -> None:
        self.check_mergeable(other)
        if self.r.lines > other.r.lines:
            raise OracleError("ERR_SIZE_DIFFERS")
        self.bits = merge_bytes(merge, self.bits, other.folded_bits(other.r.lines // self.r.lines))

    def union(self, other: Bloom) -> Bloom:
        return self.combine(other, operator.or_)

    def intersection(self, other: Bloom) -> Bloom:
        return self.combine(other, operator.and_)

    # Facts

    def popcounts(self) -> list[list[int]]:
        """Per line the number of set bits in each of its eight lanes."""
        lanes = [int.from_bytes(self.bits[i : i + 8], "little").bit_count() for i in range(0, len(self.bits), 8)]
        return [lanes[i : i + 8] for i in range(0, len(lanes), 8)]

    def fill_ratio(self) -> float:
        return sum(map(sum, self.popcounts())) / (512 * self.r.lines)

    def estimated_fpr(self) -> float:
        if self.r.layout == CLASSIC:
            return self.fill_ratio() ** self.r.probes
        power = 2 if self.r.layout == LINE and self.r.probes == 16 else 1
        chances = [math.prod((c / 64) ** power for c in line) for line in self.popcounts()]
        if self.r.layout == LINE:
            return math.fsum(chances) / len(chances)
        half = self.units
        return math.fsum(chances[:half]) / half * math.fsum(chances[half:]) / half

    def estimated_count(self) -> int:
        bits = 512 * self.r.lines
        unset = math.log1p(-min(self.fill_ratio(), 1 - 1 / (2 * bits)))
        if self.r.layout == CLASSIC:
            return round(unset / (self.r.probes * math.log1p(-1 / bits)))
        hit = 2 / 64 - 1 / 4096 if self.r.layout == LINE and self.r.probes == 16 else 1 / 64
        return round(unset / math.log1p(-hit / self.units))

    def explain(self, key: Hash) -> list:
        """Hash, answer, the chance that a stranger asking these lines gets a yes, and per line its bits, each once."""
        r, lines = self.r, {}
        for line, lane, bit in layouts.addresses(r.layout, key, r.lines, r.probes):
            at = 64 * line + 8 * lane + (bit >> 3)
            entry = [lane, bit, bool(self.bits[at] & 1 << (bit & 7))]
            if entry not in lines.setdefault(line, []):
                lines[line].append(entry)
        power = 2 if r.layout == LINE and r.probes == 16 else 1
        counts = self.popcounts()
        chance = math.prod((c / 64) ** power for line in lines for c in counts[line])
        if r.layout == CLASSIC:
            chance = self.fill_ratio() ** r.probes
        found = [[line, 64 * line, bits] for line, bits in lines.items()]
        return ["%016x%016x" % key, self.contains_hash(key), chance, found]

    # Wire

    def record(self) -> wire.Record:
        r = self.r
        return wire.Record(r.layout, r.probes, r.capacity, r.fpr, r.lines, r.seed, bytes(self.bits), r.metadata)

    def to_bytes(self, withhold_seed: bool = False) -> bytes:
        return wire.write(self.record(), withhold_seed)


def union_all(filters: list[Bloom]) -> Bloom:
    if not filters:
        raise OracleError("ERR_EMPTY")
    return functools.reduce(Bloom.union, sorted(filters, key=lambda f: f.r.lines))


def merge_bytes(merge, left: bytes, right: bytes) -> bytearray:
    return bytearray(map(merge, left, right))


def check_capacity(capacity: int) -> None:
    if capacity == 0:
        raise OracleError("ERR_CAPACITY_ZERO")
    if not 1 <= capacity <= 2**48:
        raise OracleError("ERR_CAPACITY_RANGE")
