"""Python's adapter: runs the steps of tests/vectors/README.md with the installed `tepal`.

    python tests/cross/adapter.py SCRIPT.json RESULT.json

Only the reading of JSON is shared with the oracle; every filter is the package's.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import tepal

sys.path.insert(0, str(Path(__file__).parent.parent / "oracle"))
import values


def real_key(item):
    """A key as a user of the package would write it: a compound key through `tepal.key`."""
    return tepal.key(*map(real_key, item)) if isinstance(item, tuple) else item


def keys(step):
    return map(real_key, values.keys(step["keys"]))


def arguments(step):
    made = {name: values.loose(step[name]) for name in ("capacity", "fpr", "layout") if name in step}
    if "seed" in step:
        made["seed"] = int(step["seed"]) if isinstance(step["seed"], str) else values.loose(step["seed"])
    if "metadata" in step:
        made["metadata"] = values.metadata(step["metadata"])
    return made


def scalable_arguments(step):
    names = ("scheme", "capacity", "fpr", "expansion", "tightening", "max_bytes", "validate_scale_to")
    made = {name: values.loose(step[name]) for name in names if name in step}
    if "seed" in step:
        seed = step["seed"]
        hexadecimal = isinstance(seed, dict) and "hex" in seed
        made["seed"] = values.key(seed) if hexadecimal else int(seed) if isinstance(seed, str) else values.loose(seed)
    if "metadata" in step:
        made["metadata"] = values.metadata(step["metadata"])
    return made


def scalable_facts(f):
    names = ("scheme", "capacity", "initial_capacity", "fpr", "expansion", "tightening", "max_bytes", "filter_count",
             "inserted_count", "size", "num_bits", "metadata", "fill_ratio", "estimated_count", "estimated_fpr",
             "saturation")  # fmt: skip
    seed = f.seed
    seed = seed.hex() if isinstance(seed, bytes) else None if seed is None else str(seed)
    levels = [[v.capacity, v.inserted_count, v.fpr, v.num_bits, v.num_probes, v.layout] for v in f.levels]
    more = {"seed": seed, "byte_len": f.nbytes, "max_scaled_capacity": str(f.max_scaled_capacity), "levels": levels}
    return {name: getattr(f, name) for name in names} | more


def from_redisbloom(step):
    chunks = [(at, bytes.fromhex(chunk)) for at, chunk in step["chunks"]]
    return tepal.ScalableBloomFilter.from_redisbloom(chunks)


def add_until_refused(f, step):
    new = []
    try:
        for key in keys(step):
            new.append(f.add(key))
    except tepal.TepalError as error:
        return {"new": values.answers(new), "code": error.code}
    raise AssertionError("nothing was refused")


def add_many_until_refused(f, step):
    batch = list(keys(step))
    try:
        f.add_many(batch)
    except tepal.CapacityError as error:
        return {"new": values.answers(error.answers)[: error.index], "code": error.code}
    raise AssertionError("nothing was refused")


def facts(f):
    if isinstance(f, tepal.ScalableBloomFilter):
        return scalable_facts(f)
    names = ("fpr", "layout", "num_probes", "num_lines", "num_bits", "metadata", "fill_ratio", "estimated_count",
             "estimated_fpr", "saturation", "capacity")  # fmt: skip
    return {name: getattr(f, name) for name in names} | {"seed": str(f.seed), "byte_len": f.nbytes}


def explained(why):
    lines = [[line.line, line.body_offset, [[b.lane, b.bit, b.set] for b in line.bits]] for line in why.lines]
    return [why.hash.hex(), why.contained, why.false_positive_chance, lines]


MAKERS = {
    "new": lambda step, get: tepal.BloomFilter(**arguments(step)),
    "build": lambda step, get: tepal.BloomFilter.build(keys(step), **arguments(step)),
    "copy": lambda step, get: get("from").copy(),
    "fold": lambda step, get: get("from").fold(values.loose(step["factor"])),
    "shrink_to": lambda step, get: get("from").shrink_to(values.loose(step["capacity"])),
    "union": lambda step, get: get("of", 0).union(get("of", 1)),
    "intersection": lambda step, get: get("of", 0).intersection(get("of", 1)),
    "union_all": lambda step, get: tepal.union_all([get("of", i) for i in range(len(step["of"]))]),
    "load": lambda step, get: load(step),
    "load_scalable": lambda step, get: load(step),
    "new_scalable": lambda step, get: tepal.ScalableBloomFilter(**scalable_arguments(step)),
    "from_valkey": lambda step, get: tepal.ScalableBloomFilter.from_valkey(bytes.fromhex(step["hex"])),
    "from_guava": lambda step, get: tepal.ScalableBloomFilter.from_guava(bytes.fromhex(step["hex"])),
    "from_spark": lambda step, get: tepal.ScalableBloomFilter.from_spark(bytes.fromhex(step["hex"])),
    "from_redisbloom": lambda step, get: from_redisbloom(step),
}


def load(step):
    seed = step.get("seed")
    given = {} if seed is None else {"seed": int(seed)}
    kind = tepal.ScalableBloomFilter if step["op"] == "load_scalable" else tepal.BloomFilter
    if step.get("lazy"):
        return kind.load(step["file"], mmap=True, **given)
    return kind.from_bytes(Path(step["file"]).read_bytes(), **given)


def union_with(f, other):
    f |= other


def intersect_with(f, other):
    f &= other


ACTIONS = {
    "add": lambda f, step, get: values.answers(f.add(key) for key in keys(step)),
    "add_many": lambda f, step, get: values.answers(f.add_many(keys(step))),
    "add_until_refused": lambda f, step, get: add_until_refused(f, step),
    "add_many_until_refused": lambda f, step, get: add_many_until_refused(f, step),
    "validate_scale_to": lambda f, step, get: f.validate_scale_to(values.loose(step["keys"])),
    "to_valkey_load": lambda f, step, get: f.to_valkey_load().hex(),
    "to_valkey_dump": lambda f, step, get: f.to_valkey_dump().hex(),
    "to_redisbloom": lambda f, step, get: [[at, chunk.hex()] for at, chunk in f.to_redisbloom()],
    "ask": lambda f, step, get: values.answers(key in f for key in keys(step)),
    "ask_many": lambda f, step, get: values.answers(f.contains_many(list(keys(step)))),
    "hash": lambda f, step, get: [f.key_hash(key).hex() for key in keys(step)],
    "ask_hash_of": lambda f, step, get: f.contains_hash(get("other").key_hash(next(keys(step)))),
    "explain": lambda f, step, get: [explained(f.explain(key)) for key in keys(step)],
    "equal": lambda f, step, get: f == get("other"),
    "facts": lambda f, step, get: facts(f),
    "size": lambda f, step, get: [f.num_probes, f.num_lines],
    "verify": lambda f, step, get: f.verify(),
    "clear": lambda f, step, get: f.clear(),
    "union_with": lambda f, step, get: union_with(f, get("other")),
    "intersect_with": lambda f, step, get: intersect_with(f, get("other")),
    "save": lambda f, step, get: f.save(step["file"], withhold_seed=step.get("withhold_seed", False)),
}


def run(steps):
    filters, outcomes = {}, []
    for step in steps:

        def get(field, i=None, step=step):
            return filters[step[field] if i is None else step[field][i]]

        try:
            if step["op"] in MAKERS:
                filters[step["id"]] = MAKERS[step["op"]](step, get)
                outcomes.append(None)
            else:
                outcomes.append(ACTIONS[step["op"]](filters[step["id"]], step, get))
        except tepal.TepalError as error:
            outcomes.append({"error": error.code})
            break
    return outcomes


if __name__ == "__main__":
    scripts = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    Path(sys.argv[2]).write_text(json.dumps([run(steps) for steps in scripts]), "utf-8")
