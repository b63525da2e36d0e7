//! Totals over all scalable filters of this process: the five core metrics of INFO BF.
use crate::chain::{Chain, Guarded};
use crate::level::Level;
use crate::series::memory_size;
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;

/// Totals over the [`ScalableBloomFilter`](crate::ScalableBloomFilter)s that are alive in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Metrics {
    /// Bytes in memory, as [`size`](crate::ScalableBloomFilter::size) counts them.
    pub total_memory_bytes: u64,
    /// Filters.
    pub num_objects: u64,
    /// Levels of all filters.
    pub num_filters_across_objects: u64,
    /// Keys that were new, in all filters.
    pub num_items_across_objects: u64,
    /// Keys that all filters take before they grow.
    pub capacity_across_objects: u64,
}

impl Metrics {
    /// All of it as bytes, for a language that takes it apart itself: five f64, in the order above. Little-endian.
    pub fn to_bytes(&self) -> [u8; 40] {
        let Metrics { total_memory_bytes, num_objects, num_filters_across_objects, .. } = *self;
        let sums = [total_memory_bytes, num_objects, num_filters_across_objects];
        let sums = sums.into_iter().chain([self.num_items_across_objects, self.capacity_across_objects]);
        let mut packed = [0; 40];
        packed.chunks_exact_mut(8).zip(sums).for_each(|(place, n)| place.copy_from_slice(&(n as f64).to_le_bytes()));
        packed
    }
}

type Filters = Vec<Weak<Chain<Level>>>;
static ALL: Guarded<Filters> = Guarded::new(Vec::new());

/// Takes a new filter up. Filters that are gone are forgotten when the list would have to grow: constant time on average.
pub(super) fn register(filter: &Arc<Chain<Level>>) {
    ALL.with(|all| {
        if all.len() == all.capacity() {
            all.retain(|filter| filter.strong_count() > 0);
            if all.len() * 2 > all.capacity() {
                all.reserve(all.len() + 16);
            }
        }
        all.push(Arc::downgrade(filter));
    });
}

/// The totals of this moment. Cost: a few nanoseconds a filter.
///
/// ```
/// let filter = tepal::ScalableBloomFilter::build(["a", "b"], 0.01)?;
/// assert!(tepal::metrics().num_items_across_objects >= filter.inserted_count());
/// # Ok::<(), tepal::Error>(())
/// ```
pub fn metrics() -> Metrics {
    // Taken out of the lock: the last holder of a filter frees it, which must not happen in there.
    let alive: Vec<Arc<Chain<Level>>> = ALL.with(|all| all.iter().filter_map(Weak::upgrade).collect());
    let mut sums = Metrics::default();
    for filter in &alive {
        let (mut levels, mut bytes) = (0u64, 0u64);
        for level in filter.iter() {
            levels += 1;
            bytes = bytes.saturating_add(level.plan.bytes());
            sums.num_items_across_objects = sums.num_items_across_objects.saturating_add(level.items());
            sums.capacity_across_objects = sums.capacity_across_objects.saturating_add(level.capacity);
        }
        sums.num_objects += 1;
        sums.num_filters_across_objects += levels;
        sums.total_memory_bytes = sums.total_memory_bytes.saturating_add(memory_size(levels, bytes));
    }
    sums
}
