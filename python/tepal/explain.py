"""What `BloomFilter.explain` answers: the lines a key looks at, and which of its bits are set.

Plain frozen data. The repr draws each line: one row per lane, ``#`` a set bit of the key, ``O`` a missing one, ``+``
bits of other keys.
"""

from __future__ import annotations

from dataclasses import dataclass

from ._native import KeyHash

__all__ = ["ExplainedBit", "ExplainedLine", "Explanation"]


@dataclass(frozen=True, slots=True)
class ExplainedBit:
    """One bit that the key asks for: its lane (0 to 7), its place in the lane (0 to 63), and whether it is set."""

    lane: int
    bit: int
    set: bool


@dataclass(frozen=True, slots=True, repr=False)
class ExplainedLine:
    """One line of 64 bytes: its number, its offset in the body, its eight lanes, and the key's bits in it."""

    line: int
    body_offset: int
    words: tuple[int, ...]
    bits: tuple[ExplainedBit, ...]

    def __repr__(self) -> str:
        asked = {(bit.lane, bit.bit): bit.set for bit in self.bits}
        marks = {True: "#", False: "O"}
        rows = (
            "".join(marks[asked[lane, bit]] if (lane, bit) in asked else ".+"[word >> bit & 1] for bit in range(64))
            for lane, word in enumerate(self.words)
        )
        found = sum(asked.values())
        head = f"line {self.line} at {self.body_offset}: {found} of {len(asked)} bits set"
        return "\n".join([head, *(f"  {lane} {row}" for lane, row in enumerate(rows))])


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """Why a filter answers as it does for one key.

    Attributes:
        hash: the key's hash.
        contained: the answer.
        false_positive_chance: the chance that a stranger which asks these same lines gets a yes.
        lines: what was looked at.
    """

    hash: KeyHash
    contained: bool
    false_positive_chance: float
    lines: tuple[ExplainedLine, ...]

    def __repr__(self) -> str:
        answer = "probably contained" if self.contained else "certainly not contained"
        head = f"<tepal.Explanation {self.hash.hex()}: {answer}"
        chance = f"a stranger gets a yes here with chance {self.false_positive_chance:.3g}>"
        return "\n".join([head, *map(repr, self.lines), chance])
