"""Filters that grow: tepal beside pybloom-live and a RedisBloom server, in one run; scripts/bench.sh runs it.

What keeps it fair: every filter begins with the same capacity and promises the same rate; the libraries take each chunk of
keys in turn, a different one first each time; every timed pass gets strings of its own, freshly made; garbage collection
off. Times are processor time: of this thread, and for the server of its process too. The elapsed time of the fastest round,
in which both may have overlapped, stands below the table. The server gets its fastest client (hiredis) and its fastest way:
pipelines of BF.MADD and BF.MEXISTS with a thousand keys each. Additions are the whole fill, growth included; lookups the
median of the rounds. A filter that loses a key ends the run.
"""

import argparse
import gc
import platform
import random
import statistics
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pybloom_live
import tepal

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "servers"))

FPR = 0.01
CHUNK = 500_000
ASKED = 100_000  # keys of a round of lookups
ALONE = 2_000  # keys of a round of commands that the client waits for one by one
COMMAND = 1_000  # keys of BF.MADD and BF.MEXISTS
COLUMNS = {
    "add": "`add`",
    "hit": "`in`, hit",
    "miss": "`in`, miss",
    "add many": "add a list",
    "hit many": "ask a list, hit",
    "miss many": "ask a list, miss",
}


class Local:
    """A library with `add` and `in`."""

    alone = many = ASKED

    def __init__(self, filter):
        self.filter = filter

    def add(self, keys):
        for key in keys:
            self.filter.add(key)

    def ask(self, keys):
        found = 0
        for key in keys:
            if key in self.filter:
                found += 1
        return found

    # A library without batches has none to be timed.
    add_many = ask_many = None

    def elsewhere(self):
        """Nanoseconds of processor time that other processes had for it."""
        return 0


class Tepal(Local):
    def __init__(self, initial):
        super().__init__(tepal.ScalableBloomFilter(initial, FPR))
        self.batched = tepal.ScalableBloomFilter(initial, FPR)

    def add_many(self, keys):
        self.batched.add_many(keys)

    def ask_many(self, keys):
        return sum(self.batched.contains_many(keys))

    def size(self):
        return self.filter.num_bits, self.filter.capacity


class Pybloom(Local):
    def __init__(self, initial):
        super().__init__(pybloom_live.ScalableBloomFilter(initial, FPR))

    def size(self):
        return sum(f.num_bits for f in self.filter.filters), self.filter.capacity


class RedisBloom:
    """One filter on a server; single keys, one round trip each, are only asked for: the fill is by pipeline."""

    alone = ALONE
    many = ASKED
    add = None

    def __init__(self, client, pid, initial):
        self.client = client
        self.pid = pid
        client.delete("growing")
        client.execute_command("BF.RESERVE", "growing", FPR, initial)

    def ask(self, keys):
        return sum(
            self.client.execute_command("BF.EXISTS", "growing", key) for key in keys
        )

    def elsewhere(self):
        return int(Path(f"/proc/{self.pid}/schedstat").read_text().split()[0])

    def pipelined(self, command, keys):
        pipe = self.client.pipeline(transaction=False)
        for i in range(0, len(keys), COMMAND):
            pipe.execute_command(command, "growing", *keys[i : i + COMMAND])
        return sum(sum(answers) for answers in pipe.execute())

    def add_many(self, keys):
        self.pipelined("BF.MADD", keys)

    def ask_many(self, keys):
        return self.pipelined("BF.MEXISTS", keys)

    def size(self):
        info = self.client.execute_command("BF.INFO", "growing")
        if not isinstance(info, dict):
            info = dict(zip(info[::2], info[1::2]))
        info = {
            name.decode() if isinstance(name, bytes) else name: value
            for name, value in info.items()
        }
        return info["Size"] * 8, info["Capacity"]


class Commands(RedisBloom):
    """The same filter, asked by a pipeline of one command a key."""

    ask = add_many = None
    many = 10_000

    def __init__(self, client, pid):
        self.client = client
        self.pid = pid

    def ask_many(self, keys):
        pipe = self.client.pipeline(transaction=False)
        for key in keys:
            pipe.execute_command("BF.EXISTS", "growing", key)
        return sum(pipe.execute())


def text(kind, i):
    return f"user:{i:08d}:{kind}:{i * 2654435761 % (1 << 32):08x}"


def timed(library, work, keys):
    """(processor time, elapsed time) in ns a key, and the result."""
    elsewhere = library.elsewhere()
    processor, elapsed = time.thread_time_ns(), time.perf_counter_ns()
    result = work(keys)
    elapsed = time.perf_counter_ns() - elapsed
    processor = time.thread_time_ns() - processor + library.elsewhere() - elsewhere
    return (processor / len(keys), elapsed / len(keys)), result


