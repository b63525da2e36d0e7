//! Filters to and from bytes, files, buffers and pickles.

use crate::args::{self, wrong_type, Flag};
use crate::bloom::BloomFilter;
use crate::buffer::View;
use crate::error::{exception, file_exception, out_of_memory, shielded, OrRaise};
use crate::files::Map;
use crate::kind::Bloom;
use crate::scalable::ScalableBloomFilter;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tepal::{AnyFilter, Bytes, Error, Result, Storage};

const BYTES: &str = "a contiguous bytes-like object";

/// What can be read: a filter of one class, or of whichever the bytes say.
pub trait Readable: Sized + Send {
    fn parsed(bytes: &[u8], seed: Option<u64>) -> Result<Self>;
    fn shared(bytes: Arc<dyn Bytes>, seed: Option<u64>) -> Result<Self>;
    fn loaded(path: &Path, seed: Option<u64>) -> Result<Self>;
}

macro_rules! readable {
    ($type:ty, $own:expr, $from_bytes:path, $with_seed:path, $from_shared:path, $load:path) => {
        impl Readable for $type {
            fn parsed(bytes: &[u8], seed: Option<u64>) -> Result<Self> {
                match seed {
                    None => $from_bytes(bytes),
                    Some(seed) => $with_seed(bytes, seed),
                }
                .map($own)
            }

            fn shared(bytes: Arc<dyn Bytes>, seed: Option<u64>) -> Result<Self> {
                $from_shared(bytes, seed)
            }

            fn loaded(path: &Path, seed: Option<u64>) -> Result<Self> {
                $load(path, seed).map($own)
            }
        }
    };
}
readable! {
    Bloom, tepal::BloomFilter::into_storage, tepal::BloomFilter::from_bytes, tepal::BloomFilter::from_bytes_with_seed,
    tepal::BloomFilter::from_shared, tepal::BloomFilter::load
}
readable! {
    tepal::ScalableBloomFilter, |filter| filter, tepal::ScalableBloomFilter::from_bytes,
    tepal::ScalableBloomFilter::from_bytes_with_seed, tepal::ScalableBloomFilter::from_shared,
    tepal::ScalableBloomFilter::load
}
readable! {
    AnyFilter<Storage>, AnyFilter::into_storage, tepal::from_bytes, tepal::from_bytes_with_seed, tepal::from_shared,
    tepal::load
}

/// A filter of the class that it was found to have.
fn object(py: Python<'_>, filter: AnyFilter<Storage>) -> PyResult<Bound<'_, PyAny>> {
    match filter {
        AnyFilter::Bloom(filter) => Ok(Bound::new(py, BloomFilter::from(filter))?.into_any()),
        AnyFilter::Scalable(filter) => Ok(Bound::new(py, ScalableBloomFilter::from(filter))?.into_any()),
        _ => Err(exception(py, &Error::unsupported("a kind of filter that is newer than this binding"))),
    }
}

/// What `parse` makes of the bytes of a bytes-like object; without the interpreter where nobody can change them.
pub fn parsed<T: Send>(data: &Bound<'_, PyAny>, parse: impl FnOnce(&[u8]) -> Result<T> + Send) -> PyResult<T> {
    let py = data.py();
    let bytes = View::bytes(data).ok_or_else(|| wrong_type("data", BYTES, data))?;
    shielded(|| {
        if data.is_instance_of::<PyBytes>() { py.detach(|| parse(bytes.as_ref())) } else { parse(bytes.as_ref()) }
            .or_raise(py)
    })
}

fn read<R: Readable>(data: &Bound<'_, PyAny>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<R> {
    let seed = seed.map(args::seed).transpose()?;
    parsed(data, |bytes| R::parsed(bytes, seed))
}

fn view<R: Readable>(buffer: &Bound<'_, PyAny>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<R> {
    let seed = seed.map(args::seed).transpose()?;
    let view = View::bytes(buffer).ok_or_else(|| wrong_type("buffer", BYTES, buffer))?;
    shielded(|| R::shared(Arc::new(view), seed).or_raise(buffer.py()))
}

fn open<R: Readable>(path: &Bound<'_, PyAny>, mmap: Flag, seed: Option<&Bound<'_, PyAny>>) -> PyResult<R> {
    let (py, from, seed) = (path.py(), path_of(path)?, seed.map(args::seed).transpose()?);
    shielded(|| {
        let opened =
            py.detach(|| if mmap.0 { R::shared(Arc::new(Map::open(&from)?), seed) } else { R::loaded(&from, seed) });
        opened.map_err(|error| file_exception(&error, path))
    })
}

/// Why a filter was not written.
enum Stop {
    Core(Error),
    /// It grew or shrank meanwhile.
    Resized,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Core(error)
    }
}

