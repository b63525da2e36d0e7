//! The language of the vectors and of the cross-language tests: a list of steps over named filters.
//!
//! Every language has an interpreter of the same steps (tests/cross/README.md). A step may leave an outcome: the answers
//! of an `add`, the bytes of a `save`. A step that fails leaves `{"error": code}` and ends its script.
use crate::growing::Growing;
use crate::keys::{integer, keys};
use serde_json::{json, Value};
use std::collections::HashMap;
use tepal::{arg, BloomFilter, Error, Explanation, KeyHash, LayoutChoice, Metadata, Options, Storage};

/// The files that a script saves and loads: a folder, or memory.
pub trait Files {
    /// The bytes of a file.
    fn read(&mut self, name: &str) -> Vec<u8>;
    /// Keeps the bytes of a file.
    fn write(&mut self, name: &str, bytes: &[u8]);
}

/// Runs one script and returns the outcomes of its steps.
pub fn run(steps: &[Value], files: &mut dyn Files) -> Vec<Value> {
    let mut machine = Machine { filters: HashMap::new(), growing: Growing::default(), files };
    let mut outcomes = Vec::new();
    for step in steps {
        match machine.step(step) {
            Ok(outcome) => outcomes.push(outcome),
            Err(error) => {
                outcomes.push(json!({ "error": error.code() }));
                break;
            }
        }
    }
    outcomes
}

struct Machine<'f> {
    filters: HashMap<String, BloomFilter<Storage>>,
    growing: Growing,
    files: &'f mut dyn Files,
}

impl Machine<'_> {
    fn get(&self, name: &Value) -> &BloomFilter<Storage> {
        &self.filters[name.as_str().expect("an id")]
    }

    fn step(&mut self, step: &Value) -> Result<Value, Error> {
        if let Some(outcome) = self.growing.step(step, self.files) {
            return outcome;
        }
        let made = match step["op"].as_str().expect("an op") {
            "new" => {
                let (capacity, fpr, options) = arguments(step)?;
                BloomFilter::with_options(capacity.expect("a capacity"), fpr, options)?.into_storage()
            }
            "build" => {
                let (_, fpr, options) = arguments(step)?;
                let hashes = keys(&step["keys"])?.iter().map(|key| tepal::Key::hash_key(key, options.seed)).collect();
                BloomFilter::build_hashes(hashes, fpr, options)?.into_storage()
            }
            "load" => self.load(step)?,
            "copy" => self.get(&step["from"]).copy()?.into_storage(),
            "fold" => self.get(&step["from"]).fold(factor(&step["factor"])?)?.into_storage(),
            "shrink_to" => self.get(&step["from"]).shrink_to(capacity(&step["capacity"])?)?.into_storage(),
            "union" => self.get(&step["of"][0]).union(self.get(&step["of"][1]))?.into_storage(),
            "intersection" => self.get(&step["of"][0]).intersection(self.get(&step["of"][1]))?.into_storage(),
            "union_all" => {
                let all: Vec<_> = step["of"].as_array().unwrap().iter().map(|name| self.get(name)).collect();
                tepal::union_all(all)?.into_storage()
            }
            _ => return self.act(step),
        };
        self.filters.insert(step["id"].as_str().expect("an id").into(), made);
        Ok(Value::Null)
    }

    fn act(&mut self, step: &Value) -> Result<Value, Error> {
        let filter = self.get(&step["id"]);
        match step["op"].as_str().unwrap() {
            "add" => {
                let mut answers = String::new();
                for key in keys(&step["keys"])? {
                    answers.push(digit(filter.insert_hash_raw(filter.key_hash(&key).hash())?));
                }
                return Ok(answers.into());
            }
            "add_many" => {
                let hashes: Vec<_> = keys(&step["keys"])?.iter().map(|key| filter.key_hash(key).hash()).collect();
                let mut out = vec![false; hashes.len()];
                filter.insert_hashes(&hashes, &mut out)?;
                return Ok(out.into_iter().map(digit).collect::<String>().into());
            }
            "ask" => {
                return Ok(keys(&step["keys"])?
                    .iter()
                    .map(|key| digit(filter.contains(key)))
                    .collect::<String>()
                    .into())
            }
            "ask_many" => {
                let hashes: Vec<_> = keys(&step["keys"])?.iter().map(|key| filter.key_hash(key).hash()).collect();
                let mut out = vec![false; hashes.len()];
                filter.contains_hashes(&hashes, &mut out);
                return Ok(out.into_iter().map(digit).collect::<String>().into());
            }
            "hash" => return Ok(keys(&step["keys"])?.iter().map(|key| filter.key_hash(key).to_hex()).collect()),
            "ask_hash_of" => {
                let hash = self.get(&step["other"]).key_hash(&keys(&step["keys"])?[0]);
                return Ok(json!(filter.contains_hash_raw(filter.check_hash(&hash)?)));
            }
            "explain" => return Ok(keys(&step["keys"])?.iter().map(|key| explained(&filter.explain(key))).collect()),
            "equal" => return Ok(json!(filter.same_filter(self.get(&step["other"])))),
            "size" => return Ok(json!([filter.num_probes(), filter.num_lines()])),
            "facts" => return Ok(facts(filter)),
            "verify" => filter.verify()?,
            "clear" => filter.clear()?,
            "union_with" => filter.union_with(self.get(&step["other"]))?,
            "intersect_with" => filter.intersect_with(self.get(&step["other"]))?,
            "save" => {
                let withhold = step["withhold_seed"].as_bool().unwrap_or(false);
                let bytes = if withhold { filter.to_bytes_without_seed()? } else { filter.to_bytes()? };
                self.files.write(step["file"].as_str().unwrap(), &bytes);
            }
            other => panic!("unknown op: {other}"),
        }
        Ok(Value::Null)
    }

    /// From bytes, checked wholly; `lazy`: a shared view whose body nobody has read yet.
    fn load(&mut self, step: &Value) -> Result<BloomFilter<Storage>, Error> {
        let bytes = self.files.read(step["file"].as_str().unwrap());
        let seed = step.get("seed").filter(|seed| !seed.is_null()).map(|seed| integer(seed) as u64);
        let lazy = step["lazy"].as_bool().unwrap_or(false);
        match (seed, lazy) {
            (Some(seed), false) => Ok(BloomFilter::from_bytes_with_seed(&bytes, seed)?.into_storage()),
            (seed, true) => BloomFilter::from_shared(std::sync::Arc::new(bytes), seed),
            (None, false) => Ok(BloomFilter::from_bytes(&bytes)?.into_storage()),
        }
    }
}

