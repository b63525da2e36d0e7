//! The steps of scalable filters: `new_scalable`, the readers of foreign bytes, and what is asked of such a filter.
use crate::keys::{hex, integer, keys, unhex};
use crate::script::{digit, loose, metadata, Files, Loose};
use serde_json::{json, Value};
use std::collections::HashMap;
use tepal::{arg, Error, ScalableBloomFilter, ScalableOptions, Scheme, Seed};

/// The scalable filters of a script.
#[derive(Default)]
pub struct Growing(HashMap<String, ScalableBloomFilter>);

impl Growing {
    /// Runs a step of a scalable filter; none if the step is about another kind.
    pub fn step(&mut self, step: &Value, files: &mut dyn Files) -> Option<Result<Value, Error>> {
        let made = match step["op"].as_str().expect("an op") {
            "new_scalable" => new(step),
            "load_scalable" => load(step, files),
            "from_valkey" => ScalableBloomFilter::from_valkey(&bytes(step)),
            "from_redisbloom" => from_redisbloom(step),
            "from_guava" => ScalableBloomFilter::from_guava(&bytes(step)),
            "from_spark" => ScalableBloomFilter::from_spark(&bytes(step)),
            "copy" => self.get(&step["from"])?.copy(),
            "union" => self.get(&step["of"][0])?.union(self.get(&step["of"][1])?),
            op => return Some(self.act(op, self.get(&step["id"])?, step, files)),
        };
        Some(made.map(|filter| {
            self.0.insert(step["id"].as_str().expect("an id").into(), filter);
            Value::Null
        }))
    }

    fn get(&self, name: &Value) -> Option<&ScalableBloomFilter> {
        self.0.get(name.as_str()?)
    }

    fn act(&self, op: &str, filter: &ScalableBloomFilter, step: &Value, files: &mut dyn Files) -> Result<Value, Error> {
        let all = || keys(&step["keys"]);
        let digits = |answers: Vec<bool>| Value::from(answers.into_iter().map(digit).collect::<String>());
        let refused = |answers, error: Error| json!({ "new": digits(answers), "code": error.code() });
        Ok(match op {
            "add" => digits(all()?.iter().map(|key| filter.insert(key)).collect::<Result<_, _>>()?),
            "add_many" => digits(filter.insert_many(&all()?).map_err(|unfinished| unfinished.error)?),
            "add_until_refused" => {
                let mut answers = Vec::new();
                for key in &all()? {
                    match filter.insert(key) {
                        Ok(new) => answers.push(new),
                        Err(error) => return Ok(refused(answers, error)),
                    }
                }
                panic!("nothing was refused");
            }
            "add_many_until_refused" => {
                let unfinished = filter.insert_many(&all()?).expect_err("a key too many");
                refused(unfinished.answers, unfinished.error)
            }
            "ask" => digits(all()?.iter().map(|key| filter.contains(key)).collect()),
            "ask_many" => digits(filter.contains_many(&all()?)),
            "hash" => all()?
                .iter()
                .map(|key| Ok(Value::from(filter.key_hash(key)?.to_hex())))
                .collect::<Result<Value, Error>>()?,
            "ask_hash_of" => {
                let other = self.get(&step["other"]).expect("a filter");
                json!(filter.contains_hash(&other.key_hash(&all()?[0])?)?)
            }
            "equal" => json!(filter.same_filter(self.get(&step["other"]).expect("a filter"))),
            "facts" => facts(filter),
            "verify" => {
                filter.verify()?;
                Value::Null
            }
            "clear" => {
                filter.clear()?;
                Value::Null
            }
            "union_with" => {
                filter.union_with(self.get(&step["other"]).expect("a filter"))?;
                Value::Null
            }
            "validate_scale_to" => {
                filter.validate_scale_to(scale_to(&step["keys"])?)?;
                Value::Null
            }
            "to_valkey_load" => hex(&filter.to_valkey_load()?).into(),
            "to_valkey_dump" => hex(&filter.to_valkey_dump()?).into(),
            "to_redisbloom" => filter.to_redisbloom()?.iter().map(|(at, chunk)| json!([at, hex(chunk)])).collect(),
            "save" => {
                let withhold = step["withhold_seed"].as_bool().unwrap_or(false);
                let bytes = if withhold { filter.to_bytes_without_seed()? } else { filter.to_bytes()? };
                files.write(step["file"].as_str().unwrap(), &bytes);
                Value::Null
            }
            other => panic!("unknown op: {other}"),
        })
    }
}

fn bytes(step: &Value) -> Vec<u8> {
    unhex(step["hex"].as_str().expect("bytes"))
}

fn from_redisbloom(step: &Value) -> Result<ScalableBloomFilter, Error> {
    let chunks = step["chunks"].as_array().expect("chunks").iter();
    let chunks: Vec<_> = chunks.map(|c| (integer(&c[0]) as i64, unhex(c[1].as_str().unwrap()))).collect();
    let borrowed: Vec<_> = chunks.iter().map(|(at, chunk)| (*at, chunk.as_slice())).collect();
    ScalableBloomFilter::from_redisbloom(&borrowed)
}

