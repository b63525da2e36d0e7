//! `ScalableBloomFilter` in the formats of others: RedisBloom and valkey-bloom both ways, Guava and Spark to be read.

use crate::args::wrong_type;
use crate::buffer::View;
use crate::error::{shielded, OrRaise};
use crate::scalable::ScalableBloomFilter;
use crate::serial::parsed;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use tepal::{Result, ScalableBloomFilter as Filter};

fn payload(py: Python<'_>, of: &ScalableBloomFilter, write: fn(&Filter) -> Result<Vec<u8>>) -> PyResult<Py<PyBytes>> {
    let filter = of.0.slot.share(py)?;
    Ok(PyBytes::new(py, &py.detach(|| write(&filter)).or_raise(py)?).unbind())
}

#[pymethods]
impl ScalableBloomFilter {
    /// The filter as BF.SCANDUMP of RedisBloom gives it: for BF.LOADCHUNK, in this order.
    ///
    /// Returns:
    ///     A list of ``(iterator, chunk)``.
    ///
    /// Raises:
    ///     UnsupportedError: a filter that was not made with scheme "redisbloom" (``ERR_UNSUPPORTED``).
    ///     FilterMemoryError: no memory for a copy.
    ///     StateError: a closed filter.
    ///
    /// >>> from tepal import ScalableBloomFilter
    /// >>> f = ScalableBloomFilter.build(["a"], scheme="redisbloom")
    /// >>> [(iterator, len(chunk)) for iterator, chunk in f.to_redisbloom()]
    /// [(1, 73), (145, 144)]
    fn to_redisbloom<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let filter = self.0.slot.share(py)?;
        let chunks = py.detach(|| filter.to_redisbloom()).or_raise(py)?;
        PyList::new(py, chunks.iter().map(|(iterator, chunk)| (*iterator, PyBytes::new(py, chunk))))
    }

    /// A filter of scheme "redisbloom" from what BF.SCANDUMP gave.
    ///
    /// Args:
    ///     chunks: an iterable of ``(iterator, chunk)``, the header first; chunks are bytes-like.
    ///
    /// Returns:
    ///     A new, writable `ScalableBloomFilter`.
    ///
    /// Raises:
    ///     FormatError: chunks that are no filter, or not a whole one (``ERR_FOREIGN``, ``ERR_TRUNCATED``,
    ///         ``ERR_TRAILING``).
    ///     ArgumentError: something that is no iterable of such pairs (``ERR_ARGUMENT_TYPE``).
    ///     FilterMemoryError: no memory for it.
    ///
    /// >>> from tepal import ScalableBloomFilter
    /// >>> f = ScalableBloomFilter.build(["a"], scheme="redisbloom")
    /// >>> "a" in ScalableBloomFilter.from_redisbloom(f.to_redisbloom())
    /// True
    #[staticmethod]
    #[pyo3(signature = (chunks, /))]
    fn from_redisbloom(chunks: &Bound<'_, PyAny>) -> PyResult<Self> {
        const EXPECTED: &str = "an iterable of (iterator, chunk)";
        let py = chunks.py();
        let (mut owned, mut frozen) = (Vec::new(), true);
        for chunk in chunks.try_iter().map_err(|_| wrong_type("chunks", EXPECTED, chunks))? {
            let chunk = chunk?;
            let (iterator, bytes): (i64, Bound<'_, PyAny>) =
                chunk.extract().map_err(|_| wrong_type("chunks", EXPECTED, &chunk))?;
            frozen &= bytes.is_instance_of::<PyBytes>();
            owned.push((iterator, View::bytes(&bytes).ok_or_else(|| wrong_type("chunks", EXPECTED, &bytes))?));
        }
        let chunks: Vec<(i64, &[u8])> = owned.iter().map(|(iterator, view)| (*iterator, view.as_ref())).collect();
        let read = || Filter::from_redisbloom(&chunks);
        shielded(|| Ok((if frozen { py.detach(read) } else { read() }).or_raise(py)?.into()))
    }

    /// The filter as a payload of BF.LOAD of valkey-bloom. To push one to a server take `to_valkey_dump` and RESTORE.
    ///
    /// Returns:
    ///     The payload.
    ///
    /// Raises:
    ///     UnsupportedError: a filter that was not made with scheme "valkey" (``ERR_UNSUPPORTED``).
    ///     FilterMemoryError: no memory for a copy.
    ///     StateError: a closed filter.
    ///
    /// >>> from tepal import ScalableBloomFilter
    /// >>> f = ScalableBloomFilter.build(["a"], scheme="valkey")
    /// >>> ScalableBloomFilter.from_valkey(f.to_valkey_load()) == f
    /// True
    fn to_valkey_load(&self, py: Python<'_>) -> PyResult<Py<PyBytes>> {
        payload(py, self, Filter::to_valkey_load)
    }

    /// The filter as a payload of RESTORE, for a Valkey with valkey-bloom.
    ///
    /// Returns:
    ///     The payload.
    ///
    /// Raises:
    ///     As `to_valkey_load`.
    ///
    /// >>> from tepal import ScalableBloomFilter
    /// >>> f = ScalableBloomFilter.build(["a"], scheme="valkey")
    /// >>> ScalableBloomFilter.from_valkey(f.to_valkey_dump()) == f
    /// True
    fn to_valkey_dump(&self, py: Python<'_>) -> PyResult<Py<PyBytes>> {
        payload(py, self, Filter::to_valkey_dump)
    }

    /// A filter of scheme "valkey" from a payload of BF.LOAD or of DUMP.
    ///
    /// Args:
    ///     data: any contiguous bytes-like object; copied.
    ///
    /// Returns:
    ///     A new, writable `ScalableBloomFilter`. Its `max_bytes` is the 128 MiB of valkey-bloom, or none if it is larger.
    ///
    /// Raises:
    ///     FormatError: bytes that are no such payload (``ERR_FOREIGN``, ``ERR_TRUNCATED``, ``ERR_TRAILING``,
    ///         ``ERR_CHECKSUM``).
    ///     FilterMemoryError: no memory for it.
    ///
    /// >>> from tepal import ScalableBloomFilter
    /// >>> f = ScalableBloomFilter.build(["a"], scheme="valkey")
    /// >>> "a" in ScalableBloomFilter.from_valkey(f.to_valkey_load())
    /// True
    #[staticmethod]
    #[pyo3(signature = (data, /))]
    fn from_valkey(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(parsed(data, Filter::from_valkey)?.into())
    }

    /// A read-only filter from what ``BloomFilter.writeTo`` of Guava wrote (``MURMUR128_MITZ_64``).
    ///
    /// A `str` is a key of ``Funnels.stringFunnel(UTF_8)``, an integer of ``longFunnel()``, bytes of ``byteArrayFunnel()``.
    ///
    /// Args:
    ///     data: any contiguous bytes-like object; copied.
    ///
    /// Returns:
    ///     A read-only `ScalableBloomFilter` of one level.
    ///
    /// Raises:
    ///     FormatError: bytes that are no such filter (``ERR_FOREIGN``, ``ERR_TRUNCATED``, ``ERR_TRAILING``).
    ///     FilterMemoryError: no memory for it.
    ///
    /// >>> from tepal import ScalableBloomFilter
    /// >>> ScalableBloomFilter.from_guava(bytes.fromhex("0101" + "00000001" + "00" * 8)).scheme
    /// 'guava'
    #[staticmethod]
    #[pyo3(signature = (data, /))]
    fn from_guava(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(parsed(data, Filter::from_guava)?.into())
    }

    /// A read-only filter from what ``BloomFilter.writeTo`` of Spark wrote, version 1 or 2.
    ///
    /// A `str` is a key of ``putString``, an integer of ``putLong``, bytes of ``putBinary``.
    ///
    /// Args:
    ///     data: any contiguous bytes-like object; copied.
    ///
    /// Returns:
    ///     A read-only `ScalableBloomFilter` of one level.
    ///
    /// Raises:
    ///     FormatError: bytes that are no such filter (``ERR_FOREIGN``, ``ERR_TRUNCATED``, ``ERR_TRAILING``).
    ///     FilterMemoryError: no memory for it.
    ///
    /// >>> from tepal import ScalableBloomFilter
    /// >>> ScalableBloomFilter.from_spark(bytes.fromhex("00000001" * 3 + "00" * 8)).scheme
    /// 'spark-v1'
    #[staticmethod]
    #[pyo3(signature = (data, /))]
    fn from_spark(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(parsed(data, Filter::from_spark)?.into())
    }
}
