//! What every class of filter has, by pointer: one function per method of the core.
use crate::arena::{give, key, out, take_loose, Loose};
use crate::fail::{done, or};
use crate::kind::{self, Filter};
use crate::FAILED;
use alloc::boxed::Box;
use tepal::{arg, Hash128, KeyHash, Result};

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

/// The seed in slot 1.
pub fn seed_slot() -> Result<Option<u64>> {
    match take_loose(1) {
        Loose::Absent => Ok(None),
        seed => seed.check(arg::seed_f64, arg::seed_i128).map(Some),
    }
}

/// A filter from the first `length` bytes of the arena; the seed, if any, in slot 1.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn from_bytes(length: usize) -> usize {
    keep(seed_slot().and_then(|seed| match seed {
        None => Filter::from_bytes(key(length)),
        Some(seed) => Filter::from_bytes_with_seed(key(length), seed),
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
    or(kind::insert(at(filter), key(length)).map(u32::from), FAILED)
}

/// Asks for the key in the arena.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn has(filter: usize, length: usize) -> u32 {
    at(filter).contains(key(length)) as u32
}

/// Hashes the key in the arena; hi, lo and seed go to `out`.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn key_hash(filter: usize, length: usize) -> u32 {
    done(kind::key_hash(at(filter), key(length)).map(|hash| {
        let words = [hash.hash().hi, hash.hash().lo, hash.seed()];
        for (place, word) in out().chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
    }))
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

/// Takes all keys out.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn clear(filter: usize) -> u32 {
    done(kind::clear(at(filter)))
}

/// The union, as a new filter.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn union(a: usize, b: usize) -> usize {
    keep(at(a).union(at(b)))
}

/// Adds the other's keys.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn union_with(filter: usize, other: usize) -> u32 {
    done(at(filter).union_with(at(other)))
}

/// Same parameters and bits.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn equals(a: usize, b: usize) -> u32 {
    at(a).same_filter(at(b)) as u32
}

/// Serializes into the result buffer.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn to_bytes(filter: usize, withhold_seed: bool) -> u32 {
    let filter = at(filter);
    or(if withhold_seed { filter.to_bytes_without_seed() } else { filter.to_bytes() }.map(give), 0)
}

/// Keys and values in turn, each with its length (u32, little-endian) in front.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn metadata(filter: usize) {
    give(at(filter).metadata().encoded().to_vec());
}

/// The core's version.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn version() {
    give(env!("CARGO_PKG_VERSION").as_bytes().to_vec());
}
