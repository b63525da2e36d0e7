//! The files of tests/vectors/v1-scalable: how each is made. As in [`mod@crate::cases`] only inputs stand here.
use crate::cases::{all_kinds, case, ints, Case};
use crate::foreign::{GUAVA, REDISBLOOM_CHUNK, REDISBLOOM_HEADER, SPARK_V1, SPARK_V2, VALKEY_LOAD};
use serde_json::{json, Value};

/// A new filter `f` with these options and these keys added.
fn grown(name: &'static str, options: Value, keys: Value) -> Case {
    case(name, vec![new("f", options), json!({ "op": "add", "id": "f", "keys": keys })], keys)
}

/// The same, with more keys than it can take. `present`: those that fit.
fn refused(name: &'static str, op: &str, options: Value, keys: Value, present: Value) -> Case {
    case(name, vec![new("f", options), json!({ "op": op, "id": "f", "keys": keys })], present)
}

fn new(id: &str, options: Value) -> Value {
    let mut step = json!({ "op": "new_scalable", "id": id });
    step.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
    step
}

fn add(id: &str, from: i64, to: i64) -> Value {
    json!({ "op": "add", "id": id, "keys": ints(from, to) })
}

/// All files.
pub fn cases() -> Vec<Case> {
    [tepal(), unions(), servers(), read()].into_iter().flatten().collect()
}

fn tepal() -> Vec<Case> {
    let metadata = json!({ "rule": "nfkc-casefold-16", "größe": "5", "empty": "" });
    let mut all = vec![
        grown("tepal-empty", json!({}), json!([])),
        grown("tepal-one", json!({ "capacity": 1 }), json!([{ "text": "tepal" }])),
        grown("tepal-kinds", json!({ "capacity": 10 }), all_kinds()),
        grown("tepal-full", json!({ "capacity": 50, "fpr": 1e-6 }), ints(0, 50)),
        grown("tepal-full-and-one", json!({ "capacity": 50, "fpr": 1e-6 }), ints(0, 51)),
        grown("tepal-5-levels", json!({ "capacity": 10, "seed": "42" }), ints(0, 1500)),
        grown("tepal-default-grown", json!({}), json!([{ "texts": ["user-", 0, 2500] }])),
        grown("tepal-past-the-head", json!({ "capacity": 1, "expansion": 1 }), ints(0, 15)),
        grown("tepal-expansion-2", json!({ "capacity": 20, "expansion": 2 }), ints(-70, 70)),
        grown("tepal-expansion-1000", json!({ "capacity": 2, "expansion": 1000 }), ints(0, 300)),
        grown("tepal-rate-half", json!({ "capacity": 40, "fpr": 0.5 }), ints(0, 300)),
        grown("tepal-rate-1e-4", json!({ "capacity": 40, "fpr": 1e-4 }), ints(0, 300)),
        grown("tepal-rate-1e-6", json!({ "capacity": 40, "fpr": 1e-6 }), ints(0, 300)),
        grown("tepal-rate-1e-9", json!({ "capacity": 20, "fpr": 1e-9 }), ints(0, 120)),
        grown(
            "tepal-three-layouts",
            json!({ "capacity": 4, "fpr": 0.01, "expansion": 1, "tightening": 0.05 }),
            ints(0, 28),
        ),
        grown("tepal-ratio-0.5", json!({ "capacity": 20, "expansion": 2, "tightening": 0.5 }), ints(0, 200)),
        grown("tepal-ratio-0.85", json!({ "capacity": 20, "tightening": 0.85 }), ints(0, 200)),
        refused(
            "tepal-full-and-refusing",
            "add_until_refused",
            json!({ "capacity": 30, "expansion": null }),
            ints(0, 60),
            ints(0, 30),
        ),
        refused(
            "tepal-rate-underflows",
            "add_many_until_refused",
            json!({ "capacity": 2, "expansion": 1, "tightening": 0.1 }),
            ints(0, 60),
            ints(0, 20),
        ),
        refused(
            "tepal-memory-limit",
            "add_many_until_refused",
            json!({ "capacity": 10, "max_bytes": 1500 }),
            ints(0, 600),
            ints(0, 45),
        ),
        refused(
            "tepal-memory-limit-singly",
            "add_until_refused",
            json!({ "capacity": 100, "fpr": 0.001, "max_bytes": 4096 }),
            ints(0, 2000),
            ints(0, 90),
        ),
        grown("tepal-metadata", json!({ "capacity": 10, "metadata": metadata }), ints(0, 30)),
        grown("tepal-seed-max", json!({ "capacity": 10, "seed": "18446744073709551615" }), ints(0, 30)),
        grown("withheld", json!({ "capacity": 10, "seed": "12345678901234567890" }), ints(0, 30)),
        grown("withheld-metadata", json!({ "capacity": 10, "seed": "0", "metadata": metadata }), ints(0, 5)),
        case(
            "tepal-cleared",
            vec![
                new("f", json!({ "capacity": 5 })),
                add("f", 0, 90),
                json!({ "op": "clear", "id": "f" }),
                add("f", 200, 230),
            ],
            ints(200, 230),
        ),
        case(
            "tepal-copied",
            vec![
                new("a", json!({ "capacity": 5 })),
                add("a", 0, 30),
                json!({ "op": "copy", "id": "f", "from": "a" }),
                add("f", 30, 60),
                add("a", 900, 930),
            ],
            ints(0, 60),
        ),
    ];
    for made in &mut all {
        made.withheld = made.name.starts_with("withheld");
    }
    all[0].steps.truncate(1); // nobody is in it
    all
}

