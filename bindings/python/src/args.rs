//! Loose Python arguments on their way to the core's doors: only their type is looked at here, ranges are the core's.

use crate::error::{exception, OrRaise};
use crate::keys::type_name;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyString};
use tepal::{arg, Error, LayoutChoice, Metadata, Options};

/// A number as the core's doors take it.
enum Number {
    Integer(i128),
    Float(f64),
}

/// `ERR_ARGUMENT_TYPE` for `value`.
pub fn wrong_type(field: &'static str, expected: &'static str, value: &Bound<'_, PyAny>) -> PyErr {
    exception(value.py(), &Error::argument_type(field, expected, &type_name(value)))
}

/// The number that `value` is. Integers beyond 128 bits come as the nearest: every door refuses them.
fn number(value: &Bound<'_, PyAny>, field: &'static str, expected: &'static str) -> PyResult<Number> {
    if let Ok(float) = value.cast::<PyFloat>() {
        return Ok(Number::Float(float.value()));
    }
    if value.is_instance_of::<PyBool>() {
        return Err(wrong_type(field, expected, value));
    }
    // SAFETY: a plain call of the C API with a live object.
    let integer = unsafe { Bound::from_owned_ptr_or_err(value.py(), ffi::PyNumber_Index(value.as_ptr())) };
    let integer = match integer {
        Ok(integer) => integer,
        Err(raised) if raised.is_instance_of::<PyTypeError>(value.py()) => {
            return Err(wrong_type(field, expected, value))
        }
        Err(raised) => return Err(raised),
    };
    match integer.extract::<i128>() {
        Ok(value) => Ok(Number::Integer(value)),
        Err(_) => Ok(Number::Integer(if integer.lt(0)? { i128::MIN } else { i128::MAX })),
    }
}

/// A capacity.
pub fn capacity(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    match number(value, "capacity", "an integer")? {
        Number::Integer(value) => arg::capacity_i128(value),
        Number::Float(value) => arg::capacity_f64(value),
    }
    .or_raise(value.py())
}

/// A fold factor.
pub fn factor(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    match number(value, "factor", "an integer")? {
        Number::Integer(value) => arg::factor_i128(value),
        Number::Float(value) => arg::factor_f64(value),
    }
    .or_raise(value.py())
}

/// A seed.
pub fn seed(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    match number(value, "seed", "an integer")? {
        Number::Integer(value) => arg::seed_i128(value),
        Number::Float(value) => arg::seed_f64(value),
    }
    .or_raise(value.py())
}

/// A rate; its range is checked by the constructors. Anything with `__float__` will do, except `bool`.
pub fn fpr(value: Option<&Bound<'_, PyAny>>) -> PyResult<f64> {
    let Some(value) = value else { return Ok(tepal::DEFAULT_FPR) };
    if value.is_instance_of::<PyBool>() {
        return Err(wrong_type("fpr", "a number", value));
    }
    // SAFETY: a plain call of the C API with a live object; -1 may be a value or the sign of an exception.
    let rate = unsafe { ffi::PyFloat_AsDouble(value.as_ptr()) };
    match PyErr::take(value.py()) {
        None => Ok(rate),
        Some(raised) if raised.is_instance_of::<PyTypeError>(value.py()) => Err(wrong_type("fpr", "a number", value)),
        // An integer beyond the range of doubles.
        Some(raised) if value.lt(0).is_err() => Err(raised),
        Some(_) => Ok(f64::INFINITY),
    }
}

/// `threads=`: how many threads a batch may use.
pub fn threads(value: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    const EXPECTED: &str = "an integer of at least 1";
    let Some(value) = value else { return Ok(1) };
    match number(value, "threads", EXPECTED)? {
        Number::Integer(count) if count > 0 => Ok(usize::try_from(count).unwrap_or(usize::MAX)),
        _ => Err(exception(value.py(), &Error::argument_type("threads", EXPECTED, &value.to_string()))),
    }
}

/// A switch: whatever Python calls true.
#[derive(Clone, Copy)]
pub struct Flag(pub bool);

impl FromPyObject<'_, '_> for Flag {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        value.is_truthy().map(Flag)
    }
}

/// The options of the constructors.
pub fn options(
    seed_value: Option<&Bound<'_, PyAny>>,
    layout: Option<&Bound<'_, PyAny>>,
    metadata: Option<&Bound<'_, PyAny>>,
) -> PyResult<Options> {
    let mut options = Options::default();
    if let Some(value) = seed_value {
        options.seed = seed(value)?;
    }
    if let Some(value) = layout {
        let name = value.cast::<PyString>().map_err(|_| wrong_type("layout", "a str", value))?;
        options.layout = LayoutChoice::from_name(&name.to_string_lossy()).or_raise(value.py())?;
    }
    if let Some(value) = metadata {
        options.metadata = pairs(value)?;
    }
    Ok(options)
}

fn pairs(value: &Bound<'_, PyAny>) -> PyResult<Metadata> {
    const EXPECTED: &str = "a dict of str to str";
    let dict = value.cast::<PyDict>().map_err(|_| wrong_type("metadata", EXPECTED, value))?;
    let mut pairs = Vec::with_capacity(dict.len());
    for (key, value) in dict.iter() {
        let text = |part: &Bound<'_, PyAny>| match part.cast::<PyString>().map(|text| text.extract::<String>()) {
            Ok(Ok(text)) => Ok(text),
            Ok(Err(_)) => Err(exception(
                part.py(),
                &Error::argument_type("metadata", EXPECTED, "text with an unpaired surrogate"),
            )),
            Err(_) => Err(wrong_type("metadata", EXPECTED, part)),
        };
        pairs.push((text(&key)?, text(&value)?));
    }
    Metadata::from_pairs(pairs).or_raise(value.py())
}
