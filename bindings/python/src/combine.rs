//! `BloomFilter` with `BloomFilter`: union, intersection, equality, copies, smaller ones.

use crate::args::{self, wrong_type};
use crate::bloom::BloomFilter;
use crate::error::OrRaise;
use crate::slot::Filter;
use pyo3::prelude::*;
use std::sync::Arc;
use tepal::Result;

/// A new filter from two.
fn two(
    py: Python<'_>,
    a: &BloomFilter,
    b: &BloomFilter,
    work: fn(&Filter, &Filter) -> Result<Filter>,
) -> PyResult<BloomFilter> {
    let (a, b) = (a.slot.share(py)?, b.slot.share(py)?);
    Ok(BloomFilter::wrap(py.detach(|| work(&a, &b)).or_raise(py)?))
}

/// Changes one filter by another.
fn in_place(
    py: Python<'_>,
    a: &BloomFilter,
    b: &BloomFilter,
    work: fn(&Filter, &Filter) -> Result<()>,
) -> PyResult<()> {
    let (a, b) = (a.slot.share(py)?, b.slot.share(py)?);
    py.detach(|| work(&a, &b)).or_raise(py)
}

fn union(a: &Filter, b: &Filter) -> Result<Filter> {
    Ok(a.union(b)?.into_storage())
}

fn intersection(a: &Filter, b: &Filter) -> Result<Filter> {
    Ok(a.intersection(b)?.into_storage())
}

fn expect<'a, 'py>(other: &'a Bound<'py, PyAny>) -> PyResult<&'a BloomFilter> {
    Ok(other.cast::<BloomFilter>().map_err(|_| wrong_type("other", "a BloomFilter", other))?.get())
}

#[pymethods]
impl BloomFilter {
    fn __or__(&self, py: Python<'_>, other: &Bound<'_, BloomFilter>) -> PyResult<Self> {
        two(py, self, other.get(), union)
    }

    fn __and__(&self, py: Python<'_>, other: &Bound<'_, BloomFilter>) -> PyResult<Self> {
        two(py, self, other.get(), intersection)
    }

    fn __ior__(&self, py: Python<'_>, other: &Bound<'_, BloomFilter>) -> PyResult<()> {
        in_place(py, self, other.get(), |a, b| a.union_with(b))
    }

    fn __iand__(&self, py: Python<'_>, other: &Bound<'_, BloomFilter>) -> PyResult<()> {
        in_place(py, self, other.get(), |a, b| a.intersect_with(b))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, BloomFilter>) -> PyResult<bool> {
        let (a, b) = (self.slot.share(py)?, other.get().slot.share(py)?);
        Ok(py.detach(|| a.same_filter(&b)))
    }

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
    #[pyo3(signature = (other, /))]
    fn union(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        two(other.py(), self, expect(other)?, union)
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
        two(other.py(), self, expect(other)?, intersection)
    }

    /// A writable copy in memory, also of a mapped or borrowed filter.
    ///
    /// Raises:
    ///     FilterMemoryError: no memory for it.
    ///     StateError: a closed filter.
    ///
    /// Cost: O(size).
    ///
    /// >>> from tepal import BloomFilter
    /// >>> a = BloomFilter(1000)
    /// >>> b = a.copy()
    /// >>> b.add("x"), "x" in a
    /// (True, False)
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let filter = self.slot.share(py)?;
        Ok(Self::wrap(py.detach(|| filter.copy()).or_raise(py)?.into_storage()))
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.copy(py)
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
        let filter = self.slot.share(py)?;
        Ok(Self::wrap(py.detach(|| filter.fold(factor)).or_raise(py)?.into_storage()))
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
        let filter = self.slot.share(py)?;
        Ok(Self::wrap(py.detach(|| filter.shrink_to(capacity)).or_raise(py)?.into_storage()))
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
    let mut shares: Vec<Arc<Filter>> = Vec::new();
    for filter in filters.try_iter().map_err(|_| wrong_type("filters", EXPECTED, filters))? {
        let filter = filter?;
        let filter = filter.cast::<BloomFilter>().map_err(|_| wrong_type("filters", EXPECTED, &filter))?;
        shares.push(filter.get().slot.share(py)?);
    }
    let merged = py.detach(|| tepal::union_all(shares.iter().map(|share| &**share)));
    Ok(BloomFilter::wrap(merged.or_raise(py)?.into_storage()))
}
