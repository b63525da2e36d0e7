"""The oracle's interpreter of the steps of scalable filters (tests/vectors/README.md)."""

from __future__ import annotations

from pathlib import Path

import foreign
from errors import OracleError
from scalable import Scalable, need
from values import answers, checked, integer, keys, loose, metadata

RANGES = {"capacity": "ERR_CAPACITY_RANGE", "expansion": "ERR_EXPANSION_RANGE", "max_bytes": "ERR_MAX_BYTES_RANGE",
          "validate_scale_to": "ERR_SCALE_TO"}  # fmt: skip


def arguments(step: dict) -> dict:
    made = {}
    for name in ("capacity", "expansion", "max_bytes", "validate_scale_to"):
        if name in step:
            made[name] = None if loose(step[name]) is None else integer(step[name], RANGES[name])
    for name in ("fpr", "tightening"):
        if name in step:
            made[name] = None if loose(step[name]) is None else checked(step[name], (int, float))
    if "scheme" in step:
        made["scheme"] = checked(step["scheme"], str)
    if "seed" in step:
        found = step["seed"]
        if isinstance(found, dict) and "hex" in found:
            made["seed"] = bytes.fromhex(found["hex"])
        else:
            made["seed"] = integer(int(found) if isinstance(found, str) else found, "ERR_SEED_RANGE")
    if "metadata" in step:
        made["metadata"] = metadata(step["metadata"])
    return made


def load(step: dict) -> Scalable:
    data, seed = Path(step["file"]).read_bytes(), step.get("seed")
    seed = None if seed is None else int(seed)
    if not step.get("lazy"):
        return Scalable.from_bytes(data, seed)
    view = Scalable.from_bytes(data, seed, verify=False)
    view.given = (data, seed)
    return view


def chunks(step: dict) -> list[tuple[int, bytes]]:
    return [(at, bytes.fromhex(chunk)) for at, chunk in step["chunks"]]


MAKERS = {
    "new_scalable": lambda step: Scalable.new(**arguments(step)),
    "load_scalable": load,
    "from_valkey": lambda step: foreign.from_valkey(bytes.fromhex(step["hex"])),
    "from_redisbloom": lambda step: foreign.from_redisbloom(chunks(step)),
    "from_guava": lambda step: foreign.from_guava(bytes.fromhex(step["hex"])),
    "from_spark": lambda step: foreign.from_spark(bytes.fromhex(step["hex"])),
}


class Machine:
    def __init__(self):
        self.filters: dict[str, Scalable] = {}

    def knows(self, step: dict) -> bool:
        named = step.get("from"), *step.get("of", ())[:1], step.get("id")
        source = named[0] if step["op"] == "copy" else named[1] if step["op"] == "union" else step.get("id")
        return step["op"] in MAKERS or source in self.filters

    def step(self, step: dict):
        op = step["op"]
        if op in MAKERS:
            made = MAKERS[op](step)
        elif op == "copy":
            made = self.filters[step["from"]].copy()
        elif op == "union":
            made = self.filters[step["of"][0]].union(self.filters[step["of"][1]])
        else:
            return getattr(self, f"do_{op}")(self.filters[step["id"]], step)
        self.filters[step["id"]] = made
        return None

    def do_add(self, f, step):
        return answers(f.insert(k) for k in keys(step["keys"]))

    def do_add_until_refused(self, f, step):
        new = []
        try:
            for k in keys(step["keys"]):
                new.append(f.insert(k))
        except OracleError as error:
            return {"new": answers(new), "code": error.code}
        raise AssertionError("nothing was refused")

    do_add_many, do_add_many_until_refused = do_add, do_add_until_refused

    def do_ask(self, f, step):
        return answers(k in f for k in keys(step["keys"]))

    do_ask_many = do_ask

    def do_hash(self, f, step):
        need(f.series.scheme == "tepal", "ERR_UNSUPPORTED")
        return ["%016x%016x" % f.hash(k) for k in keys(step["keys"])]

    def do_ask_hash_of(self, f, step):
        other = self.filters[step["other"]]
        need(f.series.scheme == other.series.scheme == "tepal", "ERR_UNSUPPORTED")
        need(f.series.seed == other.series.seed, "ERR_SEED_DIFFERS")
        return f.contains_hash(other.hash(next(keys(step["keys"]))))

    def do_equal(self, f, step):
        return f.same(self.filters[step["other"]])

    def do_facts(self, f, step):
        return f.facts()

    def do_verify(self, f, step):
        if f.view:
            Scalable.from_bytes(*f.given)

    def do_clear(self, f, step):
        f.clear()

    def do_union_with(self, f, step):
        f.union_with(self.filters[step["other"]])

    def do_validate_scale_to(self, f, step):
        f.validate_scale_to(integer(step["keys"], "ERR_SCALE_TO"))

    def do_to_valkey_load(self, f, step):
        return foreign.to_valkey_load(f).hex()

    def do_to_valkey_dump(self, f, step):
        return foreign.to_valkey_dump(f).hex()

    def do_to_redisbloom(self, f, step):
        return [[at, chunk.hex()] for at, chunk in foreign.to_redisbloom(f)]

    def do_save(self, f, step):
        Path(step["file"]).write_bytes(f.to_bytes(step.get("withhold_seed", False)))