/// The bytes of a filter, written into a `bytes` object without a second copy. Again from the start where another thread
/// made the filter grow meanwhile.
fn written<'py>(
    py: Python<'py>,
    len: impl Fn() -> u64,
    write: impl Fn(&mut (dyn FnMut(&[u8]) -> Result<(), Stop> + Send)) -> Result<(), Stop> + Sync,
) -> PyResult<Bound<'py, PyBytes>> {
    loop {
        let (bytes, mut ended) = (len(), Ok(()));
        let object = PyBytes::new_with(py, bytes as usize, |mut out| {
            ended = py.detach(|| {
                write(&mut |part| out.write_all(part).map_err(|_| Stop::Resized))?;
                if out.is_empty() {
                    Ok(())
                } else {
                    Err(Stop::Resized)
                }
            });
            Ok(())
        });
        match ended {
            Ok(()) => return object.map_err(|raised| out_of_memory(py, raised, bytes)),
            Err(Stop::Core(error)) => return Err(exception(py, &error)),
            Err(Stop::Resized) => py.check_signals()?,
        }
    }
}

/// A file's name; whatever `os.fspath` makes a `str` of.
fn path_of(path: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    path.extract().map_err(|raised: PyErr| {
        if raised.is_instance_of::<PyTypeError>(path.py()) {
            wrong_type("path", "a str or os.PathLike", path)
        } else {
            raised
        }
    })
}

