//! The golden vectors: written here from the core, read by every language.
//!
//! Only inputs are written down ([`mod@cases`], [`tables`], [`mod@malformed`]); outcomes come from running the core and are
//! checked by the second implementation in tests/oracle. A file of a released version never changes.
#![allow(missing_docs)] // a tool of this repository, not a library to build on

pub mod cases; // the files
pub mod foreign; // payloads of other libraries
pub mod golden; // the tests that every language has, in Rust
pub mod growing; // the steps of scalable filters
pub mod growing_cases; // the files of scalable filters
pub mod growing_errors; // mistakes with scalable filters
pub mod growing_malformed; // bytes that are no scalable filter
pub mod keys; // keys in JSON
pub mod malformed; // bytes that no reader accepts
pub mod pretty; // JSON for people
pub mod script; // the steps that make filters, and their interpreter
pub mod tables; // hashes, sizes, addresses, errors

use cases::{cases, Case};
use malformed::{malformed, Good};
use script::{run, Files};
use serde_json::{json, Value};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Files in memory.
#[derive(Default)]
pub struct Memory(pub BTreeMap<String, Vec<u8>>);

impl Files for Memory {
    fn read(&mut self, name: &str) -> Vec<u8> {
        self.0.get(name).unwrap_or_else(|| panic!("no file {name}")).clone()
    }

    fn write(&mut self, name: &str, bytes: &[u8]) {
        self.0.insert(name.into(), bytes.to_vec());
    }
}

/// A folder of golden files: its name below tests/vectors, and what makes it (path → bytes).
pub type Folder = (&'static str, fn() -> BTreeMap<String, Vec<u8>>);

/// All folders.
pub const FOLDERS: [Folder; 2] = [("v1", generate), ("v1-scalable", generate_scalable)];

/// All of tests/vectors/v1-scalable: path → bytes.
pub fn generate_scalable() -> BTreeMap<String, Vec<u8>> {
    let mut files = Memory::default();
    let entries: Vec<Value> = growing_cases::cases().into_iter().map(|case| entry(case, &mut files)).collect();
    let foreign = foreign::foreign(&files);
    let bad: Vec<Value> = growing_malformed::malformed().into_iter().map(|bad| bad_entry(bad, &mut files)).collect();
    let mut document = |name: &str, value: Value| files.write(name, pretty::pretty(&value).as_bytes());
    document("manifest.json", json!({ "version": 1, "tolerance": 1e-9, "files": entries }));
    document("malformed.json", bad.into());
    document("foreign.json", foreign);
    document("errors.json", growing_errors::errors());
    files.0
}

/// All of tests/vectors/v1: path → bytes.
pub fn generate() -> BTreeMap<String, Vec<u8>> {
    let mut files = Memory::default();
    let entries: Vec<Value> = cases().into_iter().map(|case| entry(case, &mut files)).collect();
    let bad: Vec<Value> = malformed(&good()).into_iter().map(|bad| bad_entry(bad, &mut files)).collect();
    let mut document = |name: &str, value: Value| files.write(name, pretty::pretty(&value).as_bytes());
    document("manifest.json", json!({ "version": 1, "tolerance": 1e-9, "files": entries }));
    document("malformed.json", bad.into());
    document("hashes.json", tables::hashes());
    document("sizes.json", tables::sizes());
    document("addresses.json", tables::addresses());
    document("errors.json", tables::errors());
    files.0
}

/// Runs a case, keeps its file and returns its entry of the manifest.
fn entry(case: Case, files: &mut Memory) -> Value {
    let file = format!("{}.tepal", case.name);
    let mut save = json!({ "op": "save", "id": "f", "file": file });
    if case.withheld {
        save["withhold_seed"] = true.into();
    }
    let mut steps = case.steps;
    steps.push(save);
    let questions = [
        json!({ "op": "facts", "id": "f" }),
        json!({ "op": "ask", "id": "f", "keys": case.present }),
        json!({ "op": "ask", "id": "f", "keys": case.asked }),
    ];
    let mut outcomes = run(&[steps.clone(), questions.to_vec()].concat(), files);
    if let Some(error) = outcomes.last().and_then(|last| last.get("error")) {
        panic!("{}: {error} at {}", case.name, steps[outcomes.len() - 1]);
    }
    let asked = outcomes.pop().unwrap();
    let present = outcomes.pop().unwrap();
    assert!(!present.as_str().expect("answers").contains('0'), "{}: a key is lost", case.name);
    let facts = outcomes.pop().unwrap();
    for (step, outcome) in steps.iter_mut().zip(outcomes) {
        match step["op"].as_str() {
            Some("add") => step["new"] = outcome,
            Some("add_until_refused" | "add_many_until_refused") => step["refused"] = outcome,
            _ => {}
        }
    }
    let bytes = &files.0[&file];
    let mut entry = json!({ "file": file, "bytes": bytes.len(), "sha256": keys::hex(&Sha256::digest(bytes)) });
    if case.withheld {
        entry["open_seed"] = facts["seed"].clone();
    }
    entry["steps"] = steps.into();
    entry["facts"] = facts;
    entry["present"] = case.present;
    entry["asked"] = json!({ "keys": case.asked, "answers": asked });
    entry
}

fn bad_entry(bad: malformed::Bad, files: &mut Memory) -> Value {
    let file = format!("malformed/{}.tepal", bad.name);
    files.write(&file, &bad.bytes);
    let mut entry = json!({ "file": file, "code": bad.code });
    if let Some(seed) = bad.seed {
        entry["seed"] = seed.to_string().into();
    }
    if bad.lazy {
        entry["lazy"] = true.into();
    }
    entry
}

/// The good files that [`malformed`] spoils.
fn good() -> Good {
    let mut files = Memory::default();
    let mut make = |layout: &str, seed: &str, metadata: Value, withhold: bool| {
        let steps = [
            json!({ "op": "new", "id": "f", "capacity": 3, "fpr": 0.01, "seed": seed, "layout": layout, "metadata": metadata }),
            json!({ "op": "add", "id": "f", "keys": [{ "ints": ["0", "3"] }] }),
            json!({ "op": "save", "id": "f", "file": "good", "withhold_seed": withhold }),
        ];
        run(&steps, &mut files);
        files.read("good")
    };
    Good {
        line: make("line", "0", json!({}), false),
        metadata: make("line", "0", json!({ "rule": "nfkc-casefold-16", "source": "here" }), false),
        withheld: make("line", "5", json!({}), true),
        pair: make("pair", "0", json!({}), false),
        classic: make("classic", "0", json!({}), false),
    }
}
