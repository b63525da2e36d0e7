//! `Mask`: the answers of a batch, one byte each, exported to NumPy and friends without a copy.

use crate::buffer::View;
use pyo3::exceptions::{PyBufferError, PyIndexError, PyOverflowError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PySlice, PyTuple};
use std::ffi::c_int;
use std::ptr;

/// The answers of `add_many` or `contains_many`: one bool per key, in the order of the keys.
///
/// Immutable. It exports the buffer protocol (format ``?``), so ``numpy.asarray(mask)`` and ``memoryview(mask)`` copy
/// nothing. One byte per key.
///
/// Its truth value raises `TypeError`: ask ``mask.any()`` or ``mask.all()``.
///
/// >>> from tepal import BloomFilter
/// >>> seen = BloomFilter(1000).add_many(["a", "b", "a"])
/// >>> list(seen), seen.count()
/// ([True, True, False], 2)
#[pyclass(frozen, module = "tepal", sequence)]
pub struct Mask(Box<[bool]>);

impl Mask {
    pub fn new(answers: Vec<bool>) -> Self {
        Mask(answers.into_boxed_slice())
    }
}

#[pymethods]
impl Mask {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err("the truth value of a Mask is ambiguous: use mask.any() or mask.all()"))
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(slice) = index.cast::<PySlice>() {
            let range = slice.indices(self.0.len() as isize)?;
            let picked = (0..range.slicelength as isize).map(|i| self.0[(range.start + i * range.step) as usize]);
            return Ok(Bound::new(py, Mask(picked.collect()))?.into_any());
        }
        let out_of_range = || PyIndexError::new_err("Mask index out of range");
        let at = match index.extract::<isize>() {
            Err(raised) if raised.is_instance_of::<PyOverflowError>(py) => return Err(out_of_range()),
            at => at?,
        };
        let at = if at < 0 { at + self.0.len() as isize } else { at };
        let answer = usize::try_from(at).ok().and_then(|at| self.0.get(at)).ok_or_else(out_of_range)?;
        Ok(answer.into_pyobject(py)?.to_owned().into_any())
    }

    fn __iter__(slf: Bound<'_, Self>) -> MaskIterator {
        MaskIterator { mask: slf.unbind(), next: std::sync::atomic::AtomicUsize::new(0) }
    }

    fn __eq__(&self, other: &Bound<'_, Mask>) -> bool {
        self.0 == other.get().0
    }

    fn __repr__(&self) -> String {
        let shown: Vec<&str> = self.0.iter().take(8).map(|&yes| if yes { "True" } else { "False" }).collect();
        let dots = if self.0.len() > shown.len() { ", ..." } else { "" };
        format!("<tepal.Mask of {}: {} true [{}{dots}]>", self.0.len(), self.count(), shown.join(", "))
    }

    /// The number of `True` answers.
    ///
    /// Cost: O(len).
    ///
    /// >>> from tepal import BloomFilter
    /// >>> BloomFilter(1000).add_many(["a", "b", "a"]).count()
    /// 2
    fn count(&self) -> usize {
        self.0.iter().filter(|&&yes| yes).count()
    }

    /// The same as `count`, under NumPy's name.
    ///
    /// >>> from tepal import BloomFilter
    /// >>> BloomFilter(1000).add_many(["a", "b", "a"]).sum()
    /// 2
    fn sum(&self) -> usize {
        self.count()
    }

    /// Whether at least one answer is `True`.
    ///
    /// >>> from tepal import BloomFilter
    /// >>> BloomFilter(1000).contains_many(["a", "b"]).any()
    /// False
    fn any(&self) -> bool {
        self.0.contains(&true)
    }

    /// Whether every answer is `True` (also for no answers).
    ///
    /// >>> from tepal import BloomFilter
    /// >>> BloomFilter(1000).add_many(["a", "b"]).all()
    /// True
    fn all(&self) -> bool {
        !self.0.contains(&false)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let bytes: Vec<u8> = slf.get().0.iter().map(|&yes| yes.into()).collect();
        let restore = py.import("tepal._native")?.getattr("_restore_mask")?;
        PyTuple::new(py, [restore, PyTuple::new(py, [PyBytes::new(py, &bytes)])?.into_any()])
    }

    /// # Safety
    /// Called by the interpreter with a view to fill.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("no view to fill"));
        }
        let answers = &slf.get().0;
        // SAFETY: the memory lives as long as self, of which the view holds a reference; read-only is enforced by
        // PyBuffer_FillInfo, which raises when somebody asks for more.
        unsafe {
            let data = answers.as_ptr().cast_mut().cast();
            let filled = ffi::PyBuffer_FillInfo(view, slf.as_ptr(), data, answers.len() as isize, 1, flags);
            if filled != 0 {
                return Err(PyErr::fetch(slf.py()));
            }
            (*view).format =
                if flags & ffi::PyBUF_FORMAT == ffi::PyBUF_FORMAT { c"?".as_ptr().cast_mut() } else { ptr::null_mut() };
        }
        Ok(())
    }
}

/// Iterates over a `Mask`.
#[pyclass(frozen, module = "tepal._native")]
pub struct MaskIterator {
    mask: Py<Mask>,
    next: std::sync::atomic::AtomicUsize,
}

#[pymethods]
impl MaskIterator {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self) -> Option<bool> {
        let at = self.next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.mask.get().0.get(at).copied()
    }
}

/// Rebuilds a pickled mask.
#[pyfunction]
pub fn _restore_mask(data: &Bound<'_, PyAny>) -> PyResult<Mask> {
    let view = View::bytes(data).ok_or_else(|| PyTypeError::new_err("expected bytes"))?;
    Ok(Mask(view.as_ref().iter().map(|&byte| byte != 0).collect()))
}
