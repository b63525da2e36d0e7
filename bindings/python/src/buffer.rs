//! Borrowed memory of Python objects: keys, columns of integers, whole filters.
//!
//! A `View` keeps its object exported until it is dropped, on whatever thread that happens.

use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{c_int, CStr};
use std::slice;

/// An exported buffer of a Python object.
pub struct View(Box<ffi::Py_buffer>);

// SAFETY: the exporter may not move or free the memory while it is exported; the release re-attaches to the
// interpreter. Changes by others while we read are bytes of some filter or key, never a wrong length.
unsafe impl Send for View {}
unsafe impl Sync for View {}

impl View {
    /// Exports `object` as contiguous plain bytes, whatever its element type; `None` when it cannot be.
    pub fn bytes(object: &Bound<'_, PyAny>) -> Option<View> {
        Self::get(object, ffi::PyBUF_SIMPLE)
    }

    /// Exports `object` with format, shape and strides; `None` when it cannot be.
    pub fn typed(object: &Bound<'_, PyAny>) -> Option<View> {
        Self::get(object, ffi::PyBUF_RECORDS_RO)
    }

    fn get(object: &Bound<'_, PyAny>, flags: c_int) -> Option<View> {
        // SAFETY: a zeroed Py_buffer is what PyObject_GetBuffer expects to fill.
        unsafe {
            if ffi::PyObject_CheckBuffer(object.as_ptr()) == 0 {
                return None;
            }
            let mut view = Box::new(ffi::Py_buffer::new());
            if ffi::PyObject_GetBuffer(object.as_ptr(), &mut *view, flags) == 0 {
                return Some(View(view));
            }
            ffi::PyErr_Clear();
            None
        }
    }

    /// One-dimensional, without gaps, elements of format `B`: what a key may be.
    pub fn is_plain_bytes(&self) -> bool {
        self.0.ndim == 1 && self.0.itemsize == 1 && self.stride() == 1 && self.format() == b"B"
    }

    fn format(&self) -> &[u8] {
        if self.0.format.is_null() {
            return b"B";
        }
        // SAFETY: the exporter gives a C string that lives as long as the export.
        let format = unsafe { CStr::from_ptr(self.0.format) }.to_bytes();
        match format {
            [b'@' | b'=', rest @ ..] if !rest.is_empty() => rest,
            #[cfg(target_endian = "little")]
            [b'<', rest @ ..] => rest,
            #[cfg(target_endian = "big")]
            [b'>' | b'!', rest @ ..] => rest,
            _ => format,
        }
    }

    fn stride(&self) -> isize {
        if self.0.strides.is_null() {
            self.0.itemsize
        } else {
            // SAFETY: one stride per dimension, and ndim is at least 1 where this is called.
            unsafe { *self.0.strides }
        }
    }

    /// The column of integers that this buffer is, if it is one: one dimension, native byte order.
    pub fn integers(&self) -> Option<Integers<'_>> {
        let signed = match self.format() {
            [b'b' | b'h' | b'i' | b'l' | b'q'] => true,
            [b'B' | b'H' | b'I' | b'L' | b'Q'] => false,
            _ => return None,
        };
        if self.0.ndim != 1 || !matches!(self.0.itemsize, 1 | 2 | 4 | 8) || !self.0.suboffsets.is_null() {
            return None;
        }
        let len = self.0.len / self.0.itemsize;
        Some(Integers { view: self, signed, len: len as usize })
    }
}

impl AsRef<[u8]> for View {
    fn as_ref(&self) -> &[u8] {
        if self.0.len == 0 {
            return &[];
        }
        // SAFETY: exported as contiguous bytes, `len` of them, for as long as self lives.
        unsafe { slice::from_raw_parts(self.0.buf.cast(), self.0.len as usize) }
    }
}

impl Drop for View {
    fn drop(&mut self) {
        // At the interpreter's end there is nobody left to give the buffer back to.
        Python::try_attach(|_| {
            // SAFETY: filled by PyObject_GetBuffer, released once.
            unsafe { ffi::PyBuffer_Release(&mut *self.0) }
        });
    }
}

/// A one-dimensional column of integers of any width; each read as a 64-bit key value.
pub struct Integers<'a> {
    view: &'a View,
    signed: bool,
    pub len: usize,
}

impl Integers<'_> {
    /// Calls `each` with the values from `start` to `end` modulo 2^64.
    pub fn for_each(&self, start: usize, end: usize, each: impl FnMut(u64)) {
        match (self.view.0.itemsize, self.signed) {
            (1, true) => self.walk::<i8>(start, end, |v| v as u64, each),
            (2, true) => self.walk::<i16>(start, end, |v| v as u64, each),
            (4, true) => self.walk::<i32>(start, end, |v| v as u64, each),
            (8, true) => self.walk::<i64>(start, end, |v| v as u64, each),
            (1, false) => self.walk::<u8>(start, end, u64::from, each),
            (2, false) => self.walk::<u16>(start, end, u64::from, each),
            (4, false) => self.walk::<u32>(start, end, u64::from, each),
            _ => self.walk::<u64>(start, end, |v| v, each),
        }
    }

    fn walk<T: Copy>(&self, start: usize, end: usize, widen: impl Fn(T) -> u64, mut each: impl FnMut(u64)) {
        assert!(end <= self.len && size_of::<T>() as isize == self.view.0.itemsize);
        let (base, stride) = (self.view.0.buf.cast::<u8>(), self.view.stride());
        for i in start..end {
            // SAFETY: element i < len of an exported one-dimensional buffer.
            let value = unsafe { base.offset(i as isize * stride).cast::<T>().read_unaligned() };
            each(widen(value));
        }
    }
}
