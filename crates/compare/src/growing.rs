//! Filters that grow, behind the calls of `contender`. Each is made anew instead of cleared: growth is part of an insertion's cost.
use crate::contender::{one_by_one, trues, Contender};
use crate::keys::Keys;
use crate::memory;
use growable_bloom_filter::GrowableBloom;
use tepal::{BloomFilter, ScalableBloomFilter, ScalableOptions, Scheme};

/// Filters that begin with room for `initial` keys and grow to `n`; last, tepal's filter that knew `n` beforehand.
pub fn all<K: Keys + 'static>(initial: u64, n: u64, fpr: f64) -> Vec<Box<dyn Contender<K>>> {
    let own = |name, batch| Box::new(Scalable::new(name, batch, initial, fpr, ScalableOptions::default()));
    let known = |name, batch| Box::new(Known { name, batch, n, fpr, filter: BloomFilter::new(n, fpr).expect(MEMORY) });
    vec![
        own("tepal", false),
        own("tepal, batch", true),
        Box::new(Growable::new(initial, fpr)),
        known("tepal, `BloomFilter` of that capacity", false),
        known("tepal, `BloomFilter` of that capacity, batch", true),
    ]
}

/// One filter of `n` keys under valkey-bloom's scheme beside `bloomfilter`, on which valkey-bloom stands.
pub fn valkey<K: Keys + 'static>(n: u64, fpr: f64) -> Vec<Box<dyn Contender<K>>> {
    let options =
        ScalableOptions { max_bytes: None, expansion: None, tightening: None, ..ScalableOptions::of(Scheme::Valkey) };
    let own = |name, batch| Box::new(Scalable::new(name, batch, n, fpr, options.clone()));
    vec![
        own("tepal, scheme valkey", false),
        own("tepal, scheme valkey, batch", true),
        crate::contender::jedisct1(n as usize, fpr),
    ]
}

const MEMORY: &str = "memory for the filter";

struct Scalable {
    name: &'static str,
    batch: bool,
    initial: u64,
    fpr: f64,
    options: ScalableOptions,
    filter: ScalableBloomFilter,
}

impl Scalable {
    fn new(name: &'static str, batch: bool, initial: u64, fpr: f64, options: ScalableOptions) -> Self {
        let filter = ScalableBloomFilter::with_options(initial, fpr, options.clone()).expect("valid parameters");
        Scalable { name, batch, initial, fpr, options, filter }
    }
}

impl<K: Keys> Contender<K> for Scalable {
    fn name(&self) -> &'static str {
        self.name
    }

    fn bits(&self) -> u64 {
        self.filter.num_bits()
    }

    fn capacity(&self) -> Option<u64> {
        Some(self.filter.capacity())
    }

    fn insert(&mut self, keys: &K) -> usize {
        if self.batch {
            return trues(&self.filter.insert_many(keys.iter()).expect(MEMORY));
        }
        keys.iter().map(|key| self.filter.insert(key).expect(MEMORY) as usize).sum()
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
        *self = Scalable::new(self.name, self.batch, self.initial, self.fpr, self.options.clone());
    }
}

/// The yardstick: what growth costs beside knowing the number of keys.
struct Known {
    name: &'static str,
    batch: bool,
    n: u64,
    fpr: f64,
    filter: BloomFilter,
}

impl<K: Keys> Contender<K> for Known {
    fn name(&self) -> &'static str {
        self.name
    }

    fn bits(&self) -> u64 {
        self.filter.num_bits()
    }

    fn capacity(&self) -> Option<u64> {
        Some(self.filter.capacity())
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
        self.filter = BloomFilter::new(self.n, self.fpr).expect(MEMORY);
    }
}

/// It does not tell how many bits it has: the memory it takes from the allocator does.
struct Growable {
    initial: u64,
    fpr: f64,
    filter: GrowableBloom,
    bytes: usize,
}

impl Growable {
    fn new(initial: u64, fpr: f64) -> Self {
        Growable { initial, fpr, filter: GrowableBloom::new(fpr, initial as usize), bytes: 0 }
    }
}

impl<K: Keys> Contender<K> for Growable {
    fn name(&self) -> &'static str {
        "growable-bloom-filter (XXH3)"
    }

    fn bits(&self) -> u64 {
        self.bytes as u64 * 8
    }

    fn capacity(&self) -> Option<u64> {
        Some(self.filter.capacity() as u64)
    }

    fn insert(&mut self, keys: &K) -> usize {
        let before = memory::held();
        let new = keys.iter().map(|key| self.filter.insert(key) as usize).sum();
        self.bytes += memory::held() - before;
        new
    }

    fn contains(&self, keys: &K) -> usize {
        keys.iter().map(|key| self.filter.contains(key) as usize).sum()
    }

    fn isolated(&self, keys: &K) -> Option<usize> {
        one_by_one(keys, |key| self.filter.contains(key))
    }

    fn clear(&mut self) {
        *self = Growable::new(self.initial, self.fpr);
    }
}
