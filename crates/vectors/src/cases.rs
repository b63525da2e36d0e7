//! The files of tests/vectors/v1: how each is made and what is asked of it. Only inputs stand here; every outcome comes
//! from running the steps.
use serde_json::{json, Value};

/// One file of the vectors.
pub struct Case {
    /// Name without extension.
    pub name: &'static str,
    /// The steps that make filter `f`; the step that saves it is added.
    pub steps: Vec<Value>,
    /// Keys that must be found.
    pub present: Value,
    /// Strangers whose exact answers are recorded.
    pub asked: Value,
    /// The file does not hold its seed.
    pub withheld: bool,
}

pub(crate) fn case(name: &'static str, steps: Vec<Value>, present: Value) -> Case {
    let asked = json!([{ "ints": ["1000000", "1000300"] }, { "texts": ["stranger-", 0, 100] }, { "text": "nobody" }]);
    Case { name, steps, present, asked, withheld: false }
}

/// A new filter `f` with these keys added.
fn plain(name: &'static str, capacity: u64, fpr: f64, layout: &str, seed: &str, present: Value) -> Case {
    let new = json!({ "op": "new", "id": "f", "capacity": capacity, "fpr": fpr, "seed": seed, "layout": layout });
    case(name, vec![new, json!({ "op": "add", "id": "f", "keys": present })], present)
}

pub(crate) fn ints(from: i64, to: i64) -> Value {
    json!([{ "ints": [from.to_string(), to.to_string()] }])
}

/// Texts in several scripts, among them some whose normal forms differ: they are different keys.
fn texts() -> Vec<Value> {
    [
        "tepal",
        "",
        "a",
        "Grüße",
        "Gru\u{308}ße",
        "日本語のテキスト",
        "한국어",
        "Здравствуйте",
        "مرحبا بالعالم",
        "שלום",
        "नमस्ते",
        "สวัสดี",
        "Ελληνικά",
        "👩‍👩‍👧‍👦",
        "\u{0}",
        "\u{feff}x",
        "\u{ffff}",
        "𝒯𝑒𝓅𝒶𝓁",
        "line\nbreak",
        "tab\t",
        "\"quoted\\\"",
    ]
    .iter()
    .map(|text| json!({ "text": text }))
    .collect()
}

fn integers() -> Vec<Value> {
    [
        "0",
        "1",
        "-1",
        "127",
        "-128",
        "255",
        "256",
        "65536",
        "4294967295",
        "4294967296",
        "-2147483648",
        "9007199254740991",
        "9007199254740993",
        "-9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
        "18446744073709551615",
    ]
    .iter()
    .map(|int| json!({ "int": int }))
    .collect()
}

/// Lengths at the borders of the hash's code paths.
fn lengths() -> Vec<Value> {
    let borders = [
        0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65, 96, 97, 127, 128, 129, 160, 239, 240, 241, 300, 511,
        512, 513, 1024, 1025, 4096, 10000,
    ];
    borders.iter().map(|n| json!({ "repeat": ["a5", n] })).chain([json!({ "hex": "00ff8041" })]).collect()
}

fn compounds() -> Vec<Value> {
    vec![
        json!({ "parts": [] }),
        json!({ "parts": [{ "text": "ab" }, { "text": "c" }] }),
        json!({ "parts": [{ "text": "a" }, { "text": "bc" }] }),
        json!({ "parts": [{ "text": "user" }, { "int": "42" }] }),
        json!({ "parts": [{ "int": "-1" }, { "hex": "" }, { "text": "é" }] }),
        json!({ "parts": [{ "parts": [{ "text": "a" }] }, { "text": "b" }] }),
    ]
}

/// Every kind of key.
pub fn all_kinds() -> Value {
    Value::Array([texts(), integers(), lengths(), compounds()].concat())
}

/// All files.
pub fn cases() -> Vec<Case> {
    let mut all = shapes();
    all.extend(options());
    all.extend(derived());
    all
}