/// From bytes, checked wholly; `lazy`: a shared view whose body nobody has read yet.
fn load(step: &Value, files: &mut dyn Files) -> Result<ScalableBloomFilter, Error> {
    let bytes = files.read(step["file"].as_str().unwrap());
    let seed = step.get("seed").filter(|seed| !seed.is_null()).map(|seed| integer(seed) as u64);
    match (seed, step["lazy"].as_bool().unwrap_or(false)) {
        (seed, true) => ScalableBloomFilter::from_shared(std::sync::Arc::new(bytes), seed),
        (Some(seed), false) => ScalableBloomFilter::from_bytes_with_seed(&bytes, seed),
        (None, false) => ScalableBloomFilter::from_bytes(&bytes),
    }
}

/// What a step leaves out has the scheme's default.
fn new(step: &Value) -> Result<ScalableBloomFilter, Error> {
    let name = |value: &Value| value.get("text").unwrap_or(value).as_str().unwrap().to_owned();
    let scheme = step.get("scheme").map_or(Ok(Scheme::Tepal), |value| Scheme::from_name(&name(value)))?;
    let mut options = ScalableOptions::of(scheme);
    let capacity = match step.get("capacity").map(loose) {
        None => tepal::default_capacity(scheme),
        Some(Loose::Float(x)) => arg::capacity_f64(x)?,
        Some(Loose::Int(i)) => match u64::try_from(i) {
            Ok(capacity) => arg::scalable_capacity(capacity, scheme)?,
            Err(_) => arg::capacity_i128(i)?,
        },
    };
    if let Some(value) = step.get("expansion") {
        options.expansion = optional(value, arg::expansion_f64, arg::expansion_i128)?.map(|n| n as u32);
    }
    if let Some(value) = step.get("max_bytes") {
        options.max_bytes = optional(value, arg::max_bytes_f64, arg::max_bytes_i128)?;
    }
    if let Some(value) = step.get("tightening") {
        options.tightening = optional(value, Ok, |i| Ok(i as f64))?;
    }
    if let Some(value) = step.get("validate_scale_to") {
        options.validate_scale_to = optional(value, arg::scale_to_f64, arg::scale_to_i128)?;
    }
    match step.get("seed").map(|value| (value, value.get("hex"))) {
        None => {}
        Some((_, Some(digits))) => options.seed = arg::seed_bytes(&unhex(digits.as_str().unwrap()))?,
        Some((value, None)) => {
            options.seed = Seed::from_u64(match loose(value) {
                Loose::Float(x) => arg::seed_f64(x)?,
                Loose::Int(i) => arg::seed_i128(i)?,
            })
        }
    }
    if let Some(value) = step.get("metadata") {
        options.metadata = metadata(value)?;
    }
    let fpr = step.get("fpr").map_or(tepal::DEFAULT_FPR, float);
    ScalableBloomFilter::with_options(capacity, fpr, options)
}

fn float(value: &Value) -> f64 {
    match loose(value) {
        Loose::Float(x) => x,
        Loose::Int(i) => i as f64,
    }
}

/// A number, or null for none.
fn optional<T>(
    value: &Value,
    float: impl Fn(f64) -> Result<T, Error>,
    int: impl Fn(i128) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    if value.is_null() || value.get("null").is_some() {
        return Ok(None);
    }
    match loose(value) {
        Loose::Float(x) => float(x),
        Loose::Int(i) => int(i),
    }
    .map(Some)
}

fn scale_to(value: &Value) -> Result<u64, Error> {
    match loose(value) {
        Loose::Float(x) => arg::scale_to_f64(x),
        Loose::Int(i) => arg::scale_to_i128(i),
    }
}

/// All facts of a filter, in the order of the manifest. What may pass 2^53 is a decimal string.
pub fn facts(filter: &ScalableBloomFilter) -> Value {
    let metadata: serde_json::Map<_, _> = filter.metadata().iter().map(|(k, v)| (k.to_owned(), json!(v))).collect();
    let seed = match filter.scheme() {
        Scheme::Tepal => json!(filter.seed().as_u64().to_string()),
        Scheme::Valkey => json!(hex(filter.seed().bytes())),
        Scheme::SparkV2 => json!((filter.seed().as_u64() as u32 as i32).to_string()),
        _ => Value::Null,
    };
    let levels: Value = filter
        .levels()
        .iter()
        .map(|l| json!([l.capacity, l.inserted_count, l.fpr, l.num_bits, l.num_probes, l.layout.map(|y| y.name())]))
        .collect();
    let info = filter.info();
    assert_eq!(
        (info.capacity, info.size, info.filter_count),
        (filter.capacity(), filter.size(), filter.filter_count())
    );
    json!({
        "scheme": filter.scheme().name(),
        "capacity": info.capacity,
        "initial_capacity": filter.initial_capacity(),
        "fpr": info.fpr,
        "seed": seed,
        "expansion": info.expansion,
        "tightening": info.tightening,
        "max_bytes": filter.max_bytes(),
        "filter_count": info.filter_count,
        "inserted_count": info.inserted_count,
        "size": info.size,
        "byte_len": filter.byte_len(),
        "max_scaled_capacity": info.max_scaled_capacity.to_string(),
        "num_bits": filter.num_bits(),
        "metadata": metadata,
        "levels": levels,
        "fill_ratio": filter.fill_ratio(),
        "estimated_count": filter.estimated_count(),
        "estimated_fpr": filter.estimated_fpr(),
        "saturation": filter.saturation(),
    })
}
