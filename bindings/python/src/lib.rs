//! `tepal._native`: the core under Python's names. Translates, never decides.

mod add; // the method `add`, in the fastest way of calling
mod args; // loose arguments to the core's doors
mod batch; // many keys at once
mod bloom; // BloomFilter: making one
mod buffer; // memory of Python objects
mod combine; // filters with filters
mod error; // the core's errors as exceptions
mod explain; // the core's explanation as dataclasses
mod facts; // what filters tell
mod files; // atomic writes, maps
mod foreign; // ScalableBloomFilter in the formats of others
mod html; // tables for notebooks
mod keyhash; // KeyHash, key()
mod keys; // what a key is in Python, and how it is hashed
mod kind; // what both classes have in common
mod levels; // what ScalableBloomFilter tells besides
mod mask; // Mask: the answers of a batch
mod methods; // what filters do with keys
mod scalable; // ScalableBloomFilter: making one
mod serial; // filters to and from bytes, files, pickles
mod slot; // the filter inside an object, closable

/// The compiled half of tepal.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::bloom::BloomFilter;
    #[pymodule_export]
    use crate::combine::union_all;
    #[pymodule_export]
    use crate::keyhash::{_restore_key_hash, key, KeyHash};
    #[pymodule_export]
    use crate::levels::metrics;
    #[pymodule_export]
    use crate::mask::{_restore_mask, Mask};
    #[pymodule_export]
    use crate::scalable::ScalableBloomFilter;
    #[pymodule_export]
    use crate::serial::{_restore, from_buffer, from_bytes, load};

    /// For `os.register_at_fork`: locks of threads that the child does not have count as free.
    #[pyfunction]
    fn _fork_happened() {
        tepal::fork_happened();
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::add::install::<BloomFilter>(module.py(), crate::add::BLOOM)?;
        crate::add::install::<ScalableBloomFilter>(module.py(), crate::add::SCALABLE)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
