"""What a `ScalableBloomFilter` tells about itself: its levels, the fields of BF.INFO, the totals over all filters."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypedDict

__all__ = ["Info", "LevelFacts", "Metrics"]


class LevelFacts(NamedTuple):
    """What there is to know about one level of a `ScalableBloomFilter`."""

    #: Keys it takes.
    capacity: int
    #: Keys it took.
    inserted_count: int
    #: The rate it was sized for.
    fpr: float
    #: Its bits.
    num_bits: int
    #: Bits that a key sets.
    num_probes: int
    #: How they are spread; None for the schemes of servers, which put them anywhere.
    layout: Literal["line", "pair", "classic"] | None
    #: The rate of false positives right now, from the bits.
    estimated_fpr: float


class Info(TypedDict):
    """The fields of BF.INFO; each is the property of that name."""

    capacity: int
    size: int
    filter_count: int
    inserted_count: int
    fpr: float
    expansion: int | None
    tightening: float | None
    max_scaled_capacity: int


class Metrics(TypedDict):
    """The five core metrics of INFO BF, over the scalable filters of this process."""

    total_memory_bytes: int
    num_objects: int
    num_filters_across_objects: int
    num_items_across_objects: int
    capacity_across_objects: int
