//! One level of a growing filter: a plan, the bits, and how many keys it took.
//!
//! Always true: `items` never exceeds `capacity`, and does not decide membership. The bits are those of a filter of this plan alone.
use crate::bits::{Lines, Owned, Storage, AHEAD, CACHED_LINES, PREFETCHES};
use crate::bloom::with_shape;
use crate::combine::or_lines;
use crate::error::{Error, Result};
use crate::facts;
use crate::hash::Hash128;
use crate::layout::{Classic, Layout, Line16, Line8, Pair, Read, Shape};
use crate::math::powi;
use crate::series::{Next, Plan};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub(crate) struct Level {
    /// Place in the series.
    pub index: u32,
    pub capacity: u64,
    /// Promised rate at capacity.
    pub fpr: f64,
    pub plan: Plan,
    items: AtomicU64,
    pub body: Storage,
}

macro_rules! with_plan {
    ($plan:expr, $shape:ident => $work:expr) => {
        match $plan {
            Plan::Lines(params) => with_shape!(params, $shape => $work),
            Plan::Double(double) => {
                let $shape = *double;
                $work
            }
        }
    };
}

impl Level {
    pub fn empty(next: Next) -> Result<Self> {
        let body = Storage::Owned(Owned::zeroed(next.plan.lines())?);
        Ok(Level::with_body(next, 0, body))
    }

    pub fn with_body(next: Next, items: u64, body: Storage) -> Self {
        let Next { index, capacity, fpr, plan } = next;
        Level { index, capacity, fpr, plan, items: AtomicU64::new(items), body }
    }

    /// A writable copy.
    pub fn copy(&self) -> Result<Self> {
        let Level { index, capacity, fpr, plan, .. } = *self;
        // The count first: what is added meanwhile may be in the bits and uncounted, never the reverse.
        let items = self.items();
        let copy = Level::empty(Next { index, capacity, fpr, plan })?;
        copy.items.store(items, Relaxed);
        or_lines(copy.owned()?, self.lines());
        Ok(copy)
    }

    pub fn items(&self) -> u64 {
        self.items.load(Relaxed)
    }

    #[inline(always)]
    pub fn owned(&self) -> Result<&Owned> {
        match &self.body {
            Storage::Owned(owned) => Ok(owned),
            Storage::Shared(_) => Err(Error::read_only()),
        }
    }

