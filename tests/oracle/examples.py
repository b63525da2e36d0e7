"""Writes section 5 of FORMAT.md, the worked examples, from the oracle: `python tests/oracle/examples.py`.

`test_examples.py` compares the printed text with FORMAT.md, so the examples can never drift from the format.
"""

from __future__ import annotations

import sizing
import wire
from layouts import CLASSIC, LINE, PAIR, addresses, key_bytes, key_hash
from scalable import Scalable

from oracle import Bloom


def hexdump(data: bytes, start: int, end: int) -> str:
    rows = []
    for at in range(start, end, 16):
        chunk = data[at : min(at + 16, end)]
        row = f"{at:04X}  {chunk.hex(' ').upper()}"
        if rows and row[6:] == rows[-1][6:] and at + 16 < end and not any(chunk):
            continue
        rows.append(row)
    return "\n".join(["```text", *rows, "```"])


def field(data: bytes, at: int, size: int, meaning: str) -> str:
    raw = data[at : at + size]
    shown = raw.hex(" ").upper() if any(raw) or size <= 8 else f"00 × {size}"
    return f"| {at} | {shown} | {meaning} |"


def first_file() -> list[str]:
    f = Bloom.new(2, 0.01)
    f.insert("tepal")
    f.insert(-1)
    data = f.to_bytes()
    hi, lo = key_hash("tepal", 0)
    return [
        "### 5.1 A small filter",
        "",
        "Capacity 2, rate 0.01, seed 0, layout auto, no metadata; the text `tepal` and the integer −1 were inserted.",
        f"Layout `line`, probes 8, one line; {len(data)} bytes. A row of zeros that repeats the row above is left out.",
        "",
        hexdump(data, 0, len(data)),
        "",
        "| offset | bytes | meaning |",
        "| --- | --- | --- |",
        field(data, 0, 8, "magic"),
        field(data, 8, 2, "version 1"),
        field(data, 10, 1, "kind 1, Bloom filter"),
        field(data, 11, 1, "layout 1, `line`"),
        field(data, 12, 1, "hash 1, XXH3-128"),
        field(data, 13, 1, "reserved"),
        field(data, 14, 2, "8 probes"),
        field(data, 16, 4, "no flags"),
        field(data, 20, 4, "body_offset 128"),
        field(data, 24, 8, "capacity 2"),
        field(data, 32, 8, "fpr 0.01"),
        field(data, 40, 8, "1 line"),
        field(data, 48, 8, "body_len 64"),
        field(data, 56, 8, "total_len 256"),
        field(data, 64, 32, "seed 0 and its unused bytes"),
        field(data, 96, 4, "metadata_len 0"),
        field(data, 100, 4, "no seed_check"),
        field(data, 104, 16, "reserved"),
        field(data, 120, 8, f"header checksum {int.from_bytes(data[120:128], 'little'):#018x}"),
        *[field(data, 128 + 8 * j, 8, f"lane {j}: {lane_meaning(f, j)}") for j in range(8)],
        field(data, 192, 8, "`TEPALEND`"),
        field(data, 200, 8, f"body checksum {int.from_bytes(data[200:208], 'little'):#018x}"),
        field(data, 208, 48, "reserved"),
        "",
        f"The hash of `tepal` with seed 0 is hi = {hi:#018x}, lo = {lo:#018x}; its bit in lane j is (lo >> 6j) and 63.",
        "",
    ]


def lane_meaning(f: Bloom, lane: int) -> str:
    bits = []
    for name, key in (("`tepal`", "tepal"), ("−1", -1)):
        address = addresses(f.r.layout, f.key_hash(key), f.r.lines, f.r.probes)
        bits += [f"bit {bit} of {name}" for _, at, bit in address if at == lane]
    return ", ".join(bits)


def second_filter() -> Bloom:
    f = Bloom.new(1, 1e-5, seed=0x0123456789ABCDEF, metadata={"rule": "ascii-lower", "made by": "tepal"})
    f.insert("tepal")
    return f


def second_header() -> bytes:
    return wire.header(second_filter().record())


def second_file() -> list[str]:
    f = second_filter()
    metadata = f.r.metadata
    data, withheld = f.to_bytes(), f.to_bytes(withhold_seed=True)
    offset = wire.body_offset(len(wire.encode_metadata(metadata)))
    word = wire.check_word(f.r.seed)
    return [
        "### 5.2 Metadata, seed, and a seed withheld",
        "",
        "Capacity 1, rate 1e-5 (layout `pair`, 16 probes, 2 lines), seed 0x0123456789ABCDEF, metadata `made by` = `tepal` and",
        f"`rule` = `ascii-lower`; the text `tepal` was inserted. The header is {offset} bytes:",
        "",
        hexdump(data, 0, offset),
        "",
        f"The metadata stands at 120 to {120 + len(wire.encode_metadata(metadata)) - 1}: 7 `made by` 5 `tepal` 4 `rule` 11 `ascii-lower`, in the order of the keys' bytes.",
        "",
        "The same filter written with its seed withheld differs in flags, seed field, seed_check",
        f"(low 32 bits of XXH3-128(`tepal seed`, seed) = {word:#010x}) and header checksum:",
        "",
        hexdump(withheld, 16, 32),
        hexdump(withheld, 64, 112),
        hexdump(withheld, offset - 16, offset),
        "",
    ]


