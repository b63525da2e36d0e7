//! Batches over the keys in the arena, and the builder that collects hashes until the size is known.
use crate::arena::{give, ints, keys, out};
use crate::fail::{done, or};
use crate::filter::{at, keep, options, seed_slot};
use alloc::{boxed::Box, vec::Vec};
use core::mem::size_of;
use tepal::{arg, hash_bytes, hash_u64, BloomFilter, Error, Hash128, BATCH};

/// Hashes in pieces of `BATCH`, has `work` done on each, and puts the answers into `out`.
fn in_pieces(mut hashes: impl Iterator<Item = Hash128>, mut work: impl FnMut(&[Hash128], &mut [bool])) {
    let mut piece = [Hash128 { hi: 0, lo: 0 }; BATCH];
    let mut answers = [false; BATCH];
    let mut filled = 0;
    loop {
        let mut n = 0;
        for hash in hashes.by_ref().take(BATCH) {
            piece[n] = hash;
            n += 1;
        }
        if n == 0 {
            return;
        }
        work(&piece[..n], &mut answers[..n]);
        for (to, from) in out()[filled..].iter_mut().zip(&answers[..n]) {
            *to = u8::from(*from);
        }
        filled += n;
    }
}

/// Adds a batch of keys.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn add_many(filter: usize, count: usize) {
    let filter = at(filter);
    in_pieces(keys(count).map(|key| filter.hash_bytes(key)), |hashes, new| filter.insert_hashes(hashes, new));
}

/// Asks for a batch of keys.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn has_many(filter: usize, count: usize) {
    let filter = at(filter);
    in_pieces(keys(count).map(|key| filter.hash_bytes(key)), |hashes, there| filter.contains_hashes(hashes, there));
}

/// Adds a batch of integers.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn add_ints(filter: usize, count: usize) {
    let filter = at(filter);
    in_pieces(ints(count).map(|key| filter.hash_u64(key)), |hashes, new| filter.insert_hashes(hashes, new));
}

/// Asks for a batch of integers.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn has_ints(filter: usize, count: usize) {
    let filter = at(filter);
    in_pieces(ints(count).map(|key| filter.hash_u64(key)), |hashes, there| filter.contains_hashes(hashes, there));
}

/// The parts in the arena as one key.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn compound(count: usize) {
    give(tepal::compound_key(keys(count)));
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

    fn extend(&mut self, more: impl ExactSizeIterator<Item = Hash128>) -> tepal::Result<()> {
        let size = more.len() * size_of::<Hash128>();
        self.hashes.try_reserve(more.len()).map_err(|_| Error::out_of_memory(size as u64))?;
        self.hashes.extend(more);
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
    let builder = Builder::at(builder);
    let seed = builder.seed;
    done(builder.extend(keys(count).map(|key| hash_bytes(key, seed))))
}

/// Takes a batch of integers.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn builder_push_ints(builder: usize, count: usize) -> u32 {
    let builder = Builder::at(builder);
    let seed = builder.seed;
    done(builder.extend(ints(count).map(|key| hash_u64(key, seed))))
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
