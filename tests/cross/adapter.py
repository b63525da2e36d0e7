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


def facts(f):
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
}


def load(step):
    seed = step.get("seed")
    given = {} if seed is None else {"seed": int(seed)}
    if step.get("lazy"):
        return tepal.load(step["file"], mmap=True, **given)
    return tepal.from_bytes(Path(step["file"]).read_bytes(), **given)


def union_with(f, other):
    f |= other


def intersect_with(f, other):
    f &= other


ACTIONS = {
    "add": lambda f, step, get: values.answers(f.add(key) for key in keys(step)),
    "add_many": lambda f, step, get: values.answers(f.add_many(keys(step))),
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
