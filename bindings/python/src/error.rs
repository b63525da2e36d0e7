//! The one place where an error of the core becomes a Python exception.
//!
//! Code and sentence come from the core; this file only picks the class (python/tepal/errors.py) by `Class`. It also
//! keeps panics inside: PyO3's own `PanicException` would pass every `except Exception`.

use crate::mask::Mask;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use std::panic::{catch_unwind, AssertUnwindSafe};
use tepal::{Class, Error};

mod python {
    use pyo3::import_exception;
    import_exception!(tepal.errors, TepalError);
    import_exception!(tepal.errors, ArgumentError);
    import_exception!(tepal.errors, KeyTypeError);
    import_exception!(tepal.errors, FormatError);
    import_exception!(tepal.errors, MismatchError);
    import_exception!(tepal.errors, CapacityError);
    import_exception!(tepal.errors, StateError);
    import_exception!(tepal.errors, UnsupportedError);
    import_exception!(tepal.errors, FilterMemoryError);
    import_exception!(tepal.errors, FilterIOError);
}

/// The exception for an error of the core.
#[cold]
pub fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let message = error.to_string();
    let raised = match error.class() {
        Class::Argument => python::ArgumentError::new_err(message),
        Class::KeyType => python::KeyTypeError::new_err(message),
        Class::Data => python::FormatError::new_err(message),
        Class::Mismatch => python::MismatchError::new_err(message),
        Class::Full => python::CapacityError::new_err(message),
        Class::Memory => python::FilterMemoryError::new_err(message),
        Class::State => python::StateError::new_err(message),
        Class::Unsupported => python::UnsupportedError::new_err(message),
        Class::Io => python::FilterIOError::new_err(message),
        _ => python::TepalError::new_err(message),
    };
    with_attribute(py, raised, "code", error.code())
}

/// As `exception`, about a file: where the operating system said no, `errno` and `filename` stay readable, as with any
/// `OSError`.
#[cold]
pub fn file_exception(error: &Error, path: &Bound<'_, PyAny>) -> PyErr {
    let Some(errno) = error.os_code() else { return exception(path.py(), error) };
    let raised = python::FilterIOError::new_err((errno, error.to_string(), path.clone().unbind()));
    with_attribute(path.py(), raised, "code", error.code())
}

/// Marks which key of a batch was refused. Exceptions of user code (an iterator's) pass unmarked.
#[cold]
pub fn with_index(py: Python<'_>, raised: PyErr, index: usize) -> PyErr {
    if raised.is_instance_of::<python::TepalError>(py) {
        with_attribute(py, raised, "index", index)
    } else {
        raised
    }
}

/// A batch that a filter did not take to its end: `index` keys are in; `answers` are theirs.
#[cold]
pub fn unfinished(py: Python<'_>, error: &Error, index: usize, answers: Option<Vec<bool>>) -> PyErr {
    let raised = with_attribute(py, exception(py, error), "index", index);
    match answers {
        Some(answers) if error.class() == Class::Full => with_attribute(py, raised, "answers", Mask::new(answers)),
        _ => raised,
    }
}

fn with_attribute<'py>(py: Python<'py>, raised: PyErr, name: &str, value: impl IntoPyObject<'py>) -> PyErr {
    match raised.value(py).setattr(name, value) {
        Ok(()) => raised,
        Err(other) => other,
    }
}

/// Python's bare `MemoryError` as ours, so that it has a code like every other.
pub fn out_of_memory(py: Python<'_>, raised: PyErr, bytes: u64) -> PyErr {
    if raised.is_instance_of::<PyMemoryError>(py) {
        exception(py, &Error::out_of_memory(bytes))
    } else {
        raised
    }
}

/// `?` on results of the core.
pub trait OrRaise<T> {
    /// Turns the error into its exception.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for tepal::Result<T> {
    #[inline]
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, &error))
    }
}

/// Runs `work`; a panic (a bug of ours) becomes an ordinary exception instead of ending the program.
#[inline]
pub fn shielded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(bug()))
}

#[cold]
fn bug() -> PyErr {
    python::TepalError::new_err("internal error in tepal: please report it with the traceback")
}
