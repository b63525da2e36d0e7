//! What both classes of filters have in common, for what is written once: the core's filters under one trait, and what a
//! Python object holds of one.

use crate::keys::Hasher;
use crate::slot::Slot;
use tepal::{BloomFilter, Hash128, KeyHash, Result, ScalableBloomFilter, Storage};

/// The core's `BloomFilter`, with storage decided at run time.
pub type Bloom = BloomFilter<Storage>;

/// A filter of the core, under the core's own names.
pub trait Kind: Send + Sync + Sized + 'static {
    fn hasher(&self) -> Hasher;
    fn insert_hash_raw(&self, hash: Hash128) -> Result<bool>;
    /// How many were inserted, and why not all.
    fn insert_hashes(&self, hashes: &[Hash128], new: &mut [bool]) -> (usize, Result<()>);
    fn contains_hashes(&self, hashes: &[Hash128], found: &mut [bool]);
    fn check_hash(&self, hash: &KeyHash) -> Result<Hash128>;
}

impl Kind for Bloom {
    fn hasher(&self) -> Hasher {
        Hasher::tepal(self.seed())
    }

    #[inline]
    fn insert_hash_raw(&self, hash: Hash128) -> Result<bool> {
        self.insert_hash_raw(hash)
    }

    fn insert_hashes(&self, hashes: &[Hash128], new: &mut [bool]) -> (usize, Result<()>) {
        match self.insert_hashes(hashes, new) {
            Ok(()) => (hashes.len(), Ok(())),
            refused => (0, refused),
        }
    }

    fn contains_hashes(&self, hashes: &[Hash128], found: &mut [bool]) {
        self.contains_hashes(hashes, found);
    }

    fn check_hash(&self, hash: &KeyHash) -> Result<Hash128> {
        self.check_hash(hash)
    }
}

impl Kind for ScalableBloomFilter {
    fn hasher(&self) -> Hasher {
        Hasher { scheme: self.scheme(), seed: self.seed() }
    }

    #[inline]
    fn insert_hash_raw(&self, hash: Hash128) -> Result<bool> {
        self.insert_hash_raw(hash)
    }

    fn insert_hashes(&self, hashes: &[Hash128], new: &mut [bool]) -> (usize, Result<()>) {
        self.insert_hashes(hashes, new)
    }

    fn contains_hashes(&self, hashes: &[Hash128], found: &mut [bool]) {
        self.contains_hashes(hashes, found);
    }

    fn check_hash(&self, hash: &KeyHash) -> Result<Hash128> {
        self.check_hash(hash)
    }
}

/// What an object of Python holds.
pub struct Held<F> {
    pub hasher: Hasher,
    pub slot: Slot<F>,
}

impl<F: Kind> Held<F> {
    pub fn new(filter: F) -> Self {
        Held { hasher: filter.hasher(), slot: Slot::new(filter) }
    }
}

/// A class of Python with a filter of the core in it.
pub trait Class: pyo3::PyClass<Frozen = pyo3::pyclass::boolean_struct::True> + Sync {
    type Filter: Kind;

    fn held(&self) -> &Held<Self::Filter>;
}