/// Hash, answer, chance, and per line its number, its offset in the body and the key's bits.
fn explained(why: &Explanation) -> Value {
    let lines = why.lines.iter().map(|line| {
        let bits: Value = line.bits.iter().map(|b| json!([b.lane, b.bit, b.set])).collect();
        json!([line.line, line.body_offset, bits])
    });
    json!([KeyHash::new(why.hash, 0).to_hex(), why.contained, why.false_positive_chance, lines.collect::<Value>()])
}

pub(crate) fn digit(yes: bool) -> char {
    if yes {
        '1'
    } else {
        '0'
    }
}

/// A number as the loosely typed languages give it: `{"float": …}`, `{"int": …}`, or a plain JSON integer.
pub(crate) enum Loose {
    Float(f64),
    Int(i128),
}

pub(crate) fn loose(value: &Value) -> Loose {
    match (value.get("float"), value.get("int")) {
        (Some(text), _) => Loose::Float(text.as_str().unwrap().parse().expect("a float")),
        (_, Some(int)) => Loose::Int(integer(int)),
        _ if value.is_f64() => Loose::Float(value.as_f64().unwrap()),
        _ => Loose::Int(integer(value)),
    }
}

fn capacity(value: &Value) -> Result<u64, Error> {
    match loose(value) {
        Loose::Float(x) => arg::capacity_f64(x),
        Loose::Int(i) => arg::capacity_i128(i),
    }
}

fn factor(value: &Value) -> Result<u64, Error> {
    match loose(value) {
        Loose::Float(x) => arg::factor_f64(x),
        Loose::Int(i) => arg::factor_i128(i),
    }
}

/// Capacity (of `new`), rate and options of a step; what is left out has the core's default.
fn arguments(step: &Value) -> Result<(Option<u64>, f64, Options), Error> {
    let mut options = Options::default();
    let capacity = step.get("capacity").map(capacity).transpose()?;
    let fpr = step.get("fpr").map_or(tepal::DEFAULT_FPR, |value| match loose(value) {
        Loose::Float(x) => x,
        Loose::Int(i) => i as f64,
    });
    if let Some(seed) = step.get("seed") {
        options.seed = match loose(seed) {
            Loose::Float(x) => arg::seed_f64(x)?,
            Loose::Int(i) => arg::seed_i128(i)?,
        };
    }
    if let Some(layout) = step.get("layout") {
        options.layout = LayoutChoice::from_name(layout.get("text").unwrap_or(layout).as_str().unwrap())?;
    }
    if let Some(value) = step.get("metadata") {
        options.metadata = metadata(value)?;
    }
    Ok((capacity, fpr, options))
}

/// Metadata; a value may be a run.
pub(crate) fn metadata(pairs: &Value) -> Result<Metadata, Error> {
    let text = |v: &Value| match v.get("repeat") {
        Some(run) => run[0].as_str().unwrap().repeat(run[1].as_u64().unwrap() as usize),
        None => v.as_str().unwrap().to_owned(),
    };
    Metadata::from_pairs(pairs.as_object().unwrap().iter().map(|(k, v)| (k.clone(), text(v))))
}

/// All facts of a filter, in the order of the manifest.
pub fn facts(filter: &BloomFilter<Storage>) -> Value {
    let metadata: serde_json::Map<_, _> = filter.metadata().iter().map(|(k, v)| (k.to_owned(), json!(v))).collect();
    json!({
        "capacity": filter.capacity(),
        "fpr": filter.fpr(),
        "seed": filter.seed().to_string(),
        "layout": filter.layout().name(),
        "num_probes": filter.num_probes(),
        "num_lines": filter.num_lines(),
        "num_bits": filter.num_bits(),
        "byte_len": filter.byte_len(),
        "metadata": metadata,
        "fill_ratio": filter.fill_ratio(),
        "estimated_count": filter.estimated_count(),
        "estimated_fpr": filter.estimated_fpr(),
        "saturation": filter.saturation(),
    })
}
