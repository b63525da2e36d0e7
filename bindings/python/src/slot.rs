//! Where a filter object keeps its filter, so that `close()` can take it out at any time.
//!
//! Long work takes a share (`Arc`) and goes on undisturbed by a `close()`; memory, map or buffer are then released by
//! whoever lets go last. Short work borrows: with a global interpreter lock that costs one load, no atomic operation.

use crate::error::exception;
use pyo3::prelude::*;
use std::sync::Arc;
use tepal::Error;

#[cfg(not(Py_GIL_DISABLED))]
type Cell<T> = std::cell::UnsafeCell<T>;
#[cfg(Py_GIL_DISABLED)]
type Cell<T> = std::sync::RwLock<T>;

/// A filter, or nothing once closed.
pub struct Slot<F>(Cell<Option<Arc<F>>>);

// SAFETY: without the cell's own lock every access holds the interpreter lock (each method asks for `Python`), and
// none gives a reference away or runs Python code while it has one: see `with`.
#[cfg(not(Py_GIL_DISABLED))]
unsafe impl<F: Send + Sync> Sync for Slot<F> {}

impl<F> Slot<F> {
    pub fn new(filter: F) -> Self {
        Slot(Cell::new(Some(Arc::new(filter))))
    }

    /// Borrows the filter for a short work: one that runs no Python code and keeps the thread attached, which is why
    /// the work is not handed `Python`. `None` after `close()`.
    #[inline]
    pub fn with_open<T>(&self, _py: Python<'_>, work: impl FnOnce(&F) -> T) -> Option<T> {
        #[cfg(not(Py_GIL_DISABLED))]
        // SAFETY: the interpreter lock is held (`_py`) and stays held, so no other thread takes the filter out.
        let filter = unsafe { &*self.0.get() };
        #[cfg(Py_GIL_DISABLED)]
        let filter = self.0.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        filter.as_ref().map(|filter| work(filter))
    }

    /// `with_open`, where a closed filter is an error.
    ///
    /// # Errors
    /// `ERR_FREED` after `close()`.
    #[inline]
    pub fn with<T>(&self, py: Python<'_>, work: impl FnOnce(&F) -> T) -> PyResult<T> {
        self.with_open(py, work).ok_or_else(|| exception(py, &Error::freed()))
    }

    /// A share of the filter for long work.
    ///
    /// # Errors
    /// `ERR_FREED` after `close()`.
    pub fn share(&self, py: Python<'_>) -> PyResult<Arc<F>> {
        #[cfg(not(Py_GIL_DISABLED))]
        // SAFETY: as in `with`.
        let share = unsafe { (*self.0.get()).clone() };
        #[cfg(Py_GIL_DISABLED)]
        let share = self.0.read().unwrap_or_else(|poisoned| poisoned.into_inner()).clone();
        share.ok_or_else(|| exception(py, &Error::freed()))
    }

    /// Takes the filter out; a second call does nothing.
    pub fn close(&self, _py: Python<'_>) {
        #[cfg(not(Py_GIL_DISABLED))]
        // SAFETY: the interpreter lock is held; the old value is dropped after the cell is empty, because dropping it
        // may run Python code (the release of a buffer).
        let taken = unsafe { (*self.0.get()).take() };
        #[cfg(Py_GIL_DISABLED)]
        let taken = self.0.write().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        drop(taken);
    }
}
