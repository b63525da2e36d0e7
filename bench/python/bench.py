"""tepal beside abloom and rbloom in one process; scripts/bench.sh runs it in an environment of its own.

What keeps it fair: every filter is made for the same number of keys and the same rate; CPython caches the hash of a
str in the object, so every timed pass gets strings of its own, freshly made in a shuffled order; the libraries take turns,
a different one first in each round; processor time of this thread, medians of the rounds; garbage collection off. The
cost of the empty loop is printed and part of every figure. A library that loses a key ends the run.
"""

import argparse
import gc
import platform
import random
import statistics
import time

import abloom
import numpy as np
import rbloom
import tepal
import xxhash

FPR = 0.01


def stable_hash(key):
    """What rbloom needs for a filter that another process can read: its default is Python's salted hash()."""
    data = (
        key.encode()
        if isinstance(key, str)
        else int(key).to_bytes(8, "little", signed=True)
    )
    return xxhash.xxh3_64_intdigest(data) - (1 << 63)


def add_list(filter, keys):
    """Their way to add many; an array goes in as a list, which is their fastest way and for abloom the only one."""
    filter.update(keys if isinstance(keys, list) else keys.tolist())


def ask_list(filter, keys):
    """They have no way to ask for many."""
    return [
        key in filter for key in (keys if isinstance(keys, list) else keys.tolist())
    ]


# name: (make, bits, add many, ask many)
LIBRARIES = {
    "tepal": (
        lambda n: tepal.BloomFilter(n, FPR),
        lambda f: f.num_bits,
        tepal.BloomFilter.add_many,
        tepal.BloomFilter.contains_many,
    ),
    "abloom, serializable": (
        lambda n: abloom.BloomFilter(n, FPR, serializable=True),
        lambda f: f.bit_count,
        add_list,
        ask_list,
    ),
    "rbloom": (
        lambda n: rbloom.Bloom(n, FPR),
        lambda f: f.size_in_bits,
        add_list,
        ask_list,
    ),
    "rbloom, XXH3 to be saved": (
        lambda n: rbloom.Bloom(n, FPR, stable_hash),
        lambda f: f.size_in_bits,
        add_list,
        ask_list,
    ),
}

COLUMNS = {
    "add": "`add` str",
    "hit": "`in`, hit",
    "miss": "`in`, miss",
    "in": "`in`, mean",
    "add list": "add a list",
    "ask list": "ask a list",
    "add numpy": "add int64 array",
    "ask numpy": "ask int64 array",
}


class Nothing:
    """What the empty loop talks to."""

    def add(self, key):
        pass


def add_each(filter, keys):
    for key in keys:
        filter.add(key)


def ask_each(filter, keys):
    found = 0
    for key in keys:
        if key in filter:
            found += 1
    return found


def timed(work, *arguments):
    begin = time.thread_time_ns()
    result = work(*arguments)
    return time.thread_time_ns() - begin, result


def fresh(n, which, shuffle):
    """`n` strings that no library has seen, as a stream brings them: in no order of their values."""
    order = list(range(n))
    shuffle.shuffle(order)
    return [f"user:{i:08d}:{which}:{i * 2654435761 % (1 << 32):08x}" for i in order]


def one_round(name, n, times, rates, seed):
    make, _, add_many, ask_many = LIBRARIES[name]
    shuffle = random.Random(seed)

    def note(column, work, *arguments):
        ns, result = timed(work, *arguments)
        times.setdefault((name, column), []).append(ns / n)
        return result

    filter = make(n)
    members, again, strangers = (fresh(n, which, shuffle) for which in "aab")
    note("add", add_each, filter, members)
    if note("hit", ask_each, filter, again) != n:
        raise SystemExit(f"{name} lost a key")
    rates[name] = note("miss", ask_each, filter, strangers) / n
    times.setdefault((name, "in"), []).append(
        (times[name, "hit"][-1] + times[name, "miss"][-1]) / 2
    )
    del members, again, strangers

    filter = make(n)
    members, again = fresh(n, "a", shuffle), fresh(n, "a", shuffle)
    note("add list", add_many, filter, members)
    if sum(note("ask list", ask_many, filter, again)) != n:
        raise SystemExit(f"{name} lost a key of a list")
    del members, again

    filter = make(n)
    array = np.random.default_rng(seed).integers(-(1 << 62), 1 << 62, n)
    note("add numpy", add_many, filter, array)
    if sum(note("ask numpy", ask_many, filter, array.copy())) != n:
        raise SystemExit(f"{name} lost a key of an array")


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("-n", type=int, default=1_000_000)
    arguments.add_argument("--rounds", type=int, default=7)
    given = arguments.parse_args()
    n = given.n

    gc.disable()
    names = list(LIBRARIES)
    times, rates = {}, {}
    for round in range(given.rounds):
        turn = round % len(names)
        for name in names[turn:] + names[:turn]:
            one_round(name, n, times, rates, round)
            gc.collect()
    empty = (
        min(
            timed(add_each, Nothing(), fresh(n, "a", random.Random(0)))[0]
            for _ in range(3)
        )
        / n
    )

    median = {key: statistics.median(values) for key, values in times.items()}
    print(f"\n### Python {platform.python_version()}, {n:,} keys, 1 %\n")
    print(
        "ns a key, median of the rounds; in brackets how many times faster tepal is\n"
    )
    print("| | " + " | ".join(COLUMNS.values()) + " | observed rate | bits a key |")
    print("| --- |" + " --- |" * (len(COLUMNS) + 2))
    for name, (make, bits, _, _) in LIBRARIES.items():
        cells = []
        for column in COLUMNS:
            ns = median[name, column]
            ratio = "" if name == "tepal" else f" ({ns / median['tepal', column]:.2f})"
            cells.append(f"{ns:.0f}{ratio}")
        print(
            f"| {name} | {' | '.join(cells)} | {rates[name]:.2%} | {bits(make(n)) / n:.2f} |"
        )
    print(
        f"\nA loop that calls an empty Python method on each key takes {empty:.0f} ns a key."
    )


if __name__ == "__main__":
    main()
