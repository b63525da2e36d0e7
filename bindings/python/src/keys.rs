//! What counts as a key in Python, tried in this order: `str` (its UTF-8), `__index__` (but no `bool`), bytes-like.
//!
//! Exact `str`, `int` and `bytes` take a short way that runs no user code. Everything refused gets the core's sentence
//! for its type. Keys themselves never appear in a message.

use crate::buffer::View;
use crate::error::exception;
use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyMemoryView, PyString};
use std::slice;
use tepal::{Error, Hash128, Scheme, Seed};

/// A key, borrowed from a Python object.
#[derive(Clone, Copy)]
pub enum Key<'a> {
    Bytes(&'a [u8]),
    Int(u64),
}

impl Key<'_> {
    /// The hash for a filter with this hasher.
    #[inline]
    pub fn hash(self, hasher: &Hasher) -> Hash128 {
        match self {
            Key::Bytes(bytes) => hasher.bytes(bytes),
            Key::Int(value) => hasher.int(value),
        }
    }
}

/// How a filter hashes its keys: a copy, so that keys are hashed before the filter is borrowed (hashing may run user code).
#[derive(Clone, Copy)]
pub struct Hasher {
    pub scheme: Scheme,
    pub seed: Seed,
}

impl Hasher {
    /// That of scheme `tepal`.
    pub fn tepal(seed: u64) -> Self {
        Hasher { scheme: Scheme::Tepal, seed: Seed::from_u64(seed) }
    }

    #[inline]
    pub fn bytes(&self, key: &[u8]) -> Hash128 {
        self.scheme.hash(key, &self.seed)
    }

    #[inline]
    pub fn int(&self, value: u64) -> Hash128 {
        match self.scheme {
            Scheme::Tepal => tepal::hash_u64(value, self.seed.as_u64()),
            _ => self.bytes(&value.to_le_bytes()),
        }
    }
}

/// The key behind an exact `str`, `int` or `bytes`; `None` for everything else, odd values included.
///
/// # Safety
/// The thread is attached, `object` is a live object and outlives the answer.
#[inline]
pub unsafe fn plain_key<'a>(object: *mut ffi::PyObject) -> Option<Key<'a>> {
    // SAFETY: see above; each accessor is called on the exact type it is for.
    unsafe {
        let class = ffi::Py_TYPE(object);
        if class == &raw mut ffi::PyUnicode_Type {
            let mut len: ffi::Py_ssize_t = 0;
            let data = ffi::PyUnicode_AsUTF8AndSize(object, &mut len);
            if data.is_null() {
                ffi::PyErr_Clear(); // a lone surrogate or no memory: the long way finds out which
                return None;
            }
            Some(Key::Bytes(slice::from_raw_parts(data.cast(), len as usize)))
        } else if class == &raw mut ffi::PyLong_Type {
            let mut overflow = 0;
            let value = ffi::PyLong_AsLongLongAndOverflow(object, &mut overflow);
            (overflow == 0).then_some(Key::Int(value as u64))
        } else if class == &raw mut ffi::PyBytes_Type {
            let data = ffi::PyBytes_AsString(object);
            Some(Key::Bytes(slice::from_raw_parts(data.cast(), ffi::PyBytes_Size(object) as usize)))
        } else {
            None
        }
    }
}

/// The hash of any key for a filter with this hasher.
///
/// # Errors
/// `KeyTypeError`, or whatever the object's own `__index__` raises.
#[inline]
pub fn hash_key(object: &Bound<'_, PyAny>, hasher: &Hasher) -> PyResult<Hash128> {
    // SAFETY: attached (a Bound proves it), and the object outlives the call.
    match unsafe { plain_key(object.as_ptr()) } {
        Some(key) => Ok(key.hash(hasher)),
        None => with_any_key(object, |key| key.hash(hasher)),
    }
}

/// Calls `then` with any key.
///
/// # Errors
/// As `hash_key`.
pub fn with_key<T>(object: &Bound<'_, PyAny>, then: impl FnOnce(Key<'_>) -> T) -> PyResult<T> {
    // SAFETY: as in hash_key.
    match unsafe { plain_key(object.as_ptr()) } {
        Some(key) => Ok(then(key)),
        None => with_any_key(object, then),
    }
}

#[cold]
fn with_any_key<T>(object: &Bound<'_, PyAny>, then: impl FnOnce(Key<'_>) -> T) -> PyResult<T> {
    let py = object.py();
    if let Ok(text) = object.cast::<PyString>() {
        return match text.to_str() {
            Ok(text) => Ok(then(Key::Bytes(text.as_bytes()))),
            Err(raised) if raised.is_instance_of::<PyUnicodeEncodeError>(py) => {
                Err(exception(py, &Error::key_surrogate()))
            }
            Err(raised) => Err(raised),
        };
    }
    if object.is_instance_of::<PyBool>() {
        return Err(refused(object));
    }
    if let Some(value) = index(object)? {
        return Ok(then(Key::Int(value)));
    }
    match plain_bytes(object) {
        Some(view) => Ok(then(Key::Bytes(view.as_ref()))),
        None => Err(refused(object)),
    }
}

/// The bytes of `bytes`, `bytearray` or a contiguous `memoryview` of format `B`. No other exporter of a buffer: NumPy's
/// scalars, dates among them, would pass as the bytes they are stored in.
pub fn plain_bytes(object: &Bound<'_, PyAny>) -> Option<View> {
    let is_bytes_like = object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<PyByteArray>()
        || object.is_instance_of::<PyMemoryView>();
    View::typed(object).filter(|view| is_bytes_like && view.is_plain_bytes())
}

/// The value of an object with `__index__`, modulo 2^64. `None`: it has none, or says by `TypeError` that it is no
/// integer after all (a NumPy array, `numpy.bool`).
fn index(object: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    let py = object.py();
    // SAFETY: plain calls of the C API with a live object; PyNumber_Index gives a new reference or raises.
    let integer = unsafe {
        if ffi::PyIndex_Check(object.as_ptr()) == 0 {
            return Ok(None);
        }
        Bound::from_owned_ptr_or_err(py, ffi::PyNumber_Index(object.as_ptr()))
    };
    match integer {
        Ok(integer) => {
            if let Ok(value) = integer.extract::<i64>() {
                return Ok(Some(value as u64));
            }
            integer.extract::<u64>().map(Some).map_err(|_| exception(py, &Error::key_range()))
        }
        Err(raised) if raised.is_instance_of::<PyTypeError>(py) => Ok(None),
        Err(raised) => Err(raised),
    }
}

fn refused(object: &Bound<'_, PyAny>) -> PyErr {
    exception(object.py(), &Error::key_type(&type_name(object)))
}

/// The bare name of the object's class, as the core's table of hints knows it.
pub fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "object".into(), |name| name.to_string())
}
