"""Bloom filters that Python, Node and the browser read alike: one Rust core, one serialized format.

>>> from tepal import BloomFilter
>>> names = BloomFilter(1_000_000, 0.01)
>>> names.add("alice")
True
>>> "alice" in names, "bob" in names
(True, False)

Nobody knows how many keys will come? `ScalableBloomFilter` grows with them:

>>> from tepal import ScalableBloomFilter
>>> seen = ScalableBloomFilter()
>>> seen.update(range(10_000))
>>> 9_999 in seen
True
"""

from __future__ import annotations

import os as _os

from ._native import (
    BloomFilter,
    KeyHash,
    Mask,
    ScalableBloomFilter,
    __version__,
    _fork_happened,
    from_buffer,
    from_bytes,
    key,
    load,
    metrics,
    union_all,
)
from .errors import (
    ArgumentError,
    CapacityError,
    FilterIOError,
    FilterMemoryError,
    FormatError,
    KeyTypeError,
    MismatchError,
    StateError,
    TepalError,
    UnsupportedError,
)
from .explain import Explanation
from .levels import LevelFacts

#: Always "native" in Python; the name that JavaScript uses for its two.
backend = "native"

__all__ = [
    "ArgumentError",
    "BloomFilter",
    "CapacityError",
    "Explanation",
    "FilterIOError",
    "FilterMemoryError",
    "FormatError",
    "KeyHash",
    "KeyTypeError",
    "LevelFacts",
    "Mask",
    "MismatchError",
    "ScalableBloomFilter",
    "StateError",
    "TepalError",
    "UnsupportedError",
    "__version__",
    "backend",
    "from_buffer",
    "from_bytes",
    "key",
    "load",
    "metrics",
    "union_all",
]

# A forked child has only the forking thread; whatever others held then counts as free. (Windows has no fork.)
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_fork_happened)
