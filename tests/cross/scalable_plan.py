"""What the adapters are asked of scalable filters: the vectors, foreign payloads, mistakes, and random scripts of every scheme."""

from __future__ import annotations

import json
import random

from plan import SCALABLE, Task, count, load


def golden() -> list[Task]:
    """Each golden file: built, saved, asked; then the committed bytes loaded, asked and compared."""
    tasks = []
    for entry in load("manifest.json", SCALABLE)["files"]:
        *steps, save = entry["steps"]
        present, asked = entry["present"], entry["asked"]
        file = {"file": str(SCALABLE / entry["file"]), "seed": entry.get("open_seed")}
        found, facts, answers = "1" * count(present), entry["facts"], asked["answers"]
        later = [
            (save | {"file": f"OUT/scalable-{entry['file']}"}, None),
            ({"op": "facts", "id": "f"}, facts),
            ({"op": "ask", "id": "f", "keys": present}, found),
            ({"op": "ask_many", "id": "f", "keys": asked["keys"]}, answers),
            ({"op": "load_scalable", "id": "g", **file}, None),
            ({"op": "facts", "id": "g"}, facts),
            ({"op": "ask_many", "id": "g", "keys": present}, found),
            ({"op": "ask", "id": "g", "keys": asked["keys"]}, answers),
            ({"op": "equal", "id": "f", "other": "g"}, True),
            ({"op": "load_scalable", "id": "v", "lazy": True, **file}, None),
            ({"op": "verify", "id": "v"}, None),
            ({"op": "ask", "id": "v", "keys": asked["keys"]}, answers),
        ]
        expected = [step.get("new", step.get("refused")) for step in steps] + [outcome for _, outcome in later]
        tasks.append(Task(f"scalable-{entry['file']}", steps + [step for step, _ in later], expected))
    return tasks


def foreign() -> list[Task]:
    vectors, tasks = load("foreign.json", SCALABLE), []
    for entry in vectors["read"]:
        steps = [
            entry | {"id": "f"},
            {"op": "facts", "id": "f"},
            {"op": "ask", "id": "f", "keys": entry["present"]},
            {"op": "ask_many", "id": "f", "keys": entry["asked"]["keys"]},
        ]
        expected = [None, entry["facts"], "1" * count(entry["present"]), entry["asked"]["answers"]]
        tasks.append(Task(entry["name"], steps, expected))
    for entry in vectors["refused"]:
        tasks.append(Task(entry["name"], [entry | {"id": "f"}], [{"error": entry["code"]}]))
    for entry in vectors["written"]:
        for op in ("to_valkey_load", "to_valkey_dump", "to_redisbloom"):
            if op in entry:
                back = "from_redisbloom" if op == "to_redisbloom" else "from_valkey"
                steps = [
                    {"op": "load_scalable", "id": "f", "file": str(SCALABLE / entry["file"])},
                    {"op": op, "id": "f"},
                    {"op": back, "id": "g", "hex": entry[op], "chunks": entry[op]},
                    {"op": "equal", "id": "f", "other": "g"},
                ]
                tasks.append(Task(f"{entry['file']} {op}", steps, [None, entry[op], None, True]))
    return tasks


def mistakes() -> list[Task]:
    return [
        Task(
            json.dumps(row["steps"]),
            row["steps"],
            [{"error": row["code"]}],
            last_only=True,
            without=tuple(row.get("not", ())),
        )
        for row in load("errors.json", SCALABLE)
    ]


def adventures(number: int = 30) -> list[Task]:
    """Scripts that nobody thought of, the same in every run."""
    rng = random.Random("tepal grows")
    return [adventure(rng, i) for i in range(number)]


def adventure(rng: random.Random, number: int) -> Task:
    scheme = ("tepal", "valkey", "redisbloom")[number % 3]
    options: dict = {"scheme": scheme, "capacity": rng.choice([1, 2, 7, rng.randint(8, 60)])}
    options["fpr"] = rng.choice([0.3, 0.05, 0.01, 1e-3, 1e-5])
    options["expansion"] = rng.choice([1, 2, 3, 4]) if options["capacity"] > 7 else rng.choice([2, 4, 10])
    if scheme != "redisbloom":
        options["tightening"] = rng.choice([0.5, 0.85, 0.9])
    if scheme == "tepal" and number % 2:
        del options["tightening"]
    if scheme == "tepal":
        options["seed"] = str(rng.getrandbits(64))
    if scheme == "valkey":
        options["seed"] = {"hex": rng.randbytes(32).hex()}

    def new(name: str) -> dict:
        return {"op": "new_scalable", "id": name, **options, "metadata": {"n": str(number), "of": name}}

    def some_keys() -> list[dict]:
        start = rng.randint(-500, 500)
        kinds = [
            {"ints": [str(start), str(start + rng.randint(0, 150))]},
            {"texts": [rng.choice(["user-", "имя"]), 0, rng.randint(0, 100)]},
            {"hex": rng.randbytes(rng.choice([0, 3, 17, 130, 250])).hex()},
            {"int": str(rng.getrandbits(64))},
            {"parts": [{"text": "p"}, {"int": str(rng.randint(-9, 9))}]},
        ]
        return rng.choices(kinds, k=rng.randint(1, 4))

    added = [some_keys(), some_keys(), some_keys()]
    steps = [
        new("f"),
        {"op": "add", "id": "f", "keys": added[0]},
        new("g"),
        {"op": "add_many", "id": "g", "keys": added[1]},
        {"op": "union", "id": "h", "of": ["f", "g"]},
        {"op": "copy", "id": "c", "from": "h"},
        {"op": "add_many", "id": "c", "keys": added[2]},
        {"op": "union_with", "id": "g", "other": "f"},
    ]
    for name in "fghc":
        steps += [
            {"op": "facts", "id": name},
            {"op": "ask_many", "id": name, "keys": added[0] + added[2]},
            {"op": "save", "id": name, "file": f"OUT/adventure-scalable-{number}-{name}.tepal"},
        ]
    steps += [
        {"op": "equal", "id": "g", "other": "h"},
        {"op": "clear", "id": "g"},
        {"op": "add_many", "id": "g", "keys": added[2]},
        {"op": "facts", "id": "g"},
    ]
    if scheme == "valkey":
        steps += [{"op": "to_valkey_load", "id": "f"}, {"op": "to_valkey_dump", "id": "f"}]
    if scheme == "redisbloom":
        steps.append({"op": "to_redisbloom", "id": "f"})
    return Task(f"scalable adventure {number}", steps)
