"""Many threads, one filter: nothing raised, no key lost, one winner per key; forks; other threads get their turn."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest
from helpers import python

from tepal import BloomFilter, Mask

THREADS = 8
KEYS = 200_000


def hammer(work: Callable[[int], None]) -> None:
    """Runs the work in eight threads that start together; what one raises is raised here."""
    barrier, failures = threading.Barrier(THREADS), []

    def run(number: int) -> None:
        try:
            barrier.wait()
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


@pytest.mark.parametrize("layout", ["line", "pair", "classic"])
def test_one_winner_per_key(layout: str) -> None:
    """All threads insert the same keys, in batches without the interpreter lock, in the same order: so they meet."""
    fpr = 1e-3
    for capacity in (KEYS, *[20_000] * 10):
        f = BloomFilter(capacity, fpr, layout=layout)
        column = np.arange(capacity)
        masks: list[Mask | None] = [None] * THREADS

        def work(number: int, f: BloomFilter = f, column=column, masks=masks) -> None:
            masks[number] = f.add_many(column)

        hammer(work)
        wins = np.sum([np.asarray(mask, dtype=np.int64) for mask in masks], axis=0)
        assert wins.max() <= 1, f"{(wins > 1).sum()} keys were new twice"
        assert f.contains_many(column).all()
        expected = (1 - fpr) * capacity
        assert wins.sum() >= expected - 3 * math.sqrt(capacity * fpr)
        alone = BloomFilter(capacity, fpr, layout=layout)
        alone.update(column)
        assert f == alone


def test_singles_batches_and_everything_else_at_once() -> None:
    f, other = BloomFilter(KEYS), BloomFilter(KEYS)
    other.update(range(-1000, 0))
    wins = [0] * THREADS

    def work(number: int) -> None:
        if number % 4 == 0:
            wins[number] = sum(f.add(key) for key in range(50_000))
        elif number % 4 == 1:
            wins[number] = f.add_many(range(50_000)).count()
        elif number % 4 == 2:
            for _ in range(20):
                f.__ior__(other)
                other.__ior__(f)  # the other way round beside it: no deadlock
                assert BloomFilter.from_bytes(f.to_bytes()).contains_many(range(-1000, 0)).all()
        else:
            for key in range(20_000):
                if key in f:
                    assert key in f
            assert 0 <= f.fill_ratio <= 1
            f.copy().clear()

    hammer(work)
    assert f.contains_many(range(50_000)).all()
    assert sum(wins) <= 50_000


def test_closing_under_work() -> None:
    """A batch that has begun ends well; a later use is told that the filter is closed."""
    for _ in range(5):
        f = BloomFilter.from_buffer(BloomFilter.build(range(KEYS)).to_bytes())

        def work(number: int, f: BloomFilter = f) -> None:
            if number == 0:
                time.sleep(0.002)
                f.close()
                return
            try:
                while True:
                    assert f.contains_many(np.arange(KEYS)).all()
            except Exception as error:
                assert getattr(error, "code", None) == "ERR_FREED"  # noqa: PT017

        hammer(work)


def test_other_threads_run_during_a_batch() -> None:
    f = BloomFilter(30_000_000)
    column = np.arange(3_000_000)
    ticks, done = 0, threading.Event()

    def work() -> None:
        f.add_many(column)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    thread.join()
    assert ticks > 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.parametrize("new", ["BloomFilter(1000)", "ScalableBloomFilter(10)"])
def test_fork_while_others_insert(new: str) -> None:
    """Locks that threads held at the fork are free in the child."""
    code = """
import os, sys, threading, time, warnings
import tepal
warnings.simplefilter("ignore")
f = eval("tepal." + sys.argv[1])
stop = False
def work():
    while not stop:
        f.add_many(range(5000))
        f.clear()
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
for i in range(60):
    time.sleep(0.001)
    child = os.fork()
    if child == 0:
        f.add_many(range(6000))
        tepal.metrics()
        f.clear()
        ok = f.add("x") and "x" in f
        os._exit(0 if ok else 1)
    deadline = time.monotonic() + 20
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid: break
        if time.monotonic() > deadline:
            os.kill(child, 9); print("hangs"); break
        time.sleep(0.001)
    if status: print("failed", status)
stop = True
for t in threads: t.join()
print("done")
"""
    ran = python(code, new, timeout=120)
    assert (ran.stdout, ran.stderr) == ("done\n", "")
