"""Many threads, one growing filter: no key lost, one winner per key, whole bytes at any time."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from test_threads import THREADS, hammer

import tepal
from tepal import Mask, ScalableBloomFilter


@pytest.mark.parametrize("scheme", ["tepal", "valkey", "redisbloom"])
def test_one_winner_per_key_while_it_grows(scheme: str) -> None:
    keys = np.arange(60_000)
    for _ in range(3):
        f = ScalableBloomFilter(50, 1e-4, scheme=scheme, max_bytes=None)
        masks: list[Mask | None] = [None] * THREADS

        def work(number: int, f: ScalableBloomFilter = f, masks: list[Mask | None] = masks) -> None:
            masks[number] = f.add_many(keys)

        hammer(work)
        wins = np.sum([np.asarray(mask, dtype=np.int64) for mask in masks], axis=0)
        assert wins.max() <= 1, f"{(wins > 1).sum()} keys were new twice"
        assert f.contains_many(keys).all()
        assert wins.sum() == f.inserted_count >= 0.995 * len(keys)
        assert f.filter_count > 5


def test_singles_batches_and_everything_else_at_once() -> None:
    f, other = ScalableBloomFilter(20), ScalableBloomFilter(20)
    other.update(range(-1000, 0))
    wins = [0] * THREADS

    def work(number: int) -> None:
        if number % 4 == 0:
            wins[number] = sum(f.add(key) for key in range(30_000))
        elif number % 4 == 1:
            wins[number] = f.add_many(range(30_000)).count()
        elif number % 4 == 2:
            for _ in range(20):
                f.__ior__(other)
                assert ScalableBloomFilter.from_bytes(f.to_bytes()).contains_many(range(-1000, 0)).all()
        else:
            for key in range(10_000):
                if key in f:
                    assert key in f
            assert 0 <= f.fill_ratio <= 1
            assert len(f.levels) >= 1
            assert tepal.metrics()["num_objects"] >= 2
            f.copy().clear()

    hammer(work)
    assert f.contains_many(range(30_000)).all()
    assert sum(wins) <= 30_000


def test_bytes_while_it_grows() -> None:
    """Other threads add batches without the interpreter lock while the length of the bytes changes."""
    for _ in range(10):
        f = ScalableBloomFilter(1, expansion=2)
        done = threading.Event()

        def grow(f: ScalableBloomFilter = f, done: threading.Event = done) -> None:
            f.update(np.arange(300_000))
            done.set()

        thread = threading.Thread(target=grow)
        thread.start()
        while not done.is_set():
            g = ScalableBloomFilter.from_bytes(f.to_bytes())
            assert g.filter_count <= f.filter_count
        thread.join()
        assert ScalableBloomFilter.from_bytes(f.to_bytes()) == f