fn unions() -> Vec<Case> {
    let two = |name, options: Value, keys: [(i64, i64); 2]| {
        let mut other = options.clone();
        other["metadata"] = json!({ "same": "yes", "source": "b" });
        let mut options = options;
        options["metadata"] = json!({ "same": "yes", "source": "a" });
        let union = json!({ "op": "union", "id": "f", "of": ["a", "b"] });
        let steps = vec![
            new("a", options),
            add("a", keys[0].0, keys[0].1),
            new("b", other),
            add("b", keys[1].0, keys[1].1),
            union,
        ];
        case(name, steps, ints(keys[0].0.min(keys[1].0), keys[0].1.max(keys[1].1)))
    };
    let small = || json!({ "capacity": 20, "fpr": 0.001, "seed": "8" });
    let in_place = |name, keys| {
        let mut made = two(name, small(), keys);
        made.steps.pop();
        made.steps.push(json!({ "op": "copy", "id": "f", "from": "a" }));
        made.steps.push(json!({ "op": "union_with", "id": "f", "other": "b" }));
        made
    };
    let mut three = two("union-of-a-union", small(), [(0, 30), (30, 60)]);
    three.steps.last_mut().unwrap()["id"] = "u".into();
    three.steps.extend([
        new("c", small()),
        add("c", 60, 90),
        json!({ "op": "union", "id": "f", "of": ["u", "c"] }),
        add("f", 90, 180),
    ]);
    three.present = ints(0, 180);
    vec![
        two("union-joined", small(), [(0, 8), (8, 19)]),
        two("union-of-equals", small(), [(0, 20), (0, 20)]),
        two("union-of-the-same-few", small(), [(0, 8), (0, 8)]),
        two("union-with-a-part", small(), [(0, 9), (3, 7)]),
        two("union-overlapping", small(), [(0, 14), (2, 16)]),
        two("union-side-by-side", small(), [(0, 20), (20, 40)]),
        two("union-of-heights", small(), [(0, 150), (100, 115)]),
        two("union-above-one", json!({ "capacity": 2, "fpr": 0.5, "expansion": null }), [(0, 2), (2, 4)]),
        two("union-valkey", json!({ "scheme": "valkey", "capacity": 20, "fpr": 0.001 }), [(0, 20), (5, 40)]),
        two("union-redisbloom", json!({ "scheme": "redisbloom", "capacity": 20, "fpr": 0.001 }), [(0, 10), (3, 18)]),
        in_place("union-with", [(0, 70), (60, 400)]),
        in_place("union-with-side-by-side", [(0, 20), (20, 40)]),
        in_place("union-with-higher", [(0, 20), (20, 150)]),
        three,
    ]
}