macro_rules! serial {
    ($class:ident of $filter:ty) => {
        #[pymethods]
        impl $class {
            /// The filter as bytes: the same in every language, readable for ever.
            ///
            /// Args:
            ///     withhold_seed: leave the seed out, for publishing; a reader then has to know it.
            ///
            /// Returns:
            ///     `nbytes` bytes.
            ///
            /// Raises:
            ///     FilterMemoryError: no memory for them.
            ///     StateError: a closed filter.
            ///
            /// Cost: O(size). Keys that other threads add meanwhile may or may not be in it; it is a valid filter in any case.
            ///
            #[doc = concat!(">>> from tepal import ", stringify!($class))]
            #[doc = concat!(">>> f = ", stringify!($class), ".build([\"a\"])")]
            #[doc = concat!(">>> ", stringify!($class), ".from_bytes(f.to_bytes()) == f")]
            /// True
            #[pyo3(signature = (*, withhold_seed = Flag(false)), text_signature = "($self, *, withhold_seed=False)")]
            fn to_bytes<'py>(&self, py: Python<'py>, withhold_seed: Flag) -> PyResult<Bound<'py, PyBytes>> {
                let filter = self.0.slot.share(py)?;
                written(py, || filter.byte_len(), |sink| filter.write_parts(withhold_seed.0, sink))
            }

            /// A writable filter from bytes, verified to the last one.
            ///
            /// Args:
            ///     data: any contiguous bytes-like object; copied.
            ///     seed: for bytes that withhold theirs.
            ///
            /// Returns:
            #[doc = concat!("    A new `", stringify!($class), "`.")]
            ///
            /// Raises:
            ///     FormatError: bytes that are no filter, or not a whole and unchanged one (``ERR_MAGIC``, ``ERR_TRUNCATED``,
            ///         ``ERR_CHECKSUM``, ...; ``ERR_SEED_REQUIRED`` for a withheld seed).
            ///     MismatchError: a seed that is not the filter's (``ERR_SEED_DIFFERS``).
            ///     FilterMemoryError: no memory for it.
            ///
            /// Never takes more memory than the bytes themselves. Cost: O(size).
            ///
            #[doc = concat!(">>> from tepal import ", stringify!($class))]
            #[doc = concat!(">>> \"a\" in ", stringify!($class), ".from_bytes(", stringify!($class), ".build([\"a\"]).to_bytes())")]
            /// True
            #[staticmethod]
            #[pyo3(signature = (data, *, seed = None))]
            fn from_bytes(data: &Bound<'_, PyAny>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
                Ok(read::<$filter>(data, seed)?.into())
            }

            /// A read-only filter over a buffer, without a copy.
            ///
            /// Args:
            ///     buffer: any contiguous buffer: `bytes`, `mmap.mmap`, `memoryview` (of shared memory, for instance), a pyarrow
            ///         buffer. It stays exported until the filter is closed or gone; whoever changes it changes the filter.
            ///     seed: for bytes that withhold theirs.
            ///
            /// Returns:
            #[doc = concat!("    A read-only `", stringify!($class), "`; `copy()` makes it writable.")]
            ///
            /// Raises:
            ///     FormatError, MismatchError: as for `from_bytes`, but the body is not verified: `verify` does.
            ///
            /// Cost: O(1) in the size.
            ///
            #[doc = concat!(">>> from tepal import ", stringify!($class))]
            #[doc = concat!(">>> with ", stringify!($class), ".from_buffer(", stringify!($class), ".build([\"a\"]).to_bytes()) as f:")]
            /// ...     "a" in f, f.read_only
            /// (True, True)
            #[staticmethod]
            #[pyo3(signature = (buffer, *, seed = None))]
            fn from_buffer(buffer: &Bound<'_, PyAny>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
                Ok(view::<$filter>(buffer, seed)?.into())
            }

            /// Writes the filter to a file, wholly or not at all.
            ///
            /// The bytes go into a temporary file in the same directory, are flushed to the disk, and replace the file by a
            /// rename. On any failure, a full disk for instance, the old file is still there. (A killed process leaves its
            /// temporary file, ``.NAME.PID.N.tmp``, behind.)
            ///
            /// Args:
            ///     path: `str` or `os.PathLike`.
            ///     withhold_seed: as for `to_bytes`.
            ///
            /// Raises:
            ///     FilterIOError: the system refused (``ERR_IO``); ``errno`` and ``filename`` as with any `OSError`.
            ///     StateError: a closed filter.
            ///
            /// Cost: O(size), without a second copy in memory.
            ///
            /// >>> import os, tempfile
            #[doc = concat!(">>> from tepal import ", stringify!($class), ", load")]
            /// >>> with tempfile.TemporaryDirectory() as folder:
            /// ...     path = os.path.join(folder, "names.tepal")
            #[doc = concat!("...     ", stringify!($class), ".build([\"a\"]).save(path)")]
            /// ...     "a" in load(path)
            /// True
            #[pyo3(signature = (path, *, withhold_seed = Flag(false)), text_signature = "($self, path, *, withhold_seed=False)")]
            fn save(&self, path: &Bound<'_, PyAny>, withhold_seed: Flag) -> PyResult<()> {
                let (py, to) = (path.py(), path_of(path)?);
                let filter = self.0.slot.share(py)?;
                py.detach(|| filter.save(&to, withhold_seed.0)).map_err(|error| file_exception(&error, path))
            }

            /// Reads a filter from a file.
            ///
            /// Args:
            ///     path: `str` or `os.PathLike`.
            ///     mmap: map the file instead of reading it: read-only, at once, shared with every process that maps it.
            ///         The body is not verified (`verify` does). Do not change or shorten a mapped file in place (`save` does not:
            ///         it replaces): shortening it ends the process.
            ///     seed: for a file that withholds its own.
            ///
            /// Returns:
            #[doc = concat!("    A `", stringify!($class), "`: writable, or with ``mmap=True`` read-only and a context manager that unmaps.")]
            ///
            /// Raises:
            ///     FilterIOError: the system refused (``ERR_IO``); ``errno`` and ``filename`` as with any `OSError`.
            ///     FormatError, MismatchError, FilterMemoryError: as for `from_bytes`.
            ///
            /// >>> import os, tempfile
            #[doc = concat!(">>> from tepal import ", stringify!($class))]
            /// >>> with tempfile.TemporaryDirectory() as folder:
            /// ...     path = os.path.join(folder, "names.tepal")
            #[doc = concat!("...     ", stringify!($class), ".build([\"a\"]).save(path)")]
            #[doc = concat!("...     with ", stringify!($class), ".load(path, mmap=True) as names:")]
            /// ...         "a" in names
            /// True
            #[staticmethod]
            #[pyo3(signature = (path, *, mmap = Flag(false), seed = None), text_signature = "(path, *, mmap=False, seed=None)")]
            fn load(path: &Bound<'_, PyAny>, mmap: Flag, seed: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
                Ok(open::<$filter>(path, mmap, seed)?.into())
            }

            /// Compares the body of a mapped or borrowed filter with its checksum; others were verified when they were read.
            ///
            /// Raises:
            ///     FormatError: the bytes were changed (``ERR_CHECKSUM``).
            ///     StateError: a closed filter.
            ///
            /// Cost: O(size).
            ///
            #[doc = concat!(">>> from tepal import ", stringify!($class))]
            #[doc = concat!(">>> ", stringify!($class), ".from_buffer(", stringify!($class), ".build([\"a\"]).to_bytes()).verify()")]
            fn verify(&self, py: Python<'_>) -> PyResult<()> {
                let filter = self.0.slot.share(py)?;
                py.detach(|| filter.verify()).or_raise(py)
            }

            /// Protocol 5 and later hand the bytes over as a buffer, which may travel out of band.
            #[pyo3(signature = (protocol, /))]
            fn __reduce_ex__<'py>(slf: &Bound<'py, Self>, protocol: i32) -> PyResult<Bound<'py, PyTuple>> {
                let py = slf.py();
                let bytes = slf.get().to_bytes(py, Flag(false))?.into_any();
                let state = if protocol >= 5 { py.import("pickle")?.getattr("PickleBuffer")?.call1((bytes,))? } else { bytes };
                PyTuple::new(py, [py.import("tepal._native")?.getattr("_restore")?, PyTuple::new(py, [state])?.into_any()])
            }
        }
    };
}
serial! { BloomFilter of Bloom }
serial! { ScalableBloomFilter of tepal::ScalableBloomFilter }

