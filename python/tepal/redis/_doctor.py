"""The doctor: what the Bloom filters of a server are, beside what their owners were promised."""

from __future__ import annotations

import errno
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tepal.errors import TepalError

from . import _remote, _transfer
from ._header import parse
from ._refusals import refusal
from ._script import Command, Reply, Script, is_error, text
from ._server import TYPES

#: A saving is worth a word from this share of the filter, and from this many bytes.
WORTH_SHARE, WORTH_BYTES = 0.1, 1024
#: From so many levels on, asking them all is what a lookup spends its time with.
MANY_LEVELS = 8
_SCAN_COUNT = 1000


@dataclass(frozen=True)
class FilterReport:
    """One filter of a server."""

    #: Its key.
    key: bytes
    #: ``"redisbloom"`` or ``"valkey"``.
    scheme: str
    #: Its levels, the keys that all of them are made for, and those that are in.
    filter_count: int
    capacity: int
    inserted_count: int
    #: The rate it was made with, and what all its levels together come to when each is full.
    promised_fpr: float
    compound_fpr: float
    #: The rate as its bits are now; None: not measured (``deep=False``).
    estimated_fpr: float | None
    #: The bytes of its bits, and of those of a non-scaling filter for the keys that are in, at the promised rate.
    nbytes: int
    rebuild_nbytes: int
    #: The keys that each replica says are in, by the replica's name.
    replicas: dict[str, int] = field(default_factory=dict)

    @property
    def findings(self) -> list[str]:
        """What its owner should know, in sentences; none: nothing to say."""
        return list(_findings(self))


@dataclass(frozen=True)
class Report:
    """All filters that were looked at. ``print`` shows a table."""

    filters: tuple[FilterReport, ...]

    @property
    def findings(self) -> dict[bytes, list[str]]:
        """The findings by key, of the filters that have any."""
        return {one.key: one.findings for one in self.filters if one.findings}

    def __str__(self) -> str:
        return "\n".join(_table(self.filters))


def examine(match: str, deep: bool) -> Script[Report]:
    """Walks through the keys; a filter that goes away meanwhile is left out."""
    seen: set[bytes] = set()
    reports: list[FilterReport] = []
    cursor: Reply = 0
    while True:
        [scanned] = yield [("SCAN", cursor, "MATCH", match, "COUNT", _SCAN_COUNT)]
        if is_error(scanned):
            raise refusal(scanned)
        cursor, keys = scanned
        new = [key for key in dict.fromkeys(keys) if key not in seen]
        seen.update(new)
        if new:
            reports += yield from _of_keys(new, deep)
        if int(cursor) == 0:
            return Report(tuple(sorted(reports, key=lambda one: one.key)))


def _of_keys(keys: list[bytes], deep: bool) -> Script[list[FilterReport]]:
    kinds = yield [("TYPE", key) for key in keys]
    reports = []
    for key, kind in zip(keys, kinds, strict=True):
        scheme = TYPES.get(text(kind))
        if scheme is None:
            continue
        try:
            report = yield from (_of_redisbloom if scheme == "redisbloom" else _of_valkey)(key)
            if deep:
                local = yield from _transfer.pull(key)
                report = replace(report, estimated_fpr=local.estimated_fpr)
        except TepalError as error:
            if error.code == "ERR_IO" and getattr(error, "errno", None) == errno.ENOENT:
                continue
            raise
        reports.append(report)
    return reports


def _of_redisbloom(key: bytes) -> Script[FilterReport]:
    [dump] = yield [("BF.SCANDUMP", key, 0)]
    if is_error(dump):
        raise refusal(dump)
    header = parse(dump[1])
    inserted = sum(level.inserted_count for level in header.levels)
    return FilterReport(
        key=key,
        scheme="redisbloom",
        filter_count=len(header.levels),
        capacity=sum(level.capacity for level in header.levels),
        inserted_count=inserted,
        promised_fpr=header.fpr,
        compound_fpr=compound([level.fpr for level in header.levels]),
        estimated_fpr=None,
        nbytes=header.nbytes,
        rebuild_nbytes=optimal_nbytes(inserted, header.fpr),
    )