/// Layouts, sizes and fills.
fn shapes() -> Vec<Case> {
    let one = || json!([{ "text": "tepal" }]);
    let mut all = vec![
        plain("line-empty", 100, 0.01, "auto", "0", json!([])),
        plain("line-1", 1, 0.01, "auto", "0", one()),
        plain("line-2", 2, 0.01, "line", "0", json!([{ "text": "tepal" }, { "int": "-1" }])),
        plain("line-kinds", 100, 0.01, "auto", "0", all_kinds()),
        plain("line-100", 100, 0.01, "auto", "0", ints(-50, 50)),
        plain("line-half", 1000, 0.5, "auto", "7", ints(0, 1000)),
        plain("line-1000", 1000, 0.001, "auto", "42", ints(0, 1000)),
        plain("line-9999", 9999, 0.01, "auto", "0", json!([{ "texts": ["user-", 0, 9999] }])),
        plain("line-10000", 10000, 0.01, "auto", "0", json!([{ "texts": ["user-", 0, 10000] }])),
        plain("line-overfull", 10, 0.01, "auto", "0", ints(0, 150)),
        plain("line16-10", 10, 1e-9, "line", "0", ints(0, 10)),
        plain("line16-500", 500, 1e-5, "line", "0", ints(0, 500)),
        plain("line16-10001", 10001, 1e-4, "line", "3", ints(0, 10001)),
        plain("line16-overfull", 10, 1e-9, "line", "0", ints(0, 80)),
        plain("pair-1", 1, 1e-5, "auto", "0", one()),
        plain("pair-kinds", 100, 1e-5, "auto", "0", all_kinds()),
        plain("pair-300", 300, 1e-6, "auto", "0", ints(-300, 0)),
        plain("pair-12000", 12000, 1e-4, "pair", "11", ints(0, 12000)),
        plain("pair-overfull", 20, 0.1, "pair", "0", ints(0, 200)),
        plain("classic-1", 1, 1e-8, "auto", "0", one()),
        plain("classic-kinds", 100, 1e-3, "classic", "0", all_kinds()),
        plain("classic-1000", 1000, 0.01, "classic", "0", ints(0, 1000)),
        plain("classic-half", 700, 0.5, "classic", "0", ints(0, 700)),
        plain("classic-500-tiny-rate", 500, 1e-9, "classic", "0", ints(0, 500)),
        plain("classic-20000", 20000, 0.01, "classic", "5", ints(0, 20000)),
        plain("classic-full", 1, 0.5, "classic", "0", ints(0, 6000)),
    ];
    // A filter without keys still says what it would answer: no, to everyone.
    all[0].steps.truncate(1);
    all
}

/// Seeds, metadata, a seed withheld.
fn options() -> Vec<Case> {
    let with = |name, seed: &str, layout: &str, metadata: Value| {
        let mut made = plain(name, 50, 0.01, layout, seed, ints(0, 50));
        made.steps[0]["metadata"] = metadata;
        made
    };
    let scripts = json!({ "rule": "nfkc-casefold-16", "größe": "5", "empty": "", "日本": "語", "zz": "\u{0}\n\"", "Z": "before a" });
    let mut all = vec![
        with("seed-1", "1", "line", json!({})),
        with("seed-2-63", "9223372036854775808", "pair", json!({})),
        with("seed-max", "18446744073709551615", "classic", json!({})),
        with("metadata", "0", "line", scripts.clone()),
        with("metadata-full-line", "0", "line", json!({ "k": "x".repeat(55) })),
        with("metadata-one-more", "0", "line", json!({ "k": "x".repeat(56) })),
        with("metadata-long", "0", "pair", json!({ "long": "0123456789abcdef".repeat(100), "short": "" })),
        with("withheld", "12345678901234567890", "line", json!({})),
        with("withheld-zero", "0", "pair", json!({})),
        with("withheld-metadata", "99", "classic", scripts),
    ];
    for made in &mut all {
        made.withheld = made.name.starts_with("withheld");
    }
    all
}

