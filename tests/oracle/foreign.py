"""FORMAT.md sections 7.4 and 7.5: filters in the formats of other libraries, read and written."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

import schemes
from layouts import ANYWHERE
from scalable import DEFAULTS, Level, Scalable, need
from schemes import VALKEY_SEED
from series import MIN, Plan, Series, memory_size
from sizing import powi


class Reader:
    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def take(self, n: int) -> bytes:
        need(n <= len(self.data) - self.at, "ERR_TRUNCATED")
        self.at += n
        return self.data[self.at - n : self.at]

    def unpack(self, form: str):
        found = struct.unpack(form, self.take(struct.calcsize(form)))
        return found[0] if len(found) == 1 else found

    def end(self) -> None:
        need(self.at == len(self.data), "ERR_TRAILING")


def good(ok: bool) -> None:
    need(ok, "ERR_FOREIGN")


def good_rate(rate: float) -> None:
    good(MIN <= rate < 1)


def level(series: Series, plan: Plan, items: int, bits: bytes) -> Level:
    return Level(series, plan, items, bits.ljust(64 * plan.lines, b"\0"))


def bits_of(level: Level) -> bytes:
    return level.body[: level.plan.bits // 8]


# valkey-bloom


@dataclass
class Valkey:
    expansion: int
    fpr: float
    tightening: float
    random: int
    count: int

    def __post_init__(self):
        self.found: list[tuple[int, int, int, bytes]] = []  # capacity, items, probes, bits
        self.seed = VALKEY_SEED
        good(self.expansion < 2**32)
        good_rate(self.fpr)
        good_rate(self.tightening)
        good(self.random <= 1)
        good(1 <= self.count < 2**32 and (self.expansion != 0 or self.count == 1))

    def add(self, capacity: int, items: int, blob: bytes) -> None:
        r = Reader(blob)
        good(r.unpack("<B") == 1)
        size, probes, seed = r.unpack("<QI32s")
        bits = blob[r.at :]
        good(size == len(bits))
        good(1 <= capacity < 2**63)
        if self.found:
            good(capacity == self.found[-1][0] * self.expansion)
        else:
            self.seed = seed
        good(seed == self.seed and (self.random == 1 or seed == VALKEY_SEED))
        good(items <= capacity)
        i = len(self.found)
        rate = self.fpr * powi(self.tightening, i) if i else self.fpr
        good(rate > MIN or i == 0)
        expected = schemes.valkey_size(capacity, rate)
        good(expected is not None and size > 0 and abs(size - expected[0]) <= expected[0] >> 32)
        good(probes == schemes.valkey_probes(size, capacity))
        self.found.append((capacity, items, probes, bits))

    def filter(self) -> Scalable:
        capacity, random = self.found[0][0], self.random == 1 and self.seed != VALKEY_SEED
        series = Series("valkey", self.seed, capacity, self.fpr, self.expansion, self.tightening, 0, random)
        levels = []
        for i, (capacity, items, probes, bits) in enumerate(self.found):
            plan = Plan(i, capacity, series.rate(i), ANYWHERE, probes, 8 * len(bits))
            levels.append((plan, items, bits))
        limit = DEFAULTS["valkey"][3]
        if memory_size([plan for plan, _, _ in levels]) <= limit:
            series = Series(
                "valkey", self.seed, series.capacity, self.fpr, self.expansion, self.tightening, limit, random
            )
        return Scalable(series, self.fpr, [level(series, *each) for each in levels])


def from_valkey(data: bytes) -> Scalable:
    if data[:1] == b"\x07":
        return from_dump(data)
    r = Reader(data)
    good(r.unpack("<B") == 1)
    v = Valkey(*r.unpack("<IddBQ"))
    for _ in range(v.count):
        blob = r.take(r.unpack("<Q"))
        items, capacity = r.unpack("<QQ")
        v.add(capacity, items, blob)
    r.end()
    return v.filter()


def exported(f: Scalable, scheme: str, full: bool = False) -> list[Level]:
    need(f.series.scheme == scheme, "ERR_UNSUPPORTED")
    need(all(each.plan.index == i for i, each in enumerate(f.levels)), "ERR_UNSUPPORTED")
    need(not full or all(each.items == each.plan.capacity for each in f.levels[:-1]), "ERR_UNSUPPORTED")
    return f.levels


def blob_of(f: Scalable, each: Level) -> bytes:
    bits = bits_of(each)
    return struct.pack("<BQI32s", 1, len(bits), each.plan.probes, f.series.seed) + bits


def random_mark(f: Scalable) -> int:
    return int(f.series.random_seed or f.series.seed != VALKEY_SEED)


def to_valkey_load(f: Scalable) -> bytes:
    s, levels = f.series, exported(f, "valkey")
    out = struct.pack("<BIddBQ", 1, s.expansion, s.fpr, s.tightening, random_mark(f), len(levels))
    for each in levels:
        blob = blob_of(f, each)
        out += struct.pack("<Q", len(blob)) + blob + struct.pack("<QQ", each.items, each.plan.capacity)
    return out


def crc64(data: bytes) -> int:
    """CRC-64 Jones: reflected, polynomial 0xAD93D23594C935A9, from 0, not inverted."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x95AC9329AC4BC9B5 if crc & 1 else 0)
    return crc