/// Rebuilds a pickled filter: a writable one from bytes inside the pickle; a read-only view of a buffer that came out of
/// band (as NumPy does), because whoever sends one wants it shared.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub fn _restore<'py>(data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if data.is_instance_of::<PyBytes>() {
        from_bytes(data, None)
    } else {
        from_buffer(data, None)
    }
}

/// A filter from bytes: `BloomFilter.from_bytes` for a kind that only the bytes know.
///
/// Args:
///     data: any contiguous bytes-like object; copied.
///     seed: for bytes that withhold theirs.
///
/// Returns:
///     A filter of the right class.
///
/// Raises:
///     FormatError, MismatchError, FilterMemoryError: as for `BloomFilter.from_bytes`.
///
/// >>> import tepal
/// >>> "a" in tepal.from_bytes(tepal.BloomFilter.build(["a"]).to_bytes())
/// True
#[pyfunction]
#[pyo3(signature = (data, *, seed = None))]
pub fn from_bytes<'py>(data: &Bound<'py, PyAny>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    object(data.py(), read(data, seed)?)
}

/// A read-only filter over a buffer: `BloomFilter.from_buffer` for a kind that only the bytes know.
///
/// Args:
///     buffer: any contiguous buffer; it stays exported until the filter is closed or gone.
///     seed: for bytes that withhold theirs.
///
/// Returns:
///     A read-only filter of the right class.
///
/// Raises:
///     FormatError, MismatchError: as for `BloomFilter.from_buffer`.
///
/// >>> import tepal
/// >>> "a" in tepal.from_buffer(tepal.BloomFilter.build(["a"]).to_bytes())
/// True
#[pyfunction]
#[pyo3(signature = (buffer, *, seed = None))]
pub fn from_buffer<'py>(buffer: &Bound<'py, PyAny>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    object(buffer.py(), view(buffer, seed)?)
}

/// Reads a filter from a file: `BloomFilter.load` for a kind that only the file knows.
///
/// Args:
///     path: `str` or `os.PathLike`.
///     mmap: map the file read-only instead of reading it.
///     seed: for a file that withholds its own.
///
/// Returns:
///     A filter of the right class.
///
/// Raises:
///     FilterIOError, FormatError, MismatchError, FilterMemoryError: as for `BloomFilter.load`.
///
/// >>> import tepal
/// >>> try:
/// ...     tepal.load("/no/such/file")
/// ... except tepal.FilterIOError as error:
/// ...     print(error.code, error.errno)
/// ERR_IO 2
#[pyfunction]
#[pyo3(signature = (path, *, mmap = Flag(false), seed = None), text_signature = "(path, *, mmap=False, seed=None)")]
pub fn load<'py>(path: &Bound<'py, PyAny>, mmap: Flag, seed: Option<&Bound<'_, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    object(path.py(), open(path, mmap, seed)?)
}
