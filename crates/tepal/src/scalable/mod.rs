//! `ScalableBloomFilter`: a filter that grows with its keys and keeps its promise at any size.
//!
//! Always true: a key that was inserted is found, whatever other threads do, until `clear`; of several threads that insert
//! one new key at most one is told so, even while the filter grows. A key is hashed once for all levels, and the newest level,
//! which holds most keys, is asked first.
//!
//! This file: making one, asking, inserting, growing. Batches, facts, unions, bytes and files stand beside it.
mod batch; // many keys at once
mod facts; // what it tells
mod metrics; // totals over all of them
mod serial; // to and from bytes and files
mod union; // two filters become one

pub use batch::Unfinished;
pub use facts::{Info, LevelFacts};
pub use metrics::{metrics, Metrics};

use crate::arg;
use crate::bits::Shared;
use crate::chain::Chain;
use crate::error::{Error, Got, Result};
use crate::hash::{Hash128, KeyHash};
use crate::key::Key;
use crate::level::Level;
use crate::lock::{Lock, Stripes};
use crate::metadata::Metadata;
use crate::scheme::{Scheme, Seed};
use crate::series::Series;
use alloc::{boxed::Box, sync::Arc};
use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What can be chosen besides capacity and rate.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalableOptions {
    /// How many times the keys of one level the next one takes, from 1; none: the filter does not grow, and refuses new keys when it is full.
    pub expansion: Option<u32>,
    /// The rate of a level divided by that of the one before, above 0 and below 1. None: the flat head, the fewest bits.
    /// Whatever it is, the rates of all levels sum to the promise (schemes of servers: as those do it).
    pub tightening: Option<f64>,
    /// The most bytes that the filter may take in memory, as [`ScalableBloomFilter::size`] counts them.
    pub max_bytes: Option<u64>,
    /// The seed of the hash.
    pub seed: Seed,
    /// Whose hash, probes and level sizes the filter has.
    pub scheme: Scheme,
    /// Pairs of strings that travel with the filter.
    pub metadata: Metadata,
    /// A number of keys that the filter must be able to reach: otherwise making it is `ERR_SCALE_TO`.
    pub validate_scale_to: Option<u64>,
}

/// tepal's own: ×4, the flat head, no limit, seed 0.
impl Default for ScalableOptions {
    fn default() -> Self {
        ScalableOptions::of(Scheme::Tepal)
    }
}

impl ScalableOptions {
    /// The defaults of a scheme: for `valkey` those of valkey-bloom (×2, ratio 0.5, 128 MiB, its fixed seed), for `redisbloom`
    /// those of RedisBloom (×2, ratio 0.5).
    pub fn of(scheme: Scheme) -> Self {
        let (expansion, tightening, max_bytes, seed) = match scheme {
            Scheme::Tepal => (4, None, None, Seed::default()),
            Scheme::Valkey => (2, Some(0.5), Some(128 << 20), Seed::VALKEY_FIXED),
            _ => (2, Some(0.5), None, Seed::default()),
        };
        let (metadata, validate_scale_to) = (Metadata::default(), None);
        ScalableOptions { expansion: Some(expansion), tightening, max_bytes, seed, scheme, metadata, validate_scale_to }
    }
}

/// The capacity that a scheme gives a filter where none is named: 1000 for `tepal`, 100 for the servers'.
pub fn default_capacity(scheme: Scheme) -> u64 {
    match scheme {
        Scheme::Tepal => 1000,
        _ => 100,
    }
}

/// A Bloom filter that grows: for when nobody knows how many keys will come.
///
/// ```
/// let filter = tepal::ScalableBloomFilter::new(100, 0.01)?;
/// for key in 0..10_000u64 {
///     filter.insert(key)?;
/// }
/// assert!((0..10_000u64).all(|key| filter.contains(key)));
/// assert!(filter.filter_count() > 1 && filter.estimated_fpr() <= 0.01);
/// # Ok::<(), tepal::Error>(())
/// ```
pub struct ScalableBloomFilter {
    series: Series,
    /// The stated rate, as bits: a union may have to raise it.
    fpr: AtomicU64,
    metadata: Metadata,
    levels: Arc<Chain<Level>>,
    /// One key, one step: held by the key's hash from the question to the answer.
    keys: Box<Stripes>,
    growth: Lock,
    /// The bytes of which this is a view.
    shared: Option<Shared>,
    read_only: bool,
}

impl ScalableBloomFilter {
    /// An empty filter that begins with `capacity` keys (1 to 2^48) and keeps a false-positive rate of at most `fpr` (1e-9 to 0.5)
    /// however far it grows. Errors: `ERR_CAPACITY_ZERO`, `ERR_CAPACITY_RANGE`, `ERR_FPR_RANGE`, `ERR_OUT_OF_MEMORY`, `ERR_TOO_LARGE`.
    pub fn new(capacity: u64, fpr: f64) -> Result<Self> {
        Self::with_options(capacity, fpr, ScalableOptions::default())
    }

