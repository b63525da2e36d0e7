"""What every recipe stands on: a real table that counts what it is asked, and one way to print the outcome."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass


class Table:
    """Rows of text in SQLite, each at most once. `queries` counts the look-ups: what a filter in front of it saves."""

    def __init__(self, *columns: str, rows: Iterable[tuple[str, ...]] = ()) -> None:
        names = ", ".join(columns)
        self._connection = sqlite3.connect(":memory:")
        self._connection.execute(f"CREATE TABLE t ({names}, PRIMARY KEY ({names})) WITHOUT ROWID")
        self._select = "SELECT 1 FROM t WHERE " + " AND ".join(f"{name} = ?" for name in columns)
        self._insert = f"INSERT OR IGNORE INTO t VALUES ({', '.join('?' for _ in columns)})"
        self._connection.executemany(self._insert, rows)
        self.queries = 0

    def __contains__(self, row: tuple[str, ...]) -> bool:
        self.queries += 1
        return self._connection.execute(self._select, row).fetchone() is not None

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        """All rows: what a filter is rebuilt from."""
        return iter(self._connection.execute("SELECT * FROM t"))

    def add(self, *row: str) -> None:
        self._connection.execute(self._insert, row)


@dataclass(frozen=True)
class Outcome:
    """What one form of a recipe cost, beside asking the database each time."""

    form: str
    asked: int  # how often somebody wanted to know
    queries: int  # how often the database was asked
    wrong: int  # how often the answer was not the database's
    of: int  # among how many that could go wrong
    mistake: str  # what a wrong answer does

    def __str__(self) -> str:
        avoided = f"{self.queries:,} of {self.asked:,} queries, {1 - self.queries / self.asked:.1%} avoided"
        return f"{self.form + ':':<8}{avoided}; {self.mistake}: {self.wrong:,} of {self.of:,}"


def draws(seed: int) -> Iterator[int]:
    """Numbers below 2^16 that look random and are the same in every language (a linear congruential generator)."""
    while True:
        seed = (seed * 1664525 + 1013904223) % 2**32
        yield seed >> 16
