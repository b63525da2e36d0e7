//! The golden tables: hashes, sizes, addresses, and what a caller's mistake is called.
use crate::cases::all_kinds;
use crate::keys::{hex, key};
use serde_json::{json, Value};
use tepal::{Key, LayoutChoice, Params};

/// Every kind of key under several seeds.
pub fn hashes() -> Value {
    let mut rows = Vec::new();
    for item in all_kinds().as_array().unwrap() {
        for seed in [0, 1, 0x0123_4567_89ab_cdef, u64::MAX] {
            let hash = key(item).unwrap().hash_key(seed);
            let digits = hex(&[hash.hi.to_be_bytes(), hash.lo.to_be_bytes()].concat());
            rows.push(json!({ "key": item, "seed": seed.to_string(), "hash": digits }));
        }
    }
    rows.into()
}

/// Capacity × rate × layout → probes, lines. Equal capacity and rate must be mergeable for ever.
pub fn sizes() -> Value {
    let rates = [0.5, 0.3, 0.1, 0.05, 0.01, 0.003, 1e-3, 1e-4, 9.9e-5, 1e-5, 1e-6, 1e-7, 9.9e-8, 1e-8, 1e-9];
    let capacities = [
        1,
        2,
        3,
        10,
        50,
        100,
        1000,
        4096,
        9_999,
        10_000,
        10_001,
        100_000,
        1_000_000,
        10_000_000,
        1_000_000_000,
        1_000_000_000_000,
        1 << 48,
    ];
    let mut rows = Vec::new();
    for capacity in capacities {
        for fpr in rates {
            for layout in ["auto", "line", "pair", "classic"] {
                let params = Params::new(capacity, fpr, 9, LayoutChoice::from_name(layout).unwrap()).unwrap();
                rows.push(json!([capacity, fpr, layout, params.num_probes(), params.num_lines()]));
            }
        }
    }
    rows.into()
}

/// Lines and bits of some keys in filters for 10^12 keys and in the largest that the format allows.
pub fn addresses() -> Value {
    let mut rows = Vec::new();
    let keys =
        [json!({ "text": "tepal" }), json!({ "int": "0" }), json!({ "int": "-1" }), json!({ "repeat": ["a5", 300] })];
    for (capacity, fpr, layout) in [
        (10u64.pow(12), 0.01, "line"),
        (10u64.pow(12), 1e-6, "line"),
        (10u64.pow(12), 1e-6, "pair"),
        (10u64.pow(12), 1e-3, "classic"),
        (1 << 48, 1e-9, "line"),
        (1 << 48, 1e-9, "pair"),
        (1 << 48, 1e-9, "classic"),
    ] {
        let params = Params::new(capacity, fpr, 9, LayoutChoice::from_name(layout).unwrap()).unwrap();
        for item in &keys {
            let bits: Vec<_> =
                params.addresses(key(item).unwrap().hash_key(9)).into_iter().map(|bit| json!(bit)).collect();
            rows.push(json!({ "capacity": capacity, "fpr": fpr, "layout": layout, "lines": params.num_lines(), "probes": params.num_probes(), "key": item, "seed": "9", "bits": bits }));
        }
    }
    rows.into()
}

