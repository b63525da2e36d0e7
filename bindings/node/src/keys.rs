//! The hot operations: one key or many from the arena.
//!
//! A single `has` costs about 40 ns of which most is the way into the addon; a batch is hashed and asked in chunks of
//! `BATCH`, so that the core can fetch a chunk's lines at once. Nothing here allocates or runs JavaScript.
use tepal::{compound_key, hash_bytes, hash_u64, Hash128, KeyHash, BATCH};

use crate::call::{Call, Fail, Outcome};
use crate::instance::Arena;
use crate::share::Shared;

#[inline(always)]
pub fn add(call: &Call) -> Outcome<u32> {
    let arena = call.instance.arena();
    let key = arena.key(call.index(1)?)?;
    call.instance.with(call.index(0)?, |f| Ok(f.filter.insert_hash_raw(f.filter.hash_bytes(key))? as u32))
}

#[inline(always)]
pub fn has(call: &Call) -> Outcome<u32> {
    let arena = call.instance.arena();
    let key = arena.key(call.index(1)?)?;
    call.instance.with(call.index(0)?, |f| Ok(f.filter.contains_hash_raw(f.filter.hash_bytes(key)) as u32))
}

/// `add` and `has` without a JavaScript value on the way: handle and length are the first two doubles of `out`, the answer
/// its first byte. Each value that is not passed saves 5 ns.
macro_rules! now {
    ($($name:ident: |$f:ident, $hash:ident| $ask:expr;)*) => {$(
        #[inline(always)]
        pub fn $name(call: &Call) -> Outcome<()> {
            let arena = call.instance.arena();
            let out = arena.out(16)?;
            let [handle, len] = [0, 8].map(|at| f64::from_ne_bytes(std::array::from_fn(|i| out[at + i])) as i64 as u64);
            let key = arena.key(len)?;
            out[0] = call.instance.with(handle, |shared| {
                let $f = &shared.filter;
                let $hash = $f.hash_bytes(key);
                Ok($ask as u8)
            })?;
            Ok(())
        }
    )*};
}
now! {
    add_now: |f, hash| f.insert_hash_raw(hash)?;
    has_now: |f, hash| f.contains_hash_raw(hash);
}

/// A `KeyHash` as the arena holds it: hi, lo, seed, each a little-endian u64.
const KEY_HASH: u64 = 24;

pub fn key_hash(call: &Call) -> Outcome<()> {
    let arena = call.instance.arena();
    let key = arena.key(call.index(1)?)?;
    call.instance.with(call.index(0)?, |f| {
        let hash = f.filter.hash_bytes(key);
        let words = [hash.hi, hash.lo, f.filter.seed()];
        for (place, word) in arena.out(KEY_HASH)?.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        Ok(())
    })
}

/// The hash that `key_hash` made, if it belongs to this filter.
fn given_hash(call: &Call, shared: &Shared) -> Outcome<Hash128> {
    let arena = call.instance.arena();
    let mut words = integers(arena.key(KEY_HASH)?);
    let [hi, lo, seed] = std::array::from_fn(|_| words.next().unwrap_or_default());
    Ok(shared.filter.check_hash(&KeyHash::new(Hash128 { hi, lo }, seed))?)
}

pub fn add_hash(call: &Call) -> Outcome<u32> {
    call.instance.with(call.index(0)?, |f| Ok(f.filter.insert_hash_raw(given_hash(call, f)?)? as u32))
}

pub fn has_hash(call: &Call) -> Outcome<u32> {
    call.instance.with(call.index(0)?, |f| Ok(f.filter.contains_hash_raw(given_hash(call, f)?) as u32))
}

fn integers(bytes: &[u8]) -> impl ExactSizeIterator<Item = u64> + '_ {
    bytes.chunks_exact(8).map(|eight| u64::from_le_bytes(std::array::from_fn(|i| eight[i])))
}

