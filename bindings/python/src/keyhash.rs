//! `KeyHash` and `key()`: a key hashed once, and one key of several parts.

use crate::args;
use crate::error::with_index;
use crate::keys::{with_key, Key};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use tepal::Hash128;

/// The hash of a key, to ask or fill several filters with while hashing the key once.
///
/// Made by `BloomFilter.key_hash`. It knows its seed: a filter with another seed refuses it (`MismatchError`,
/// ``ERR_SEED_DIFFERS``) instead of answering a silent no. Equal keys under one seed have equal hashes; hashable.
///
/// >>> from tepal import BloomFilter
/// >>> today, yesterday = BloomFilter(1000), BloomFilter(500)
/// >>> h = today.key_hash("alice")
/// >>> today.add_hash(h), yesterday.contains_hash(h)
/// (True, False)
#[pyclass(frozen, eq, hash, module = "tepal")]
#[derive(PartialEq, Eq, Hash)]
pub struct KeyHash(pub tepal::KeyHash);

#[pymethods]
impl KeyHash {
    /// The seed of the filter that made it.
    #[getter]
    fn seed(&self) -> u64 {
        self.0.seed()
    }

    /// The 128 bits as 32 lower-case hexadecimal digits: the canonical XXH128 digest.
    ///
    /// >>> from tepal import BloomFilter
    /// >>> BloomFilter(1).key_hash("a").hex()
    /// 'a96faf705af16834e6c632b61e964e1f'
    fn hex(&self) -> String {
        self.0.to_hex()
    }

    fn __repr__(&self) -> String {
        format!("<tepal.KeyHash {} seed={}>", self.0.to_hex(), self.0.seed())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, hash, seed) = (slf.py(), slf.get().0.hash(), slf.get().0.seed());
        let restore = py.import("tepal._native")?.getattr("_restore_key_hash")?;
        PyTuple::new(py, [restore, PyTuple::new(py, [hash.hi, hash.lo, seed])?.into_any()])
    }
}

/// Rebuilds a pickled hash.
#[pyfunction]
pub fn _restore_key_hash(hi: u64, lo: u64, seed: u64) -> KeyHash {
    KeyHash(tepal::KeyHash::new(Hash128 { hi, lo }, seed))
}

/// One key made of several parts, the same bytes in every language.
///
/// Each part (`str`, integer or bytes-like) is written with its length, so ``key("ab", "c")`` and ``key("a", "bc")``
/// are different keys.
///
/// Args:
///     *parts: any number of parts; each is anything that is a key by itself.
///
/// Returns:
///     The key as `bytes`.
///
/// Raises:
///     KeyTypeError: a part that is no key; ``.index`` says which.
///
/// >>> import tepal
/// >>> tepal.key("ab", "c")
/// b'\x02\x00\x00\x00\x00\x00\x00\x00ab\x01\x00\x00\x00\x00\x00\x00\x00c'
#[pyfunction]
#[pyo3(signature = (*parts))]
pub fn key<'py>(parts: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyBytes>> {
    let py = parts.py();
    let mut owned: Vec<Vec<u8>> = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let bytes = with_key(&part, |key| match key {
            Key::Bytes(bytes) => bytes.to_vec(),
            Key::Int(value) => value.to_le_bytes().to_vec(),
        });
        owned.push(bytes.map_err(|raised| with_index(py, raised, index))?);
    }
    Ok(PyBytes::new(py, &tepal::compound_key(owned)))
}

/// The `KeyHash` that `value` is.
pub fn expect<'a, 'py>(value: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, KeyHash>> {
    value.cast::<KeyHash>().map_err(|_| args::wrong_type("key_hash", "a KeyHash (from key_hash())", value))
}