def key_examples() -> list[str]:
    shown = [("empty text", ""), ("text `tepal`", "tepal"), ("text `ä`", "ä"), ("integer 1", 1), ("integer −1", -1),
             ("integer 2^64 − 1", 2**64 - 1), ("compound (`ab`, `c`)", ("ab", "c")), ("compound (`a`, `bc`)", ("a", "bc"))]  # fmt: skip
    rows = []
    for name, key in shown:
        raw = key_bytes(key).hex(" ").upper() or "(none)"
        for seed in (0, 42):
            hi, lo = key_hash(key, seed)
            rows.append(f"| {name} | {raw} | {seed} | {hi:016x} | {lo:016x} |")
    return [
        "### 5.3 From key to hash",
        "",
        "| key | key bytes | seed | hi | lo |",
        "| --- | --- | --- | --- | --- |",
        *rows,
        "",
    ]


def bit_examples() -> list[str]:
    hash_ = key_hash("tepal", 0)
    rows = []
    for name, layout, lines, probes in [("line", LINE, 1000, 8), ("line", LINE, 1000, 16), ("pair", PAIR, 1000, 16),
                                        ("classic", CLASSIC, 1000, 7), ("line", LINE, 2**51, 8), ("classic", CLASSIC, 2**51, 3)]:  # fmt: skip
        bits = addresses(layout, hash_, lines, probes)
        groups: list[str] = []
        for line in dict.fromkeys(line for line, _, _ in bits):
            groups.append(f"{line}: " + " ".join(f"{lane}.{bit}" for at, lane, bit in bits if at == line))
        rows.append(f"| {name} | {lines} | {probes} | {'; '.join(groups)} |")
    return [
        "### 5.4 From hash to bits",
        "",
        "The text `tepal` with seed 0, as line: lane.bit lane.bit …",
        "",
        "| layout | lines | probes | bits |",
        "| --- | --- | --- | --- |",
        *rows,
        "",
    ]


def size_examples() -> list[str]:
    rows = []
    for n in (1, 100, 9_999, 10_000, 1_000_000, 10**9, 10**12):
        for fpr in (0.01, 0.001, 1e-6):
            plans = [sizing.plan(layout, n, fpr) for layout in (LINE, PAIR, CLASSIC)]
            rows.append(f"| {n} | {fpr:g} | " + " | ".join(f"{probes} / {lines}" for probes, lines in plans) + " |")
    return [
        "### 5.5 Sizes",
        "",
        "Probes / lines for a capacity and a rate.",
        "",
        "| capacity | fpr | `line` | `pair` | `classic` |",
        "| --- | --- | --- | --- | --- |",
        *rows,
    ]


def scalable_file() -> list[str]:
    f = Scalable.new("valkey", 3, 0.1)
    for key in ("a", "b", "c", "d"):
        f.insert(key)
    data = f.to_bytes()
    meanings = [
        (0, 4, "2 levels"), (4, 4, "expansion 2"), (8, 8, "tightening 0.5"), (16, 8, "at most 2^27 bytes"),
        (24, 8, "series fpr 0.1"), (32, 4, "no flags"), (36, 20, "reserved"), (56, 8, "table checksum"),
    ]  # fmt: skip
    record = [
        (0, 8, "capacity {0.capacity}"), (8, 8, "{1} items"), (16, 8, "fpr {0.fpr:g}"), (24, 8, "{0.bits} bits"),
        (32, 8, "1 line"), (40, 4, "index {0.index}"), (44, 2, "{0.probes} probes"), (46, 1, "layout 4"),
        (47, 17, "reserved"),
    ]  # fmt: skip
    rows = [field(data, 128 + at, size, meaning) for at, size, meaning in meanings]
    for i, level in enumerate(f.levels):
        rows += [field(data, 192 + 64 * i + at, size, m.format(level.plan, level.items)) for at, size, m in record]
    for i, level in enumerate(f.levels):
        at, size = 320 + 64 * i, level.plan.bits // 8
        rows.append(field(data, at, size, f"the bits of level {i}, then {64 - size} zeros"))
    return [
        "",
        "### 5.6 A scalable filter",
        "",
        "Scheme `valkey` with its fixed seed, capacity 3, rate 0.1; the texts `a` `b` `c` `d` were inserted: the fourth made a second level.",
        f"{len(data)} bytes; the header is:",
        "",
        hexdump(data, 0, 128),
        "",
        "| offset | bytes | meaning |",
        "| --- | --- | --- |",
        *rows,
    ]


def render() -> str:
    head = [
        "## 5. Worked examples",
        "",
        "Printed by `tests/oracle/examples.py`; a test compares them with this text.",
        "",
    ]
    return (
        "\n".join(
            head + first_file() + second_file() + key_examples() + bit_examples() + size_examples() + scalable_file()
        )
        + "\n"
    )


if __name__ == "__main__":
    print(render(), end="")
