//! Keys as the vectors write them in JSON (tests/vectors/README.md), and what the core makes of them.
use serde_json::Value;
use tepal::{compound_key, Error, Key};

/// One key of a vector.
#[derive(Debug, Clone, PartialEq)]
pub enum TestKey {
    /// A text.
    Text(String),
    /// An integer from −2^63 to 2^64 − 1.
    Int(i128),
    /// Bytes; compound keys too.
    Bytes(Vec<u8>),
}

impl TestKey {
    /// The bytes of a part of a compound key.
    fn part(&self) -> Vec<u8> {
        match self {
            TestKey::Text(text) => text.as_bytes().to_vec(),
            TestKey::Int(value) => (*value as u64).to_le_bytes().to_vec(),
            TestKey::Bytes(bytes) => bytes.clone(),
        }
    }
}

impl Key for TestKey {
    fn with_bytes<T>(&self, f: impl FnOnce(&[u8]) -> T) -> T {
        match self {
            TestKey::Text(text) => text.with_bytes(f),
            TestKey::Int(value) if *value < 0 => (*value as i64).with_bytes(f),
            TestKey::Int(value) => (*value as u64).with_bytes(f),
            TestKey::Bytes(bytes) => bytes.with_bytes(f),
        }
    }
}

/// All keys of a JSON list, runs expanded. `ERR_KEY_RANGE` for an integer that is no key.
pub fn keys(list: &Value) -> Result<Vec<TestKey>, Error> {
    let mut all = Vec::new();
    for item in list.as_array().expect("a list of keys") {
        if let Some(run) = item.get("ints") {
            all.extend((integer(&run[0])..integer(&run[1])).map(TestKey::Int));
        } else if let Some(run) = item.get("texts") {
            let (prefix, from, to) = (run[0].as_str().unwrap(), run[1].as_u64().unwrap(), run[2].as_u64().unwrap());
            all.extend((from..to).map(|i| TestKey::Text(format!("{prefix}{i}"))));
        } else {
            all.push(key(item)?);
        }
    }
    Ok(all)
}

/// One key that is no run.
pub fn key(item: &Value) -> Result<TestKey, Error> {
    let (kind, value) = item.as_object().and_then(|o| o.iter().next()).expect("a key is an object");
    Ok(match kind.as_str() {
        "text" => TestKey::Text(value.as_str().unwrap().into()),
        "hex" => TestKey::Bytes(unhex(value.as_str().unwrap())),
        "repeat" => TestKey::Bytes(unhex(value[0].as_str().unwrap()).repeat(value[1].as_u64().unwrap() as usize)),
        "int" => match integer(value) {
            value if i64::try_from(value).is_ok() || u64::try_from(value).is_ok() => TestKey::Int(value),
            _ => return Err(Error::key_range()),
        },
        "parts" => {
            let parts: Result<Vec<_>, _> = value.as_array().unwrap().iter().map(|part| Ok(key(part)?.part())).collect();
            TestKey::Bytes(compound_key(parts?))
        }
        "surrogate" => return Err(Error::key_surrogate()),
        other => panic!("unknown kind of key: {other}"),
    })
}

/// An integer written as a decimal string, or as a number.
pub fn integer(value: &Value) -> i128 {
    match value {
        Value::String(text) => text.parse().expect("a decimal integer"),
        other => other.as_i64().map(i128::from).or(other.as_u64().map(i128::from)).expect("an integer"),
    }
}

/// Bytes from hex digits.
pub fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).expect("hex digits")).collect()
}

/// Hex digits of bytes.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
