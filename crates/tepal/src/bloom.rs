//! `BloomFilter`: "no" is certain, "yes" is wrong at no more than the promised rate.
//!
//! Always true: a key that was inserted is found, whatever other threads do, until `clear` or an intersection. The bits
//! depend only on the parameters and the set of keys, not on order, threads or language.
//!
//! This file: making one, asking, inserting, its facts. Batches, combinations and bytes stand in `bulk`, `combine` and `serial`.
use crate::bits::{Body, Lines, Owned, Storage};
use crate::error::{Error, Result};
use crate::facts;
use crate::hash::{hash_bytes, hash_u64, Hash128, KeyHash};
use crate::key::Key;
use crate::layout::{Classic, Layout, LayoutChoice, Line16, Line8, Pair, Shape};
use crate::metadata::Metadata;
use crate::sizing::Params;
use core::fmt;

/// The rate that a filter gets where none is named: one in a hundred.
pub const DEFAULT_FPR: f64 = 0.01;

/// What can be chosen besides capacity and rate. The default: seed 0, layout `auto`, no metadata.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Seed of the hash, any 64-bit number. Filters that shall be merged need the same.
    pub seed: u64,
    /// How the bits of a key are spread.
    pub layout: LayoutChoice,
    /// Pairs of strings that travel with the filter.
    pub metadata: Metadata,
}

/// A Bloom filter over lines of 64 bytes.
///
/// `B` is where the lines live: [`Owned`] memory by default, `&[u8]` for a read-only view into bytes
/// (see [`BloomFilter::view`]), or [`Storage`] for either.
///
/// ```
/// let filter = tepal::BloomFilter::new(10_000, 0.001)?;
/// filter.insert("key");
/// filter.insert(42u64);
/// assert!(filter.contains("key") && filter.contains(42u64));
/// assert_eq!(filter.estimated_count(), 2);
/// # Ok::<(), tepal::Error>(())
/// ```
pub struct BloomFilter<B = Owned> {
    pub(crate) params: Params,
    pub(crate) metadata: Metadata,
    pub(crate) body: B,
}

/// Decides layout and probes once; `$shape` is the layout inside `$work`.
macro_rules! with_shape {
    ($params:expr, $shape:ident => $work:expr) => {{
        let params: &$crate::sizing::Params = $params;
        match (params.layout, params.probes) {
            (Layout::Line, 8) => {
                let $shape = Line8 { lines: params.lines };
                $work
            }
            (Layout::Line, _) => {
                let $shape = Line16 { lines: params.lines };
                $work
            }
            (Layout::Pair, _) => {
                let $shape = Pair { half: params.lines / 2 };
                $work
            }
            (Layout::Classic, probes) => {
                let $shape = Classic { lines: params.lines, probes };
                $work
            }
        }
    }};
}
pub(crate) use with_shape;

impl BloomFilter<Owned> {
    /// An empty filter for `capacity` keys (1 to 2^48) at a false-positive rate of at most `fpr` (1e-9 to 0.5).
    ///
    /// Errors: `ERR_CAPACITY_ZERO`, `ERR_CAPACITY_RANGE`, `ERR_FPR_RANGE`, `ERR_OUT_OF_MEMORY`, `ERR_TOO_LARGE`. Cost: about
    /// 20 µs and 1.3 bytes a key at 1e-2; the operating system gives the memory page by page.
    pub fn new(capacity: u64, fpr: f64) -> Result<Self> {
        Self::with_options(capacity, fpr, Options::default())
    }

