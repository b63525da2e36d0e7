//! What a `ScalableBloomFilter` tells: the fields of BF.INFO, and what the bits of all levels say together.
use super::{reaches, ScalableBloomFilter};
use crate::error::Result;
use crate::layout::Layout;
use crate::metadata::Metadata;
use crate::scheme::{Scheme, Seed};
use crate::series::memory_size;
#[cfg(feature = "schemes")]
use crate::series::Series;
use alloc::vec::Vec;
use core::sync::atomic::Ordering::Relaxed;

/// The fields of BF.INFO, under tepal's names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Info {
    /// Keys that fit before it grows.
    pub capacity: u64,
    /// Bytes in memory.
    pub size: u64,
    /// Levels.
    pub filter_count: u64,
    /// Keys that were new.
    pub inserted_count: u64,
    /// The promised rate.
    pub fpr: f64,
    /// Keys of a level divided by those of the one before; none: it does not grow.
    pub expansion: Option<u32>,
    /// Rate of a level divided by that of the one before; none: the flat head.
    pub tightening: Option<f64>,
    /// Keys that it can grow to hold.
    pub max_scaled_capacity: u64,
}

/// What there is to know about one level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelFacts {
    /// Keys it takes.
    pub capacity: u64,
    /// Keys it took.
    pub inserted_count: u64,
    /// The rate it was sized for.
    pub fpr: f64,
    /// Its bits.
    pub num_bits: u64,
    /// Bits tested per key.
    pub num_probes: u32,
    /// How they are spread; none for the schemes of servers, which put them anywhere.
    pub layout: Option<Layout>,
    /// The rate that the bits have now. (Reads them all.)
    pub estimated_fpr: f64,
}

impl LevelFacts {
    /// All of it as bytes, for a language that takes it apart itself: capacity, inserted count, rate, bits, probes and estimated rate (f64), and the
    /// layout's name in eight bytes, filled up with zeros. Little-endian.
    pub fn to_bytes(&self) -> [u8; 56] {
        let numbers = [self.capacity as f64, self.inserted_count as f64, self.fpr, self.num_bits as f64];
        let numbers = numbers.into_iter().chain([self.num_probes.into(), self.estimated_fpr]);
        let mut packed = [0; 56];
        packed
            .chunks_exact_mut(8)
            .zip(numbers)
            .for_each(|(place, number)| place.copy_from_slice(&number.to_le_bytes()));
        let name = self.layout.map_or("", |layout| layout.name());
        packed[48..48 + name.len()].copy_from_slice(name.as_bytes());
        packed
    }
}

impl ScalableBloomFilter {
    /// Keys that fit before the filter grows again: the capacities of all levels.
    pub fn capacity(&self) -> u64 {
        self.levels.iter().fold(0, |sum, level| sum.saturating_add(level.capacity))
    }

    /// The capacity that it was made with: that of the first level.
    pub fn initial_capacity(&self) -> u64 {
        self.series.capacity
    }

    /// The promised false-positive rate. For scheme `tepal` it holds at any size; for `valkey` it is the first level's, and all
    /// levels together have up to fpr / (1 − tightening). After a union whose levels could not all be joined, the sum that they have.
    pub fn fpr(&self) -> f64 {
        f64::from_bits(self.fpr.load(Relaxed))
    }

    /// The seed of the hash.
    pub fn seed(&self) -> Seed {
        self.series.seed
    }

    /// Whose hash, probes and sizes it has.
    pub fn scheme(&self) -> Scheme {
        self.series.scheme
    }

    /// Keys of a level divided by those of the one before; none: it does not grow.
    pub fn expansion(&self) -> Option<u32> {
        (self.series.expansion != 0).then_some(self.series.expansion)
    }

    /// The rate of a level divided by that of the one before; none: the flat head.
    pub fn tightening(&self) -> Option<f64> {
        (self.series.tightening != 0.0).then_some(self.series.tightening)
    }

    /// The most bytes it may take in memory.
    pub fn max_bytes(&self) -> Option<u64> {
        (self.series.max_bytes != 0).then_some(self.series.max_bytes)
    }