def rdb_length(n: int) -> bytes:
    if n < 64:
        return bytes([n])
    if n < 1 << 14:
        return struct.pack(">H", n | 0x4000)
    return b"\x80" + struct.pack(">I", n) if n < 1 << 32 else b"\x81" + struct.pack(">Q", n)


TYPE = b"\x81" + bytes.fromhex("6e5a2899f96dac01")


def to_valkey_dump(f: Scalable) -> bytes:
    s, levels = f.series, exported(f, "valkey", full=True)

    def number(n: int) -> bytes:
        return b"\x02" + rdb_length(n)

    out = b"\x07" + TYPE + number(len(levels)) + number(s.expansion)
    out += b"\x04" + struct.pack("<d", s.fpr) + b"\x04" + struct.pack("<d", s.tightening) + number(random_mark(f))
    for each in levels:
        blob = blob_of(f, each)
        items = number(each.items) if each is levels[-1] else b""
        out += number(each.plan.capacity) + items + b"\x05" + rdb_length(len(blob)) + blob
    out += b"\x00" + struct.pack("<H", 11)
    return out + struct.pack("<Q", crc64(out))


class Dump(Reader):
    def length(self) -> int | None:
        """None: a special encoding; its number is in `special`."""
        first = self.unpack("B")
        top, low = first >> 6, first & 63
        if top == 3:
            self.special = low
            return None
        if top == 0:
            return low
        if top == 1:
            return low << 8 | self.unpack("B")
        good(low <= 1)
        return self.unpack(">I") if low == 0 else self.unpack(">Q")

    def plain(self) -> int:
        n = self.length()
        good(n is not None)
        return n

    def number(self) -> int:
        good(self.plain() == 2)
        return self.plain()

    def double(self) -> float:
        good(self.plain() == 4)
        return self.unpack("<d")

    def string(self) -> bytes:
        good(self.plain() == 5)
        n = self.length()
        if n is not None:
            return self.take(n)
        good(self.special == 3)
        there, size = self.plain(), self.plain()
        return unlzf(self.take(there), size)


def unlzf(data: bytes, size: int) -> bytes:
    good(size <= 88 * len(data))
    r, out = Reader(data), bytearray()
    while r.at < len(data):
        control = r.unpack("B")
        if control < 32:
            out += r.take(control + 1)
        else:
            n = (control >> 5) + 2
            if n == 9:
                n += r.unpack("B")
            back = ((control & 31) << 8) + r.unpack("B") + 1
            good(back <= len(out))
            for _ in range(n):
                out.append(out[-back])
        good(len(out) <= size)
    good(len(out) == size)
    return bytes(out)


def from_dump(data: bytes) -> Scalable:
    need(len(data) > 10, "ERR_TRUNCATED")
    need(crc64(data[:-8]) == int.from_bytes(data[-8:], "little"), "ERR_CHECKSUM")
    r = Dump(data[1:-10])
    good(r.length() == int.from_bytes(TYPE[1:], "big"))
    count, expansion = r.number(), r.number()
    v = Valkey(expansion, r.double(), r.double(), r.number(), count)
    for i in range(count):
        blob = r.string() if data[1 + r.at] == 5 and r.at < len(r.data) else None
        capacity = r.number()
        items = r.number() if i == count - 1 else capacity
        v.add(capacity, items, r.string() if blob is None else blob)
    good(r.plain() == 0)
    r.end()
    return v.filter()


# RedisBloom

LINK = struct.Struct("<QQQddIQB")  # bytes bits size error bpe hashes entries n2


