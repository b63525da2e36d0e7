//! tests/vectors/v1-scalable/errors.json: scripts whose last step is a caller's mistake.
use serde_json::{json, Value};

/// `[{"steps", "code", "not"?}, …]`
pub fn errors() -> Value {
    let mut all = Vec::new();
    constructors(&mut all);
    combinations(&mut all);
    calls(&mut all);
    all.into()
}

fn float(text: &str) -> Value {
    json!({ "float": text })
}

fn int(text: &str) -> Value {
    json!({ "int": text })
}

fn text(text: &str) -> Value {
    json!({ "text": text })
}

fn new(id: &str, options: Value) -> Value {
    let mut step = json!({ "op": "new_scalable", "id": id });
    step.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
    step
}

fn constructors(all: &mut Vec<Value>) {
    let mut wrong = |code: &str, scheme: &str, field: &str, values: Vec<Value>| {
        for value in values {
            let mut options = json!({ "scheme": scheme });
            options[field] = value;
            all.push(json!({ "steps": [new("f", options)], "code": code }));
        }
    };
    wrong("ERR_SCHEME_NAME", "", "capacity", vec![int("1")]);
    wrong("ERR_SCHEME_NAME", "Valkey", "capacity", vec![int("1")]);
    wrong("ERR_SCHEME_NAME", "redis", "capacity", vec![int("1")]);
    for scheme in ["guava", "spark-v1", "spark-v2"] {
        wrong("ERR_UNSUPPORTED", scheme, "capacity", vec![int("1")]);
    }
    for scheme in ["tepal", "valkey", "redisbloom"] {
        wrong("ERR_CAPACITY_ZERO", scheme, "capacity", vec![int("0"), float("0.0")]);
        wrong(
            "ERR_CAPACITY_RANGE",
            scheme,
            "capacity",
            ["-1", "9223372036854775808", "18446744073709551616"].map(int).to_vec(),
        );
        wrong("ERR_CAPACITY_RANGE", scheme, "capacity", ["nan", "inf", "0.5", "-1.0"].map(float).to_vec());
        wrong("ERR_FPR_RANGE", scheme, "fpr", ["nan", "inf", "0.0", "-0.01", "1.0", "1e-310"].map(float).to_vec());
        wrong("ERR_EXPANSION_RANGE", scheme, "expansion", ["0", "-1", "4294967296"].map(int).to_vec());
        wrong("ERR_EXPANSION_RANGE", scheme, "expansion", ["nan", "0.5", "1.5", "1e300"].map(float).to_vec());
        wrong("ERR_TIGHTENING_RANGE", scheme, "tightening", ["nan", "0.0", "1.0", "-0.5", "inf"].map(float).to_vec());
        wrong("ERR_MAX_BYTES_RANGE", scheme, "max_bytes", ["0", "-1", "9223372036854775808"].map(int).to_vec());
        wrong("ERR_MAX_BYTES_RANGE", scheme, "max_bytes", ["nan", "0.5"].map(float).to_vec());
        wrong("ERR_MEMORY_LIMIT", scheme, "max_bytes", vec![int("300")]);
        wrong("ERR_METADATA", scheme, "metadata", vec![json!({ "": "x" })]);
        wrong("ERR_SCALE_TO", scheme, "validate_scale_to", ["0", "-1", "9223372036854775808"].map(int).to_vec());
        wrong("ERR_SCALE_TO", scheme, "validate_scale_to", ["nan", "0.5"].map(float).to_vec());
    }
    wrong("ERR_CAPACITY_RANGE", "tepal", "capacity", vec![int("281474976710657")]);
    wrong("ERR_FPR_RANGE", "tepal", "fpr", ["0.6", "9e-10"].map(float).to_vec());
    wrong("ERR_SEED_RANGE", "tepal", "seed", ["-1", "18446744073709551616"].map(int).to_vec());
    wrong("ERR_SEED_RANGE", "tepal", "seed", ["nan", "0.5"].map(float).to_vec());
    wrong(
        "ERR_SEED_LENGTH",
        "valkey",
        "seed",
        vec![json!({ "hex": "" }), json!({ "hex": "00".repeat(31) }), json!({ "hex": "00".repeat(33) })],
    );
    wrong("ERR_SEED_RANGE", "redisbloom", "seed", vec![json!({ "hex": "01".repeat(32) })]);
    wrong("ERR_TIGHTENING_RANGE", "redisbloom", "tightening", vec![float("0.25")]);
    // What the 128 MiB of valkey-bloom let it reach.
    wrong("ERR_SCALE_TO", "valkey", "validate_scale_to", vec![int("26214301")]);
    let mut late = |options: Value| all.push(json!({ "steps": [new("f", options)], "code": "ERR_SCALE_TO" }));
    late(json!({ "capacity": 10, "expansion": null, "validate_scale_to": 11 }));
    late(json!({ "capacity": 10, "max_bytes": 2000, "validate_scale_to": 1000 }));
    // What a type system refuses: only the loosely typed languages can say it.
    for (field, values) in [
        ("capacity", vec![text("100"), json!({ "bool": true })]),
        ("fpr", vec![text("0.01"), json!({ "bool": true })]),
        ("expansion", vec![text("4"), json!({ "bool": true })]),
        ("tightening", vec![text("0.5"), json!({ "bool": true })]),
        ("max_bytes", vec![text("1000"), json!({ "bool": true })]),
        ("validate_scale_to", vec![text("1000"), json!({ "bool": true })]),
        ("seed", vec![text("1"), json!({ "bool": true })]),
        ("scheme", vec![int("1"), json!({ "bool": true })]),
    ] {
        for value in values {
            let mut options = json!({});
            options[field] = value;
            all.push(json!({ "steps": [new("f", options)], "code": "ERR_ARGUMENT_TYPE", "not": ["rust"] }));
        }
    }
}