/// The keys of a batch: as bytes with lengths, or as integers.
fn parts<'a>(arena: &'a Arena, count: u64) -> Outcome<impl Iterator<Item = &'a [u8]> + 'a> {
    let lengths = arena.lengths(count)?;
    let mut rest = arena.key(lengths.iter().map(|len| u64::from(*len)).sum())?;
    Ok(lengths.iter().map(move |len| {
        let (key, after) = rest.split_at(*len as usize);
        rest = after;
        key
    }))
}

fn part_hashes<'a>(arena: &'a Arena, count: u64, seed: u64) -> Outcome<impl Iterator<Item = Hash128> + 'a> {
    Ok(parts(arena, count)?.map(move |key| hash_bytes(key, seed)))
}

fn integer_hashes<'a>(arena: &'a Arena, count: u64, seed: u64) -> Outcome<impl Iterator<Item = Hash128> + 'a> {
    let bytes = arena.key(count.checked_mul(8).ok_or(Fail::Seam("too many keys"))?)?;
    Ok(integers(bytes).map(move |value| hash_u64(value, seed)))
}

/// Hands the hashes to `ask` in chunks and its answers to `out`.
#[inline(always)]
fn in_chunks(
    mut hashes: impl Iterator<Item = Hash128>,
    out: &mut [u8],
    mut ask: impl FnMut(&[Hash128], &mut [bool]) -> tepal::Result<()>,
) -> Outcome<()> {
    let mut chunk = [Hash128::default(); BATCH];
    let mut answers = [false; BATCH];
    for out in out.chunks_mut(BATCH) {
        let chunk = &mut chunk[..out.len()];
        for (place, hash) in chunk.iter_mut().zip(&mut hashes) {
            *place = hash;
        }
        let answers = &mut answers[..out.len()];
        ask(chunk, answers)?;
        for (place, answer) in out.iter_mut().zip(answers) {
            *place = *answer as u8;
        }
    }
    Ok(())
}

macro_rules! batches {
    ($($name:ident: $hashes:ident, |$f:ident, $chunk:ident, $answers:ident| $ask:expr;)*) => {$(
        pub fn $name(call: &Call) -> Outcome<()> {
            let arena = call.instance.arena();
            let count = call.index(1)?;
            call.instance.with(call.index(0)?, |shared| {
                let $f = &shared.filter;
                in_chunks($hashes(&arena, count, $f.seed())?, arena.out(count)?, |$chunk, $answers| $ask)
            })
        }
    )*};
}
batches! {
    add_many: part_hashes, |f, chunk, answers| f.insert_hashes(chunk, answers);
    has_many: part_hashes, |f, chunk, answers| { f.contains_hashes(chunk, answers); Ok(()) };
    add_integers: integer_hashes, |f, chunk, answers| f.insert_hashes(chunk, answers);
    has_integers: integer_hashes, |f, chunk, answers| { f.contains_hashes(chunk, answers); Ok(()) };
}

/// Adds a batch to a builder, whose memory grows fallibly.
pub fn push_parts(call: &Call) -> Outcome<()> {
    let arena = call.instance.arena();
    let count = call.index(1)?;
    call.instance.with_builder(call.index(0)?, |seed, hashes| extend(hashes, count, part_hashes(&arena, count, seed)?))
}

pub fn push_integers(call: &Call) -> Outcome<()> {
    let arena = call.instance.arena();
    let count = call.index(1)?;
    call.instance
        .with_builder(call.index(0)?, |seed, hashes| extend(hashes, count, integer_hashes(&arena, count, seed)?))
}

fn extend(hashes: &mut Vec<Hash128>, count: u64, more: impl Iterator<Item = Hash128>) -> Outcome<()> {
    let bytes = (hashes.len() as u64 + count) * size_of::<Hash128>() as u64;
    hashes.try_reserve(count as usize).map_err(|_| tepal::Error::out_of_memory(bytes))?;
    hashes.extend(more);
    Ok(())
}

/// The bytes of one compound key.
pub fn compound(call: &Call) -> Outcome<Vec<u8>> {
    let arena = call.instance.arena();
    let parts = parts(&arena, call.index(0)?)?;
    Ok(compound_key(parts))
}
