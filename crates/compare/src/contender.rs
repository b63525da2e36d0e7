//! The libraries, each behind the same four calls. A call works on a whole batch of keys, so that the dynamic dispatch
//! costs nothing per key; inside, every library is used as its documentation shows.
use crate::keys::Keys;
use foldhash::fast::FixedState;
use std::hash::BuildHasher;

/// One library in one way of use.
pub trait Contender<K: Keys> {
    /// Label in the tables.
    fn name(&self) -> &'static str;
    /// Memory of the filter, in bits.
    fn bits(&self) -> u64;
    /// How many keys those bits are for, if the filter grows. `None`: for the keys that it has.
    fn capacity(&self) -> Option<u64> {
        None
    }
    /// Inserts all; how many answers said "new".
    fn insert(&mut self, keys: &K) -> usize;
    /// Asks for all; how many were found.
    fn contains(&self, keys: &K) -> usize;
    /// One at a time, each waiting for the one before: how many were found. `None` where that would say the same.
    fn isolated(&self, _keys: &K) -> Option<usize> {
        None
    }
    /// An empty filter again.
    fn clear(&mut self);
}

/// All contenders at this size. `tepal` comes first, `tepal batch` second, then the rivals.
pub fn all<K: Keys + 'static>(n: u64, fpr: f64) -> Vec<Box<dyn Contender<K>>> {
    let with =
        |name, batch| Tepal { name, batch, filter: tepal::BloomFilter::new(n, fpr).expect("memory for the filter") };
    let n = n as usize;
    vec![
        Box::new(with("tepal", false)),
        Box::new(with("tepal, batch", true)),
        Box::new(Fast(
            fastbloom::BloomFilter::with_false_pos(fpr).seed(&1).expected_items(n),
            "fastbloom (SipHash, its default)",
        )),
        Box::new(Fast(
            fastbloom::BloomFilter::with_false_pos(fpr).hasher(FixedState::with_seed(1)).expected_items(n),
            "fastbloom (foldhash)",
        )),
        Box::new(FastAtomic(
            fastbloom::AtomicBloomFilter::with_false_pos(fpr).hasher(FixedState::with_seed(1)).expected_items(n),
        )),
        jedisct1(n, fpr),
    ]
}

/// Its halves key the two hashes of `bloomfilter` and must differ: with equal ones its rate at 1 % would be 3.7 %.
const SEED: [u8; 32] = *b"tepal-compare: two unequal keys.";

/// The crate `bloomfilter`.
pub fn jedisct1<K: Keys + 'static>(n: usize, fpr: f64) -> Box<dyn Contender<K>> {
    Box::new(Jedisct1::<K>(bloomfilter::Bloom::new_for_fp_rate_with_seed(n, fpr, &SEED).expect("valid parameters")))
}

/// Keeps the processor from starting the next lookup before this one has ended.
#[inline(always)]
fn wait() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a fence; every x86-64 has it.
    unsafe {
        core::arch::x86_64::_mm_lfence()
    };
}

/// Asks for all, each lookup waiting for the one before; `None` where the processor has no such fence.
pub fn one_by_one<K: Keys>(keys: &K, mut contains: impl FnMut(K::Key<'_>) -> bool) -> Option<usize> {
    let mut found = 0;
    for key in keys.iter() {
        found += contains(key) as usize;
        wait();
    }
    cfg!(target_arch = "x86_64").then_some(found)
}

struct Tepal {
    name: &'static str,
    batch: bool,
    filter: tepal::BloomFilter,
}

/// How many are true.
pub fn trues(answers: &[bool]) -> usize {
    answers.iter().map(|b| *b as usize).sum()
}

impl<K: Keys> Contender<K> for Tepal {
    fn name(&self) -> &'static str {
        self.name
    }

    fn bits(&self) -> u64 {
        self.filter.num_bits()
    }

    fn insert(&mut self, keys: &K) -> usize {
        if self.batch {
            return trues(&self.filter.insert_many(keys.iter()));
        }
        keys.iter().map(|key| self.filter.insert(key) as usize).sum()
    }

    fn contains(&self, keys: &K) -> usize {
        if self.batch {
            return trues(&self.filter.contains_many(keys.iter()));
        }
        keys.iter().map(|key| self.filter.contains(key) as usize).sum()
    }

    fn isolated(&self, keys: &K) -> Option<usize> {
        if self.batch {
            return None;
        }
        one_by_one(keys, |key| self.filter.contains(key))
    }

    fn clear(&mut self) {
        self.filter.clear();
    }
}

struct Fast<S>(fastbloom::BloomFilter<S>, &'static str);

impl<K: Keys, S: BuildHasher> Contender<K> for Fast<S> {
    fn name(&self) -> &'static str {
        self.1
    }

    fn bits(&self) -> u64 {
        self.0.num_bits() as u64
    }

    fn insert(&mut self, keys: &K) -> usize {
        keys.iter().map(|key| !self.0.insert(&key) as usize).sum()
    }

    fn contains(&self, keys: &K) -> usize {
        keys.iter().map(|key| self.0.contains(&key) as usize).sum()
    }

    fn isolated(&self, keys: &K) -> Option<usize> {
        one_by_one(keys, |key| self.0.contains(&key))
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

struct FastAtomic(fastbloom::AtomicBloomFilter<FixedState>);

impl<K: Keys> Contender<K> for FastAtomic {
    fn name(&self) -> &'static str {
        "fastbloom atomic (foldhash)"
    }

    fn bits(&self) -> u64 {
        self.0.num_bits() as u64
    }

    fn insert(&mut self, keys: &K) -> usize {
        keys.iter().map(|key| !self.0.insert(&key) as usize).sum()
    }

    fn contains(&self, keys: &K) -> usize {
        keys.iter().map(|key| self.0.contains(&key) as usize).sum()
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

struct Jedisct1<K: Keys>(bloomfilter::Bloom<K::Target>);

impl<K: Keys> Contender<K> for Jedisct1<K> {
    fn name(&self) -> &'static str {
        "bloomfilter (SipHash)"
    }

    fn bits(&self) -> u64 {
        self.0.len()
    }

    fn insert(&mut self, keys: &K) -> usize {
        keys.iter().map(|key| !self.0.check_and_set(K::target(&key)) as usize).sum()
    }

    fn contains(&self, keys: &K) -> usize {
        keys.iter().map(|key| self.0.check(K::target(&key)) as usize).sum()
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}