    /// [`ScalableBloomFilter::new`] with everything else. Further errors: `ERR_EXPANSION_RANGE`, `ERR_TIGHTENING_RANGE`,
    /// `ERR_MAX_BYTES_RANGE`, `ERR_SCALE_TO`, `ERR_MEMORY_LIMIT`; `ERR_UNSUPPORTED` for a scheme that can only be read. The schemes of
    /// servers take any capacity below 2^63 and any rate between 0 and 1.
    ///
    /// ```
    /// use tepal::{ScalableBloomFilter, ScalableOptions, Scheme};
    /// let filter = ScalableBloomFilter::with_options(100, 0.01, ScalableOptions::of(Scheme::Valkey))?;
    /// assert_eq!((filter.size(), filter.max_scaled_capacity()), (384, 26_214_300));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn with_options(capacity: u64, fpr: f64, options: ScalableOptions) -> Result<Self> {
        let series = check(capacity, fpr, &options)?;
        if let Some(keys) = options.validate_scale_to {
            reaches(&series, keys)?;
        }
        let first = series.level(0, capacity)?;
        series.within_limit(1, first.plan.bytes())?;
        Self::assemble(series, fpr, options.metadata, [Level::empty(first)?], None)
    }

    pub(crate) fn assemble(
        series: Series,
        fpr: f64,
        metadata: Metadata,
        levels: impl IntoIterator<Item = Level>,
        shared: Option<Shared>,
    ) -> Result<Self> {
        let levels = Arc::new(Chain::new(levels)?);
        metrics::register(&levels);
        Ok(ScalableBloomFilter {
            series,
            fpr: AtomicU64::new(fpr.to_bits()),
            metadata,
            levels,
            keys: Box::new(Stripes::new()),
            growth: Lock::new(),
            read_only: shared.is_some() || !writes(series.scheme),
            shared,
        })
    }

    /// Inserts a key; true if it was new: if no level claimed it, false positives included.
    ///
    /// Errors, after which the filter is as it was: `ERR_FULL` for a new key in a full filter that does not grow, `ERR_MEMORY_LIMIT`, `ERR_FPR_UNDERFLOW`,
    /// `ERR_OUT_OF_MEMORY` for a new key where the filter cannot grow, `ERR_READ_ONLY`.
    #[inline]
    pub fn insert<K: Key>(&self, key: K) -> Result<bool> {
        self.insert_hash_raw(key.with_bytes(|key| self.hash_bytes(key)))
    }

    /// Whether the key may have been inserted: false is certain, true is wrong at the false-positive rate.
    #[inline]
    pub fn contains<K: Key>(&self, key: K) -> bool {
        self.contains_hash_raw(key.with_bytes(|key| self.hash_bytes(key)))
    }

    /// The hash of a key's bytes under this filter's scheme and seed.
    #[inline]
    pub fn hash_bytes(&self, key: &[u8]) -> Hash128 {
        self.series.scheme.hash(key, &self.series.seed)
    }

    /// The hash of an integer key: of its value modulo 2^64 as eight little-endian bytes.
    #[inline]
    pub fn hash_u64(&self, value: u64) -> Hash128 {
        self.hash_bytes(&value.to_le_bytes())
    }

    /// Asks by the bare 128 bits, which must come from this filter's scheme and seed.
    #[inline]
    pub fn contains_hash_raw(&self, hash: Hash128) -> bool {
        self.levels.iter().any(|level| level.contains(hash))
    }

    /// Inserts by the bare 128 bits, which must come from this filter's scheme and seed. Errors as [`ScalableBloomFilter::insert`].
    #[inline]
    pub fn insert_hash_raw(&self, hash: Hash128) -> Result<bool> {
        self.writable()?;
        // Among equal keys one is asked and inserted at a time: else a level that is added in between would give both a yes.
        let _one_step = self.keys.hold(hash.lo as usize);
        if self.contains_hash_raw(hash) {
            return Ok(false);
        }
        loop {
            let newest = self.levels.newest();
            if newest.reserve() {
                newest.set(newest.owned()?, hash);
                return Ok(true);
            }
            self.grow(newest)?;
        }
    }

    /// Adds the next level, unless another thread has.
    #[cold]
    #[inline(never)]
    fn grow(&self, full: &Level) -> Result<()> {
        let _alone = self.growth.hold();
        if !core::ptr::eq(full, self.levels.newest()) {
            return Ok(());
        }
        let next = self.series.next(full.index, full.capacity)?;
        self.series.within_limit(self.filter_count() + 1, self.bytes_of_bits().saturating_add(next.plan.bytes()))?;
        let same =
            |spare: &Level| spare.plan == next.plan && (spare.index, spare.capacity) == (next.index, next.capacity);
        if !self.levels.revive(same) {
            self.levels.push(Level::empty(next)?)?;
        }
        Ok(())
    }

    /// Forgets all keys and becomes what it was when it was made; the memory is kept for when it grows again.
    pub fn clear(&self) -> Result<()> {
        self.writable()?;
        self.keys.with_all(|| {
            let _alone = self.growth.hold();
            self.levels.iter().try_for_each(Level::clear)?;
            self.levels.cut();
            self.fpr.store(self.series.fpr.to_bits(), Relaxed);
            Ok(())
        })
    }

    /// The hash of a key, to be used again: only of scheme `tepal`, else `ERR_UNSUPPORTED`.
    pub fn key_hash<K: Key>(&self, key: K) -> Result<KeyHash> {
        self.own_hash()?;
        let seed = self.series.seed.as_u64();
        Ok(KeyHash::new(key.hash_key(seed), seed))
    }

    /// Inserts by a hash made earlier. `ERR_SEED_DIFFERS` if another seed made it, `ERR_UNSUPPORTED` for other schemes, else as [`ScalableBloomFilter::insert`].
    pub fn insert_hash(&self, hash: &KeyHash) -> Result<bool> {
        self.insert_hash_raw(self.check_hash(hash)?)
    }

    /// Asks by a hash made earlier. `ERR_SEED_DIFFERS`, `ERR_UNSUPPORTED`.
    pub fn contains_hash(&self, hash: &KeyHash) -> Result<bool> {
        Ok(self.contains_hash_raw(self.check_hash(hash)?))
    }

    /// The 128 bits of a hash that was made with this filter's seed. `ERR_SEED_DIFFERS`, `ERR_UNSUPPORTED`.
    pub fn check_hash(&self, hash: &KeyHash) -> Result<Hash128> {
        self.own_hash()?;
        hash.under(self.series.seed.as_u64())
    }

    fn own_hash(&self) -> Result<()> {
        match self.series.scheme {
            Scheme::Tepal => Ok(()),
            _ => Err(Error::unsupported("key hashes of a filter with a server's scheme")),
        }
    }

    #[inline(always)]
    fn writable(&self) -> Result<()> {
        if self.read_only {
            Err(Error::read_only())
        } else {
            Ok(())
        }
    }
}