    /// How many levels it has.
    pub fn filter_count(&self) -> u64 {
        self.levels.iter().count() as u64
    }

    /// How many insertions answered true: what BF.CARD counts.
    pub fn inserted_count(&self) -> u64 {
        self.levels.iter().fold(0, |sum, level| sum.saturating_add(level.items()))
    }

    /// Bytes in memory as valkey-bloom counts them: the bits, 208 for each level, 48 and a list of levels. What `max_bytes` limits.
    pub fn size(&self) -> u64 {
        memory_size(self.filter_count(), self.bytes_of_bits())
    }

    pub(super) fn bytes_of_bits(&self) -> u64 {
        self.levels.iter().fold(0, |sum, level| sum.saturating_add(level.plan.bytes()))
    }

    /// How many keys the filter can grow to hold before `max_bytes`, its rate or the address space ends it. Cost: the sizing
    /// of each level to come, about a millisecond.
    pub fn max_scaled_capacity(&self) -> u64 {
        self.series.reach(u64::MAX)
    }

    /// `ERR_SCALE_TO` if the filter cannot grow to hold so many keys.
    pub fn validate_scale_to(&self, keys: u64) -> Result<()> {
        reaches(&self.series, keys)
    }

    /// The fields of BF.INFO together.
    pub fn info(&self) -> Info {
        Info {
            capacity: self.capacity(),
            size: self.size(),
            filter_count: self.filter_count(),
            inserted_count: self.inserted_count(),
            fpr: self.fpr(),
            expansion: self.expansion(),
            tightening: self.tightening(),
            max_scaled_capacity: self.max_scaled_capacity(),
        }
    }

    /// Pairs of strings that travel with the filter.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Whether it is a view of somebody else's bytes, or of a scheme that is only asked.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// The bits of all levels.
    pub fn num_bits(&self) -> u64 {
        self.levels.iter().fold(0, |sum, level| sum.saturating_add(level.plan.num_bits()))
    }

    /// The part of all bits that is set, 0 to 1. Cost: reads all levels.
    pub fn fill_ratio(&self) -> f64 {
        self.levels.iter().map(|level| level.ones() as f64).sum::<f64>() / self.num_bits() as f64
    }

    /// How many distinct keys were inserted, estimated from the bits. (`inserted_count` is counted.) Cost: reads all levels.
    pub fn estimated_count(&self) -> u64 {
        self.levels.iter().fold(0, |sum, level| sum.saturating_add(level.estimated_count()))
    }

    /// The false-positive rate that the bits have now: the chance that any level takes a stranger for a key. Exact for scheme `tepal`. The schemes
    /// of servers hash doubly, which repeats itself in small levels: those of a few hundred keys have up to a fifth more. Cost: reads all levels.
    pub fn estimated_fpr(&self) -> f64 {
        // Summed like this, small rates keep their digits: 1 − (1 − a)(1 − b) = a + b·(1 − a).
        self.levels.iter().fold(0.0, |sum, level| sum + level.estimated_fpr() * (1.0 - sum))
    }

    /// Estimated distinct keys divided by the present capacity. Cost: reads all levels.
    pub fn saturation(&self) -> f64 {
        self.estimated_count() as f64 / self.capacity() as f64
    }

    /// Facts about each level, the oldest first. Cost: reads all levels.
    pub fn levels(&self) -> Vec<LevelFacts> {
        let mut all: Vec<LevelFacts> = self
            .levels
            .iter()
            .map(|level| LevelFacts {
                capacity: level.capacity,
                inserted_count: level.items(),
                fpr: level.fpr,
                num_bits: level.plan.num_bits(),
                num_probes: level.plan.probes(),
                layout: level.plan.layout(),
                estimated_fpr: level.estimated_fpr(),
            })
            .collect();
        all.reverse();
        all
    }

    #[cfg(feature = "schemes")]
    pub(crate) fn series(&self) -> &Series {
        &self.series
    }
}
