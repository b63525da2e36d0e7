"""FORMAT.md section 1: header, metadata, body and trailer, written and read.

`read` is one straight walk down the table of 1.6: the first check that fails gives the code, nothing is trusted before
its check.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from errors import OracleError
from layouts import CLASSIC, LINE, PAIR
from xxh3 import xxh3_128

MAGIC = b"\x89TEPAL\r\n"
END_MAGIC = b"TEPALEND"
# magic version kind layout hash 0 probes flags body_offset capacity fpr lines body_len total_len seed metadata_len seed_check 0
FIXED = struct.Struct("<8sHBBBBHIIQdQQQ32sII16s")
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
    metadata = encode_metadata(r.metadata)
    offset = body_offset(len(metadata))
    fixed = FIXED.pack(
        MAGIC, 1, 1, r.layout, 1, 0, r.probes, WITHHELD if withhold_seed else 0, offset,
        r.capacity, r.fpr, r.lines, 64 * r.lines, offset + 64 * r.lines + 64,
        bytes(32) if withhold_seed else r.seed.to_bytes(8, "little") + bytes(24),
        len(metadata), check_word(r.seed) if withhold_seed else 0, bytes(16),
    )  # fmt: skip
    raw = (fixed + metadata).ljust(offset - 8, b"\0")
    return raw + checksum(raw).to_bytes(8, "little")


def write(r: Record, withhold_seed: bool = False) -> bytes:
    trailer = END_MAGIC + checksum(r.body).to_bytes(8, "little") + bytes(48)
    return header(r, withhold_seed) + r.body + trailer


def read(data: bytes, seed: int | None = None, verify: bool = True) -> Record:
    def need(ok: bool, code: str) -> None:
        if not ok:
            raise OracleError(code)

    if len(data) < 8:
        raise OracleError("ERR_TRUNCATED" if MAGIC.startswith(data) else "ERR_MAGIC")
    need(data[:8] == MAGIC, "ERR_MAGIC")
    need(len(data) >= 128, "ERR_TRUNCATED")
    (_, version, kind, layout, hash_id, zero, probes, flags, offset, capacity, fpr, lines, body_len, total_len,
     seed_field, metadata_len, seed_check, reserved) = FIXED.unpack_from(data)  # fmt: skip
    need(version == 1, "ERR_VERSION")
    need(metadata_len <= 65536 and offset == body_offset(metadata_len), "ERR_HEADER")
    need(len(data) >= offset, "ERR_TRUNCATED")
    need(checksum(data[: offset - 8]) == int.from_bytes(data[offset - 8 : offset], "little"), "ERR_CHECKSUM")
    need(kind == 1, "ERR_KIND")
    need(hash_id == 1, "ERR_HASH")
    need(layout in PROBES, "ERR_LAYOUT")
    need(flags & ~WITHHELD == 0, "ERR_FLAGS")
    withheld = flags & WITHHELD != 0
    unused = data[120 + metadata_len : offset - 8] + reserved + seed_field[8:] + bytes([zero])
    need(not any(unused), "ERR_RESERVED")
    need(not any(seed_field) if withheld else seed_check == 0, "ERR_RESERVED")
    need(1 <= capacity <= 2**48 and 1e-9 <= fpr <= 0.5 and probes in PROBES[layout], "ERR_HEADER")
    need(1 <= lines <= 2**51 and not (layout == PAIR and lines % 2), "ERR_HEADER")
    need(body_len == 64 * lines and total_len == offset + body_len + 64, "ERR_HEADER")
    metadata = decode_metadata(data[120 : 120 + metadata_len])
    need(not withheld or seed is not None, "ERR_SEED_REQUIRED")
    stored = int.from_bytes(seed_field[:8], "little")
    if seed is not None:
        need(check_word(seed) == seed_check if withheld else seed == stored, "ERR_SEED_DIFFERS")
    need(len(data) >= total_len, "ERR_TRUNCATED")
    need(len(data) == total_len, "ERR_TRAILING")
    body, trailer = data[offset : offset + body_len], data[offset + body_len :]
    need(trailer[:8] == END_MAGIC and not any(trailer[16:]), "ERR_TRAILER")
    if verify:
        need(checksum(body) == int.from_bytes(trailer[8:16], "little"), "ERR_CHECKSUM")
    return Record(layout, probes, capacity, fpr, lines, seed if withheld else stored, body, metadata)
