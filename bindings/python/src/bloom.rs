//! `BloomFilter`: making one. What it does with keys is in methods.rs, what it tells about itself in facts.rs, set operations
//! are in combine.rs, bytes, files and pickling in serial.rs.
//!
//! A frozen class: the core's filter takes updates through a shared reference, so there is nothing to borrow-check.

use crate::args;
use crate::batch::{self, Collect};
use crate::error::OrRaise;
use crate::keys::Hasher;
use crate::kind::{Bloom, Held};
use crate::methods::methods;
use pyo3::prelude::*;

/// A Bloom filter for a known number of keys: "no" is certain, "yes" is wrong at a promised rate.
///
/// A key is a `str` (its UTF-8 bytes), an integer from -2**63 to 2**64 - 1 (anything with ``__index__``, NumPy's too,
/// whatever its width; -1 and 2**64 - 1 are one key) or bytes-like (`bytes`, `bytearray`, contiguous `memoryview` of
/// format ``B``). ``"a"`` and ``b"a"`` are one key. `bool`, `float`, `None` and everything else are refused.
///
/// Args:
///     capacity: the number of distinct keys the promise holds for, 1 to 2**48. More may be added: nothing is lost, the
///         rate rises (see `estimated_fpr`).
///     fpr: the promised rate of false positives at that many keys, 1e-9 to 0.5.
///     seed: 0 to 2**64 - 1. Filters merge, and hashes are shared, only under one seed.
///     layout: "auto" (by rate), "line", "pair" or "classic" (fewest bytes, slowest).
///     metadata: a dict of `str` to `str` that travels with the filter, at most 65,536 bytes.
///
/// Raises:
///     ArgumentError: an argument out of range (``ERR_CAPACITY_ZERO``, ``ERR_CAPACITY_RANGE``, ``ERR_FPR_RANGE``,
///         ``ERR_SEED_RANGE``, ``ERR_LAYOUT_NAME``, ``ERR_METADATA``) or of a wrong type (``ERR_ARGUMENT_TYPE``).
///     FilterMemoryError: the filter does not fit into memory.
///
/// Threads: one filter may be used by any number of threads. No key is lost, and of several threads that add one new
/// key at most one is told `True`.
///
/// Deletion is not offered: a bit may belong to many keys. No ``len()``, no iteration: the keys are not in there.
///
/// >>> from tepal import BloomFilter
/// >>> names = BloomFilter(1_000_000, 0.01)
/// >>> names.add("alice"), names.add("alice")
/// (True, False)
/// >>> "alice" in names, "bob" in names
/// (True, False)
#[pyclass(frozen, weakref, module = "tepal")]
pub struct BloomFilter(pub Held<Bloom>);

impl From<Bloom> for BloomFilter {
    fn from(filter: Bloom) -> Self {
        BloomFilter(Held::new(filter))
    }
}

impl From<tepal::BloomFilter> for BloomFilter {
    fn from(filter: tepal::BloomFilter) -> Self {
        filter.into_storage().into()
    }
}

methods! { BloomFilter of Bloom }

#[pymethods]
impl BloomFilter {
    #[new]
    #[pyo3(
        signature = (capacity, fpr = None, *, seed = None, layout = None, metadata = None),
        text_signature = "(capacity, fpr=0.01, *, seed=0, layout='auto', metadata=None)"
    )]
    fn new(
        py: Python<'_>,
        capacity: &Bound<'_, PyAny>,
        fpr: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
        layout: Option<&Bound<'_, PyAny>>,
        metadata: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (capacity, fpr, options) =
            (args::capacity(capacity)?, args::fpr(fpr)?, args::options(seed, layout, metadata)?);
        let made = py.detach(|| tepal::BloomFilter::with_options(capacity, fpr, options));
        Ok(made.or_raise(py)?.into())
    }

    /// Makes a filter of exactly these keys: its capacity is the number of distinct ones.
    ///
    /// Args:
    ///     keys: any iterable of keys, also a one-shot iterator, or a one-dimensional integer array.
    ///     fpr, seed, layout, metadata: as for the class.
    ///
    /// Returns:
    ///     A new `BloomFilter`.
    ///
    /// Raises:
    ///     KeyTypeError: a value that is no key; ``.index`` says which.
    ///     ArgumentError, FilterMemoryError: as for the class.
    ///
    /// Cost: one pass; 16 bytes of memory per key while building.
    ///
    /// >>> from tepal import BloomFilter
    /// >>> f = BloomFilter.build(["a", "b", "a"], 0.001)
    /// >>> f.capacity, "b" in f
    /// (2, True)
    #[staticmethod]
    #[pyo3(
        signature = (keys, fpr = None, *, seed = None, layout = None, metadata = None),
        text_signature = "(keys, fpr=0.01, *, seed=0, layout='auto', metadata=None)"
    )]
    fn build(
        py: Python<'_>,
        keys: &Bound<'_, PyAny>,
        fpr: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
        layout: Option<&Bound<'_, PyAny>>,
        metadata: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (fpr, options) = (args::fpr(fpr)?, args::options(seed, layout, metadata)?);
        let mut hashes = Collect(Vec::new());
        batch::feed(keys, Hasher::tepal(options.seed), 1, &mut hashes)?;
        let built = py.detach(|| tepal::BloomFilter::build_hashes(hashes.0, fpr, options));
        Ok(built.or_raise(py)?.into())
    }
}