def to_redisbloom(f: Scalable) -> list[tuple[int, bytes]]:
    levels = exported(f, "redisbloom")
    options, growth = (5, f.series.expansion) if f.series.expansion else (13, 2)
    header = struct.pack("<QIII", sum(each.items for each in levels), len(levels), options, growth)
    for each in levels:
        p = each.plan
        bpe = schemes.redisbloom_bits_per_entry(p.fpr)
        header += LINK.pack(p.bits // 8, p.bits, each.items, p.fpr, bpe, p.probes, p.capacity, 0)
    chunks, end = [(1, header)], 1
    for each in levels:
        bits = bits_of(each)
        for at in range(0, len(bits), 1 << 24):
            end += len(bits[at : at + (1 << 24)])
            chunks.append((end, bits[at : at + (1 << 24)]))
    return chunks


def from_redisbloom(chunks: list[tuple[int, bytes]]) -> Scalable:
    need(len(chunks) > 0, "ERR_TRUNCATED")
    (iterator, header), rest = chunks[0], list(chunks[1:])
    good(iterator == 1)
    r = Reader(header)
    total, count, options, growth = r.unpack("<QIII")
    good(options in (4, 5, 12, 13))
    scales = options & 8 == 0
    good(not scales or growth >= 1)
    good(count >= 1 and (scales or count == 1))
    need(len(header) >= 20 + 53 * count, "ERR_TRUNCATED")
    good(len(header) == 20 + 53 * count)
    links = [LINK.unpack(r.take(53)) for _ in range(count)]
    before = None
    for size, bits, items, error, bpe, hashes, entries, n2 in links:
        good(8 <= size < 2**60)
        good_rate(error)
        good(1 <= entries < 2**63)
        good(items <= entries)
        own = schemes.redisbloom_bits_per_entry(error)
        good(own * (1 - 1e-12) <= bpe <= own * (1 + 1e-12))
        good(hashes == schemes.redisbloom_probes(bpe))
        good(bits == 8 * size)
        good(n2 == 0 if options & 1 else 6 <= n2 <= 62 and bits == 2**n2)
        good(math.trunc(entries * bpe) <= bits)
        if before:
            good(error == before[3] * 0.5 and entries >= before[6] * growth)
        before = (size, bits, items, error, bpe, hashes, entries, n2)
    good(total == sum(link[2] for link in links))
    fpr = links[0][3] * 2 if scales else links[0][3]
    if rest and rest[-1] == (0, b""):
        rest.pop()
    found, end = [], 1
    for link in links:
        bits = b""
        while len(bits) < link[0]:
            need(len(rest) > 0, "ERR_TRUNCATED")
            iterator, chunk = rest.pop(0)
            good(1 <= len(chunk) <= link[0] - len(bits))
            end += len(chunk)
            good(iterator == end)
            bits += chunk
        found.append(bits)
    need(not rest, "ERR_TRAILING")
    good(fpr < 1)
    series = Series("redisbloom", bytes(32), links[0][6], fpr, growth if scales else 0, 0.5, 0)
    levels = []
    for i, ((_, bits, items, error, _, hashes, entries, _), data) in enumerate(zip(links, found, strict=True)):
        levels.append(level(series, Plan(i, entries, error, ANYWHERE, hashes, bits), items, data))
    return Scalable(series, fpr, levels)


# Guava and Spark


def from_guava(data: bytes) -> Scalable:
    r = Reader(data)
    strategy = r.unpack("B")
    good(strategy == 1)
    return array("guava", 0, r.unpack("B"), r)


def from_spark(data: bytes) -> Scalable:
    r = Reader(data)
    version = r.unpack(">I")
    good(version in (1, 2))
    probes = r.unpack(">I")
    seed = r.unpack(">I") if version == 2 else 0
    return array(f"spark-v{version}", seed, probes, r)


def array(scheme: str, seed: int, k: int, r: Reader) -> Scalable:
    good(1 <= k <= 1100)
    count = r.unpack(">I")
    good(1 <= count < 2**31)
    words = struct.unpack(f">{count}Q", r.take(8 * count)) if 8 * count <= len(r.data) else r.take(8 * count)
    r.end()
    m = 64 * count
    capacity, fpr = max(1, math.trunc((m * schemes.LN2) / k)), max(powi(0.5, k), MIN)
    series = Series(scheme, seed.to_bytes(4, "little") + bytes(28), capacity, fpr, 0, 0.5, 0)
    only = level(series, Plan(0, capacity, fpr, ANYWHERE, k, m), 0, struct.pack(f"<{count}Q", *words))
    only.items = min(capacity, only.filter.estimated_count())
    return Scalable(series, fpr, [only])
