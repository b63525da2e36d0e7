//! Metadata: sorted pairs of strings that travel with a filter, for instance the id of a normalisation rule.
//!
//! Always sorted by key, keys unique and not empty, at most 65,536 bytes encoded (FORMAT.md, section 1.2).
use crate::error::{Error, Got, Result};
use alloc::{string::String, vec::Vec};

/// The most bytes that encoded metadata may have.
pub(crate) const MAX_LEN: usize = 65_536;

/// Sorted pairs of strings.
///
/// ```
/// let metadata = tepal::Metadata::from_pairs([("rule", "ascii-lower-v1")])?;
/// assert_eq!(metadata.get("rule"), Some("ascii-lower-v1"));
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Metadata(Vec<(String, String)>);

impl Metadata {
    /// Metadata from pairs in any order. `ERR_METADATA` for an empty or repeated key, or more than 65,536 bytes (each
    /// string takes its UTF-8 length and four bytes).
    pub fn from_pairs<K: Into<String>, V: Into<String>>(pairs: impl IntoIterator<Item = (K, V)>) -> Result<Self> {
        let mut all = Metadata::default();
        let mut len = 0;
        for (key, value) in pairs {
            let (key, value) = (key.into(), value.into());
            len += 8 + key.len() + value.len();
            if key.is_empty() {
                return Err(refuse("keys that are not empty", Got::Word("an empty key")));
            }
            if len > MAX_LEN {
                return Err(refuse("at most 65536 bytes", Got::Word("more")));
            }
            match all.0.binary_search_by(|(other, _)| other.cmp(&key)) {
                Ok(_) => return Err(refuse("each key once", Got::Word("a repeated key"))),
                Err(at) => all.0.insert(at, (key, value)),
            }
        }
        Ok(all)
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.iter().find(|(k, _)| *k == key).map(|(_, v)| v)
    }

    /// All pairs, in the order of their keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.0.iter().map(|(k, v)| (k.as_str(), v.as_str()))
    }

    /// The pairs that both have.
    pub(crate) fn shared(&self, other: &Metadata) -> Metadata {
        Metadata(self.0.iter().filter(|(k, v)| other.get(k) == Some(v)).cloned().collect())
    }

    pub(crate) fn encoded_len(&self) -> usize {
        self.0.iter().map(|(k, v)| 8 + k.len() + v.len()).sum()
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        for text in self.0.iter().flat_map(|(k, v)| [k, v]) {
            out.extend_from_slice(&(text.len() as u32).to_le_bytes());
            out.extend_from_slice(text.as_bytes());
        }
    }

    pub(crate) fn decode(mut bytes: &[u8]) -> Result<Self> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        while !bytes.is_empty() {
            let key = take_text(&mut bytes)?;
            let value = take_text(&mut bytes)?;
            if key.is_empty() || pairs.last().is_some_and(|(last, _)| last.as_bytes() >= key.as_bytes()) {
                return Err(malformed("strictly ascending keys that are not empty"));
            }
            pairs.push((key, value));
        }
        Ok(Metadata(pairs))
    }
}

fn take_text(bytes: &mut &[u8]) -> Result<String> {
    let (len, rest) = bytes.split_first_chunk::<4>().ok_or_else(|| malformed("a string with its length"))?;
    let len = u32::from_le_bytes(*len) as usize;
    if len > rest.len() {
        return Err(malformed("a string as long as it says"));
    }
    let (text, rest) = rest.split_at(len);
    *bytes = rest;
    Ok(core::str::from_utf8(text).map_err(|_| malformed("UTF-8 strings"))?.into())
}

fn refuse(expected: &'static str, got: Got) -> Error {
    Error::argument("ERR_METADATA", "metadata", expected, got)
}

fn malformed(expected: &'static str) -> Error {
    Error::data("ERR_METADATA", "metadata", expected, Got::Word("something else"))
}