/// Filters made of filters.
fn derived() -> Vec<Case> {
    let new = |id: &str, capacity: u64, fpr: f64, layout: &str, note: &str| {
        let metadata = if note.is_empty() { json!({}) } else { json!({ "same": "yes", "source": note }) };
        json!({ "op": "new", "id": id, "capacity": capacity, "fpr": fpr, "seed": "8", "layout": layout, "metadata": metadata })
    };
    let add = |id: &str, from: i64, to: i64| json!({ "op": "add", "id": id, "keys": ints(from, to) });
    let two = |name, layout: &str, op: &str, sizes: [u64; 2], fpr: f64| {
        let last = json!({ "op": op, "id": "f", "of": ["a", "b"] });
        let steps = vec![
            new("a", sizes[0], fpr, layout, "a"),
            add("a", 0, 60),
            new("b", sizes[1], fpr, layout, "b"),
            add("b", 40, 100),
            last,
        ];
        case(name, steps, if op == "union" { ints(0, 100) } else { ints(40, 60) })
    };
    let fold = |name, layout: &str, capacity: u64, fpr: f64, factor: u64| {
        let last = json!({ "op": "fold", "id": "f", "from": "a", "factor": factor });
        case(name, vec![new("a", capacity, fpr, layout, "kept"), add("a", 0, 100), last], ints(0, 100))
    };
    let shrink = |name, layout: &str, size: u64, fpr: f64| {
        let last = json!({ "op": "shrink_to", "id": "f", "from": "a", "capacity": 120 });
        case(name, vec![new("a", size, fpr, layout, "kept"), add("a", 0, 100), last], ints(0, 100))
    };
    let in_place = |name, op: &str, sizes: [u64; 2], present: Value| {
        let last = json!({ "op": op, "id": "f", "other": "b" });
        let steps = vec![
            new("f", sizes[0], 0.01, "line", "self"),
            add("f", 0, 60),
            new("b", sizes[1], 0.01, "line", "other"),
            add("b", 40, 100),
            last,
        ];
        case(name, steps, present)
    };
    let build = |name, fpr: f64, keys: Value| {
        let step = json!({ "op": "build", "id": "f", "fpr": fpr, "seed": "8", "layout": "auto", "metadata": { "built": "yes" }, "keys": keys });
        case(name, vec![step], keys)
    };
    let repeated = json!([{ "ints": ["0", "40"] }, { "ints": ["20", "60"] }, { "int": "-1" }, { "int": "18446744073709551615" }, { "hex": "0100000000000000" }]);
    vec![
        two("union-line", "line", "union", [100, 100], 0.01),
        two("union-line16", "line", "union", [100, 100], 1e-6),
        two("union-pair", "pair", "union", [100, 100], 1e-5),
        two("union-classic", "classic", "union", [200, 200], 0.001),
        two("union-sizes", "line", "union", [12_750, 100], 0.01),
        two("union-sizes-pair", "pair", "union", [100, 12_750], 0.0001),
        two("intersection-line", "line", "intersection", [100, 100], 0.01),
        two("intersection-classic", "classic", "intersection", [200, 200], 0.01),
        case(
            "union-all-sizes",
            // 4, 6 and 2 lines: each is a multiple of the smallest, none of its neighbour.
            vec![
                new("a", 200, 0.01, "line", "x"),
                add("a", 0, 30),
                new("b", 300, 0.01, "line", "x"),
                add("b", 30, 60),
                new("c", 100, 0.01, "line", "x"),
                add("c", 60, 90),
                json!({ "op": "union_all", "id": "f", "of": ["a", "b", "c"] }),
            ],
            ints(0, 90),
        ),
        case(
            "union-all",
            vec![
                new("a", 200, 0.01, "line", "x"),
                add("a", 0, 30),
                new("b", 200, 0.01, "line", "y"),
                add("b", 30, 60),
                new("c", 200, 0.01, "line", "x"),
                add("c", 60, 90),
                json!({ "op": "union_all", "id": "f", "of": ["a", "b", "c"] }),
            ],
            ints(0, 90),
        ),
        in_place("union-with", "union_with", [100, 100], ints(0, 100)),
        in_place("union-with-larger", "union_with", [100, 12_750], ints(0, 100)),
        in_place("intersect-with", "intersect_with", [100, 100], ints(40, 60)),
        fold("fold-line", "line", 12_750, 0.01, 63),
        fold("fold-line16", "line", 1_000, 1e-6, 2),
        fold("fold-pair", "pair", 1_000, 1e-4, 2),
        fold("fold-classic", "classic", 12_000, 0.01, 15),
        fold("fold-to-one-line", "line", 100, 0.01, 2),
        shrink("shrink-line", "line", 12_750, 0.01),
        shrink("shrink-pair", "pair", 12_900, 1e-5),
        shrink("shrink-classic", "classic", 12_900, 0.01),
        build("build-repeats", 0.01, repeated),
        build("build-none", 0.01, json!([])),
        build("build-low-rate", 1e-8, ints(0, 77)),
        case(
            "clear-and-copy",
            vec![
                new("a", 100, 0.01, "line", "x"),
                add("a", 0, 80),
                json!({ "op": "copy", "id": "f", "from": "a" }),
                json!({ "op": "clear", "id": "f" }),
                add("f", 200, 260),
                add("a", 80, 90),
            ],
            ints(200, 260),
        ),
    ]
}
