//! `ScalableBloomFilter`: making one. The rest is where it is for `BloomFilter`, and in levels.rs and foreign.rs.

use crate::args::{self, Choices, Given};
use crate::error::{shielded, OrRaise};
use crate::kind::Held;
use crate::methods::{insert_all, methods};
use pyo3::prelude::*;

/// A Bloom filter that grows: for when nobody knows how many keys will come.
///
/// It is a list of levels. When the newest is full, another one is added, several times larger. With the default scheme
/// the rates of all levels that can ever come sum to `fpr`: the promise holds at any size.
///
/// A key is what it is for `BloomFilter`.
///
/// Args:
///     capacity: the keys that the first level takes; by default 1000, with a server's scheme 100. 1 to 2**48, with a
///         server's scheme to 2**63 - 1.
///     fpr: the promised rate of false positives, 1e-9 to 0.5; with a server's scheme anything between 0 and 1.
///     expansion: how many times the keys of one level the next one takes, 1 to 2**32 - 1. `None`: the filter does not
///         grow and refuses new keys when it is full. Servers' schemes: 2 by default.
///     tightening: the rate of a level divided by that of the one before, between 0 and 1. `None`: the scheme's way, which
///         for "tepal" takes the fewest bits, and for servers' is 0.5.
///     max_bytes: the most bytes it may take in memory, as `size` counts them. `None`: no limit; scheme "valkey" has
///         128 MiB by default.
///     seed: 0 to 2**64 - 1; for scheme "valkey" 32 bytes, by default the fixed seed of valkey-bloom.
///     scheme: whose hash and sizes: "tepal", "valkey" or "redisbloom". The latter two can be exchanged with servers.
///     metadata: a dict of `str` to `str` that travels with the filter, at most 65,536 bytes.
///     validate_scale_to: a number of keys that the filter must be able to grow to.
///
/// Raises:
///     ArgumentError: an argument out of range (``ERR_CAPACITY_ZERO``, ``ERR_CAPACITY_RANGE``, ``ERR_FPR_RANGE``,
///         ``ERR_EXPANSION_RANGE``, ``ERR_TIGHTENING_RANGE``, ``ERR_MAX_BYTES_RANGE``, ``ERR_SEED_RANGE``,
///         ``ERR_SEED_LENGTH``, ``ERR_SCHEME_NAME``, ``ERR_METADATA``), a size that cannot be reached
///         (``ERR_SCALE_TO``), or a wrong type (``ERR_ARGUMENT_TYPE``).
///     CapacityError: a first level of more than `max_bytes` (``ERR_MEMORY_LIMIT``).
///     FilterMemoryError: the first level does not fit into memory.
///     UnsupportedError: a scheme that can only be read ("guava", "spark-v1", "spark-v2").
///
/// Threads: one filter may be used by any number of threads, while it grows too. No key is lost, and of several threads
/// that add one new key at most one is told `True`.
///
/// >>> from tepal import ScalableBloomFilter
/// >>> seen = ScalableBloomFilter(fpr=0.01)
/// >>> seen.update(range(100_000))
/// >>> seen.filter_count, 99_999 in seen, seen.estimated_fpr < 0.01
/// (5, True, True)
#[pyclass(frozen, weakref, module = "tepal")]
pub struct ScalableBloomFilter(pub Held<tepal::ScalableBloomFilter>);

impl From<tepal::ScalableBloomFilter> for ScalableBloomFilter {
    fn from(filter: tepal::ScalableBloomFilter) -> Self {
        ScalableBloomFilter(Held::new(filter))
    }
}

methods! { ScalableBloomFilter of tepal::ScalableBloomFilter;
    ///     CapacityError: a new key, and the filter cannot grow (``ERR_FULL``, ``ERR_MEMORY_LIMIT``,
    ///         ``ERR_FPR_UNDERFLOW``). Of a batch, ``.index`` says which key, and ``.answers`` is the `Mask` of those
    ///         before it, which stay added.
    ///     FilterMemoryError: no memory to grow.
}

