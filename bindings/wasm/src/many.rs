//! Batches over the keys in the arena, and the builder that collects hashes until the size is known.
use crate::arena::{give, keys, out};
use crate::fail::{done, or};
use crate::filter::{at, keep, options, seed_slot};
use alloc::{boxed::Box, vec::Vec};
use core::mem::size_of;
use tepal::{arg, hash_bytes, BloomFilter, Error, Hash128};

/// Puts each key's answer into `out`. One by one: wasm has no prefetch that a batch could gain by.
fn each(filter: usize, count: usize, integers: bool, add: bool) {
    let filter = at(filter);
    for (answer, key) in out().iter_mut().zip(keys(count, integers)) {
        *answer = u8::from(if add { filter.insert(key) } else { filter.contains(key) });
    }
}

/// Adds a batch of keys.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn add_many(filter: usize, count: usize) {
    each(filter, count, false, true);
}

/// Asks for a batch of keys.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn has_many(filter: usize, count: usize) {
    each(filter, count, false, false);
}

/// Adds a batch of integers.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn add_ints(filter: usize, count: usize) {
    each(filter, count, true, true);
}

/// Asks for a batch of integers.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn has_ints(filter: usize, count: usize) {
    each(filter, count, true, false);
}

/// The parts in the arena as one key.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn compound(count: usize) {
    give(tepal::compound_key(keys(count, false)));
}

/// Hashes on their way to a filter that fits them.
struct Builder {
    seed: u64,
    hashes: Vec<Hash128>,
}

impl Builder {
    fn at<'a>(builder: usize) -> &'a mut Builder {
        // SAFETY: JavaScript passes only pointers that `builder_new` gave and nothing has ended.
        unsafe { &mut *(builder as *mut Builder) }
    }

    fn extend(&mut self, count: usize, integers: bool) -> tepal::Result<()> {
        let size = count * size_of::<Hash128>();
        self.hashes.try_reserve(count).map_err(|_| Error::out_of_memory(size as u64))?;
        for key in keys(count, integers) {
            self.hashes.push(hash_bytes(key, self.seed));
        }
        Ok(())
    }
}

/// A builder; the seed in slot 1.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn builder_new() -> usize {
    let builder = |seed: Option<u64>| Box::new(Builder { seed: seed.unwrap_or_default(), hashes: Vec::new() });
    or(seed_slot().map(|seed| Box::into_raw(builder(seed)) as usize), 0)
}

/// Takes a batch of keys.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn builder_push(builder: usize, count: usize) -> u32 {
    done(Builder::at(builder).extend(count, false))
}

/// Takes a batch of integers.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn builder_push_ints(builder: usize, count: usize) -> u32 {
    done(Builder::at(builder).extend(count, true))
}

/// Makes the filter (layout and metadata in the arena) and ends the builder.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn builder_finish(builder: usize, count: usize, fpr: f64) -> usize {
    // SAFETY: as for `Builder::at`; JavaScript forgets the pointer with this call.
    let builder = unsafe { Box::from_raw(builder as *mut Builder) };
    keep((|| BloomFilter::build_hashes(builder.hashes, arg::fpr(fpr)?, options(count, builder.seed)?))())
}

/// Ends a builder.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn builder_free(builder: usize) {
    if builder != 0 {
        // SAFETY: as for `builder_finish`.
        drop(unsafe { Box::from_raw(builder as *mut Builder) });
    }
}
