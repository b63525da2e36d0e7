//! What every class of filters does with keys, and how it is closed: one text, made for each class.

use crate::batch::{self, Contains, Insert};
use crate::error::OrRaise;
use crate::keyhash::KeyHash;
use crate::keys::hash_key;
use crate::kind::{Held, Kind};
use pyo3::prelude::*;

/// Inserts the keys of `keys`; gives back the answers if they are wanted.
pub fn insert_all(held: &Held<impl Kind>, keys: &Bound<'_, PyAny>, keep: bool, threads: usize) -> PyResult<Vec<bool>> {
    let py = keys.py();
    let filter = held.slot.share(py)?;
    filter.insert_hashes(&[], &mut []).1.or_raise(py)?; // a read-only filter refuses before anything is iterated
    let mut insert = Insert::new(&*filter, keep);
    batch::feed(keys, held.hasher, threads, &mut insert)?;
    Ok(insert.answers())
}

/// Asks for the keys of `keys`.
pub fn contains_all(held: &Held<impl Kind>, keys: &Bound<'_, PyAny>, threads: usize) -> PyResult<Vec<bool>> {
    let filter = held.slot.share(keys.py())?;
    let mut contains = Contains { filter: &*filter, answers: Vec::new(), threads };
    batch::feed(keys, held.hasher, threads, &mut contains)?;
    Ok(contains.answers)
}

/// The hash of a key; `ERR_UNSUPPORTED` of a filter whose scheme is not `tepal`.
pub fn made_by(held: &Held<impl Kind>, key: &Bound<'_, PyAny>) -> PyResult<KeyHash> {
    let hash = tepal::KeyHash::new(hash_key(key, &held.hasher)?, held.hasher.seed.as_u64());
    held.slot.with(key.py(), |filter| filter.check_hash(&hash).map(drop))?.or_raise(key.py())?;
    Ok(KeyHash(hash))
}

