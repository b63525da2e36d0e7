//! `BloomFilter`, by pointer: one function per method of the core.
use crate::arena::{give, key, out, take_loose, texts, Loose};
use crate::fail::{done, or};
use crate::FAILED;
use alloc::boxed::Box;
use tepal::{arg, BloomFilter, Hash128, KeyHash, LayoutChoice, Metadata, Options, Owned, Result};

/// What a pointer points at. Wasm has no mapped files: every filter owns its memory.
pub type Filter = BloomFilter<Owned>;

/// The filter behind a pointer.
#[inline(always)]
pub fn at<'a>(filter: usize) -> &'a Filter {
    // SAFETY: JavaScript passes only pointers that `keep` gave and `free` has not ended.
    unsafe { &*(filter as *const Filter) }
}

/// The pointer of a new filter, or 0 with the error left behind.
pub fn keep(filter: Result<Filter>) -> usize {
    or(filter.map(|filter| Box::into_raw(Box::new(filter)) as usize), 0)
}

/// Options from the texts in the arena (layout, metadata keys and values) and the seed given.
pub fn options(count: usize, seed: u64) -> Result<Options> {
    let mut texts = texts(count);
    let layout = LayoutChoice::from_name(texts.next().unwrap_or_default())?;
    let pairs = core::iter::from_fn(|| Some((texts.next()?, texts.next()?)));
    Ok(Options { seed, layout, metadata: Metadata::from_pairs(pairs)? })
}

/// The seed in slot 1.
pub fn seed_slot() -> Result<Option<u64>> {
    match take_loose(1) {
        Loose::Absent => Ok(None),
        seed => seed.check(arg::seed_f64, arg::seed_i128).map(Some),
    }
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

/// A filter from the first `length` bytes of the arena; the seed, if any, in slot 1.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn from_bytes(length: usize) -> usize {
    keep(seed_slot().and_then(|seed| match seed {
        None => BloomFilter::from_bytes(key(length)),
        Some(seed) => BloomFilter::from_bytes_with_seed(key(length), seed),
    }))
}

/// A deep copy.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn copy(filter: usize) -> usize {
    keep(at(filter).copy())
}

/// Ends a filter.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn free(filter: usize) {
    if filter != 0 {
        // SAFETY: as for `at`; JavaScript forgets the pointer with this call.
        drop(unsafe { Box::from_raw(filter as *mut Filter) });
    }
}

/// Adds the key in the arena: 1 if it was new.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn add(filter: usize, length: usize) -> u32 {
    at(filter).insert(key(length)) as u32
}

/// Asks for the key in the arena.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn has(filter: usize, length: usize) -> u32 {
    at(filter).contains(key(length)) as u32
}

/// Hashes the key in the arena; hi, lo and seed go to `out`.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn key_hash(filter: usize, length: usize) {
    let filter = at(filter);
    let hash = filter.hash_bytes(key(length));
    let words = [hash.hi, hash.lo, filter.seed()];
    for (place, word) in out().chunks_exact_mut(8).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
}

/// The hash that JavaScript wrote back: hi, lo and seed.
fn hash_in_arena() -> KeyHash {
    let mut words = crate::arena::ints(3);
    let mut next = || words.next().unwrap_or_default();
    KeyHash::new(Hash128 { hi: next(), lo: next() }, next())
}

/// Adds by hash: 1 if it was new.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn add_hash(filter: usize) -> u32 {
    or(at(filter).insert_hash(&hash_in_arena()).map(u32::from), FAILED)
}

/// Asks by hash.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn has_hash(filter: usize) -> u32 {
    or(at(filter).contains_hash(&hash_in_arena()).map(u32::from), FAILED)
}

/// Explains the key in the arena; packed as `npm/src/explanation.ts` says.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn explain(filter: usize, length: usize) {
    let filter = at(filter);
    give(filter.explain_hash(filter.hash_bytes(key(length))).to_bytes());
}

/// Takes all keys out.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn clear(filter: usize) {
    at(filter).clear();
}

/// The union, as a new filter.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn union(a: usize, b: usize) -> usize {
    keep(at(a).union(at(b)))
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

/// Adds the other's keys.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn union_with(filter: usize, other: usize) -> u32 {
    done(at(filter).union_with(at(other)))
}

/// Keeps what both have.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn intersect_with(filter: usize, other: usize) -> u32 {
    done(at(filter).intersect_with(at(other)))
}

/// Same parameters and bits.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn equals(a: usize, b: usize) -> u32 {
    at(a).same_filter(at(b)) as u32
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

/// Serializes into the result buffer.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn to_bytes(filter: usize, withhold_seed: bool) -> u32 {
    let filter = at(filter);
    or(if withhold_seed { filter.to_bytes_without_seed() } else { filter.to_bytes() }.map(give), 0)
}
