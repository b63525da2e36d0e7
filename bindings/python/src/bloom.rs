//! `BloomFilter`: making one, and its keys. What it tells about itself is in facts.rs, set operations are in combine.rs,
//! bytes, files and pickling in serial.rs.
//!
//! A frozen class: the core's filter takes updates through a shared reference, so there is nothing to borrow-check.

use crate::args;
use crate::batch::{self, Collect, Contains, Insert};
use crate::error::{shielded, OrRaise};
use crate::keyhash::{self, KeyHash};
use crate::keys::{hash_key, plain_key};
use crate::mask::Mask;
use crate::slot::{Filter, Slot};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::cell::UnsafeCell;

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
pub struct BloomFilter {
    /// A copy, so that keys are hashed before the filter is borrowed: hashing may run user code.
    pub seed: u64,
    pub slot: Slot,
}

impl BloomFilter {
    pub fn wrap(filter: Filter) -> Self {
        BloomFilter { seed: filter.seed(), slot: Slot::new(filter) }
    }

    /// Inserts the keys of `keys`; gives back the answers if they are wanted.
    fn insert_all(&self, keys: &Bound<'_, PyAny>, keep: bool, threads: usize) -> PyResult<Vec<bool>> {
        let py = keys.py();
        let filter = self.slot.share(py)?;
        filter.insert_hashes(&[], &mut []).or_raise(py)?; // a read-only filter refuses before anything is iterated
        let mut insert = Insert { filter: &filter, answers: Vec::new(), keep };
        batch::feed(keys, self.seed, threads, &mut insert)?;
        Ok(insert.answers)
    }
}

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
        Ok(Self::wrap(made.or_raise(py)?.into_storage()))
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
        batch::feed(keys, options.seed, 1, &mut hashes)?;
        let built = py.detach(|| tepal::BloomFilter::build_hashes(hashes.0, fpr, options));
        Ok(Self::wrap(built.or_raise(py)?.into_storage()))
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let hash = hash_key(key, self.seed)?;
        self.slot.with(key.py(), |filter| filter.contains_hash_raw(hash))
    }

    /// Adds many keys: the same as a loop over `add`, to the byte, and several times faster.
    ///
    /// Args:
    ///     keys: any iterable of keys, or a one-dimensional integer array (any buffer of ``b B h H i I l L q Q``).
    ///     threads: how many threads a big batch may use; the result is that of the keys in their order with any number.
    ///         (Today one inserts, because order decides which of two equal keys is new; `contains_many` uses all.)
    ///
    /// Returns:
    ///     A `Mask`: for each key, whether it was new. A repeat inside the batch is `False`.
    ///
    /// Raises:
    ///     KeyTypeError: a value that is no key; ``.index`` says which. What came before it stays added.
    ///     ArgumentError: one key instead of many, or nothing iterable (``ERR_ARGUMENT_TYPE``).
    ///     StateError: a read-only or closed filter.
    ///
    /// Other Python threads run while a big batch is inserted.
    ///
    /// >>> from tepal import BloomFilter
    /// >>> f = BloomFilter(1000)
    /// >>> list(f.add_many(["a", "b", "a"]))
    /// [True, True, False]
    #[pyo3(signature = (keys, *, threads = None), text_signature = "($self, keys, *, threads=1)")]
    fn add_many(&self, keys: &Bound<'_, PyAny>, threads: Option<&Bound<'_, PyAny>>) -> PyResult<Mask> {
        let threads = args::threads(threads)?;
        shielded(|| Ok(Mask::new(self.insert_all(keys, true, threads)?)))
    }

    /// Asks for many keys at once.
    ///
    /// Args:
    ///     keys: as for `add_many`.
    ///     threads: how many threads a big batch may use.
    ///
    /// Returns:
    ///     A `Mask`: for each key, whether it is (probably) in the filter.
    ///
    /// Raises:
    ///     KeyTypeError: a value that is no key; ``.index`` says which.
    ///     ArgumentError: one key instead of many, or nothing iterable (``ERR_ARGUMENT_TYPE``).
    ///     StateError: a closed filter.
    ///
    /// >>> from tepal import BloomFilter
    /// >>> f = BloomFilter.build(["a", "b"])
    /// >>> list(f.contains_many(["b", "c"]))
    /// [True, False]
    #[pyo3(signature = (keys, *, threads = None), text_signature = "($self, keys, *, threads=1)")]
    fn contains_many(&self, keys: &Bound<'_, PyAny>, threads: Option<&Bound<'_, PyAny>>) -> PyResult<Mask> {
        let threads = args::threads(threads)?;
        let filter = self.slot.share(keys.py())?;
        shielded(|| {
            let mut contains = Contains { filter: &filter, answers: Vec::new(), threads };
            batch::feed(keys, self.seed, threads, &mut contains)?;
            Ok(Mask::new(contains.answers))
        })
    }

    /// Adds the keys of all iterables, like `set.update`.
    ///
    /// Args:
    ///     *iterables: each as for `add_many`.
    ///
    /// Raises:
    ///     As `add_many`; ``.index`` counts within the iterable that held the bad key.
    ///
    /// >>> from tepal import BloomFilter
    /// >>> f = BloomFilter(1000)
    /// >>> f.update(["a", "b"], range(10))
    /// >>> 7 in f
    /// True
    #[pyo3(signature = (*iterables))]
    fn update(&self, iterables: &Bound<'_, PyTuple>) -> PyResult<()> {
        shielded(|| iterables.iter().try_for_each(|keys| self.insert_all(&keys, false, 1).map(drop)))
    }

    /// Hashes a key once, to ask or fill several filters of one seed with it.
    ///
    /// Args:
    ///     key: any key.
    ///
    /// Returns:
    ///     A `KeyHash` for `add_hash` and `contains_hash`.
    ///
    /// Raises:
    ///     KeyTypeError: a value that is no key.
    ///
    /// >>> from tepal import BloomFilter
    /// >>> f = BloomFilter(1000)
    /// >>> f.add_hash(f.key_hash("a")), "a" in f
    /// (True, True)
    #[pyo3(signature = (key, /))]
    fn key_hash(&self, key: &Bound<'_, PyAny>) -> PyResult<KeyHash> {
        Ok(KeyHash(tepal::KeyHash::new(hash_key(key, self.seed)?, self.seed)))
    }

    /// `add` with a hash from `key_hash`.
    ///
    /// Args:
    ///     key_hash: a `KeyHash` made under this filter's seed.
    ///
    /// Returns:
    ///     `True` when the key was new.
    ///
    /// Raises:
    ///     MismatchError: a hash of another seed (``ERR_SEED_DIFFERS``).
    ///     StateError: a read-only or closed filter.
    ///
    /// >>> from tepal import BloomFilter
    /// >>> f = BloomFilter(1000)
    /// >>> f.add_hash(f.key_hash("a"))
    /// True
    #[pyo3(signature = (key_hash, /))]
    fn add_hash(&self, key_hash: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (py, key) = (key_hash.py(), keyhash::expect(key_hash)?.get());
        self.slot.with(py, |filter| filter.insert_hash_raw(filter.check_hash(&key.0)?))?.or_raise(py)
    }

    /// ``in`` with a hash from `key_hash`.
    ///
    /// Args:
    ///     key_hash: a `KeyHash` made under this filter's seed.
    ///
    /// Returns:
    ///     Whether the key is (probably) in the filter.
    ///
    /// Raises:
    ///     MismatchError: a hash of another seed (``ERR_SEED_DIFFERS``).
    ///     StateError: a closed filter.
    ///
    /// >>> from tepal import BloomFilter
    /// >>> f = BloomFilter(1000)
    /// >>> f.contains_hash(f.key_hash("a"))
    /// False
    #[pyo3(signature = (key_hash, /))]
    fn contains_hash(&self, key_hash: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (py, key) = (key_hash.py(), keyhash::expect(key_hash)?.get());
        self.slot.with(py, |filter| Ok(filter.contains_hash_raw(filter.check_hash(&key.0)?)))?.or_raise(py)
    }

    /// Removes all keys; parameters and metadata stay.
    ///
    /// Raises:
    ///     StateError: a read-only or closed filter.
    ///
    /// Cost: O(size).
    ///
    /// >>> from tepal import BloomFilter
    /// >>> f = BloomFilter.build(["a"])
    /// >>> f.clear()
    /// >>> "a" in f
    /// False
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        let filter = self.slot.share(py)?;
        py.detach(|| filter.clear()).or_raise(py)
    }

    /// Lets go of the filter's memory, map or buffer; any later use raises `StateError` (``ERR_FREED``).
    ///
    /// Closing twice is fine. A filter that is used as a context manager closes at the end of the block. Work that other
    /// threads have under way is finished first; the memory is released after it.
    ///
    /// >>> from tepal import BloomFilter
    /// >>> with BloomFilter.build(["a"]) as f:
    /// ...     "a" in f
    /// True
    fn close(&self, py: Python<'_>) {
        self.slot.close(py);
    }

    fn __enter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        slf.get().slot.share(slf.py())?;
        Ok(slf)
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) {
        self.slot.close(py);
    }
}

