//! `tepal._native`: the core under Python's names. Translates, never decides.

mod args; // loose arguments to the core's doors
mod batch; // many keys at once
mod bloom; // BloomFilter: making one, its keys
mod buffer; // memory of Python objects
mod combine; // BloomFilter with BloomFilter
mod error; // the core's errors as exceptions
mod explain; // the core's explanation as dataclasses
mod facts; // BloomFilter: what it tells
mod files; // atomic writes, maps
mod keyhash; // KeyHash, key()
mod keys; // what a key is in Python
mod mask; // Mask: the answers of a batch
mod serial; // BloomFilter to and from bytes, files, pickles
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
    use crate::mask::{_restore_mask, Mask};
    #[pymodule_export]
    use crate::serial::{_restore, from_buffer, from_bytes, load};

    /// For `os.register_at_fork`: locks of threads that the child does not have count as free.
    #[pyfunction]
    fn _fork_happened() {
        tepal::fork_happened();
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::bloom::install_add(&module.py().get_type::<BloomFilter>())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