    /// [`BloomFilter::new`] with seed, layout and metadata.
    ///
    /// ```
    /// use tepal::{BloomFilter, Layout, Options};
    /// let options = Options { seed: 7, layout: Layout::Classic.into(), ..Options::default() };
    /// let filter = BloomFilter::with_options(100_000, 0.01, options)?;
    /// assert_eq!(filter.layout(), Layout::Classic);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn with_options(capacity: u64, fpr: f64, options: Options) -> Result<Self> {
        let params = Params::new(capacity, fpr, options.seed, options.layout)?;
        Self::empty(params, options.metadata)
    }

    pub(crate) fn empty(params: Params, metadata: Metadata) -> Result<Self> {
        Ok(BloomFilter { params, metadata, body: Owned::zeroed(params.lines)? })
    }

    /// Inserts a key; true if it was new. (A new key is taken for a known one at the false-positive rate.) Past capacity
    /// insertion goes on and [`saturation`](BloomFilter::saturation) exceeds 1: refusing would be a false negative.
    ///
    /// May be called from any number of threads; of several that insert one new key at once, at most one gets true.
    #[inline]
    pub fn insert<K: Key>(&self, key: K) -> bool {
        self.insert_hash_raw(key.hash_key(self.params.seed))
    }

    /// Inserts by a hash made earlier; `ERR_SEED_DIFFERS` if another seed made it.
    pub fn insert_hash(&self, hash: &KeyHash) -> Result<bool> {
        Ok(self.insert_hash_raw(self.check_hash(hash)?))
    }

    #[inline]
    pub(crate) fn insert_hash_raw(&self, hash: Hash128) -> bool {
        insert(&self.params, &self.body, hash)
    }

    /// Forgets all keys.
    pub fn clear(&self) {
        clear(&self.body);
    }

    /// The same filter with its storage decided at run time.
    pub fn into_storage(self) -> BloomFilter<Storage> {
        BloomFilter { params: self.params, metadata: self.metadata, body: Storage::Owned(self.body) }
    }
}

/// A call of its own costs an insertion in cache a tenth of its time; a module for pages wants one copy.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
pub(crate) fn insert(params: &Params, body: &Owned, hash: Hash128) -> bool {
    with_shape!(params, shape => shape.set(&body.atomic(), &body.stripes, hash))
}

fn clear(body: &Owned) {
    use core::sync::atomic::Ordering::Relaxed;
    body.stripes.with_all(|| body.atomic().0.iter().flatten().for_each(|lane| lane.store(0, Relaxed)));
}

impl BloomFilter<Storage> {
    /// Whether the lines belong to somebody else.
    pub fn is_read_only(&self) -> bool {
        matches!(self.body, Storage::Shared(_))
    }

    /// The writable lines, or `ERR_READ_ONLY`.
    #[inline(always)]
    pub(crate) fn owned(&self) -> Result<&Owned> {
        match &self.body {
            Storage::Owned(owned) => Ok(owned),
            Storage::Shared(_) => Err(Error::read_only()),
        }
    }

    /// Inserts a key by its hash; true if it was new, `ERR_READ_ONLY` for a view.
    #[inline]
    pub fn insert_hash_raw(&self, hash: Hash128) -> Result<bool> {
        Ok(insert(&self.params, self.owned()?, hash))
    }

    /// Forgets all keys; `ERR_READ_ONLY` for a view.
    pub fn clear(&self) -> Result<()> {
        clear(self.owned()?);
        Ok(())
    }
}

impl<B: Body> BloomFilter<B> {
    /// Whether the key may have been inserted: false is certain, true is wrong at the false-positive rate.
    #[inline]
    pub fn contains<K: Key>(&self, key: K) -> bool {
        self.contains_hash_raw(key.hash_key(self.params.seed))
    }

    /// Asks by a hash made earlier; `ERR_SEED_DIFFERS` if another seed made it.
    pub fn contains_hash(&self, hash: &KeyHash) -> Result<bool> {
        Ok(self.contains_hash_raw(self.check_hash(hash)?))
    }

    /// Asks by the bare 128 bits, which must come from this filter's seed.
    #[inline]
    pub fn contains_hash_raw(&self, hash: Hash128) -> bool {
        match self.body.lines() {
            Lines::Atomic(at) => with_shape!(&self.params, shape => shape.test(&at, hash)),
            Lines::Bytes(at) => with_shape!(&self.params, shape => shape.test(&at, hash)),
        }
    }

    /// The hash of a key under this filter's seed, to be used again.
    pub fn key_hash<K: Key>(&self, key: K) -> KeyHash {
        KeyHash::new(key.hash_key(self.params.seed), self.params.seed)
    }