    pub fn lines(&self) -> Lines<'_> {
        crate::bits::Body::lines(&self.body)
    }

    #[inline(always)]
    pub fn contains(&self, hash: Hash128) -> bool {
        match self.lines() {
            Lines::Atomic(at) => with_plan!(&self.plan, shape => shape.test(&at, hash)),
            Lines::Bytes(at) => with_plan!(&self.plan, shape => shape.test(&at, hash)),
        }
    }

    /// Takes a place for a key; false when none is left.
    #[inline(always)]
    pub fn reserve(&self) -> bool {
        self.items.fetch_update(Relaxed, Relaxed, |n| (n < self.capacity).then_some(n + 1)).is_ok()
    }

    /// Sets a key's bits.
    #[inline(always)]
    pub fn set(&self, owned: &Owned, hash: Hash128) {
        with_plan!(&self.plan, shape => shape.set(&owned.atomic(), &owned.stripes, hash));
    }

    /// Asks for the lines of a hash, unless the level is so small that a cache has them.
    #[inline(always)]
    pub fn prefetch(&self, hash: Hash128) {
        if self.plan.lines() > CACHED_LINES {
            match self.lines() {
                Lines::Atomic(at) => with_plan!(&self.plan, shape => shape.prefetch(&at, hash)),
                Lines::Bytes(at) => with_plan!(&self.plan, shape => shape.prefetch(&at, hash)),
            }
        }
    }

    /// Asks for all hashes; puts the places of those that got a no to the front of `open`, and gives their number.
    pub fn sift(&self, hashes: &[Hash128], open: &mut [usize]) -> usize {
        let prefetch = PREFETCHES && self.plan.lines() > CACHED_LINES;
        match self.lines() {
            Lines::Atomic(at) => with_plan!(&self.plan, shape => sift(shape, prefetch, &at, hashes, open)),
            Lines::Bytes(at) => with_plan!(&self.plan, shape => sift(shape, prefetch, &at, hashes, open)),
        }
    }

    /// Forgets all keys, while nobody inserts.
    pub fn clear(&self) -> Result<()> {
        self.owned()?.atomic().0.iter().flatten().for_each(|lane| lane.store(0, Relaxed));
        self.items.store(0, Relaxed);
        Ok(())
    }

    /// ORs another level of the same plan into this one, if it can take all those keys within its capacity; whether it did.
    /// Nobody inserts meanwhile.
    pub fn absorb(&self, other: &Level) -> Result<bool> {
        if self.index != other.index || self.capacity != other.capacity || self.plan != other.plan {
            return Ok(false);
        }
        let (mine, theirs) = (self.items(), other.items());
        let (a, b) = (self.lines(), other.lines());
        let (mut first, mut second, mut both) = (0u64, 0u64, 0u64);
        for i in 0..a.count() {
            for (a, b) in a.line(i).iter().zip(b.line(i)) {
                first += a.count_ones() as u64;
                second += b.count_ones() as u64;
                both += (a | b).count_ones() as u64;
            }
        }
        let sum = mine.saturating_add(theirs);
        let items = if both == first || both == second {
            mine.max(theirs) // one has all bits of the other
        } else if sum <= self.capacity {
            sum
        } else {
            // Keys may be in both. How many there are together, the bits tell.
            self.count_of(both).max(mine.max(theirs))
        };
        if items > self.capacity {
            return Ok(false);
        }
        or_lines(self.owned()?, other.lines());
        self.items.store(items, Relaxed);
        Ok(true)
    }

    /// The bits that are set. (In a view that was not verified, bits behind the last one may be.)
    pub fn ones(&self) -> u64 {
        facts::ones(self.lines()).min(self.plan.num_bits())
    }

    fn count_of(&self, ones: u64) -> u64 {
        match &self.plan {
            Plan::Lines(params) => facts::estimated_count(params, ones),
            Plan::Double(double) => facts::estimated_count_of(double.bits() as f64, double.probes(), ones),
        }
    }

    pub fn estimated_count(&self) -> u64 {
        self.count_of(self.ones())
    }

    pub fn estimated_fpr(&self) -> f64 {
        match &self.plan {
            Plan::Lines(params) => facts::estimated_fpr(params, self.lines()),
            Plan::Double(double) => powi(self.ones() as f64 / double.bits() as f64, double.probes() as u64),
        }
    }

    /// Whether plan and bits are equal.
    pub fn same(&self, other: &Level) -> bool {
        let (a, b) = (self.lines(), other.lines());
        self.plan == other.plan && (0..a.count()).all(|i| a.line(i) == b.line(i))
    }
}

/// The layout is decided once for all hashes, which a loop over `contains` would do for each.
#[inline(always)]
fn sift<S: Shape, R: Read>(shape: S, prefetch: bool, at: &R, hashes: &[Hash128], open: &mut [usize]) -> usize {
    let fetch = |hash| {
        if prefetch {
            shape.prefetch(at, hash);
        }
    };
    let mut left = 0;
    each_ahead(hashes, fetch, |i, hash| {
        open[left] = i;
        left += !shape.test(at, hash) as usize;
    });
    left
}

/// Works on each hash in turn, with `fetch` called for it some turns before.
#[inline(always)]
pub(crate) fn each_ahead(hashes: &[Hash128], fetch: impl Fn(Hash128), mut work: impl FnMut(usize, Hash128)) {
    if PREFETCHES {
        hashes.iter().take(AHEAD).for_each(|hash| fetch(*hash));
    }
    for (i, hash) in hashes.iter().enumerate() {
        if let (true, Some(later)) = (PREFETCHES, hashes.get(i + AHEAD)) {
            fetch(*later);
        }
        work(i, *hash);
    }
}
