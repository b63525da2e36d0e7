"""The header of a RedisBloom filter: what BF.SCANDUMP gives first. It says what all levels are without their bits."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from tepal.errors import FormatError

from ._refusals import coded

_HEAD = struct.Struct("<QIII")
_LEVEL = struct.Struct("<QQQddIQB")
_NO_SCALING = 8


@dataclass(frozen=True)
class Level:
    """One sub filter: how many keys it has and is made for, at which rate, and its size in bytes."""

    inserted_count: int
    capacity: int
    fpr: float
    nbytes: int


@dataclass(frozen=True)
class Header:
    """The facts of the whole filter."""

    scaling: bool
    expansion: int
    levels: tuple[Level, ...]

    @property
    def fpr(self) -> float:
        """What BF.RESERVE was given: a scaling filter's first level has half of it."""
        return self.levels[0].fpr * (2 if self.scaling else 1)

    @property
    def initial_capacity(self) -> int:
        return self.levels[0].capacity

    @property
    def nbytes(self) -> int:
        return sum(level.nbytes for level in self.levels)


def parse(data: bytes) -> Header:
    """Reads a header.

    Raises:
        FormatError: ``ERR_FOREIGN``: it is none.
    """
    try:
        _, count, options, growth = _HEAD.unpack_from(data)
        if count == 0 or len(data) != _HEAD.size + count * _LEVEL.size:
            raise struct.error
        levels = []
        for nbytes, _bits, size, fpr, _bpe, _k, capacity, _n2 in _LEVEL.iter_unpack(data[_HEAD.size :]):
            if nbytes == 0:
                raise struct.error
            levels.append(Level(inserted_count=size, capacity=capacity, fpr=fpr, nbytes=nbytes))
    except struct.error:
        raise coded(FormatError("header: expected one of RedisBloom, got other bytes"), "ERR_FOREIGN") from None
    return Header(scaling=not options & _NO_SCALING, expansion=growth, levels=tuple(levels))