/// `methods! { Class of CoreFilter; /// what a refusal for want of room raises }`
macro_rules! methods {
    ($class:ident of $filter:ty $(; $(#[$full:meta])*)?) => {
        const _: () = {
            use crate::args;
            use crate::error::{shielded, OrRaise};
            use crate::keyhash::{self, KeyHash};
            use crate::keys::hash_key;
            use crate::kind::{Class, Held};
            use crate::mask::Mask;
            use crate::methods::{contains_all, insert_all, made_by};
            use pyo3::types::PyTuple;

            impl Class for $class {
                type Filter = $filter;

                #[inline]
                fn held(&self) -> &Held<$filter> {
                    &self.0
                }
            }

            #[pymethods]
            impl $class {
            fn __contains__(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
                let hash = hash_key(key, &self.0.hasher)?;
                self.0.slot.with(key.py(), |filter| filter.contains_hash_raw(hash))
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
            $($(#[$full])*)?
            ///     StateError: a read-only or closed filter.
            ///
            /// Other Python threads run while a big batch is inserted.
            ///
            #[doc = concat!(">>> from tepal import ", stringify!($class))]
            #[doc = concat!(">>> f = ", stringify!($class), "(1000)")]
            /// >>> list(f.add_many(["a", "b", "a"]))
            /// [True, True, False]
            #[pyo3(signature = (keys, *, threads = None), text_signature = "($self, keys, *, threads=1)")]
            fn add_many(&self, keys: &Bound<'_, PyAny>, threads: Option<&Bound<'_, PyAny>>) -> PyResult<Mask> {
                let threads = args::threads(threads)?;
                shielded(|| Ok(Mask::new(insert_all(&self.0, keys, true, threads)?)))
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
            #[doc = concat!(">>> from tepal import ", stringify!($class))]
            #[doc = concat!(">>> f = ", stringify!($class), ".build([\"a\", \"b\"])")]
            /// >>> list(f.contains_many(["b", "c"]))
            /// [True, False]
            #[pyo3(signature = (keys, *, threads = None), text_signature = "($self, keys, *, threads=1)")]
            fn contains_many(&self, keys: &Bound<'_, PyAny>, threads: Option<&Bound<'_, PyAny>>) -> PyResult<Mask> {
                let threads = args::threads(threads)?;
                shielded(|| Ok(Mask::new(contains_all(&self.0, keys, threads)?)))
            }

            /// Adds the keys of all iterables, like `set.update`.
            ///
            /// Args:
            ///     *iterables: each as for `add_many`.
            ///
            /// Raises:
            ///     As `add_many`; ``.index`` counts within the iterable that held the bad key.
            ///
            #[doc = concat!(">>> from tepal import ", stringify!($class))]
            #[doc = concat!(">>> f = ", stringify!($class), "(1000)")]
            /// >>> f.update(["a", "b"], range(10))
            /// >>> 7 in f
            /// True
            #[pyo3(signature = (*iterables))]
            fn update(&self, iterables: &Bound<'_, PyTuple>) -> PyResult<()> {
                shielded(|| iterables.iter().try_for_each(|keys| insert_all(&self.0, &keys, false, 1).map(drop)))
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
            #[doc = concat!(">>> from tepal import ", stringify!($class))]
            #[doc = concat!(">>> f = ", stringify!($class), "(1000)")]
            /// >>> f.add_hash(f.key_hash("a")), "a" in f
            /// (True, True)
            #[pyo3(signature = (key, /))]
            fn key_hash(&self, key: &Bound<'_, PyAny>) -> PyResult<KeyHash> {
                made_by(&self.0, key)
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
            $($(#[$full])*)?
            ///     StateError: a read-only or closed filter.
            ///
            #[doc = concat!(">>> from tepal import ", stringify!($class))]
            #[doc = concat!(">>> f = ", stringify!($class), "(1000)")]
            /// >>> f.add_hash(f.key_hash("a"))
            /// True
            #[pyo3(signature = (key_hash, /))]
            fn add_hash(&self, key_hash: &Bound<'_, PyAny>) -> PyResult<bool> {
                let (py, key) = (key_hash.py(), keyhash::expect(key_hash)?.get());
                self.0.slot.with(py, |filter| filter.insert_hash_raw(filter.check_hash(&key.0)?))?.or_raise(py)
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
            #[doc = concat!(">>> from tepal import ", stringify!($class))]
            #[doc = concat!(">>> f = ", stringify!($class), "(1000)")]
            /// >>> f.contains_hash(f.key_hash("a"))
            /// False
            #[pyo3(signature = (key_hash, /))]
            fn contains_hash(&self, key_hash: &Bound<'_, PyAny>) -> PyResult<bool> {
                let (py, key) = (key_hash.py(), keyhash::expect(key_hash)?.get());
                self.0.slot.with(py, |filter| Ok(filter.contains_hash_raw(filter.check_hash(&key.0)?)))?.or_raise(py)
            }

            /// Removes all keys; parameters and metadata stay.
            ///
            /// Raises:
            ///     StateError: a read-only or closed filter.
            ///
            /// Cost: O(size).
            ///
            #[doc = concat!(">>> from tepal import ", stringify!($class))]
            #[doc = concat!(">>> f = ", stringify!($class), ".build([\"a\"])")]
            /// >>> f.clear()
            /// >>> "a" in f
            /// False
            fn clear(&self, py: Python<'_>) -> PyResult<()> {
                let filter = self.0.slot.share(py)?;
                py.detach(|| filter.clear()).or_raise(py)
            }

            /// Lets go of the filter's memory, map or buffer; any later use raises `StateError` (``ERR_FREED``).
            ///
            /// Closing twice is fine. A filter that is used as a context manager closes at the end of the block. Work that other
            /// threads have under way is finished first; the memory is released after it.
            ///
            #[doc = concat!(">>> from tepal import ", stringify!($class))]
            #[doc = concat!(">>> with ", stringify!($class), ".build([\"a\"]) as f:")]
            /// ...     "a" in f
            /// True
            fn close(&self, py: Python<'_>) {
                self.0.slot.close(py);
            }

            fn __enter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
                slf.get().0.slot.share(slf.py())?;
                Ok(slf)
            }

            #[pyo3(signature = (*_exception))]
            fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) {
                self.0.slot.close(py);
            }
            }
        };
    };
}
pub(crate) use methods;
