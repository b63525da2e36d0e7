//! What filters tell about themselves: what both classes do, and the rest of `BloomFilter`.

use crate::bloom::BloomFilter;
use crate::explain;
use crate::html;
use crate::keys::hash_key;
use crate::scalable::ScalableBloomFilter;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The facts that every class of filters has.
macro_rules! facts {
    ($class:ident) => {
        #[pymethods]
        impl $class {
            /// The promised rate of false positives.
            #[getter]
            fn fpr(&self, py: Python<'_>) -> PyResult<f64> {
                self.0.slot.with(py, |filter| filter.fpr())
            }

            /// The number of bits that keys set.
            #[getter]
            fn num_bits(&self, py: Python<'_>) -> PyResult<u64> {
                self.0.slot.with(py, |filter| filter.num_bits())
            }

            /// The length of `to_bytes()`: header, body and trailer.
            #[getter]
            fn nbytes(&self, py: Python<'_>) -> PyResult<u64> {
                self.0.slot.with(py, |filter| filter.byte_len())
            }

            /// A new dict of the strings that travel with the filter.
            #[getter]
            fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
                let filter = self.0.slot.share(py)?;
                let dict = PyDict::new(py);
                filter.metadata().iter().try_for_each(|(key, value)| dict.set_item(key, value))?;
                Ok(dict)
            }

            /// Whether the filter is a view of a file or buffer and refuses changes; `copy()` gives a writable one.
            #[getter]
            fn read_only(&self, py: Python<'_>) -> PyResult<bool> {
                self.0.slot.with(py, |filter| filter.is_read_only())
            }

            /// The share of bits that are set. Cost: O(size).
            #[getter]
            fn fill_ratio(&self, py: Python<'_>) -> PyResult<f64> {
                let filter = self.0.slot.share(py)?;
                Ok(py.detach(|| filter.fill_ratio()))
            }

            /// An estimate of the number of distinct keys, from the bits. Cost: O(size).
            #[getter]
            fn estimated_count(&self, py: Python<'_>) -> PyResult<u64> {
                let filter = self.0.slot.share(py)?;
                Ok(py.detach(|| filter.estimated_count()))
            }

            /// The rate of false positives right now, from the bits. Cost: O(size).
            #[getter]
            fn estimated_fpr(&self, py: Python<'_>) -> PyResult<f64> {
                let filter = self.0.slot.share(py)?;
                Ok(py.detach(|| filter.estimated_fpr()))
            }

            /// Estimated distinct keys divided by capacity. Cost: O(size).
            #[getter]
            fn saturation(&self, py: Python<'_>) -> PyResult<f64> {
                let filter = self.0.slot.share(py)?;
                Ok(py.detach(|| filter.saturation()))
            }
        }
    };
}
facts! { BloomFilter }
facts! { ScalableBloomFilter }

#[pymethods]
impl BloomFilter {
    /// The number of keys that the promise holds for.
    #[getter]
    fn capacity(&self, py: Python<'_>) -> PyResult<u64> {
        self.0.slot.with(py, |filter| filter.capacity())
    }

    /// The seed of the hash.
    #[getter]
    fn seed(&self, py: Python<'_>) -> PyResult<u64> {
        self.0.slot.with(py, |filter| filter.seed())
    }

    /// "line", "pair" or "classic": which bits a key sets.
    #[getter]
    fn layout(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.0.slot.with(py, |filter| filter.layout().name())
    }

    /// The number of bits that a key sets.
    #[getter]
    fn num_probes(&self, py: Python<'_>) -> PyResult<u32> {
        self.0.slot.with(py, |filter| filter.num_probes())
    }

    /// The number of 64-byte lines in the body.
    #[getter]
    fn num_lines(&self, py: Python<'_>) -> PyResult<u64> {
        self.0.slot.with(py, |filter| filter.num_lines())
    }

    /// Shows why the filter answers as it does for a key: the lines and bits it looks at.
    ///
    /// Args:
    ///     key: any key.
    ///
    /// Returns:
    ///     An `Explanation`; its repr draws the lines.
    ///
    /// Raises:
    ///     KeyTypeError: a value that is no key.
    ///     StateError: a closed filter.
    ///
    /// >>> from tepal import BloomFilter
    /// >>> why = BloomFilter.build(["a", "b"]).explain("a")
    /// >>> why.contained, len(why.lines), [bit.set for bit in why.lines[0].bits].count(True)
    /// (True, 1, 8)
    #[pyo3(signature = (key, /))]
    fn explain<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let hash = hash_key(key, &self.0.hasher)?;
        let explanation = self.0.slot.with(key.py(), |filter| filter.explain_hash(hash))?;
        explain::to_python(key.py(), &explanation, self.0.hasher.seed.as_u64())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let Ok(filter) = self.0.slot.share(py) else { return "<tepal.BloomFilter closed>".into() };
        let facts = [
            format!("capacity={}", filter.capacity()),
            format!("fpr={}", filter.fpr()),
            format!("seed={}", filter.seed()),
            format!("layout='{}'", filter.layout().name()),
            format!("nbytes={}", filter.byte_len()),
        ];
        let read_only = if filter.is_read_only() { " read-only" } else { "" };
        format!("<tepal.BloomFilter {}{read_only}>", facts.join(" "))
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let filter = self.0.slot.share(py)?;
        let mut rows = vec![
            ("capacity", filter.capacity().to_string()),
            ("fpr", filter.fpr().to_string()),
            ("seed", filter.seed().to_string()),
            ("layout", filter.layout().name().to_string()),
            ("num_probes", filter.num_probes().to_string()),
            ("num_bits", filter.num_bits().to_string()),
            ("nbytes", filter.byte_len().to_string()),
            ("read_only", filter.is_read_only().to_string()),
        ];
        rows.extend(filter.metadata().iter().map(|(key, value)| ("metadata", format!("{key}: {value}"))));
        Ok(html::table("tepal.BloomFilter", &rows))
    }
}
