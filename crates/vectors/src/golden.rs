//! What every language does with the vectors, in Rust: build each file again, read it, ask it, refuse the bad ones.
//!
//! `crates/tepal/tests/vectors.rs` calls these, natively and on 32-bit and big-endian targets.
use crate::keys::{hex, key};
use crate::script::{run, Files};
use crate::Memory;
use serde_json::{json, Value};
use std::path::{Path, PathBuf};
use tepal::{Key, LayoutChoice, Params};

/// A folder of golden files.
pub struct Golden {
    folder: PathBuf,
    /// The step that reads a file.
    load: &'static str,
}

impl Golden {
    /// tests/vectors/v1 below the root of the repository: Bloom filters.
    pub fn open(root: impl AsRef<Path>) -> Self {
        Golden { folder: root.as_ref().join("tests/vectors/v1"), load: "load" }
    }

    /// tests/vectors/v1-scalable: scalable filters.
    pub fn scalable(root: impl AsRef<Path>) -> Self {
        Golden { folder: root.as_ref().join("tests/vectors/v1-scalable"), load: "load_scalable" }
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.bytes(name)).expect("JSON")
    }

    /// Each file, built again from its steps, has the same bytes and `add` the same answers. Returns how many files.
    pub fn build_again(&self) -> usize {
        self.each(|entry, golden, files| {
            let steps = entry["steps"].as_array().unwrap();
            let outcomes = run(steps, files);
            for (step, outcome) in steps.iter().zip(&outcomes) {
                let expected = step.get("new").or(step.get("refused")).unwrap_or(&Value::Null);
                assert_eq!(outcome, expected, "{} {}", entry["file"], step["op"]);
            }
            assert!(files.read(entry["file"].as_str().unwrap()) == golden, "{}: other bytes", entry["file"]);
        })
    }

    /// Each file, read as a copy and as a view, has the recorded facts and answers, and writes the same bytes again.
    pub fn read(&self) -> usize {
        let tolerance = self.json("manifest.json")["tolerance"].as_f64().unwrap();
        self.each(|entry, golden, files| {
            let withheld = entry.get("open_seed").is_some();
            for lazy in [false, true] {
                files.write("file", golden);
                let steps = [
                    json!({ "op": self.load, "id": "f", "file": "file", "seed": entry.get("open_seed"), "lazy": lazy }),
                    json!({ "op": "verify", "id": "f" }),
                    json!({ "op": "save", "id": "f", "file": "again", "withhold_seed": withheld }),
                    json!({ "op": "facts", "id": "f" }),
                    json!({ "op": "ask", "id": "f", "keys": entry["present"] }),
                    json!({ "op": "ask", "id": "f", "keys": entry["asked"]["keys"] }),
                    json!({ "op": "ask_many", "id": "f", "keys": entry["asked"]["keys"] }),
                ];
                let out = run(&steps, files);
                let name = entry["file"].as_str().unwrap();
                assert_eq!(out.len(), steps.len(), "{name}: {:?}", out.last());
                assert!(files.read("again") == golden, "{name}: writes other bytes than it read");
                same_facts(&out[3], &entry["facts"], tolerance, name);
                assert!(!out[4].as_str().unwrap().contains('0'), "{name}: a key is lost");
                assert_eq!(out[5], entry["asked"]["answers"], "{name}: other answers");
                assert_eq!(out[6], entry["asked"]["answers"], "{name}: other answers in a batch");
            }
        })
    }

    fn each(&self, test: impl Fn(&Value, &[u8], &mut Memory)) -> usize {
        let manifest = self.json("manifest.json");
        let entries = manifest["files"].as_array().unwrap();
        for entry in entries {
            test(entry, &self.bytes(entry["file"].as_str().unwrap()), &mut Memory::default());
        }
        entries.len()
    }

    /// Each bad file is refused with its code.
    pub fn refuse(&self) -> usize {
        let list = self.json("malformed.json");
        for bad in list.as_array().unwrap() {
            let name = bad["file"].as_str().unwrap();
            let mut files = Memory::default();
            files.write("bad", &self.bytes(name));
            let mut load = json!({ "op": self.load, "id": "f", "file": "bad", "seed": bad.get("seed") });
            let refused = json!({ "error": bad["code"] });
            assert_eq!(run(std::slice::from_ref(&load), &mut files), std::slice::from_ref(&refused), "{name}");
            load["lazy"] = true.into();
            let late = bad["lazy"] == true;
            let expected = if late { vec![Value::Null, refused] } else { vec![refused] };
            assert_eq!(run(&[load, json!({ "op": "verify", "id": "f" })], &mut files), expected, "{name} as a view");
        }
        list.as_array().unwrap().len()
    }

    /// Each bad file for a reader of another kind: name, bytes, seed to open it with, code.
    pub fn bad_files(&self) -> Vec<(String, Vec<u8>, Option<u64>, String)> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let list = self.json("malformed.json");
        let each = list.as_array().unwrap().iter().map(|bad| {
            let name = text(&bad["file"]).unwrap();
            let seed = text(&bad["seed"]).map(|seed| seed.parse().unwrap());
            (name.clone(), self.bytes(&name), seed, text(&bad["code"]).unwrap())
        });
        each.collect()
    }

    /// Each good file: name, bytes, seed to open it with.
    pub fn good_files(&self) -> Vec<(String, Vec<u8>, Option<u64>)> {
        let list = self.json("manifest.json");
        let each = list["files"].as_array().unwrap().iter().map(|entry| {
            let name = entry["file"].as_str().unwrap().to_owned();
            let seed = entry["open_seed"].as_str().map(|seed| seed.parse().unwrap());
            (name.clone(), self.bytes(&name), seed)
        });
        each.collect()
    }

    /// Keys hash as recorded.
    pub fn hash(&self) -> usize {
        self.rows("hashes.json", |row| {
            let hash = key(&row["key"]).unwrap().hash_key(row["seed"].as_str().unwrap().parse().unwrap());
            assert_eq!(
                hex(&[hash.hi.to_be_bytes(), hash.lo.to_be_bytes()].concat()),
                row["hash"].as_str().unwrap(),
                "{row}"
            );
        })
    }

    /// Capacities and rates have the recorded sizes.
    pub fn size(&self) -> usize {
        self.rows("sizes.json", |row| {
            let layout = LayoutChoice::from_name(row[2].as_str().unwrap()).unwrap();
            let params = Params::new(row[0].as_u64().unwrap(), row[1].as_f64().unwrap(), 0, layout).unwrap();
            assert_eq!(json!([params.num_probes(), params.num_lines()]), json!([row[3], row[4]]), "{row}");
        })
    }

    /// Keys own the recorded bits of filters too large to allocate.
    pub fn address(&self) -> usize {
        self.rows("addresses.json", |row| {
            let hash = key(&row["key"]).unwrap().hash_key(row["seed"].as_str().unwrap().parse().unwrap());
            let layout = LayoutChoice::from_name(row["layout"].as_str().unwrap()).unwrap();
            let params =
                Params::new(row["capacity"].as_u64().unwrap(), row["fpr"].as_f64().unwrap(), 9, layout).unwrap();
            assert_eq!(json!(params.num_lines()), row["lines"], "{row}");
            assert_eq!(json!(params.addresses(hash)), row["bits"], "{row}");
        })
    }

    /// Each payload of another library is read with the recorded facts and answers, or refused with its code, and what is written is as recorded.
    pub fn exchange(&self) -> usize {
        let (manifest, foreign) = (self.json("manifest.json"), self.json("foreign.json"));
        let list = |name: &str| foreign[name].as_array().unwrap().clone();
        let with_id = |mut step: Value| {
            step["id"] = "f".into();
            step
        };
        for entry in list("read") {
            let name = entry["name"].as_str().unwrap();
            let steps = [
                with_id(entry.clone()),
                json!({ "op": "facts", "id": "f" }),
                json!({ "op": "ask", "id": "f", "keys": entry["present"] }),
                json!({ "op": "ask_many", "id": "f", "keys": entry["asked"]["keys"] }),
            ];
            let out = run(&steps, &mut Memory::default());
            assert_eq!(out.len(), 4, "{name}: {:?}", out.last());
            same_facts(&out[1], &entry["facts"], manifest["tolerance"].as_f64().unwrap(), name);
            assert!(!out[2].as_str().unwrap().contains('0'), "{name}: a key is lost");
            assert_eq!(out[3], entry["asked"]["answers"], "{name}: other answers");
        }
        for entry in list("refused") {
            let out = run(&[with_id(entry.clone())], &mut Memory::default());
            assert_eq!(out, [json!({ "error": entry["code"] })], "{}", entry["name"]);
        }
        for entry in list("written") {
            let file = entry["file"].as_str().unwrap();
            let mut files = Memory::default();
            files.write("file", &self.bytes(file));
            for op in ["to_valkey_load", "to_valkey_dump", "to_redisbloom"].iter().filter(|op| entry.get(*op).is_some())
            {
                let from = if *op == "to_redisbloom" { "from_redisbloom" } else { "from_valkey" };
                let steps = [
                    json!({ "op": "load_scalable", "id": "f", "file": "file" }),
                    json!({ "op": op, "id": "f" }),
                    json!({ "op": from, "id": "g", "hex": entry[*op], "chunks": entry[*op] }),
                    json!({ "op": "equal", "id": "f", "other": "g" }),
                ];
                let out = run(&steps, &mut files);
                assert_eq!(out[1..], [entry[*op].clone(), Value::Null, true.into()], "{file} {op}");
            }
        }
        ["read", "refused", "written"].iter().map(|name| list(name).len()).sum()
    }

    /// Each mistake with a scalable filter has its code.
    pub fn growing_mistake(&self) -> usize {
        self.rows("errors.json", |row| {
            if !row["not"].as_array().is_some_and(|not| not.contains(&"rust".into())) {
                let steps = row["steps"].as_array().unwrap();
                let out = run(steps, &mut Memory::default());
                assert_eq!(out.len(), steps.len(), "{row}: {:?}", out.last());
                assert_eq!(out.last(), Some(&json!({ "error": row["code"] })), "{row}");
            }
        })
    }

    fn rows(&self, file: &str, test: impl Fn(&Value)) -> usize {
        let list = self.json(file);
        list.as_array().unwrap().iter().for_each(test);
        list.as_array().unwrap().len()
    }

    /// Each mistake that Rust can make has its code.
    pub fn mistake(&self) -> usize {
        let errors = self.json("errors.json");
        let scripts = mistakes(&errors, "rust");
        for (steps, code) in &scripts {
            let out = run(steps, &mut Memory::default());
            assert_eq!(out.last(), Some(&json!({ "error": code })), "{steps:?}");
        }
        scripts.len()
    }
}

