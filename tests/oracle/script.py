"""The oracle's interpreter of the steps in tests/vectors/README.md, and its adapter in tests/cross.

python tests/oracle/script.py SCRIPT.json RESULT.json
"""

from __future__ import annotations

import json
import operator
import sys
from pathlib import Path

import scalable_script
import wire
from errors import OracleError
from layouts import NAMES
from values import answers, checked, integer, keys, metadata

from oracle import Bloom, union_all

LAYOUT_NAMES = {number: name for name, number in NAMES.items()}


def arguments(step: dict) -> dict:
    made = {}
    if "capacity" in step:
        made["capacity"] = integer(step["capacity"], "ERR_CAPACITY_RANGE")
    if "fpr" in step:
        made["fpr"] = checked(step["fpr"], (int, float))
    if "seed" in step:
        seed = int(step["seed"]) if isinstance(step["seed"], str) else step["seed"]
        made["seed"] = integer(seed, "ERR_SEED_RANGE")
    if "layout" in step:
        made["layout"] = checked(step["layout"], str)
    if "metadata" in step:
        made["metadata"] = metadata(step["metadata"])
    return made


def facts(f: Bloom) -> dict:
    r = f.r
    return {
        "capacity": r.capacity,
        "fpr": r.fpr,
        "seed": str(r.seed),
        "layout": LAYOUT_NAMES[r.layout],
        "num_probes": r.probes,
        "num_lines": r.lines,
        "num_bits": 512 * r.lines,
        "byte_len": len(f.to_bytes()),
        "metadata": r.metadata,
        "fill_ratio": f.fill_ratio(),
        "estimated_count": f.estimated_count(),
        "estimated_fpr": f.estimated_fpr(),
        "saturation": f.estimated_count() / r.capacity,
    }


class Lazy(Bloom):
    """A view: the body's checksum is left for `verify`."""

    def __init__(self, data: bytes, seed: int | None):
        super().__init__(wire.read(data, seed, verify=False))
        self.data, self.given = data, seed


class Machine:
    """Steps of Bloom filters; those of scalable filters are in `scalable_script`."""

    def __init__(self):
        self.filters: dict[str, Bloom] = {}
        self.scalable = scalable_script.Machine()

    def step(self, step: dict):
        if self.scalable.knows(step):
            return self.scalable.step(step)
        op, f = step["op"], self.filters.get(step.get("id"))
        made = self.make(op, step)
        if made is not None:
            self.filters[step["id"]] = made
            return None
        return getattr(self, f"do_{op}")(f, step)

    def make(self, op: str, step: dict) -> Bloom | None:
        source = self.filters.get(step.get("from"))
        of = [self.filters[name] for name in step.get("of", []) if name in self.filters]
        match op:
            case "new":
                return Bloom.new(**arguments(step))
            case "build":
                return Bloom.build(keys(step["keys"]), **arguments(step))
            case "load":
                data, seed = Path(step["file"]).read_bytes(), step.get("seed")
                return (Lazy if step.get("lazy") else Bloom.from_bytes)(data, None if seed is None else int(seed))
            case "copy":
                return Bloom(source.record())
            case "fold":
                return source.fold(integer(step["factor"], "ERR_FACTOR"))
            case "shrink_to":
                return source.shrink_to(integer(step["capacity"], "ERR_CAPACITY_RANGE"))
            case "union":
                return of[0].union(of[1])
            case "intersection":
                return of[0].intersection(of[1])
            case "union_all":
                return union_all(of)
        return None

    def do_add(self, f, step):
        return answers(f.insert(k) for k in keys(step["keys"]))

    def do_ask(self, f, step):
        return answers(k in f for k in keys(step["keys"]))

    do_add_many, do_ask_many = do_add, do_ask

    def do_hash(self, f, step):
        return ["%016x%016x" % f.key_hash(k) for k in keys(step["keys"])]

    def do_ask_hash_of(self, f, step):
        other = self.filters[step["other"]]
        if other.r.seed != f.r.seed:
            raise OracleError("ERR_SEED_DIFFERS")
        return f.contains_hash(other.key_hash(next(keys(step["keys"]))))

    def do_explain(self, f, step):
        return [f.explain(f.key_hash(k)) for k in keys(step["keys"])]

    def do_equal(self, f, step):
        a, b = f.record(), self.filters[step["other"]].record()
        b.metadata = a.metadata
        return a == b

    def do_facts(self, f, step):
        return facts(f)

    def do_size(self, f, step):
        return [f.r.probes, f.r.lines]

    def do_verify(self, f, step):
        if isinstance(f, Lazy):
            wire.read(f.data, f.given)

    def do_clear(self, f, step):
        f.bits = bytearray(len(f.bits))

    def do_union_with(self, f, step):
        f.combine_in_place(self.filters[step["other"]], operator.or_)

    def do_intersect_with(self, f, step):
        f.combine_in_place(self.filters[step["other"]], operator.and_)

    def do_save(self, f, step):
        Path(step["file"]).write_bytes(f.to_bytes(step.get("withhold_seed", False)))


def run(steps: list[dict]) -> list:
    """The outcomes of a script's steps; `{"error": code}` is the last one if a step fails."""
    machine, outcomes = Machine(), []
    for step in steps:
        try:
            outcomes.append(machine.step(step))
        except OracleError as error:
            outcomes.append({"error": error.code})
            break
    return outcomes


if __name__ == "__main__":
    scripts = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([run(steps) for steps in scripts]))
