//! Loose Python arguments on their way to the core's doors: only their type is looked at here, ranges are the core's.

use crate::error::{exception, OrRaise};
use crate::keys::{plain_bytes, type_name};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyString};
use tepal::{arg, Error, LayoutChoice, Metadata, Options, Result, ScalableOptions, Scheme, Seed};

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

/// What one of the core's pairs of doors makes of an integer.
fn integer(
    value: &Bound<'_, PyAny>,
    field: &'static str,
    from_i128: impl FnOnce(i128) -> Result<u64>,
    from_f64: impl FnOnce(f64) -> Result<u64>,
) -> PyResult<u64> {
    match number(value, field, "an integer")? {
        Number::Integer(value) => from_i128(value),
        Number::Float(value) => from_f64(value),
    }
    .or_raise(value.py())
}

/// A capacity.
pub fn capacity(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    integer(value, "capacity", arg::capacity_i128, arg::capacity_f64)
}

/// A fold factor.
pub fn factor(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    integer(value, "factor", arg::factor_i128, arg::factor_f64)
}

/// A seed.
pub fn seed(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    integer(value, "seed", arg::seed_i128, arg::seed_f64)
}

/// A number of keys to grow to.
pub fn scale_to(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    integer(value, "validate_scale_to", arg::scale_to_i128, arg::scale_to_f64)
}

/// A rate; its range is checked by the constructors.
pub fn fpr(value: Option<&Bound<'_, PyAny>>) -> PyResult<f64> {
    value.map_or(Ok(tepal::DEFAULT_FPR), |value| float(value, "fpr"))
}

/// Anything with `__float__` will do, except `bool`.
fn float(value: &Bound<'_, PyAny>, field: &'static str) -> PyResult<f64> {
    if value.is_instance_of::<PyBool>() {
        return Err(wrong_type(field, "a number", value));
    }
    // SAFETY: a plain call of the C API with a live object; -1 may be a value or the sign of an exception.
    let rate = unsafe { ffi::PyFloat_AsDouble(value.as_ptr()) };
    match PyErr::take(value.py()) {
        None => Ok(rate),
        Some(raised) if raised.is_instance_of::<PyTypeError>(value.py()) => Err(wrong_type(field, "a number", value)),
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
        options.layout = LayoutChoice::from_name(&name(value, "layout")?).or_raise(value.py())?;
    }
    if let Some(value) = metadata {
        options.metadata = pairs(value)?;
    }
    Ok(options)
}

fn name(value: &Bound<'_, PyAny>, field: &'static str) -> PyResult<String> {
    let name = value.cast::<PyString>().map_err(|_| wrong_type(field, "a str", value))?;
    Ok(name.to_string_lossy().into_owned())
}

/// An argument for which `None` says something else than its absence.
pub enum Given<'py> {
    No,
    Yes(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for Given<'py> {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Given::Yes(value.to_owned()))
    }
}

impl<'py> Given<'py> {
    /// Puts what was given, `None` included, in the place of the default.
    fn replace<T>(&self, place: &mut Option<T>, read: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>) -> PyResult<()> {
        if let Given::Yes(value) = self {
            *place = if value.is_none() { None } else { Some(read(value)?) };
        }
        Ok(())
    }
}

/// The arguments of `ScalableBloomFilter` as they came.
pub struct Choices<'a, 'py> {
    pub capacity: Option<&'a Bound<'py, PyAny>>,
    pub expansion: Given<'py>,
    pub tightening: Given<'py>,
    pub max_bytes: Given<'py>,
    pub seed: Option<&'a Bound<'py, PyAny>>,
    pub scheme: Option<&'a Bound<'py, PyAny>>,
    pub metadata: Option<&'a Bound<'py, PyAny>>,
    pub validate_scale_to: Option<&'a Bound<'py, PyAny>>,
}

/// Capacity and options; what was not given is the scheme's.
pub fn scalable_options(py: Python<'_>, choices: Choices<'_, '_>) -> PyResult<(u64, ScalableOptions)> {
    let scheme = match choices.scheme {
        None => Scheme::default(),
        Some(value) => Scheme::from_name(&name(value, "scheme")?).or_raise(py)?,
    };
    let capacity = match choices.capacity {
        None => tepal::default_capacity(scheme),
        Some(value) => {
            let doors = (|n| arg::scalable_capacity_i128(n, scheme), |x| arg::scalable_capacity_f64(x, scheme));
            integer(value, "capacity", doors.0, doors.1)?
        }
    };
    let mut options = ScalableOptions::of(scheme);
    choices.expansion.replace(&mut options.expansion, |value| {
        Ok(integer(value, "expansion", arg::expansion_i128, arg::expansion_f64)? as u32)
        // the door's range is u32's
    })?;
    choices
        .tightening
        .replace(&mut options.tightening, |value| arg::tightening(float(value, "tightening")?).or_raise(py))?;
    choices.max_bytes.replace(&mut options.max_bytes, |value| {
        integer(value, "max_bytes", arg::max_bytes_i128, arg::max_bytes_f64)
    })?;
    if let Some(value) = choices.seed {
        options.seed = match plain_bytes(value) {
            Some(bytes) => arg::seed_bytes(bytes.as_ref()).or_raise(py)?,
            None if scheme == Scheme::Valkey => return Err(wrong_type("seed", "32 bytes", value)),
            None => Seed::from_u64(seed(value)?),
        };
    }
    if let Some(value) = choices.metadata {
        options.metadata = pairs(value)?;
    }
    options.validate_scale_to = choices.validate_scale_to.map(scale_to).transpose()?;
    Ok((capacity, options))
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
