"""FORMAT.md section 6: the scalable filter. Levels of scheme `tepal` are the oracle's Bloom filters; the others are plain arrays of bits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import layouts
import scalable_wire
import schemes
import wire
from errors import OracleError
from layouts import Hash, key_bytes
from series import MIN, Plan, Series, memory_size

from oracle import Bloom

DEFAULTS = {"tepal": (1000, 4, 0.0, 0), "valkey": (100, 2, 0.5, 128 << 20), "redisbloom": (100, 2, 0.5, 0)}


class BitArray:
    """The bits of a level whose layout is `anywhere`, with the questions that a Bloom filter answers too."""

    def __init__(self, scheme: str, plan: Plan, body: bytes):
        self.scheme, self.plan, self.bits = scheme, plan, bytearray(body)

    def addresses(self, key: Hash) -> list[tuple[int, int]]:
        places = schemes.positions(self.scheme, key, self.plan.bits, self.plan.probes)
        return [(p >> 3, 1 << (p & 7)) for p in places]

    insert_hash, contains_hash = Bloom.insert_hash, Bloom.contains_hash

    def ones(self) -> int:
        return sum(byte.bit_count() for byte in self.bits)

    def estimated_fpr(self) -> float:
        return (self.ones() / self.plan.bits) ** self.plan.probes

    def estimated_count(self) -> int:
        m = self.plan.bits
        f = min(self.ones() / m, 1 - 1 / (2 * m))
        return round(math.log1p(-f) / (self.plan.probes * math.log1p(-1 / m)))


class Level:
    def __init__(self, series: Series, plan: Plan, items: int = 0, body: bytes | None = None):
        body = bytes(64 * plan.lines) if body is None else body
        self.series, self.plan, self.items = series, plan, items
        if series.scheme == "tepal":
            seed = int.from_bytes(series.seed[:8], "little")
            record = wire.Record(plan.layout, plan.probes, plan.capacity, plan.fpr, plan.lines, seed, body)
            self.filter: Bloom | BitArray = Bloom(record)
        else:
            self.filter = BitArray(series.scheme, plan, body)

    @property
    def body(self) -> bytes:
        return bytes(self.filter.bits)

    def copy(self, items: int | None = None, body: bytes | None = None) -> Level:
        return Level(self.series, self.plan, self.items if items is None else items, body or self.body)

    def joined(self, other: Level) -> Level | None:
        """The level with the keys of both, if it can take them."""
        if self.plan != other.plan:
            return None
        both = self.copy(body=bytes(a | b for a, b in zip(self.body, other.body, strict=True)))
        most = max(self.items, other.items)
        if both.body in (self.body, other.body):
            both.items = most
        elif self.items + other.items <= self.plan.capacity:
            both.items = self.items + other.items
        else:
            both.items = max(most, both.filter.estimated_count())
        return both if both.items <= self.plan.capacity else None

    def order(self) -> tuple:
        lanes = [int.from_bytes(self.body[i : i + 8], "little") for i in range(0, len(self.body), 8)]
        return self.plan.index, -self.items, lanes


@dataclass
class Scalable:
    series: Series
    fpr: float
    levels: list[Level]
    metadata: dict[str, str] = field(default_factory=dict)
    view: bool = False

    @classmethod
    def new(
        cls, scheme="tepal", capacity=None, fpr=0.01, seed=None, metadata=None, validate_scale_to=None, **more
    ) -> Scalable:
        """`expansion` None: does not grow; `tightening` None: the scheme's; `max_bytes` None: no limit."""
        if scheme not in schemes.IDS:
            raise OracleError("ERR_SCHEME_NAME")
        if scheme not in DEFAULTS:
            raise OracleError("ERR_UNSUPPORTED")
        first, expansion, tightening, max_bytes = DEFAULTS[scheme]
        capacity = first if capacity is None else capacity
        need(capacity != 0, "ERR_CAPACITY_ZERO")
        need(1 <= capacity <= scalable_wire.most(scheme), "ERR_CAPACITY_RANGE")
        low, high = (1e-9, 0.5) if scheme == "tepal" else (MIN, 1 - 2**-53)
        need(low <= fpr <= high, "ERR_FPR_RANGE")
        expansion = more.get("expansion", expansion)
        need(expansion is None or 1 <= expansion < 2**32, "ERR_EXPANSION_RANGE")
        ratio = more.get("tightening")
        need(ratio is None or 0 < ratio < 1, "ERR_TIGHTENING_RANGE")
        limit = more.get("max_bytes", max_bytes or None)
        need(limit is None or 1 <= limit < 2**63, "ERR_MAX_BYTES_RANGE")
        tightening = tightening if ratio is None else ratio
        need(scheme != "redisbloom" or tightening == 0.5, "ERR_TIGHTENING_RANGE")
        metadata = dict(metadata or {})
        wire.encode_metadata(metadata)
        series = Series(scheme, seed_bytes(scheme, seed), capacity, fpr, expansion or 0, tightening, limit or 0)
        if validate_scale_to is not None:
            check_reach(series, validate_scale_to)
        plan = series.level(0, capacity)
        series.check_memory([plan])
        return cls(series, fpr, [Level(series, plan)], metadata)

    @classmethod
    def from_bytes(cls, data: bytes, seed: int | None = None, verify: bool = True) -> Scalable:
        file = scalable_wire.read(data, seed, verify)
        levels = [Level(file.series, plan, items, body) for plan, items, body in file.levels]
        return cls(file.series, file.fpr, levels, file.metadata, view=not verify)

    # Keys

    @property
    def plans(self) -> list[Plan]:
        return [level.plan for level in self.levels]

    @property
    def read_only(self) -> bool:
        return self.view or self.series.scheme not in DEFAULTS

    def hash(self, key) -> Hash:
        return schemes.key_hash(self.series.scheme, self.series.seed, key_bytes(key))

    def contains_hash(self, key: Hash) -> bool:
        return any(level.filter.contains_hash(key) for level in self.levels)

    def __contains__(self, key) -> bool:
        return self.contains_hash(self.hash(key))

    def insert(self, key) -> bool:
        need(not self.read_only, "ERR_READ_ONLY")
        hash_ = self.hash(key)
        if self.contains_hash(hash_):
            return False
        if self.levels[-1].items >= self.levels[-1].plan.capacity:
            plan = self.series.next(self.levels[-1].plan)
            self.series.check_memory([*self.plans, plan])
            self.levels.append(Level(self.series, plan))
        self.levels[-1].items += 1
        self.levels[-1].filter.insert_hash(hash_)
        return True

    def clear(self) -> None:
        need(not self.read_only, "ERR_READ_ONLY")
        self.levels = [Level(self.series, self.series.level(0, self.series.capacity))]
        self.fpr = self.series.fpr

    # Unions

    def check_equal_series(self, other: Scalable) -> None:
        for name in ("scheme", "seed", "capacity", "fpr", "expansion", "tightening"):
            need(getattr(self.series, name) == getattr(other.series, name), f"ERR_{name.upper()}_DIFFERS")

    def union(self, other: Scalable) -> Scalable:
        self.check_equal_series(other)
        kept: list[Level] = []
        for level in [*reversed(self.levels), *reversed(other.levels)]:
            for i, place in enumerate(kept):
                joined = place.joined(level)
                if joined:
                    kept[i] = joined
                    break
            else:
                kept.append(level.copy())
        kept.sort(key=Level.order)
        made = replace(self, levels=kept, view=False, metadata=dict(self.metadata.items() & other.metadata.items()))
        self.series.check_memory(made.plans)
        made.state_fpr()
        return made

    def state_fpr(self) -> None:
        plans = sorted(self.plans, key=lambda plan: plan.index)
        total = self.series.fpr
        for before, plan in itertools.pairwise(plans):
            if before.index == plan.index:
                total += plan.fpr
        self.fpr = min(total, 1 - 2**-52)

    def union_with(self, other: Scalable) -> None:
        need(not self.read_only, "ERR_READ_ONLY")
        self.check_equal_series(other)
        for level in other.levels:
            for i in reversed(range(len(self.levels))):
                joined = self.levels[i].joined(level)
                if joined:
                    self.levels[i] = joined
                    break
            else:
                self.series.check_memory([*self.plans, level.plan])
                last = len(self.levels) - 1
                self.levels.insert(last + 1 if level.plan.index > self.plans[last].index else last, level.copy())
        self.state_fpr()

    def copy(self) -> Scalable:
        return replace(self, levels=[level.copy() for level in self.levels], view=False)

    def same(self, other: Scalable) -> bool:
        try:
            self.check_equal_series(other)
        except OracleError:
            return False
        mine, theirs = (sorted(f.levels, key=Level.order) for f in (self, other))
        return [(a.plan, a.body) for a in mine] == [(b.plan, b.body) for b in theirs]

    # Facts

    def validate_scale_to(self, keys: int) -> None:
        check_reach(self.series, keys)

    def facts(self) -> dict:
        s, plans, filters = self.series, self.plans, [level.filter for level in self.levels]
        bits, capacity = sum(plan.bits for plan in plans), sum(plan.capacity for plan in plans)
        count = sum(f.estimated_count() for f in filters)
        names = {number: name for name, number in layouts.NAMES.items()} | {layouts.ANYWHERE: None}
        number = str(int.from_bytes(s.seed[:8], "little"))
        seed = {"tepal": number, "valkey": s.seed.hex(), "spark-v2": str(schemes.signed(int(number), 32))}
        return {
            "scheme": s.scheme,
            "capacity": capacity,
            "initial_capacity": s.capacity,
            "fpr": self.fpr,
            "seed": seed.get(s.scheme),
            "expansion": s.expansion or None,
            "tightening": s.tightening or None,
            "max_bytes": s.max_bytes or None,
            "filter_count": len(plans),
            "inserted_count": sum(level.items for level in self.levels),
            "size": memory_size(plans),
            "byte_len": len(self.to_bytes()),
            "max_scaled_capacity": str(s.reach()),
            "num_bits": bits,
            "metadata": self.metadata,
            "levels": [
                [p.capacity, v.items, p.fpr, p.bits, p.probes, names[p.layout]]
                for p, v in zip(plans, self.levels, strict=True)
            ],
            "fill_ratio": sum(byte.bit_count() for f in filters for byte in f.bits) / bits,
            "estimated_count": count,
            "estimated_fpr": either(f.estimated_fpr() for f in filters),
            "saturation": count / capacity,
        }

    def to_bytes(self, withhold_seed: bool = False) -> bytes:
        need(not withhold_seed or self.series.scheme == "tepal", "ERR_UNSUPPORTED")
        levels = [(level.plan, level.items, level.body) for level in self.levels]
        return scalable_wire.write(scalable_wire.File(self.series, self.fpr, levels, self.metadata), withhold_seed)


def either(chances: Iterable[float]) -> float:
    """1 − Π(1 − p), without losing the digits of small ones."""
    total = 0.0
    for p in chances:
        total += p * (1 - total)
    return total


def need(ok: bool, code: str) -> None:
    if not ok:
        raise OracleError(code)


def seed_bytes(scheme: str, seed: int | bytes | None) -> bytes:
    if isinstance(seed, bytes):
        need(len(seed) == 32, "ERR_SEED_LENGTH")
        need(scheme != "redisbloom" or not any(seed), "ERR_SEED_RANGE")
        return seed
    if seed is None:
        return schemes.VALKEY_SEED if scheme == "valkey" else bytes(32)
    need(0 <= seed < 2**64, "ERR_SEED_RANGE")
    return seed.to_bytes(8, "little") + bytes(24)


def check_reach(series: Series, keys: int) -> None:
    need(1 <= keys < 2**63 and series.reach() >= keys, "ERR_SCALE_TO")
