//! What the addon needs of a filter, whatever its class. Everything above this file is written once for all of them.
use std::io::Read;
use std::sync::Arc;

use tepal::{BloomFilter, Bytes, Hash128, KeyHash, Metadata, Result, ScalableBloomFilter, Storage};

use crate::call::Fail;
use crate::share::Table;

/// A class of filters.
pub trait Kind: Sized + Send + Sync + 'static {
    /// The filters of this class that threads share.
    fn table() -> &'static Table<Self>;

    fn hash_bytes(&self, key: &[u8]) -> Hash128;
    fn hash_u64(&self, value: u64) -> Hash128;
    fn insert(&self, hash: Hash128) -> Result<bool>;
    fn contains(&self, hash: Hash128) -> bool;
    /// How many were inserted, and why not all.
    fn insert_hashes(&self, hashes: &[Hash128], new: &mut [bool]) -> (usize, Result<()>);
    fn contains_hashes(&self, hashes: &[Hash128], found: &mut [bool]);
    fn key_hash(&self, key: &[u8]) -> Result<KeyHash>;
    fn check_hash(&self, hash: &KeyHash) -> Result<Hash128>;

    fn copy(&self) -> Result<Self>;
    fn clear(&self) -> Result<()>;
    fn union(&self, other: &Self) -> Result<Self>;
    fn union_with(&self, other: &Self) -> Result<()>;
    fn same_filter(&self, other: &Self) -> bool;

    fn is_read_only(&self) -> bool;
    fn metadata(&self) -> &Metadata;
    fn byte_len(&self) -> u64;
    fn verify(&self) -> Result<()>;
    fn write_parts(&self, withhold_seed: bool, sink: impl FnMut(&[u8]) -> Result<(), Fail>) -> Result<(), Fail>;
    fn from_bytes(bytes: &[u8], seed: Option<u64>) -> Result<Self>;
    fn read_from(reader: &mut impl Read, seed: Option<u64>, available: Option<u64>) -> Result<Self>;
    fn from_shared(bytes: Arc<dyn Bytes>, seed: Option<u64>) -> Result<Self>;
    fn load(path: &str, seed: Option<u64>) -> Result<Self>;
    fn save(&self, path: &str, withhold_seed: bool) -> Result<()>;
}

/// `$own` makes of what the core calls a new filter what is kept here.
macro_rules! kind {
    ($type:ty = $owned:ty, $own:expr, |$f:ident, $hashes:ident, $new:ident| $insert_hashes:expr, |$g:ident, $key:ident| $key_hash:expr) => {
        impl Kind for $type {
            fn table() -> &'static Table<Self> {
                static TABLE: Table<$type> = Table::new();
                &TABLE
            }
            #[inline(always)]
            fn hash_bytes(&self, key: &[u8]) -> Hash128 {
                self.hash_bytes(key)
            }
            #[inline(always)]
            fn hash_u64(&self, value: u64) -> Hash128 {
                self.hash_u64(value)
            }
            #[inline(always)]
            fn insert(&self, hash: Hash128) -> Result<bool> {
                self.insert_hash_raw(hash)
            }
            #[inline(always)]
            fn contains(&self, hash: Hash128) -> bool {
                self.contains_hash_raw(hash)
            }
            fn insert_hashes(&self, $hashes: &[Hash128], $new: &mut [bool]) -> (usize, Result<()>) {
                let $f = self;
                $insert_hashes
            }
            fn contains_hashes(&self, hashes: &[Hash128], found: &mut [bool]) {
                self.contains_hashes(hashes, found)
            }
            fn key_hash(&self, $key: &[u8]) -> Result<KeyHash> {
                let $g = self;
                $key_hash
            }
            fn check_hash(&self, hash: &KeyHash) -> Result<Hash128> {
                self.check_hash(hash)
            }
            fn copy(&self) -> Result<Self> {
                self.copy().map($own)
            }
            fn clear(&self) -> Result<()> {
                self.clear()
            }
            fn union(&self, other: &Self) -> Result<Self> {
                self.union(other).map($own)
            }
            fn union_with(&self, other: &Self) -> Result<()> {
                self.union_with(other)
            }
            fn same_filter(&self, other: &Self) -> bool {
                self.same_filter(other)
            }
            fn is_read_only(&self) -> bool {
                self.is_read_only()
            }
            fn metadata(&self) -> &Metadata {
                self.metadata()
            }
            fn byte_len(&self) -> u64 {
                self.byte_len()
            }
            fn verify(&self) -> Result<()> {
                self.verify()
            }
            fn write_parts(&self, withhold: bool, sink: impl FnMut(&[u8]) -> Result<(), Fail>) -> Result<(), Fail> {
                self.write_parts(withhold, sink)
            }
            fn from_bytes(bytes: &[u8], seed: Option<u64>) -> Result<Self> {
                match seed {
                    None => <$owned>::from_bytes(bytes).map($own),
                    Some(seed) => <$owned>::from_bytes_with_seed(bytes, seed).map($own),
                }
            }
            fn read_from(reader: &mut impl Read, seed: Option<u64>, available: Option<u64>) -> Result<Self> {
                <$owned>::read_from(reader, seed, available).map($own)
            }
            fn from_shared(bytes: Arc<dyn Bytes>, seed: Option<u64>) -> Result<Self> {
                <$type>::from_shared(bytes, seed)
            }
            fn load(path: &str, seed: Option<u64>) -> Result<Self> {
                <$owned>::load(path, seed).map($own)
            }
            fn save(&self, path: &str, withhold_seed: bool) -> Result<()> {
                self.save(path, withhold_seed)
            }
        }
    };
}
kind!(
    BloomFilter<Storage> = BloomFilter, BloomFilter::into_storage,
    |filter, hashes, new| match filter.insert_hashes(hashes, new) {
        Ok(()) => (hashes.len(), Ok(())),
        refused => (0, refused),
    },
    |filter, key| Ok(KeyHash::new(filter.hash_bytes(key), filter.seed()))
);
kind!(
    ScalableBloomFilter = ScalableBloomFilter,
    std::convert::identity,
    |filter, hashes, new| filter.insert_hashes(hashes, new),
    |filter, key| filter.key_hash(key)
);