/// Guava's and Spark's filters do not say how many keys they were made for: they are asked, not changed.
fn writes(scheme: Scheme) -> bool {
    matches!(scheme, Scheme::Tepal | Scheme::Valkey | Scheme::RedisBloom)
}

fn check(capacity: u64, fpr: f64, options: &ScalableOptions) -> Result<Series> {
    let ScalableOptions { expansion, tightening, max_bytes, seed, scheme, .. } = *options;
    if !writes(scheme) {
        return Err(Error::unsupported("making a filter of a scheme that can only be read"));
    }
    scheme.require()?;
    arg::scalable_capacity(capacity, scheme)?;
    arg::scalable_fpr(fpr, scheme)?;
    if expansion == Some(0) {
        let got = Got::Integer(0);
        return Err(Error::argument("ERR_EXPANSION_RANGE", "expansion", arg::EXPANSION, got));
    }
    if let Some(t) = tightening {
        arg::tightening(t)?;
    }
    if max_bytes == Some(0) {
        return Err(Error::argument("ERR_MAX_BYTES_RANGE", "max_bytes", arg::MAX_BYTES, Got::Integer(0)));
    }
    let tightening = match scheme {
        Scheme::Tepal => tightening.unwrap_or(0.0),
        Scheme::RedisBloom if tightening.is_some_and(|t| t != 0.5) => {
            let got = Got::Float(tightening.unwrap_or(0.5));
            return Err(Error::argument("ERR_TIGHTENING_RANGE", "tightening", "0.5, which RedisBloom always has", got));
        }
        _ => tightening.unwrap_or(0.5),
    };
    if scheme == Scheme::Tepal && seed != Seed::from_u64(seed.as_u64()) {
        let expected = "an integer (32 bytes are for scheme valkey)";
        return Err(Error::argument("ERR_SEED_LENGTH", "seed", expected, Got::Word("more than eight bytes")));
    }
    if scheme == Scheme::RedisBloom && seed != Seed::default() {
        return Err(Error::argument(
            "ERR_SEED_RANGE",
            "seed",
            "none: RedisBloom has a seed of its own",
            Got::Word("one"),
        ));
    }
    Ok(Series {
        scheme,
        seed,
        capacity,
        fpr,
        expansion: expansion.unwrap_or(0),
        tightening,
        max_bytes: max_bytes.unwrap_or(0),
        seed_is_random: false,
    })
}

fn reaches(series: &Series, keys: u64) -> Result<()> {
    let most = series.reach(keys);
    if most >= keys {
        return Ok(());
    }
    let expected = "a number of keys that growth can reach before the memory limit or the rate ends it, at most";
    Err(Error::argument("ERR_SCALE_TO", "validate_scale_to", expected, Got::Integer(keys as i128)).bound(most))
}

/// Parameters only: a filter may have billions of bits.
impl fmt::Debug for ScalableBloomFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScalableBloomFilter")
            .field("scheme", &self.series.scheme.name())
            .field("initial_capacity", &self.series.capacity)
            .field("fpr", &self.fpr())
            .field("filter_count", &self.filter_count())
            .field("inserted_count", &self.inserted_count())
            .finish_non_exhaustive()
    }
}
