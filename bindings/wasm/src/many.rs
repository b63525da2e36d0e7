//! Batches over the keys in the arena.
use crate::arena::{give, keys, out, refused_at};
use crate::fail::or;
use crate::filter::at;
use crate::kind;

/// Puts each key's answer into `out`. One by one: wasm has no prefetch that a batch could gain by. 0 where a key was refused: how many
/// were added before it stands in the first of the lengths.
fn each(filter: usize, count: usize, integers: bool, add: bool) -> u32 {
    let filter = at(filter);
    for (i, (answer, key)) in out().iter_mut().zip(keys(count, integers)).enumerate() {
        let result = if add { kind::insert(filter, key) } else { Ok(filter.contains(key)) };
        if result.is_err() {
            refused_at(i);
            return or(result.map(u32::from), 0);
        }
        *answer = u8::from(result.unwrap_or_default());
    }
    1
}

/// Adds a batch of keys.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn add_many(filter: usize, count: usize) -> u32 {
    each(filter, count, false, true)
}

/// Asks for a batch of keys.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn has_many(filter: usize, count: usize) -> u32 {
    each(filter, count, false, false)
}

/// Adds a batch of integers.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn add_ints(filter: usize, count: usize) -> u32 {
    each(filter, count, true, true)
}

/// Asks for a batch of integers.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn has_ints(filter: usize, count: usize) -> u32 {
    each(filter, count, true, false)
}

/// The parts in the arena as one key.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn compound(count: usize) {
    give(tepal::compound_key(keys(count, false)));
}