fn combinations(all: &mut Vec<Value>) {
    let base = json!({ "capacity": 10, "tightening": 0.5 });
    let with = |field: &str, value: Value| {
        let mut other = base.clone();
        other[field] = value;
        other
    };
    let hex = |digits: &str| json!({ "hex": digits.repeat(32) });
    let pairs = [
        (base.clone(), with("scheme", "valkey".into()), "ERR_SCHEME_DIFFERS"),
        (base.clone(), with("seed", "1".into()), "ERR_SEED_DIFFERS"),
        (base.clone(), with("capacity", 11.into()), "ERR_CAPACITY_DIFFERS"),
        (base.clone(), with("fpr", 0.02.into()), "ERR_FPR_DIFFERS"),
        (base.clone(), with("expansion", 2.into()), "ERR_EXPANSION_DIFFERS"),
        (base.clone(), with("expansion", Value::Null), "ERR_EXPANSION_DIFFERS"),
        (base.clone(), with("tightening", 0.6.into()), "ERR_TIGHTENING_DIFFERS"),
        (base.clone(), with("tightening", Value::Null), "ERR_TIGHTENING_DIFFERS"),
        // The first difference in the order of FORMAT.md's section 6.6.
        (base.clone(), json!({ "capacity": 11, "fpr": 0.02, "seed": "1" }), "ERR_SEED_DIFFERS"),
        (
            json!({ "scheme": "valkey", "seed": hex("aa") }),
            json!({ "scheme": "valkey", "seed": hex("ab") }),
            "ERR_SEED_DIFFERS",
        ),
        (json!({ "scheme": "valkey" }), json!({ "scheme": "redisbloom" }), "ERR_SCHEME_DIFFERS"),
    ];
    for (a, b, code) in pairs {
        for op in ["union", "union_with"] {
            let last = json!({ "op": op, "id": "a", "of": ["a", "b"], "other": "b" });
            all.push(json!({ "steps": [new("a", a.clone()), new("b", b.clone()), last], "code": code }));
        }
    }
    // Two full filters have no room for each other.
    let full = json!({ "capacity": 10, "fpr": 1e-6, "max_bytes": 600 });
    let add = |id: &str, from: &str, to: &str| json!({ "op": "add", "id": id, "keys": [{ "ints": [from, to] }] });
    for op in ["union", "union_with"] {
        let last = json!({ "op": op, "id": "a", "of": ["a", "b"], "other": "b" });
        let steps =
            json!([new("a", full.clone()), add("a", "0", "10"), new("b", full.clone()), add("b", "10", "20"), last]);
        all.push(json!({ "steps": steps, "code": "ERR_MEMORY_LIMIT" }));
    }
}

