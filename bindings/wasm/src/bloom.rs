//! `BloomFilter`: its type, and what only it has.
use crate::arena::{give, key, keys, take_loose, texts};
use crate::fail::{done, or};
use crate::filter::{at, keep, seed_slot};
use alloc::{boxed::Box, vec::Vec};
use core::mem::size_of;
use tepal::{arg, hash_bytes, BloomFilter, Error, Hash128, KeyHash, LayoutChoice, Metadata, Options, Owned, Result};

/// What a pointer points at. Wasm has no mapped files: every filter owns its memory.
pub type Filter = BloomFilter<Owned>;

/// Never fails: past its capacity a filter goes on.
#[inline(always)]
pub fn insert(filter: &Filter, key: &[u8]) -> Result<bool> {
    Ok(filter.insert(key))
}

/// Never fails.
pub fn key_hash(filter: &Filter, key: &[u8]) -> Result<KeyHash> {
    Ok(filter.key_hash(key))
}

/// Never fails.
pub fn clear(filter: &Filter) -> Result<()> {
    filter.clear();
    Ok(())
}

/// Options from the texts in the arena (layout, metadata keys and values) and the seed given.
fn options(count: usize, seed: u64) -> Result<Options> {
    let mut texts = texts(count);
    let layout = LayoutChoice::from_name(texts.next().unwrap_or_default())?;
    let pairs = core::iter::from_fn(|| Some((texts.next()?, texts.next()?)));
    Ok(Options { seed, layout, metadata: Metadata::from_pairs(pairs)? })
}

/// A new filter: capacity in slot 0, seed in slot 1, layout and metadata in the arena.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn create(count: usize, fpr: f64) -> usize {
    let capacity = take_loose(0).check(arg::capacity_f64, arg::capacity_i128);
    let seed = seed_slot();
    keep((|| {
        let capacity = capacity?;
        BloomFilter::with_options(capacity, arg::fpr(fpr)?, options(count, seed?.unwrap_or_default())?)
    })())
}

/// Explains the key in the arena; packed as `npm/src/explanation.ts` says.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn explain(filter: usize, length: usize) {
    let filter = at(filter);
    give(filter.explain_hash(filter.hash_bytes(key(length))).to_bytes());
}

/// The intersection, as a new filter.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn intersection(a: usize, b: usize) -> usize {
    keep(at(a).intersection(at(b)))
}

/// The union of the filters whose pointers are the integers in the arena.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn union_all(count: usize) -> usize {
    keep(tepal::union_all(crate::arena::ints(count).map(|filter| at(filter as usize))))
}

/// Keeps what both have.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn intersect_with(filter: usize, other: usize) -> u32 {
    done(at(filter).intersect_with(at(other)))
}

/// Folds by the factor in slot 0.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn fold(filter: usize) -> usize {
    keep(take_loose(0).check(arg::factor_f64, arg::factor_i128).and_then(|factor| at(filter).fold(factor)))
}

/// Shrinks to the capacity in slot 0.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn shrink_to(filter: usize) -> usize {
    keep(take_loose(0).check(arg::capacity_f64, arg::capacity_i128).and_then(|n| at(filter).shrink_to(n)))
}

/// A number. The last four read the whole body.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn fact(filter: usize, which: u32) -> f64 {
    let filter = at(filter);
    match which {
        0 => filter.capacity() as f64,
        1 => filter.fpr(),
        2 => f64::from(filter.num_probes()),
        3 => filter.num_bits() as f64,
        4 => filter.num_lines() as f64,
        5 => filter.byte_len() as f64,
        7 => filter.fill_ratio(),
        8 => filter.estimated_count() as f64,
        9 => filter.estimated_fpr(),
        10 => filter.saturation(),
        _ => 0.0,
    }
}

/// The seed.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn seed(filter: usize) -> u64 {
    at(filter).seed()
}

/// The layout's name.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn layout(filter: usize) {
    give(at(filter).layout().name().as_bytes().to_vec());
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