def in_turn(libraries, round):
    names = list(libraries)
    turn = round % len(names)
    return [(name, libraries[name]) for name in names[turn:] + names[:turn]]


def fill(libraries, n, times):
    for round, start in enumerate(range(0, n, CHUNK)):
        chunk = range(start, min(n, start + CHUNK))
        for name, library in in_turn(libraries, round):
            for column, work in (("add", library.add), ("add many", library.add_many)):
                if work:
                    keys = [text("a", i) for i in chunk]
                    times.setdefault((name, column), []).append(
                        timed(library, work, keys)[0]
                    )


def ask(libraries, n, round, times, found):
    shuffle = random.Random(round)
    members = [shuffle.randrange(n) for _ in range(ASKED)]
    strangers = [n + round * ASKED + i for i in range(ASKED)]
    for name, library in in_turn(libraries, round):
        for suffix, work, count in (
            ("", library.ask, library.alone),
            (" many", library.ask_many, library.many),
        ):
            if not work:
                continue
            ns, hits = timed(library, work, [text("a", i) for i in members[:count]])
            if hits != count:
                raise SystemExit(f"{name} lost a key")
            times.setdefault((name, "hit" + suffix), []).append(ns)
            ns, hits = timed(library, work, [text("b", i) for i in strangers[:count]])
            times.setdefault((name, "miss" + suffix), []).append(ns)
            asked = found.setdefault(name, [0, 0])
            asked[0] += hits
            asked[1] += count


def show(initial, n, libraries, times, found):
    def ns(name, column):
        values = [processor for processor, _ in times.get((name, column), [])]
        if not values:
            return None
        mean = column.startswith("add")
        return statistics.mean(values) if mean else statistics.median(values)

    print(
        f"\n### Python {platform.python_version()}, from {initial:,} to {n:,} keys, 1 %\n"
    )
    print("ns a key; in brackets how many times faster tepal is\n")
    print(
        "| | "
        + " | ".join(COLUMNS.values())
        + " | observed rate | bits a key | when full |"
    )
    print("| --- |" + " --- |" * (len(COLUMNS) + 3))
    for name, library in libraries.items():
        cells = []
        for column in COLUMNS:
            here = ns(name, column)
            if here is None:
                # Who has no batches is compared by its loop.
                here = (
                    ns(name, column.removesuffix(" many"))
                    if column.endswith(" many")
                    else None
                )
            if here is None:
                cells.append("–")
                continue
            own = ns("tepal", column)
            cells.append(
                f"{here:.0f}" if name == "tepal" else f"{here:.0f} ({here / own:.1f})"
            )
        bits, capacity = library.size()
        rate = found[name][0] / found[name][1]
        print(
            f"| {name} | {' | '.join(cells)} | {rate:.3%} | {bits / n:.2f} | {bits / capacity:.2f} |"
        )
    for name in libraries:
        fastest = [
            f"{min(elapsed for _, elapsed in times[name, column]):.0f}"
            for column in ("hit many", "miss many")
            if (name, column) in times
        ]
        if fastest:
            print(
                f"\nElapsed, fastest round of asking a list, hit and miss: {name}: {', '.join(fastest)}."
            )
    sys.stdout.flush()


def compare(n, initial, rounds, server):
    libraries = {
        "tepal": Tepal(initial),
        f"pybloom-live {version('pybloom-live')}": Pybloom(initial),
    }
    if server:
        import redis

        client = redis.Redis(port=server.port)
        libraries["RedisBloom, pipelined by the thousand"] = RedisBloom(
            client, server.pid, initial
        )
        libraries["RedisBloom, pipelined commands"] = Commands(client, server.pid)
    times, found = {}, {}
    fill(libraries, n, times)
    for round in range(rounds):
        ask(libraries, n, round, times, found)
        gc.collect()
    show(initial, n, libraries, times, found)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("-n", type=int, default=10_000_000)
    arguments.add_argument("--initial", type=int, nargs="+", default=[1_000, 1_000_000])
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--no-server", action="store_true")
    given = arguments.parse_args()
    gc.disable()
    if given.no_server:
        for initial in given.initial:
            compare(given.n, initial, given.rounds, None)
        return
    from run import server

    with server("redis") as redisbloom:
        for initial in given.initial:
            compare(given.n, initial, given.rounds, redisbloom)


if __name__ == "__main__":
    main()