def _of_valkey(key: bytes) -> Script[FilterReport]:
    found = yield from _remote.info(key)
    count, fpr = found["filter_count"], found["fpr"]
    expansion, tightening = found["expansion"] or 1, found["tightening"] or 1.0
    initial = found["capacity"] // sum(expansion**level for level in range(count))
    rates = [fpr * tightening**level for level in range(count)]
    return FilterReport(
        key=key,
        scheme="valkey",
        filter_count=count,
        capacity=found["capacity"],
        inserted_count=found["inserted_count"],
        promised_fpr=fpr,
        compound_fpr=compound(rates),
        estimated_fpr=None,
        nbytes=sum(optimal_nbytes(initial * expansion**level, rate) for level, rate in enumerate(rates)),
        rebuild_nbytes=optimal_nbytes(found["inserted_count"], fpr),
    )


def counts(keys: Sequence[bytes]) -> Script[list[int]]:
    """How many keys each filter says are in it; 0 where there is none."""
    if not keys:
        return []
    commands: list[Command] = [("BF.CARD", key) for key in keys]
    replies = yield commands
    for reply in replies:
        if is_error(reply):
            raise refusal(reply)
    return [int(reply) for reply in replies]


def with_replica(report: Report, name: str, found: Sequence[int]) -> Report:
    """The report with what a replica says of the same keys."""
    pairs = zip(report.filters, found, strict=True)
    return Report(tuple(replace(one, replicas={**one.replicas, name: count}) for one, count in pairs))


def name_of(client: Any) -> str:
    """A client's server, for people."""
    options = getattr(getattr(client, "connection_pool", None), "connection_kwargs", {})
    return f"{options['host']}:{options.get('port', 6379)}" if "host" in options else type(client).__name__


def compound(rates: Sequence[float]) -> float:
    """The rate of levels that are all asked."""
    return -math.expm1(math.fsum(math.log1p(-rate) for rate in rates))


def optimal_nbytes(count: int, fpr: float) -> int:
    """The bytes of one classic filter for so many keys: both servers size theirs so."""
    return max(1, math.ceil(-count * math.log(fpr) / math.log(2) ** 2 / 8))


def _findings(one: FilterReport) -> Iterator[str]:
    if one.compound_fpr > one.promised_fpr * 1.001:
        together = f"{one.filter_count} levels together reach {rate(one.compound_fpr)}"
        yield f"promised {rate(one.promised_fpr)}, but its {together}"
    if one.estimated_fpr is not None and one.estimated_fpr > one.promised_fpr * 1.1:
        yield f"promised {rate(one.promised_fpr)}, and is at {rate(one.estimated_fpr)} now"
    if one.inserted_count == 0:
        yield "has no keys"
    saving = one.nbytes - one.rebuild_nbytes
    if saving >= max(WORTH_BYTES, one.nbytes * WORTH_SHARE):
        share = saving / one.nbytes
        yield f"a rebuild for the {one.inserted_count:,} keys that are in saves {saving:,} bytes ({share:.0%})"
    if one.filter_count >= MANY_LEVELS:
        yield f"each lookup asks up to {one.filter_count} levels; a rebuild has one"
    for name, count in one.replicas.items():
        if count < one.inserted_count / 2:
            what = "is empty" if count == 0 else f"has {count:,} of {one.inserted_count:,} keys"
            yield f"its copy on {name} {what}: it was loaded in a way that is not replicated; push it again"


def rate(value: float) -> str:
    return f"{value * 100:.3g} %"


def _table(filters: Sequence[FilterReport]) -> Iterator[str]:
    head = ("key", "scheme", "levels", "keys", "capacity", "promised", "up to", "now", "bytes", "rebuilt")
    rows = [head]
    for one in filters:
        now = "-" if one.estimated_fpr is None else rate(one.estimated_fpr)
        rows.append(
            (text(one.key), one.scheme, f"{one.filter_count}", f"{one.inserted_count:,}", f"{one.capacity:,}",
             rate(one.promised_fpr), rate(one.compound_fpr), now, f"{one.nbytes:,}", f"{one.rebuild_nbytes:,}")
        )  # fmt: skip
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        words = [cell.ljust(width) for cell, width in zip(row[:2], widths[:2], strict=True)]
        numbers = [cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
        yield "  ".join([*words, *numbers])
    for one in filters:
        for finding in one.findings:
            yield f"{text(one.key)}: {finding}"
    saved = sum(max(0, one.nbytes - one.rebuild_nbytes) for one in filters)
    yield f"{len(filters)} filters; rebuilding all would save {saved:,} bytes"
