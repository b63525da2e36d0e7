"""Fuzzes every reader of bytes: `python tests/fuzz_reader.py [-max_total_time=SECONDS] [any option of libFuzzer]`.

Starts from the golden vectors and is led by the coverage of the oracle (tests/oracle, a second implementation), which
also knows the right answer: every reader must give the oracle's code, or a filter where it does. Half of the inputs get
their checksums mended, so that the checks behind those are reached too. Memory is limited, so that a length taken on
trust would be noticed. Runs ten seconds unless told otherwise. Not collected by pytest.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
from pathlib import Path

import atheris

ROOT = Path(__file__).parents[2]
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != Path(__file__).parents[1]]
sys.path.append(str(ROOT / "tests" / "oracle"))

from errors import OracleError  # noqa: E402

import tepal  # noqa: E402
from tepal import BloomFilter, ScalableBloomFilter  # noqa: E402

with atheris.instrument_imports(include=["wire", "scalable_wire"]):
    import scalable_wire
    import wire

FILE = Path(tempfile.mkdtemp()) / "input.tepal"


def is_scalable(data: bytes) -> bool:
    """Whether the readers of any kind take the bytes for a scalable filter's."""
    return data[:8] == b"\x89TEPAL\r\n" and data[10:11] == b"\x02"


def mended(data: bytes) -> bytes:
    """The same bytes with the checksums that a writer would have given them, where there is room for them."""
    if len(data) < 192:
        return data
    fixed = bytearray(data)
    body_offset = int.from_bytes(fixed[20:24], "little")
    if 128 <= body_offset <= len(fixed) and body_offset % 64 == 0:
        table = body_offset, body_offset + 64 * (1 + int.from_bytes(fixed[body_offset : body_offset + 4], "little"))
        if is_scalable(data) and table[1] <= len(fixed):
            at = body_offset + 56
            fixed[at : at + 8] = bytes(8)
            fixed[at : at + 8] = wire.checksum(bytes(fixed[table[0] : table[1]])).to_bytes(8, "little")
        at = body_offset - 8
        fixed[at : at + 8] = wire.checksum(bytes(fixed[:at])).to_bytes(8, "little")
        if len(fixed) >= body_offset + 64:
            body = bytes(fixed[body_offset:-64])
            fixed[-56:-48] = wire.checksum(body).to_bytes(8, "little")
    return bytes(fixed)


def use(f: BloomFilter | ScalableBloomFilter, data: bytes, seed: int | None) -> None:
    """Whatever was opened must work, and give its bytes back."""
    assert isinstance("key" in f, bool)
    assert len(f.contains_many(range(10))) == 10
    for fact in (f.fill_ratio, f.estimated_fpr, f.saturation):
        assert fact >= 0
    f.metadata, f.estimated_count, repr(f), f._repr_html_()
    assert f.copy() == f
    try:
        assert (f | f).to_bytes()
    except tepal.CapacityError:
        assert isinstance(f, ScalableBloomFilter)
        assert f.max_bytes is not None
        assert f.size > f.max_bytes  # bytes may name a limit that they exceed
    if isinstance(f, BloomFilter):
        f.explain(1)
        assert f.fold(1).num_lines == f.num_lines
    else:
        f.levels, f.info()
    assert f.to_bytes(withhold_seed=seed is not None) == data or f.read_only


def one_input(raw: bytes) -> None:
    """Opens one input in every way."""
    if not raw:
        return
    data = mended(raw[1:]) if raw[0] & 1 else raw[1:]
    seed = raw[0] >> 2 if raw[0] & 2 else None
    FILE.write_bytes(data)
    scalable = is_scalable(data)
    try:
        if scalable:
            scalable_wire.read(data, seed)
        else:
            wire.read(data, seed)
        wanted = "open"
    except OracleError as error:
        wanted = error.code
    own = ScalableBloomFilter if scalable else BloomFilter
    openers = [
        lambda: own.from_bytes(data, seed=seed),
        lambda: tepal.from_bytes(bytearray(data), seed=seed),
        lambda: tepal.from_buffer(data, seed=seed),
        lambda: tepal.load(FILE, seed=seed, mmap=True),
        lambda: tepal.load(FILE, seed=seed),
    ]
    for number, opener in enumerate(openers):
        try:
            f = opener()
        except (tepal.FormatError, tepal.MismatchError) as error:
            got = error.code
            # A stream meets the trailer's mark last (FORMAT.md, section 6.3): another fault may come first there.
            late = scalable and number == 4 and wanted == "ERR_TRAILER"
            assert got == wanted or late, (got, wanted)
            continue
        use(f, data, seed)
        try:
            f.verify()
            got = "open"
        except tepal.FormatError as error:
            got = error.code
        assert got == wanted, (got, wanted)


def main() -> None:
    """Sets the limits, writes the corpus and runs."""
    limit = 1 << 30  # the whole process, so that a length taken on trust would be noticed
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + limit, used + limit))
    corpus = Path(tempfile.mkdtemp())
    for number, path in enumerate(sorted((ROOT / "tests" / "vectors").rglob("*.tepal"))):
        if path.stat().st_size <= 4096:
            for first in (0, 1):
                (corpus / f"{number}-{first}").write_bytes(bytes([first]) + path.read_bytes())
    assert any(corpus.iterdir()), "no golden vectors to start from"
    options = sys.argv[1:]
    if not any(option.startswith(("-max_total_time", "-runs")) for option in options):
        options.append("-max_total_time=10")
    os.environ.setdefault("PYTHONHASHSEED", "0")
    atheris.Setup(
        [
            sys.argv[0],
            "-max_len=8192",
            "-rss_limit_mb=0",
            f"-artifact_prefix={tempfile.gettempdir()}/",
            *options,
            str(corpus),
        ],
        one_input,
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
