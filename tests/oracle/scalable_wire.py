"""FORMAT.md sections 6.1 to 6.3: a scalable filter as bytes, written and read."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

import schemes
import wire
from layouts import ANYWHERE, PAIR
from series import Plan, Series
from wire import PROBES, Rules, checksum, need

SERIES = struct.Struct("<IIdQdI20sQ")  # level_count expansion tightening max_bytes fpr flags reserved checksum
RECORD = struct.Struct("<QQdQQIHB17s")  # capacity items fpr bits lines index probes layout reserved


@dataclass
class File:
    series: Series
    fpr: float
    levels: list[tuple[Plan, int, bytes]]  # shape, items, lines
    metadata: dict[str, str] = field(default_factory=dict)


def most(scheme: str) -> int:
    return 2**48 if scheme == "tepal" else 2**63 - 1


RULES = Rules(
    2,
    {number: schemes.SEED_LEN[name] for name, number in schemes.IDS.items()},
    (0,),
    lambda f: (
        1 <= f.capacity <= most(schemes.NAMES[f.hash]) and 0 < f.fpr < 1 and f.probes == 0 and 3 <= f.lines <= 2**51
    ),
)


def write(file: File, withhold_seed: bool = False) -> bytes:
    s = file.series
    flags = 1 if s.random_seed else 0
    head = SERIES.pack(len(file.levels), s.expansion, s.tightening, s.max_bytes, s.fpr, flags, bytes(20), 0)
    records = b"".join(
        RECORD.pack(p.capacity, items, p.fpr, p.bits, p.lines, p.index, p.probes, p.layout, bytes(17))
        for p, items, _ in file.levels
    )
    table = head[:56] + checksum(head + records).to_bytes(8, "little") + records
    body = table + b"".join(body for _, _, body in file.levels)
    word = wire.check_word(int.from_bytes(s.seed[:8], "little")) if withhold_seed else None
    seed = bytes(32) if withhold_seed else s.seed
    numbers = (2, 0, schemes.IDS[s.scheme], 0)
    return (
        wire.pack(numbers, s.capacity, file.fpr, len(body) // 64, seed, word, file.metadata) + body + wire.trailer(body)
    )


def read(data: bytes, seed: int | None = None, verify: bool = True) -> File:
    f, stored, metadata, body, body_checksum = wire.open_file(data, seed, RULES)
    scheme = schemes.NAMES[f.hash]
    count, expansion, tightening, max_bytes, fpr, flags, reserved, table_checksum = SERIES.unpack_from(body)
    need(1 <= count <= 65_536 and 1 + 2 * count <= f.lines, "ERR_HEADER")
    end = 64 * (count + 1)
    need(checksum(body[:56] + bytes(8) + body[64:end]) == table_checksum, "ERR_CHECKSUM")
    need(flags & ~1 == 0, "ERR_FLAGS")
    records = [RECORD.unpack_from(body, at) for at in range(64, end, 64)]
    need(not any(reserved) and not any(any(record[-1]) for record in records), "ERR_RESERVED")
    flat = body[8:16] == bytes(8) and scheme == "tepal"
    need(flat or 0 < tightening < 1, "ERR_HEADER")
    need(max_bytes < 2**63, "ERR_HEADER")
    need(0 < fpr <= f.fpr, "ERR_HEADER")
    plans = []
    for capacity, items, rate, bits, lines, index, probes, layout, _ in records:
        need(1 <= capacity <= most(scheme), "ERR_HEADER")
        need(items <= capacity, "ERR_HEADER")
        need(0 < rate < 1, "ERR_HEADER")
        need(index < 65_536, "ERR_HEADER")
        need(lines >= 1 and lines == (bits + 511) // 512, "ERR_HEADER")
        need(layout in PROBES if scheme == "tepal" else layout == ANYWHERE, "ERR_LAYOUT")
        if scheme == "tepal":
            need(bits == 512 * lines and not (layout == PAIR and lines % 2), "ERR_HEADER")
            need(probes in PROBES[layout], "ERR_HEADER")
        else:
            need(bits % 8 == 0 and probes >= 1, "ERR_HEADER")
        plans.append((Plan(index, capacity, rate, layout, probes, bits), items))
    need(1 + count + sum(plan.lines for plan, _ in plans) == f.lines, "ERR_HEADER")
    levels, at = [], end
    for plan, items in plans:
        levels.append((plan, items, body[at : at + 64 * plan.lines]))
        at += 64 * plan.lines
    if verify:
        need(checksum(body) == body_checksum, "ERR_CHECKSUM")
        need(not any(any(lines[plan.bits // 8 :]) for plan, _, lines in levels), "ERR_RESERVED")
    series = Series(scheme, stored, f.capacity, fpr, expansion, tightening, max_bytes, flags == 1)
    return File(series, f.fpr, levels, metadata)
