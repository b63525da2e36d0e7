"""What the adapters are asked to do: scripts of steps (tests/vectors/README.md), and what must come out.

A `Task` is one script. `expected` is what the golden vectors say of it, step by step (`ANY` where they say nothing); whatever they
say, all adapters must give the same.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from pathlib import Path

VECTORS = Path(__file__).parent.parent / "vectors"
V1, SCALABLE = VECTORS / "v1", VECTORS / "v1-scalable"
ANY = object()


@dataclass
class Task:
    name: str
    steps: list[dict]
    expected: list = field(default_factory=list)
    last_only: bool = False  # only the last outcome counts: not everyone has views
    without: tuple[str, ...] = ()  # languages that cannot say it


def load(name: str, folder: Path = V1):
    return json.loads((folder / name).read_text("utf-8"))


def golden() -> list[Task]:
    """Each golden file: built, saved, asked; then the committed bytes loaded and asked."""
    tasks = []
    for entry in load("manifest.json")["files"]:
        *steps, save = entry["steps"]
        present, asked = entry["present"], entry["asked"]
        seed = entry.get("open_seed")
        file = {"file": str(V1 / entry["file"]), "seed": seed}
        found = "1" * count(present)
        steps += [
            save | {"file": f"OUT/{entry['file']}"},
            {"op": "facts", "id": "f"},
            {"op": "ask", "id": "f", "keys": present},
            {"op": "ask_many", "id": "f", "keys": asked["keys"]},
            {"op": "explain", "id": "f", "keys": asked["keys"][-1:]},
            {"op": "load", "id": "g", **file},
            {"op": "facts", "id": "g"},
            {"op": "ask_many", "id": "g", "keys": present},
            {"op": "ask", "id": "g", "keys": asked["keys"]},
            {"op": "equal", "id": "f", "other": "g"},
            {"op": "load", "id": "v", "lazy": True, **file},
            {"op": "verify", "id": "v"},
            {"op": "ask", "id": "v", "keys": asked["keys"]},
        ]
        expected = [step.get("new") for step in entry["steps"]]
        answers = asked["answers"]
        expected += [
            entry["facts"],
            found,
            answers,
            ANY,
            None,
            entry["facts"],
            found,
            answers,
            True,
            None,
            None,
            answers,
        ]
        tasks.append(Task(entry["file"], steps, expected))
    return tasks


def hashes() -> list[Task]:
    """The table of hashes, one filter for each seed."""
    by_seed: dict[str, list] = {}
    for row in load("hashes.json"):
        by_seed.setdefault(row["seed"], []).append(row)
    return [
        Task(
            f"hashes with seed {seed}",
            [
                {"op": "new", "id": "f", "capacity": 1, "seed": seed},
                {"op": "hash", "id": "f", "keys": [row["key"] for row in rows]},
            ],
            [None, [row["hash"] for row in rows]],
        )
        for seed, rows in by_seed.items()
    ]


def sizes() -> list[Task]:
    """The table of sizes, as far as such a filter fits anywhere."""
    small = [row for row in load("sizes.json") if row[0] <= 10_001]
    tasks = []
    for capacity, fpr, layout, probes, lines in small:
        steps = [
            {"op": "new", "id": "f", "capacity": capacity, "fpr": fpr, "layout": layout},
            {"op": "size", "id": "f"},
        ]
        tasks.append(Task(f"size {capacity} {fpr} {layout}", steps, [None, [probes, lines]]))
    return tasks


def malformed() -> list[Task]:
    tasks = []
    for folder, op in ((V1, "load"), (SCALABLE, "load_scalable")):
        for bad in load("malformed.json", folder):
            step = {"op": op, "id": "f", "file": str(folder / bad["file"]), "seed": bad.get("seed")}
            refused = {"error": bad["code"]}
            tasks.append(Task(f"{folder.name} {bad['file']}", [step], [refused]))
            lazy = [step | {"lazy": True}, {"op": "verify", "id": "f"}]
            tasks.append(Task(f"{folder.name} {bad['file']} as a view", lazy, [refused], last_only=True))
    return tasks


def mistakes() -> list[Task]:
    errors, tasks = load("errors.json"), []

    def add(row: dict, *steps: dict) -> None:
        refused = [{"error": row["code"]}]
        tasks.append(Task(json.dumps(row), list(steps), refused, last_only=True, without=tuple(row.get("not", ()))))

    some = {"op": "new", "id": "f", "capacity": 100}
    for row in errors["constructor"]:
        add(row, {"op": "new", "id": "f"} | row["args"])
    for row in errors["keys"]:
        for op in ("add", "ask", "add_many", "ask_many", "hash"):
            add(row, some, {"op": op, "id": "f", "keys": [row["key"]]})
    for row in errors["mismatch"]:
        last = {"op": row["op"], "id": "a", "of": ["a", "b"], "other": "b"}
        add(row, {"op": "new", "id": "a"} | row["a"], {"op": "new", "id": "b"} | row["b"], last)
    for row in errors["calls"]:
        last = {"op": row["call"], "id": "g", "from": "f", "factor": row["value"], "capacity": row["value"]}
        add(row, {"op": "new", "id": "f"} | row["of"], last)
    other = {"op": "new", "id": "g", "capacity": 100, "seed": "1"}
    ask = {"op": "ask_hash_of", "id": "f", "other": "g", "keys": [{"text": "x"}]}
    add({"code": errors["hash_of_another_seed"]}, some, other, ask)
    add({"code": errors["union_all_of_nothing"]}, {"op": "union_all", "id": "f", "of": []})
    return tasks


def adventures(number: int = 60) -> list[Task]:
    """Scripts that nobody thought of: random parameters, keys and operations, the same in every run."""
    rng = random.Random("tepal")
    return [adventure(rng, i) for i in range(number)]


def adventure(rng: random.Random, number: int) -> Task:
    layout = rng.choice(["auto", "line", "pair", "classic"])
    seed = str(rng.choice([0, 1, rng.getrandbits(32), rng.getrandbits(64)]))
    fpr = rng.choice([0.5, 0.1, 0.02, 0.01, 1e-3, 1e-4, 1e-5, 1e-7, 1e-8, 1e-9])
    capacity = rng.choice([1, 2, 5, rng.randint(1, 60), rng.randint(60, 3000)])

    def new(name: str) -> dict:
        note = {"note": rng.choice(["a", "ä", ""]), "n": str(number)} if rng.random() < 0.5 else {}
        return {
            "op": "new",
            "id": name,
            "capacity": capacity,
            "fpr": fpr,
            "seed": seed,
            "layout": layout,
            "metadata": note,
        }

    def some_keys() -> list[dict]:
        start = rng.randint(-1000, 1000)
        return rng.choices(
            [
                {"ints": [str(start), str(start + rng.randint(0, 300))]},
                {"texts": [rng.choice(["user-", "имя", "名"]), 0, rng.randint(0, 200)]},
                {"hex": rng.randbytes(rng.choice([0, 3, 17, 130, 250])).hex()},
                {
                    "text": "".join(
                        chr(rng.choice([rng.randint(32, 126), rng.randint(0x3B1, 0x3C9), 0x1F338])) for _ in range(9)
                    )
                },
                {"int": str(rng.getrandbits(64))},
                {"int": str(-rng.getrandbits(63))},
                {"parts": [{"text": "p"}, {"int": str(rng.randint(-9, 9))}, {"hex": rng.randbytes(5).hex()}]},
            ],
            k=rng.randint(1, 6),
        )

    added = [some_keys(), some_keys(), some_keys()]
    steps = [
        new("f"),
        {"op": "add", "id": "f", "keys": added[0]},
        new("g"),
        {"op": "add_many", "id": "g", "keys": added[1]},
        {"op": rng.choice(["union", "union", "intersection"]), "id": "h", "of": ["f", "g"]},
        {"op": rng.choice(["union_with", "union_with", "intersect_with"]), "id": "g", "other": "f"},
        {"op": "copy", "id": "c", "from": "h"},
        {"op": "add_many", "id": "c", "keys": added[2]},
        {"op": "union_all", "id": "f", "of": rng.choices(["f", "g", "h", "c"], k=3)},
        {"op": "shrink_to", "id": "s", "from": "f", "capacity": rng.randint(1, capacity)},
        {"op": "build", "id": "b", "fpr": fpr, "seed": seed, "layout": layout, "keys": added[0] + added[2]},
    ]
    for name in "fghcsb":
        steps += [
            {"op": "facts", "id": name},
            {"op": "ask_many", "id": name, "keys": added[0] + added[2]},
            {
                "op": "explain",
                "id": name,
                "keys": [
                    {"int": str(number)},
                    *[k for k in added[0] if len(k) == 1 and "ints" not in k and "texts" not in k],
                ],
            },
            {"op": "save", "id": name, "file": f"OUT/adventure-{number}-{name}.tepal", "withhold_seed": name == "c"},
        ]
    steps += [
        {"op": "equal", "id": "f", "other": "g"},
        {"op": "clear", "id": "g"},
        {"op": "facts", "id": "g"},
        {"op": "fold", "id": "x", "from": "f", "factor": rng.choice([1, 2, 3, 5])},  # may be refused: all alike
        {"op": "facts", "id": "x"},
    ]
    return Task(f"adventure {number}", steps)


def reading(task: Task) -> Task:
    """The files of an adventure, as another writer left them in WRITER/: load, ask, write again."""
    steps = []
    first = task.steps[0]
    scalable = first["op"] == "new_scalable"
    load = {"op": "load_scalable"} if scalable else {"op": "load", "seed": first["seed"]}
    for step in task.steps:
        if step["op"] == "save":
            name = step["id"]
            file = step["file"].replace("OUT/", "WRITER/")
            steps += [
                load | {"id": name, "file": file, "lazy": name == "f"},
                {"op": "facts", "id": name},
                {"op": "ask", "id": name, "keys": [{"ints": ["-40", "40"]}, {"texts": ["user-", 0, 40]}]},
                {
                    "op": "save",
                    "id": name,
                    "file": step["file"].replace("adventure", "again"),
                    "withhold_seed": name == "c" and not scalable,
                },
            ]
    return Task(f"reading {task.name}", steps)


def count(keys: list[dict]) -> int:
    total = 0
    for item in keys:
        if "ints" in item:
            total += int(item["ints"][1]) - int(item["ints"][0])
        elif "texts" in item:
            total += item["texts"][2] - item["texts"][1]
        else:
            total += 1
    return total
