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
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Metadata(Vec<u8>); // as in the file: for each text its length (u32, little-endian) and its UTF-8 bytes

impl Metadata {
    /// Metadata from pairs in any order. `ERR_METADATA` for an empty or repeated key, or more than 65,536 bytes (each
    /// string takes its UTF-8 length and four bytes).
    pub fn from_pairs<K: Into<String>, V: Into<String>>(pairs: impl IntoIterator<Item = (K, V)>) -> Result<Self> {
        let mut all = Metadata::default();
        for (key, value) in pairs {
            all.insert(&key.into(), &value.into())?;
        }
        Ok(all)
    }

    fn insert(&mut self, key: &str, value: &str) -> Result<()> {
        if key.is_empty() {
            return Err(refuse("keys that are not empty", Got::Word("an empty key")));
        }
        if self.0.len() + 8 + key.len() + value.len() > MAX_LEN {
            return Err(refuse("at most 65536 bytes", Got::Word("more")));
        }
        let mut at = 0;
        for (k, v) in self.iter().take_while(|(k, _)| *k <= key) {
            if k == key {
                return Err(refuse("each key once", Got::Word("a repeated key")));
            }
            at += 8 + k.len() + v.len();
        }
        let larger = self.0.split_off(at);
        self.push(key, value);
        self.0.extend_from_slice(&larger);
        Ok(())
    }

    fn push(&mut self, key: &str, value: &str) {
        for text in [key, value] {
            self.0.extend_from_slice(&(text.len() as u32).to_le_bytes());
            self.0.extend_from_slice(text.as_bytes());
        }
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.iter().find(|(k, _)| *k == key).map(|(_, v)| v)
    }

    /// All pairs, in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut rest = self.0.as_slice();
        core::iter::from_fn(move || Some((take_text(&mut rest)?, take_text(&mut rest)?)))
    }

    /// The pairs that both have.
    pub(crate) fn shared(&self, other: &Metadata) -> Metadata {
        let mut both = Metadata::default();
        for (key, value) in self.iter() {
            if other.get(key) == Some(value) {
                both.push(key, value);
            }
        }
        both
    }

    /// The pairs as the serialized format has them (FORMAT.md, section 1.2).
    pub fn encoded(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self> {
        let mut rest = bytes;
        let mut last = "";
        while !rest.is_empty() {
            let mut next = || take_text(&mut rest).ok_or_else(|| malformed("UTF-8 strings, each as long as it says"));
            let (key, _) = (next()?, next()?);
            if key <= last {
                return Err(malformed("strictly ascending keys that are not empty"));
            }
            last = key;
        }
        Ok(Metadata(bytes.into()))
    }
}

impl core::fmt::Debug for Metadata {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// The text that the bytes begin with; they then begin behind it.
fn take_text<'a>(bytes: &mut &'a [u8]) -> Option<&'a str> {
    let (len, rest) = bytes.split_first_chunk()?;
    let (text, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
    *bytes = rest;
    core::str::from_utf8(text).ok()
}

fn refuse(expected: &'static str, got: Got) -> Error {
    Error::argument("ERR_METADATA", "metadata", expected, got)
}

fn malformed(expected: &'static str) -> Error {
    Error::data("ERR_METADATA", "metadata", expected, Got::Word("something else"))
}