/// The mistakes as scripts whose last step fails, without those that a language cannot make.
fn mistakes(errors: &Value, language: &str) -> Vec<(Vec<Value>, Value)> {
    let with = |mut args: Value, id: &str| {
        args["op"] = "new".into();
        args["id"] = id.into();
        args
    };
    let some = || with(json!({ "capacity": 100 }), "f");
    let mut all = Vec::new();
    let mut add = |row: &Value, steps: Vec<Value>| {
        if !row["not"].as_array().is_some_and(|not| not.contains(&language.into())) {
            all.push((steps, row["code"].clone()));
        }
    };
    for row in errors["constructor"].as_array().unwrap() {
        add(row, vec![with(row["args"].clone(), "f")]);
    }
    for row in errors["keys"].as_array().unwrap() {
        for op in ["add", "ask", "add_many", "ask_many"] {
            add(row, vec![some(), json!({ "op": op, "id": "f", "keys": [row["key"]] })]);
        }
    }
    for row in errors["mismatch"].as_array().unwrap() {
        let last = json!({ "op": row["op"], "id": "a", "of": ["a", "b"], "other": "b" });
        add(row, vec![with(row["a"].clone(), "a"), with(row["b"].clone(), "b"), last]);
    }
    for row in errors["calls"].as_array().unwrap() {
        let last =
            json!({ "op": row["call"], "id": "g", "from": "f", "factor": row["value"], "capacity": row["value"] });
        add(row, vec![with(row["of"].clone(), "f"), last]);
    }
    let other = with(json!({ "capacity": 100, "seed": "1" }), "g");
    let ask = json!({ "op": "ask_hash_of", "id": "f", "other": "g", "keys": [{ "text": "x" }] });
    add(&json!({ "code": errors["hash_of_another_seed"] }), vec![some(), other, ask]);
    add(&json!({ "code": errors["union_all_of_nothing"] }), vec![json!({ "op": "union_all", "id": "f", "of": [] })]);
    all
}

fn same_facts(got: &Value, expected: &Value, tolerance: f64, name: &str) {
    for (fact, value) in expected.as_object().unwrap() {
        let near = ["fill_ratio", "estimated_count", "estimated_fpr", "saturation"].contains(&fact.as_str());
        match (near, got[fact].as_f64(), value.as_f64()) {
            (true, Some(a), Some(b)) => {
                assert!((a - b).abs() <= tolerance * b.abs(), "{name} {fact}: {a}, expected {b}")
            }
            _ => assert_eq!(&got[fact], value, "{name} {fact}"),
        }
    }
}