const ADD_DOC: &std::ffi::CStr = c"add($self, key, /)
--

Adds a key.

Args:
    key: `str`, integer or bytes-like (see the class).

Returns:
    `True` when the key was new, `False` when it was (probably) there before. (pybloom answers the other way round.)

Raises:
    KeyTypeError: a value that is no key (``ERR_KEY_TYPE``, ``ERR_KEY_RANGE``, ``ERR_KEY_SURROGATE``).
    StateError: a read-only (``ERR_READ_ONLY``) or closed filter (``ERR_FREED``).

Past its capacity the filter goes on accepting keys: to refuse one would be a false negative.

>>> from tepal import BloomFilter
>>> BloomFilter(1000).add(\"alice\")
True";

struct Definition(UnsafeCell<ffi::PyMethodDef>);
// SAFETY: only the interpreter reads it, through the pointer handed over once below.
unsafe impl Sync for Definition {}

static ADD: Definition = Definition(UnsafeCell::new(ffi::PyMethodDef {
    ml_name: c"add".as_ptr(),
    ml_meth: ffi::PyMethodDefPointer { PyCFunction: add },
    ml_flags: ffi::METH_O,
    ml_doc: ADD_DOC.as_ptr(),
}));

/// Gives the class its `add`. PyO3 knows only calls with keyword arguments; a method of exactly one argument is a third
/// faster.
pub fn install_add(class: &Bound<'_, pyo3::types::PyType>) -> PyResult<()> {
    // SAFETY: a static definition, a live type.
    let descriptor = unsafe {
        let descriptor = ffi::PyDescr_NewMethod(class.as_ptr().cast(), ADD.0.get());
        Bound::from_owned_ptr_or_err(class.py(), descriptor)?
    };
    class.setattr("add", descriptor)
}

/// `add` itself: the short way for exact `str`, `int` and `bytes`, else `add_any`.
unsafe extern "C" fn add(slf: *mut ffi::PyObject, key: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls with the thread attached and two live objects; the descriptor has checked that the
    // first is a BloomFilter.
    unsafe {
        let py = Python::assume_attached();
        let filter = Borrowed::from_ptr(py, slf).cast_unchecked::<BloomFilter>().get();
        if let Some(key) = plain_key(key) {
            let hash = key.hash(filter.seed);
            if let Some(Ok(new)) = filter.slot.with_open(py, |open| open.insert_hash_raw(hash)) {
                return ffi::Py_NewRef(if new { ffi::Py_True() } else { ffi::Py_False() });
            }
        }
        add_any(slf, key)
    }
}

/// `add` for every other kind of key, and for what is refused.
#[cold]
unsafe fn add_any(slf: *mut ffi::PyObject, key: *mut ffi::PyObject) -> *mut ffi::PyObject {
    Python::attach(|py| {
        // SAFETY: as in `add`.
        let (filter, key) = unsafe { (Borrowed::from_ptr(py, slf), Borrowed::from_ptr(py, key)) };
        let added = shielded(|| {
            let filter = filter.cast::<BloomFilter>()?.get();
            let hash = hash_key(&key, filter.seed)?;
            filter.slot.with(py, |open| open.insert_hash_raw(hash))?.or_raise(py)
        });
        match added {
            Ok(new) => new.into_pyobject(py).map_or(std::ptr::null_mut(), |new| new.to_owned().into_ptr()),
            Err(raised) => {
                raised.restore(py);
                std::ptr::null_mut()
            }
        }
    })
}
