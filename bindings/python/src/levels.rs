//! What a `ScalableBloomFilter` tells about itself and its levels, and the totals over all of them.

use crate::args;
use crate::error::OrRaise;
use crate::html;
use crate::scalable::ScalableBloomFilter;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyTuple};
use tepal::Scheme;

macro_rules! plain_facts {
    ($($(#[$doc:meta])* $name:ident: $type:ty;)*) => {
        #[pymethods]
        impl ScalableBloomFilter {$(
            $(#[$doc])*
            #[getter]
            fn $name(&self, py: Python<'_>) -> PyResult<$type> {
                self.0.slot.with(py, |filter| filter.$name())
            }
        )*}
    };
}
plain_facts! {
    /// The keys that fit before the filter grows again: the capacities of all levels.
    capacity: u64;
    /// The capacity that it was made with: that of the first level.
    initial_capacity: u64;
    /// How many times the keys of one level the next one takes; `None`: the filter does not grow.
    expansion: Option<u32>;
    /// The rate of a level divided by that of the one before; `None`: the rates are spread so that fewest bits are needed.
    tightening: Option<f64>;
    /// The most bytes that it may take in memory; `None`: no limit.
    max_bytes: Option<u64>;
    /// The number of levels.
    filter_count: u64;
    /// The number of keys that were new: what BF.CARD counts.
    inserted_count: u64;
    /// The bytes in memory as valkey-bloom counts them: what `max_bytes` limits.
    size: u64;
}

#[pymethods]
impl ScalableBloomFilter {
    /// Whose hash and sizes: "tepal", "valkey", "redisbloom", "guava", "spark-v1" or "spark-v2".
    #[getter]
    fn scheme(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.0.slot.with(py, |filter| filter.scheme().name())
    }

    /// The seed of the hash: an integer, for scheme "valkey" 32 bytes; `None` for a scheme that has no seed.
    #[getter]
    fn seed<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (scheme, seed) = self.0.slot.with(py, |filter| (filter.scheme(), filter.seed()))?;
        Ok(match scheme {
            Scheme::Tepal => Some(PyInt::new(py, seed.as_u64()).into_any()),
            Scheme::SparkV2 => Some(PyInt::new(py, seed.as_u64() as u32 as i32).into_any()),
            Scheme::Valkey => Some(PyBytes::new(py, seed.bytes()).into_any()),
            _ => None,
        })
    }

    /// How many keys it can grow to hold, before `max_bytes`, its rate or the address space ends it.
    #[getter]
    fn max_scaled_capacity(&self, py: Python<'_>) -> PyResult<u64> {
        let filter = self.0.slot.share(py)?;
        Ok(py.detach(|| filter.max_scaled_capacity()))
    }

    /// A tuple of `LevelFacts`, one for each level, the oldest first. Cost: O(size).
    #[getter]
    fn levels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let filter = self.0.slot.share(py)?;
        let class = py.import("tepal.levels")?.getattr("LevelFacts")?;
        let levels = py.detach(|| filter.levels()).into_iter().map(|level| {
            let layout = level.layout.map(|layout| layout.name());
            let (counts, bits) = ((level.capacity, level.inserted_count), (level.num_bits, level.num_probes));
            class.call1((counts.0, counts.1, level.fpr, bits.0, bits.1, layout, level.estimated_fpr))
        });
        PyTuple::new(py, levels.collect::<PyResult<Vec<_>>>()?)
    }

    /// The fields of BF.INFO together.
    ///
    /// Returns:
    ///     A new dict (`tepal.levels.Info`): capacity, size, filter_count, inserted_count, fpr, expansion, tightening,
    ///     max_scaled_capacity; each as the property of that name.
    ///
    /// >>> from tepal import ScalableBloomFilter
    /// >>> info = ScalableBloomFilter(scheme="valkey").info()
    /// >>> info["size"], info["max_scaled_capacity"]
    /// (384, 26214300)
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let filter = self.0.slot.share(py)?;
        let info = py.detach(|| filter.info());
        let dict = PyDict::new(py);
        dict.set_item("capacity", info.capacity)?;
        dict.set_item("size", info.size)?;
        dict.set_item("filter_count", info.filter_count)?;
        dict.set_item("inserted_count", info.inserted_count)?;
        dict.set_item("fpr", info.fpr)?;
        dict.set_item("expansion", info.expansion)?;
        dict.set_item("tightening", info.tightening)?;
        dict.set_item("max_scaled_capacity", info.max_scaled_capacity)?;
        Ok(dict)
    }

    /// Makes sure that the filter can grow to so many keys.
    ///
    /// Args:
    ///     keys: 1 to 2**63 - 1.
    ///
    /// Raises:
    ///     ArgumentError: it cannot (``ERR_SCALE_TO``).
    ///     StateError: a closed filter.
    ///
    /// >>> from tepal import ScalableBloomFilter
    /// >>> ScalableBloomFilter(scheme="valkey").validate_scale_to(26_214_300)
    #[pyo3(signature = (keys, /))]
    fn validate_scale_to(&self, keys: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, keys) = (keys.py(), args::scale_to(keys)?);
        let filter = self.0.slot.share(py)?;
        py.detach(|| filter.validate_scale_to(keys)).or_raise(py)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let Ok(filter) = self.0.slot.share(py) else { return "<tepal.ScalableBloomFilter closed>".into() };
        let facts = [
            format!("scheme='{}'", filter.scheme().name()),
            format!("levels={}", filter.filter_count()),
            format!("inserted={}", filter.inserted_count()),
            format!("capacity={}", filter.capacity()),
            format!("fpr={}", filter.fpr()),
            format!("nbytes={}", filter.byte_len()),
        ];
        let read_only = if filter.is_read_only() { " read-only" } else { "" };
        format!("<tepal.ScalableBloomFilter {}{read_only}>", facts.join(" "))
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let filter = self.0.slot.share(py)?;
        let mut rows = vec![
            ("scheme", filter.scheme().name().to_string()),
            ("fpr", filter.fpr().to_string()),
            ("inserted_count", filter.inserted_count().to_string()),
            ("capacity", filter.capacity().to_string()),
            ("filter_count", filter.filter_count().to_string()),
            ("nbytes", filter.byte_len().to_string()),
            ("read_only", filter.is_read_only().to_string()),
        ];
        rows.extend(py.detach(|| filter.levels()).iter().map(|level| {
            (
                "level",
                format!(
                    "{} of {} keys, {} bits, fpr {}",
                    level.inserted_count, level.capacity, level.num_bits, level.fpr
                ),
            )
        }));
        rows.extend(filter.metadata().iter().map(|(key, value)| ("metadata", format!("{key}: {value}"))));
        Ok(html::table("tepal.ScalableBloomFilter", &rows))
    }
}

/// Totals over the scalable filters of this process that are alive: the five core metrics of INFO BF.
///
/// Returns:
///     A new dict (`tepal.levels.Metrics`): total_memory_bytes, num_objects, num_filters_across_objects,
///     num_items_across_objects, capacity_across_objects.
///
/// >>> import tepal
/// >>> before, f = tepal.metrics(), tepal.ScalableBloomFilter.build(["a", "b"])
/// >>> tepal.metrics()["num_items_across_objects"] - before["num_items_across_objects"]
/// 2
#[pyfunction]
pub fn metrics(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let sums = py.detach(tepal::metrics);
    let dict = PyDict::new(py);
    dict.set_item("total_memory_bytes", sums.total_memory_bytes)?;
    dict.set_item("num_objects", sums.num_objects)?;
    dict.set_item("num_filters_across_objects", sums.num_filters_across_objects)?;
    dict.set_item("num_items_across_objects", sums.num_items_across_objects)?;
    dict.set_item("capacity_across_objects", sums.capacity_across_objects)?;
    Ok(dict)
}