fn made(py: Python<'_>, fpr: Option<&Bound<'_, PyAny>>, choices: Choices<'_, '_>) -> PyResult<ScalableBloomFilter> {
    let fpr = args::fpr(fpr)?;
    let (capacity, options) = args::scalable_options(py, choices)?;
    Ok(py.detach(|| tepal::ScalableBloomFilter::with_options(capacity, fpr, options)).or_raise(py)?.into())
}

#[pymethods]
impl ScalableBloomFilter {
    #[new]
    #[pyo3(
        signature = (
            capacity = None, fpr = None, *, expansion = Given::No, tightening = Given::No, max_bytes = Given::No,
            seed = None, scheme = None, metadata = None, validate_scale_to = None
        ),
        text_signature = "(capacity=None, fpr=0.01, *, expansion=4, tightening=None, max_bytes=None, seed=0, \
            scheme='tepal', metadata=None, validate_scale_to=None)"
    )]
    #[allow(clippy::too_many_arguments)] // they are Python's
    fn new(
        py: Python<'_>,
        capacity: Option<&Bound<'_, PyAny>>,
        fpr: Option<&Bound<'_, PyAny>>,
        expansion: Given<'_>,
        tightening: Given<'_>,
        max_bytes: Given<'_>,
        seed: Option<&Bound<'_, PyAny>>,
        scheme: Option<&Bound<'_, PyAny>>,
        metadata: Option<&Bound<'_, PyAny>>,
        validate_scale_to: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let choices = Choices { capacity, expansion, tightening, max_bytes, seed, scheme, metadata, validate_scale_to };
        made(py, fpr, choices)
    }

    /// Makes a filter of these keys that can still grow: a new one, then `add_many`.
    ///
    /// Who knows all keys and adds none gets a smaller and faster filter from `BloomFilter.build`.
    ///
    /// Args:
    ///     keys: any iterable of keys, also a one-shot iterator, or a one-dimensional integer array.
    ///     fpr, capacity, expansion, tightening, max_bytes, seed, scheme, metadata, validate_scale_to: as for the class.
    ///
    /// Returns:
    ///     A new `ScalableBloomFilter`.
    ///
    /// Raises:
    ///     KeyTypeError: a value that is no key; ``.index`` says which.
    ///     ArgumentError, CapacityError, FilterMemoryError, UnsupportedError: as for the class and `add_many`.
    ///
    /// >>> from tepal import ScalableBloomFilter
    /// >>> f = ScalableBloomFilter.build(["a", "b", "a"], 0.001)
    /// >>> f.inserted_count, "b" in f
    /// (2, True)
    #[staticmethod]
    #[pyo3(
        signature = (
            keys, fpr = None, *, capacity = None, expansion = Given::No, tightening = Given::No, max_bytes = Given::No,
            seed = None, scheme = None, metadata = None, validate_scale_to = None
        ),
        text_signature = "(keys, fpr=0.01, *, capacity=None, expansion=4, tightening=None, max_bytes=None, seed=0, \
            scheme='tepal', metadata=None, validate_scale_to=None)"
    )]
    #[allow(clippy::too_many_arguments)] // they are Python's
    fn build(
        keys: &Bound<'_, PyAny>,
        fpr: Option<&Bound<'_, PyAny>>,
        capacity: Option<&Bound<'_, PyAny>>,
        expansion: Given<'_>,
        tightening: Given<'_>,
        max_bytes: Given<'_>,
        seed: Option<&Bound<'_, PyAny>>,
        scheme: Option<&Bound<'_, PyAny>>,
        metadata: Option<&Bound<'_, PyAny>>,
        validate_scale_to: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let choices = Choices { capacity, expansion, tightening, max_bytes, seed, scheme, metadata, validate_scale_to };
        let filter = made(keys.py(), fpr, choices)?;
        shielded(|| insert_all(&filter.0, keys, false, 1))?;
        Ok(filter)
    }
}