fn calls(all: &mut Vec<Value>) {
    let mut call = |options: Value, step: Value, code: &str| {
        let mut step = step;
        step["id"] = "f".into();
        all.push(json!({ "steps": [new("f", options), step], "code": code }));
    };
    let (tepal, valkey, redisbloom) =
        (|| json!({}), || json!({ "scheme": "valkey" }), || json!({ "scheme": "redisbloom" }));
    for value in [int("0"), int("26214301"), int("9223372036854775808"), float("nan"), float("1.5")] {
        call(valkey(), json!({ "op": "validate_scale_to", "keys": value }), "ERR_SCALE_TO");
    }
    call(tepal(), json!({ "op": "to_valkey_load" }), "ERR_UNSUPPORTED");
    call(tepal(), json!({ "op": "to_valkey_dump" }), "ERR_UNSUPPORTED");
    call(tepal(), json!({ "op": "to_redisbloom" }), "ERR_UNSUPPORTED");
    call(redisbloom(), json!({ "op": "to_valkey_load" }), "ERR_UNSUPPORTED");
    call(redisbloom(), json!({ "op": "to_valkey_dump" }), "ERR_UNSUPPORTED");
    call(valkey(), json!({ "op": "to_redisbloom" }), "ERR_UNSUPPORTED");
    call(valkey(), json!({ "op": "hash", "keys": [{ "text": "a" }] }), "ERR_UNSUPPORTED");
    call(redisbloom(), json!({ "op": "hash", "keys": [{ "text": "a" }] }), "ERR_UNSUPPORTED");
    call(valkey(), json!({ "op": "save", "file": "none", "withhold_seed": true }), "ERR_UNSUPPORTED");
    for op in ["add", "add_many", "ask", "ask_many"] {
        call(tepal(), json!({ "op": op, "keys": [{ "int": "18446744073709551616" }] }), "ERR_KEY_RANGE");
    }
    let full = || json!({ "capacity": 1, "expansion": null, "fpr": 1e-6 });
    for op in ["add", "add_many"] {
        call(full(), json!({ "op": op, "keys": [{ "ints": ["0", "3"] }] }), "ERR_FULL");
    }
    let read = json!({ "op": "from_guava", "id": "f", "hex": crate::foreign::GUAVA });
    for op in ["add", "add_many"] {
        let add = json!({ "op": op, "id": "f", "keys": [{ "text": "new" }] });
        all.push(json!({ "steps": [read, add], "code": "ERR_READ_ONLY" }));
    }
    for op in ["clear", "to_valkey_load", "to_redisbloom"] {
        let code = if op == "clear" { "ERR_READ_ONLY" } else { "ERR_UNSUPPORTED" };
        all.push(json!({ "steps": [read, { "op": op, "id": "f" }], "code": code }));
    }
    // Side by side: nothing that a server could hold.
    let add = |id: &str, from: &str, to: &str| json!({ "op": "add", "id": id, "keys": [{ "ints": [from, to] }] });
    for (scheme, ops) in [("valkey", &["to_valkey_load", "to_valkey_dump"][..]), ("redisbloom", &["to_redisbloom"])] {
        for op in ops {
            let options = json!({ "scheme": scheme, "capacity": 10, "fpr": 0.001 });
            let steps = json!([new("a", options.clone()), add("a", "0", "10"), new("b", options), add("b", "10", "20"),
                { "op": "union", "id": "f", "of": ["a", "b"] }, { "op": op, "id": "f" }]);
            all.push(json!({ "steps": steps, "code": "ERR_UNSUPPORTED" }));
        }
    }
    let other = [new("f", tepal()), new("g", json!({ "seed": "1" }))];
    let ask = json!({ "op": "ask_hash_of", "id": "f", "other": "g", "keys": [{ "text": "x" }] });
    all.push(json!({ "steps": [other[0], other[1], ask], "code": "ERR_SEED_DIFFERS" }));
}
