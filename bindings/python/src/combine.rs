//! Filters with filters of their class: union, equality, copies; of `BloomFilter` also intersection and smaller ones.

use crate::args::{self, wrong_type};
use crate::bloom::BloomFilter;
use crate::error::OrRaise;
use crate::kind::{Bloom, Class};
use crate::scalable::ScalableBloomFilter;
use pyo3::prelude::*;
use std::sync::Arc;
use tepal::Result;

/// A new filter from two.
fn two<C: Class, T: Into<C> + Send>(
    py: Python<'_>,
    a: &C,
    b: &C,
    work: fn(&C::Filter, &C::Filter) -> Result<T>,
) -> PyResult<C> {
    let (a, b) = (a.held().slot.share(py)?, b.held().slot.share(py)?);
    Ok(py.detach(|| work(&a, &b)).or_raise(py)?.into())
}

/// Something about two filters: a change of the first, or an answer.
fn of_two<C: Class, T: Send>(py: Python<'_>, a: &C, b: &C, work: fn(&C::Filter, &C::Filter) -> T) -> PyResult<T> {
    let (a, b) = (a.held().slot.share(py)?, b.held().slot.share(py)?);
    Ok(py.detach(|| work(&a, &b)))
}

fn expect<'a, 'py, C: Class>(other: &'a Bound<'py, PyAny>, what: &'static str) -> PyResult<&'a C> {
    Ok(other.cast::<C>().map_err(|_| wrong_type("other", what, other))?.get())
}

macro_rules! combine {
    ($class:ident; $(#[$union:meta])*) => {
        #[pymethods]
        impl $class {
            fn __or__(&self, py: Python<'_>, other: &Bound<'_, $class>) -> PyResult<Self> {
                two(py, self, other.get(), |a, b| a.union(b))
            }

            fn __ior__(&self, py: Python<'_>, other: &Bound<'_, $class>) -> PyResult<()> {
                of_two(py, self, other.get(), |a, b| a.union_with(b))?.or_raise(py)
            }

            fn __eq__(&self, py: Python<'_>, other: &Bound<'_, $class>) -> PyResult<bool> {
                of_two(py, self, other.get(), |a, b| a.same_filter(b))
            }

            $(#[$union])*
            #[pyo3(signature = (other, /))]
            fn union(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
                two(other.py(), self, expect(other, concat!("a ", stringify!($class)))?, |a, b| a.union(b))
            }

            /// A writable copy in memory, also of a mapped or borrowed filter.
            ///
            /// Raises:
            ///     FilterMemoryError: no memory for it.
            ///     StateError: a closed filter.
            ///
            /// Cost: O(size).
            ///
            #[doc = concat!(">>> from tepal import ", stringify!($class))]
            #[doc = concat!(">>> a = ", stringify!($class), "(1000)")]
            /// >>> b = a.copy()
            /// >>> b.add("x"), "x" in a
            /// (True, False)
            fn copy(&self, py: Python<'_>) -> PyResult<Self> {
                let filter = self.0.slot.share(py)?;
                Ok(py.detach(|| filter.copy()).or_raise(py)?.into())
            }

            fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
                self.copy(py)
            }

            fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
                self.copy(py)
            }
        }
    };
}

combine! { BloomFilter;
    /// A new filter with the keys of both; also ``a | b``.
    ///
    /// Both need the same layout, seed and number of probes, and line counts of which one divides the other. The result
    /// has the smaller size and capacity, the larger fpr and the metadata that both share; it is the same whatever the
    /// order.
    ///
    /// Args:
    ///     other: a `BloomFilter`.
    ///
    /// Returns:
    ///     A new, writable `BloomFilter`.
    ///
    /// Raises:
    ///     MismatchError: filters that do not belong together (``ERR_SEED_DIFFERS``, ``ERR_LAYOUT_DIFFERS``,
    ///         ``ERR_SIZE_DIFFERS``).
    ///
    /// Cost: O(size).
    ///
    /// >>> from tepal import BloomFilter
    /// >>> a, b = BloomFilter(1000), BloomFilter(1000)
    /// >>> a.add("x"), b.add("y")
    /// (True, True)
    /// >>> both = a.union(b)
    /// >>> "x" in both, "y" in both
    /// (True, True)
}

combine! { ScalableBloomFilter;
    /// A new filter with the keys of both; also ``a | b``.
    ///
    /// Both need the same scheme, seed, initial capacity, fpr, expansion and tightening. Levels of one place are joined
    /// where one can take the keys of both; others stand side by side, and then `fpr` of the result is the sum of all
    /// their rates. The result has the metadata that both share and the first one's memory limit; its bits are the same
    /// whatever the order.
    ///
    /// Args:
    ///     other: a `ScalableBloomFilter`.
    ///
    /// Returns:
    ///     A new, writable `ScalableBloomFilter`.
    ///
    /// Raises:
    ///     MismatchError: filters that do not belong together (``ERR_SCHEME_DIFFERS``, ``ERR_SEED_DIFFERS``,
    ///         ``ERR_CAPACITY_DIFFERS``, ``ERR_FPR_DIFFERS``, ``ERR_EXPANSION_DIFFERS``, ``ERR_TIGHTENING_DIFFERS``).
    ///     CapacityError: more than `max_bytes` (``ERR_MEMORY_LIMIT``).
    ///
    /// Cost: O(size).
    ///
    /// >>> from tepal import ScalableBloomFilter
    /// >>> both = ScalableBloomFilter.build(["x"]).union(ScalableBloomFilter.build(["y"]))
    /// >>> "x" in both, "y" in both, both.fpr
    /// (True, True, 0.01)
}

#[pymethods]
impl BloomFilter {
    fn __and__(&self, py: Python<'_>, other: &Bound<'_, BloomFilter>) -> PyResult<Self> {
        two(py, self, other.get(), |a, b| a.intersection(b))
    }

    fn __iand__(&self, py: Python<'_>, other: &Bound<'_, BloomFilter>) -> PyResult<()> {
        of_two(py, self, other.get(), |a, b| a.intersect_with(b))?.or_raise(py)
    }

    /// A new filter with the bits of both; also ``a & b``.
    ///
    /// Every key that was added to both is in it, but the promised rate is not kept: bits of different keys may
    /// coincide.
    ///
    /// Args:
    ///     other: a `BloomFilter`, compatible as for `union`.
    ///
    /// Returns:
    ///     A new, writable `BloomFilter`.
    ///
    /// Raises:
    ///     MismatchError: as for `union`.
    ///
    /// Cost: O(size).
    ///
    /// >>> from tepal import BloomFilter
    /// >>> a, b = BloomFilter(1000), BloomFilter(1000)
    /// >>> a.update(["x", "y"])
    /// >>> b.update(["y", "z"])
    /// >>> "y" in a.intersection(b)
    /// True
    #[pyo3(signature = (other, /))]
    fn intersection(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        two(other.py(), self, expect(other, "a BloomFilter")?, |a, b| a.intersection(b))
    }

    /// A smaller filter with the same keys: `factor` lines become one.
    ///
    /// The result equals, to the bit, a filter of that size into which the same keys were added.
    ///
    /// Args:
    ///     factor: a divisor of the number of lines (for layout "pair" of half of it).
    ///
    /// Returns:
    ///     A new, writable `BloomFilter`.
    ///
    /// Raises:
    ///     ArgumentError: a factor that does not divide (``ERR_FACTOR``).
    ///
    /// Cost: O(size).
    ///
    /// >>> from tepal import BloomFilter
    /// >>> f = BloomFilter(1_000_000)
    /// >>> _ = f.add("x")
    /// >>> half = f.fold(2)
    /// >>> half.num_lines * 2 == f.num_lines, "x" in half
    /// (True, True)
    #[pyo3(signature = (factor, /))]
    fn fold(&self, factor: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (py, factor) = (factor.py(), args::factor(factor)?);
        let filter = self.0.slot.share(py)?;
        Ok(py.detach(|| filter.fold(factor)).or_raise(py)?.into())
    }

    /// The smallest fold that keeps the promised rate for `capacity` keys.
    ///
    /// Args:
    ///     capacity: 1 to 2**48.
    ///
    /// Returns:
    ///     A new, writable `BloomFilter`; as large as this one when no fold is small enough.
    ///
    /// Raises:
    ///     ArgumentError: a capacity out of range.
    ///
    /// Cost: O(size).
    ///
    /// >>> from tepal import BloomFilter
    /// >>> f = BloomFilter(1_000_000)
    /// >>> f.shrink_to(1000).nbytes < f.nbytes
    /// True
    #[pyo3(signature = (capacity, /))]
    fn shrink_to(&self, capacity: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (py, capacity) = (capacity.py(), args::capacity(capacity)?);
        let filter = self.0.slot.share(py)?;
        Ok(py.detach(|| filter.shrink_to(capacity)).or_raise(py)?.into())
    }
}

/// One filter with the keys of all: partial filters of a distributed build become one.
///
/// Args:
///     filters: an iterable of `BloomFilter`, at least one, compatible as for `BloomFilter.union`.
///
/// Returns:
///     A new, writable `BloomFilter`.
///
/// Raises:
///     ArgumentError: no filter (``ERR_EMPTY``), or something that is none (``ERR_ARGUMENT_TYPE``).
///     MismatchError: filters that do not belong together.
///
/// Cost: O(size) for each.
///
/// >>> import tepal
/// >>> parts = [tepal.BloomFilter(1000) for _ in range(3)]
/// >>> for i, part in enumerate(parts):
/// ...     part.update([i])
/// >>> tepal.union_all(parts).contains_many(range(3)).all()
/// True
#[pyfunction]
#[pyo3(signature = (filters, /))]
pub fn union_all(filters: &Bound<'_, PyAny>) -> PyResult<BloomFilter> {
    const EXPECTED: &str = "an iterable of BloomFilter";
    let py = filters.py();
    let mut shares: Vec<Arc<Bloom>> = Vec::new();
    for filter in filters.try_iter().map_err(|_| wrong_type("filters", EXPECTED, filters))? {
        let filter = filter?;
        let filter = filter.cast::<BloomFilter>().map_err(|_| wrong_type("filters", EXPECTED, &filter))?;
        shares.push(filter.get().0.slot.share(py)?);
    }
    let merged = py.detach(|| tepal::union_all(shares.iter().map(|share| &**share)));
    Ok(merged.or_raise(py)?.into())
}
