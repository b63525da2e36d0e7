"""FORMAT.md section 1: header, metadata, body and trailer, written and read.

`open_file` is one straight walk down the table of 1.6: the first check that fails gives the code, nothing is trusted before
its check.
"""

from __future__ import annotations

import struct
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass, field

from errors import OracleError
from layouts import CLASSIC, LINE, PAIR
from xxh3 import xxh3_128

MAGIC = b"\x89TEPAL\r\n"
END_MAGIC = b"TEPALEND"
FIXED = struct.Struct("<8sHBBBBHIIQdQQQ32sII16s")
Fields = namedtuple(
    "Fields",
    "magic version kind layout hash zero probes flags offset capacity fpr lines body_len total_len"
    " seed metadata_len seed_check reserved",
)
WITHHELD = 1
PROBES = {LINE: (8, 16), PAIR: (16,), CLASSIC: range(1, 65)}


@dataclass
class Record:
    """What a file says, with the body as it stands."""

    layout: int
    probes: int
    capacity: int
    fpr: float
    lines: int
    seed: int
    body: bytes
    metadata: dict[str, str] = field(default_factory=dict)


def checksum(data: bytes) -> int:
    c = 0
    for at in range(0, len(data), 65536):
        _, c = xxh3_128(data[at : at + 65536], c)
    return c


def check_word(seed: int) -> int:
    _, lo = xxh3_128(b"tepal seed", seed)
    return lo & 0xFFFFFFFF


def text(value: str) -> bytes:
    raw = value.encode("utf-8")
    return len(raw).to_bytes(4, "little") + raw


def encode_metadata(metadata: dict[str, str]) -> bytes:
    pairs = sorted(metadata.items(), key=lambda pair: pair[0].encode("utf-8"))
    raw = b"".join(text(key) + text(value) for key, value in pairs)
    if len(raw) > 65536 or "" in metadata:
        raise OracleError("ERR_METADATA")
    return raw


def decode_metadata(raw: bytes) -> dict[str, str]:
    at, previous, pairs = 0, b"", {}

    def take() -> bytes:
        nonlocal at
        if len(raw) - at < 4:
            raise OracleError("ERR_METADATA")
        n = int.from_bytes(raw[at : at + 4], "little")
        at += 4
        if len(raw) - at < n:
            raise OracleError("ERR_METADATA")
        at += n
        return raw[at - n : at]

    while at < len(raw):
        key, value = take(), take()
        if key <= previous:  # an empty key is never above the empty start
            raise OracleError("ERR_METADATA")
        try:
            pairs[key.decode("utf-8")] = value.decode("utf-8")
        except UnicodeDecodeError:
            raise OracleError("ERR_METADATA") from None
        previous = key
    return pairs


def body_offset(metadata_len: int) -> int:
    return (128 + metadata_len + 63) // 64 * 64


def header(r: Record, withhold_seed: bool = False) -> bytes:
    seed = bytes(32) if withhold_seed else r.seed.to_bytes(8, "little") + bytes(24)
    word = check_word(r.seed) if withhold_seed else None
    return pack((1, r.layout, 1, r.probes), r.capacity, r.fpr, r.lines, seed, word, r.metadata)


def pack(
    numbers: tuple[int, ...], capacity: int, fpr: float, lines: int, seed: bytes, word: int | None, metadata: dict
) -> bytes:
    """`numbers`: kind, layout, hash, probes. `word`: the check word of a seed that is withheld; `seed` is zeros then."""
    kind, layout, hash_id, probes = numbers
    encoded = encode_metadata(metadata)
    offset = body_offset(len(encoded))
    fixed = FIXED.pack(
        MAGIC, 1, kind, layout, hash_id, 0, probes, 0 if word is None else WITHHELD, offset,
        capacity, fpr, lines, 64 * lines, offset + 64 * lines + 64, seed, len(encoded), word or 0, bytes(16),
    )  # fmt: skip
    raw = (fixed + encoded).ljust(offset - 8, b"\0")
    return raw + checksum(raw).to_bytes(8, "little")