/// The matrix of mistakes.
pub fn errors() -> Value {
    let float = |text: &str| json!({ "float": text });
    let int = |text: &str| json!({ "int": text });
    let mut constructor = Vec::new();
    let mut mistake = |code: &str, field: &str, values: Vec<Value>| {
        for value in values {
            let mut args = json!({ "capacity": { "int": "100" } });
            args[field] = value;
            constructor.push(json!({ "args": args, "code": code }));
        }
    };
    mistake("ERR_CAPACITY_ZERO", "capacity", vec![int("0"), float("0.0"), float("-0.0")]);
    mistake(
        "ERR_CAPACITY_RANGE",
        "capacity",
        ["-1", "281474976710657", "9223372036854775808", "-9223372036854775808", "18446744073709551616"]
            .map(int)
            .to_vec(),
    );
    mistake(
        "ERR_CAPACITY_RANGE",
        "capacity",
        ["nan", "inf", "-inf", "0.5", "100.5", "-1.0", "1e300"].map(float).to_vec(),
    );
    mistake(
        "ERR_FPR_RANGE",
        "fpr",
        ["nan", "inf", "-inf", "0.0", "-0.0", "-0.01", "1.0", "1.5", "0.500001", "9e-10", "1e-300"].map(float).to_vec(),
    );
    mistake("ERR_FPR_RANGE", "fpr", ["0", "1", "-1"].map(int).to_vec());
    mistake("ERR_SEED_RANGE", "seed", ["-1", "18446744073709551616", "-9223372036854775809"].map(int).to_vec());
    mistake("ERR_SEED_RANGE", "seed", ["nan", "inf", "0.5", "-1.0", "1e300"].map(float).to_vec());
    mistake(
        "ERR_LAYOUT_NAME",
        "layout",
        ["", "Line", "block", "auto ", "line\u{0}", "linie"].map(|name| json!({ "text": name })).to_vec(),
    );
    mistake("ERR_METADATA", "metadata", vec![json!({ "": "x" }), json!({ "k": { "repeat": ["x", 65_528] } })]);

    // What a type system refuses: only the loosely typed languages can say it.
    let text = |text: &str| json!({ "text": text });
    let (truth, nothing) = (json!({ "bool": true }), json!({ "null": true }));
    for (field, values) in [
        ("capacity", vec![text("100"), truth.clone(), nothing]),
        ("fpr", vec![text("0.01"), truth.clone()]),
        ("seed", vec![text("1"), truth.clone()]),
        ("layout", vec![int("1"), truth]),
    ] {
        for value in values {
            let mut args = json!({ "capacity": { "int": "100" } });
            args[field] = value;
            constructor.push(json!({ "args": args, "code": "ERR_ARGUMENT_TYPE", "not": ["rust"] }));
        }
    }

    let wrong = |key: Value, code: &str| json!({ "key": key, "code": code });
    let untyped = |key: Value| json!({ "key": key, "code": "ERR_KEY_TYPE", "not": ["rust"] });
    let keys = vec![
        wrong(int("18446744073709551616"), "ERR_KEY_RANGE"),
        wrong(int("-9223372036854775809"), "ERR_KEY_RANGE"),
        wrong(int("1000000000000000000000000000000"), "ERR_KEY_RANGE"),
        json!({ "key": { "surrogate": "d800" }, "code": "ERR_KEY_SURROGATE", "not": ["rust"] }),
        json!({ "key": { "surrogate": "dfff" }, "code": "ERR_KEY_SURROGATE", "not": ["rust"] }),
        untyped(float("1.5")),
        untyped(float("nan")),
        untyped(float("inf")),
        untyped(json!({ "bool": true })),
        untyped(json!({ "bool": false })),
        untyped(json!({ "null": true })),
    ];

    let new = |capacity: u64, fpr: f64, seed: &str, layout: &str| json!({ "capacity": capacity, "fpr": fpr, "seed": seed, "layout": layout });
    let base = || new(100, 0.01, "0", "line");
    let pairs = [
        (base(), new(100, 0.01, "1", "line"), "ERR_SEED_DIFFERS"),
        (base(), new(100, 0.01, "0", "pair"), "ERR_LAYOUT_DIFFERS"),
        (base(), new(100, 0.01, "0", "classic"), "ERR_LAYOUT_DIFFERS"),
        (base(), new(100, 1e-9, "0", "line"), "ERR_PROBES_DIFFERS"),
        (new(100, 0.01, "0", "classic"), new(100, 0.001, "0", "classic"), "ERR_PROBES_DIFFERS"),
        (new(100, 0.01, "0", "line"), new(150, 0.01, "0", "line"), "ERR_SIZE_DIFFERS"),
    ];
    let mut mismatch = Vec::new();
    for (a, b, code) in pairs {
        for op in ["union", "intersection", "union_with", "intersect_with"] {
            mismatch.push(json!({ "a": a, "b": b, "op": op, "code": code }));
        }
    }
    let calls: Vec<Value> = [
        int("0"),
        int("-1"),
        int("5"),
        int("281474976710657"),
        float("nan"),
        float("1.5"),
        float("inf"),
    ]
    .into_iter()
    .map(|value| json!({ "of": base(), "call": "fold", "value": value, "code": "ERR_FACTOR" }))
    .chain(
        [int("0")]
            .map(|value| json!({ "of": base(), "call": "shrink_to", "value": value, "code": "ERR_CAPACITY_ZERO" })),
    )
    .chain(
        [int("-1"), float("nan"), float("0.5")]
            .map(|value| json!({ "of": base(), "call": "shrink_to", "value": value, "code": "ERR_CAPACITY_RANGE" })),
    )
    .chain(["fold", "shrink_to"].map(
        |call| json!({ "of": base(), "call": call, "value": text("2"), "code": "ERR_ARGUMENT_TYPE", "not": ["rust"] }),
    ))
    .collect();
    json!({ "constructor": constructor, "keys": keys, "mismatch": mismatch, "calls": calls,
            "hash_of_another_seed": "ERR_SEED_DIFFERS", "union_all_of_nothing": "ERR_EMPTY" })
}
