//! `add`, the method that is called most. PyO3 knows only calls with keyword arguments; a method of exactly one argument
//! is a third faster.

use crate::error::{shielded, OrRaise};
use crate::keys::{hash_key, plain_key};
use crate::kind::{Class, Kind};
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::CStr;

macro_rules! doc {
    ($class:literal, $more_raises:literal, $rule:literal) => {{
        const TEXT: &str = concat!(
            "add($self, key, /)\n--\n\nAdds a key.\n\n",
            "Args:\n    key: `str`, integer or bytes-like (see the class).\n\n",
            "Returns:\n    `True` when the key was new, `False` when it was (probably) there before. ",
            "(pybloom answers the other way round.)\n\n",
            "Raises:\n    KeyTypeError: a value that is no key (``ERR_KEY_TYPE``, ``ERR_KEY_RANGE``, ",
            "``ERR_KEY_SURROGATE``).\n",
            $more_raises,
            "    StateError: a read-only (``ERR_READ_ONLY``) or closed filter (``ERR_FREED``).\n\n",
            $rule,
            "\n\n>>> from tepal import ",
            $class,
            "\n>>> ",
            $class,
            "(1000).add(\"alice\")\nTrue\0",
        );
        match CStr::from_bytes_with_nul(TEXT.as_bytes()) {
            Ok(text) => text,
            Err(_) => unreachable!(),
        }
    }};
}

/// What `BloomFilter.add` says of itself.
pub const BLOOM: &CStr = doc!(
    "BloomFilter",
    "",
    "Past its capacity the filter goes on accepting keys: to refuse one would be a false negative."
);
/// What `ScalableBloomFilter.add` says of itself.
pub const SCALABLE: &CStr = doc!(
    "ScalableBloomFilter",
    "    CapacityError: a new key, and the filter cannot grow (``ERR_FULL``, ``ERR_MEMORY_LIMIT``,\n        ``ERR_FPR_UNDERFLOW``); it is as it was.\n    FilterMemoryError: no memory to grow.\n",
    "A key that any level claims is not new; the first new key beyond `capacity` makes the filter grow."
);

/// Gives a class its `add`.
pub fn install<C: Class>(py: Python<'_>, doc: &'static CStr) -> PyResult<()> {
    let class = py.get_type::<C>();
    // For as long as the class lives, which is as long as the process does.
    let definition = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: c"add".as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunction: add::<C> },
        ml_flags: ffi::METH_O,
        ml_doc: doc.as_ptr(),
    }));
    // SAFETY: a definition that is never freed, a live type.
    let descriptor = unsafe {
        let descriptor = ffi::PyDescr_NewMethod(class.as_ptr().cast(), definition);
        Bound::from_owned_ptr_or_err(py, descriptor)?
    };
    class.setattr("add", descriptor)
}

/// `add` itself: the short way for exact `str`, `int` and `bytes`, else `add_any`.
unsafe extern "C" fn add<C: Class>(slf: *mut ffi::PyObject, key: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls with the thread attached and two live objects; the descriptor has checked that the
    // first is a C.
    unsafe {
        let py = Python::assume_attached();
        let held = Borrowed::from_ptr(py, slf).cast_unchecked::<C>().get().held();
        if let Some(key) = plain_key(key) {
            let hash = key.hash(&held.hasher);
            if let Some(Ok(new)) = held.slot.with_open(py, |open| open.insert_hash_raw(hash)) {
                return ffi::Py_NewRef(if new { ffi::Py_True() } else { ffi::Py_False() });
            }
        }
        add_any::<C>(slf, key)
    }
}

/// `add` for every other kind of key, and for what is refused.
#[cold]
unsafe fn add_any<C: Class>(slf: *mut ffi::PyObject, key: *mut ffi::PyObject) -> *mut ffi::PyObject {
    Python::attach(|py| {
        // SAFETY: as in `add`.
        let (filter, key) = unsafe { (Borrowed::from_ptr(py, slf), Borrowed::from_ptr(py, key)) };
        let added = shielded(|| {
            let held = filter.cast::<C>()?.get().held();
            let hash = hash_key(&key, &held.hasher)?;
            held.slot.with(py, |open| open.insert_hash_raw(hash))?.or_raise(py)
        });
        match added {
            Ok(new) => new.into_pyobject(py).map_or(std::ptr::null_mut(), |new| new.to_owned().into_ptr()),
            Err(raised) => {
                raised.restore(py);
                std::ptr::null_mut()
            }
        }
    })
}