def trailer(body: bytes) -> bytes:
    return END_MAGIC + checksum(body).to_bytes(8, "little") + bytes(48)


def write(r: Record, withhold_seed: bool = False) -> bytes:
    return header(r, withhold_seed) + r.body + trailer(r.body)


def need(ok: bool, code: str) -> None:
    if not ok:
        raise OracleError(code)


@dataclass
class Rules:
    """In what the kinds of filters differ: the bytes of the seed for each hash, the layouts, and the ranges."""

    kind: int
    seed_len: dict[int, int]
    layouts: tuple[int, ...]
    in_range: Callable[[Fields], bool]


BLOOM = Rules(
    1,
    {1: 8},
    tuple(PROBES),
    lambda f: (
        1 <= f.capacity <= 2**48
        and 1e-9 <= f.fpr <= 0.5
        and f.probes in PROBES[f.layout]
        and 1 <= f.lines <= 2**51
        and not (f.layout == PAIR and f.lines % 2)
    ),
)


def open_file(data: bytes, seed: int | None, rules: Rules) -> tuple[Fields, bytes, dict[str, str], bytes, int]:
    """The checks of 1.6 up to the trailer's mark: fields, seed, metadata, body and the body's checksum."""
    if len(data) < 8:
        raise OracleError("ERR_TRUNCATED" if MAGIC.startswith(data) else "ERR_MAGIC")
    need(data[:8] == MAGIC, "ERR_MAGIC")
    need(len(data) >= 128, "ERR_TRUNCATED")
    f = Fields(*FIXED.unpack_from(data))
    need(f.version == 1, "ERR_VERSION")
    need(f.metadata_len <= 65536 and f.offset == body_offset(f.metadata_len), "ERR_HEADER")
    need(len(data) >= f.offset, "ERR_TRUNCATED")
    need(checksum(data[: f.offset - 8]) == int.from_bytes(data[f.offset - 8 : f.offset], "little"), "ERR_CHECKSUM")
    need(f.kind == rules.kind, "ERR_KIND")
    need(f.hash in rules.seed_len, "ERR_HASH")
    need(f.layout in rules.layouts, "ERR_LAYOUT")
    need(f.flags & ~(WITHHELD if f.hash == 1 else 0) == 0, "ERR_FLAGS")
    withheld = f.flags & WITHHELD != 0
    unused = data[120 + f.metadata_len : f.offset - 8] + f.reserved + f.seed[rules.seed_len[f.hash] :] + bytes([f.zero])
    need(not any(unused), "ERR_RESERVED")
    need(not any(f.seed) if withheld else f.seed_check == 0, "ERR_RESERVED")
    need(rules.in_range(f), "ERR_HEADER")
    need(f.body_len == 64 * f.lines and f.total_len == f.offset + f.body_len + 64, "ERR_HEADER")
    metadata = decode_metadata(data[120 : 120 + f.metadata_len])
    need(not withheld or seed is not None, "ERR_SEED_REQUIRED")
    stored = f.seed
    if seed is not None:
        given = seed.to_bytes(8, "little") + bytes(24)
        need(check_word(seed) == f.seed_check if withheld else given == stored, "ERR_SEED_DIFFERS")
        stored = given
    need(len(data) >= f.total_len, "ERR_TRUNCATED")
    need(len(data) == f.total_len, "ERR_TRAILING")
    body, end = data[f.offset : f.offset + f.body_len], data[f.offset + f.body_len :]
    need(end[:8] == END_MAGIC and not any(end[16:]), "ERR_TRAILER")
    return f, stored, metadata, body, int.from_bytes(end[8:16], "little")


def read(data: bytes, seed: int | None = None, verify: bool = True) -> Record:
    f, stored, metadata, body, body_checksum = open_file(data, seed, BLOOM)
    if verify:
        need(checksum(body) == body_checksum, "ERR_CHECKSUM")
    number = int.from_bytes(stored[:8], "little")
    return Record(f.layout, f.probes, f.capacity, f.fpr, f.lines, number, body, metadata)