    /// The hash of a key's bytes under this filter's seed.
    #[inline]
    pub fn hash_bytes(&self, key: &[u8]) -> Hash128 {
        hash_bytes(key, self.params.seed)
    }

    /// The hash of an integer key under this filter's seed.
    #[inline]
    pub fn hash_u64(&self, value: u64) -> Hash128 {
        hash_u64(value, self.params.seed)
    }

    /// The 128 bits of a hash that was made with this filter's seed; `ERR_SEED_DIFFERS` otherwise.
    pub fn check_hash(&self, hash: &KeyHash) -> Result<Hash128> {
        hash.under(self.params.seed)
    }

    /// All parameters together.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Keys the filter is sized for.
    pub fn capacity(&self) -> u64 {
        self.params.capacity
    }

    /// The promised false-positive rate at capacity.
    pub fn fpr(&self) -> f64 {
        self.params.fpr
    }

    /// The seed of the hash.
    pub fn seed(&self) -> u64 {
        self.params.seed
    }

    /// The layout in use, never `auto`.
    pub fn layout(&self) -> Layout {
        self.params.layout
    }

    /// Bits tested per key.
    pub fn num_probes(&self) -> u32 {
        self.params.probes
    }

    /// Lines of 64 bytes.
    pub fn num_lines(&self) -> u64 {
        self.params.lines
    }

    /// Bits of the body.
    pub fn num_bits(&self) -> u64 {
        self.params.num_bits()
    }

    /// Pairs of strings that travel with the filter.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The part of all bits that is set, 0 to 1. Cost: reads the whole body.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub fn fill_ratio(&self) -> f64 {
        facts::ones(self.body.lines()) as f64 / self.num_bits() as f64
    }

    /// How many distinct keys were inserted: an estimate from the fill ratio, typically within 0.1 % from 100,000 keys on. A
    /// filter with every bit set gives what fills all but half a bit. Cost: reads the whole body.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub fn estimated_count(&self) -> u64 {
        facts::estimated_count(&self.params, facts::ones(self.body.lines()))
    }

    /// The false-positive rate that the bits have now: the chance that a stranger is taken for a key. Exact for these
    /// bits, not an average over filters (fill^probes would read a quarter low for lines). Cost: reads the whole body.
    pub fn estimated_fpr(&self) -> f64 {
        facts::estimated_fpr(&self.params, self.body.lines())
    }

    /// Estimated distinct keys divided by capacity; above 1 the promise no longer holds. Cost: reads the whole body.
    pub fn saturation(&self) -> f64 {
        self.estimated_count() as f64 / self.params.capacity as f64
    }
}

/// Parameters and bits are equal; metadata may differ.
impl<B: Body, C: Body> PartialEq<BloomFilter<C>> for BloomFilter<B> {
    fn eq(&self, other: &BloomFilter<C>) -> bool {
        self.same_filter(other)
    }
}

impl<B: Body> BloomFilter<B> {
    /// What `==` compares: parameters and bits, not metadata. Cost: reads both bodies up to the first difference.
    pub fn same_filter<C: Body>(&self, other: &BloomFilter<C>) -> bool {
        let (a, b) = (self.body.lines(), other.body.lines());
        self.params == other.params && (0..a.count()).all(|i| a.line(i) == b.line(i))
    }
}

/// Parameters only: a filter may have billions of bits.
impl<B> fmt::Debug for BloomFilter<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let p = &self.params;
        f.debug_struct("BloomFilter")
            .field("capacity", &p.capacity)
            .field("fpr", &p.fpr)
            .field("seed", &p.seed)
            .field("layout", &p.layout.name())
            .field("num_probes", &p.probes)
            .field("num_lines", &p.lines)
            .finish_non_exhaustive()
    }
}

/// Aborts when memory is out, as `Vec` does; [`BloomFilter::copy`] gives the error instead.
impl Clone for BloomFilter<Owned> {
    fn clone(&self) -> Self {
        match self.copy() {
            Ok(copy) => copy,
            Err(_) => alloc::alloc::handle_alloc_error(core::alloc::Layout::new::<[u64; 8]>()),
        }
    }
}
