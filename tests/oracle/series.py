"""FORMAT.md sections 6.4 and 6.5: which levels a scalable filter has, and how much memory they are counted as."""

from __future__ import annotations

from dataclasses import dataclass

import layouts
import schemes
import sizing
from errors import OracleError
from sizing import powi

MIN = 2.2250738585072014e-308


@dataclass(frozen=True)
class Plan:
    """The shape of a level."""

    index: int
    capacity: int
    fpr: float
    layout: int
    probes: int
    bits: int

    @property
    def lines(self) -> int:
        return (self.bits + 511) // 512


@dataclass(frozen=True)
class Series:
    scheme: str
    seed: bytes  # 32
    capacity: int
    fpr: float
    expansion: int  # 0: does not grow
    tightening: float  # 0: the flat head
    max_bytes: int  # 0: none
    random_seed: bool = False

    def rate(self, i: int) -> float:
        p, t = self.fpr, self.tightening
        if self.scheme == "tepal":
            if self.expansion == 0:
                rate = p
            elif t == 0.0:
                rate = (p / 12.0) * powi(0.5, max(0, i - 10))
            else:
                rate = (p * (1.0 - t)) * powi(t, i)
        elif self.scheme == "redisbloom" and self.expansion != 0:
            rate = (p * 0.5) * powi(0.5, i)
        else:
            if i == 0:
                return p  # may be the least that there is
            rate = p * powi(t, i)
        if not rate > (1e-15 if self.scheme == "tepal" else MIN):
            raise OracleError("ERR_FPR_UNDERFLOW")
        return rate

    def level(self, i: int, capacity: int) -> Plan:
        if i >= 65_536:
            raise OracleError("ERR_FPR_UNDERFLOW")
        if capacity > 2**63 - 1:
            raise OracleError("ERR_TOO_LARGE")
        rate = self.rate(i)
        if self.scheme == "tepal":
            if capacity > 2**48:
                raise OracleError("ERR_TOO_LARGE")
            layout = sizing.auto(rate)
            probes, lines = sizing.plan(layout, capacity, rate)
            return Plan(i, capacity, rate, layout, probes, 512 * lines)
        size = (schemes.redisbloom_size if self.scheme == "redisbloom" else schemes.valkey_size)(capacity, rate)
        if size is None:
            raise OracleError("ERR_TOO_LARGE")
        bits = size[0] if self.scheme == "redisbloom" else 8 * size[0]
        return Plan(i, capacity, rate, layouts.ANYWHERE, size[1], bits)

    def next(self, last: Plan) -> Plan:
        if self.expansion == 0:
            raise OracleError("ERR_FULL")
        return self.level(last.index + 1, last.capacity * self.expansion)

    def check_memory(self, plans: list[Plan]) -> None:
        if self.max_bytes and memory_size(plans) > self.max_bytes:
            raise OracleError("ERR_MEMORY_LIMIT")

    def reach(self) -> int:
        """The max scaled capacity."""
        total = used = count = 0
        try:
            plan = self.level(0, self.capacity)
            while True:
                count += 1
                used += 208 + plan.bits // 8
                if self.max_bytes and 48 + 8 * slots(count) + used > self.max_bytes:
                    return total
                total += plan.capacity
                plan = self.next(plan)
        except OracleError:
            return total


def slots(n: int) -> int:
    return 1 if n == 1 else 1 << (max(4, n) - 1).bit_length()


def memory_size(plans: list[Plan]) -> int:
    return 48 + 8 * slots(len(plans)) + sum(208 + plan.bits // 8 for plan in plans)