fn servers() -> Vec<Case> {
    let seed = json!({ "hex": "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eff" });
    let valkey = |more: Value| {
        let mut options = json!({ "scheme": "valkey" });
        options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        options
    };
    let redisbloom = |more: Value| {
        let mut options = valkey(more);
        options["scheme"] = "redisbloom".into();
        options
    };
    let letters = || json!([{ "text": "a" }, { "text": "b" }, { "text": "c" }, { "text": "d" }]);
    vec![
        grown("valkey-empty", valkey(json!({})), json!([])),
        grown("valkey-golden", valkey(json!({ "capacity": 3, "fpr": 0.1 })), letters()),
        grown("valkey-default-grown", valkey(json!({})), ints(0, 320)),
        grown("valkey-kinds", valkey(json!({ "capacity": 20, "seed": seed })), all_kinds()),
        grown("valkey-seed", valkey(json!({ "seed": seed, "metadata": { "k": "v" } })), ints(0, 60)),
        grown("valkey-rate-high", valkey(json!({ "fpr": 0.9, "capacity": 50 })), ints(0, 120)),
        grown("valkey-rate-1e-5", valkey(json!({ "fpr": 1e-5, "capacity": 50 })), ints(0, 120)),
        grown("valkey-expansion-1", valkey(json!({ "capacity": 7, "expansion": 1, "tightening": 0.9 })), ints(0, 40)),
        grown(
            "valkey-ratio",
            valkey(json!({ "capacity": 50, "expansion": 3, "fpr": 1e-4, "tightening": 0.85, "max_bytes": null })),
            ints(0, 150),
        ),
        refused(
            "valkey-full",
            "add_many_until_refused",
            valkey(json!({ "capacity": 30, "expansion": null })),
            ints(0, 60),
            ints(0, 25),
        ),
        refused(
            "valkey-memory-limit",
            "add_until_refused",
            valkey(json!({ "max_bytes": 1000 })),
            ints(0, 900),
            ints(0, 90),
        ),
        refused(
            "valkey-rate-underflows",
            "add_until_refused",
            valkey(json!({ "capacity": 1, "expansion": 1, "fpr": 1e-300, "tightening": 0.001 })),
            ints(0, 9),
            ints(0, 3),
        ),
        grown("redisbloom-empty", redisbloom(json!({})), json!([])),
        grown(
            "redisbloom-golden",
            redisbloom(json!({ "capacity": 3, "fpr": 0.1, "expansion": null })),
            json!([{ "text": "a" }, { "text": "b" }, { "text": "c" }]),
        ),
        grown("redisbloom-grown", redisbloom(json!({})), ints(0, 320)),
        grown("redisbloom-kinds", redisbloom(json!({ "capacity": 20, "expansion": 4 })), all_kinds()),
        grown("redisbloom-rate-1e-5", redisbloom(json!({ "capacity": 50, "fpr": 1e-5, "expansion": 1 })), ints(0, 120)),
        refused(
            "redisbloom-full",
            "add_until_refused",
            redisbloom(json!({ "capacity": 30, "expansion": null })),
            ints(0, 60),
            ints(0, 25),
        ),
    ]
}

/// What others wrote, in our format.
fn read() -> Vec<Case> {
    let from = |name, op: &str, bytes: &str, present: Value| {
        case(name, vec![json!({ "op": op, "id": "f", "hex": bytes })], present)
    };
    let chunks = json!([[1, REDISBLOOM_HEADER], [9, REDISBLOOM_CHUNK]]);
    let words = || json!([{ "text": "a" }, { "text": "b" }, { "text": "c" }]);
    let mut mine = vec![
        from("guava-read", "from_guava", GUAVA, json!([])),
        from("spark-v1-read", "from_spark", SPARK_V1, json!([])),
        from("spark-v2-read", "from_spark", SPARK_V2, json!([])),
        from("valkey-read", "from_valkey", VALKEY_LOAD, words()),
        case("redisbloom-read", vec![json!({ "op": "from_redisbloom", "id": "f", "chunks": chunks })], words()),
        case(
            "valkey-read-and-grown",
            vec![json!({ "op": "from_valkey", "id": "f", "hex": VALKEY_LOAD }), add("f", 0, 50)],
            ints(0, 50),
        ),
    ];
    for made in &mut mine {
        if made.present == json!([]) {
            made.present = json!([{ "text": "a" }]);
        }
    }
    mine
}
