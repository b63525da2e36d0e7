//! The hot operations: one key or many from the arena.
//!
//! A single `has` costs about 40 ns of which most is the way into the addon; a batch is hashed and asked in chunks of
//! `BATCH`, so that the core can fetch a chunk's lines at once. Nothing here allocates or runs JavaScript.
use tepal::{compound_key, hash_bytes, hash_u64, BloomFilter, Hash128, KeyHash, Storage, BATCH};

use crate::call::{Call, Fail, Outcome};
use crate::instance::Arena;
use crate::kind::Kind;
use crate::share::Shared;

#[inline(always)]
pub fn add<F: Kind>(call: &Call<F>) -> Outcome<u32> {
    let arena = call.instance.arena();
    let key = arena.key(call.index(1)?)?;
    call.instance.with(call.index(0)?, |f| Ok(f.filter.insert(f.filter.hash_bytes(key))? as u32))
}

#[inline(always)]
pub fn has<F: Kind>(call: &Call<F>) -> Outcome<u32> {
    let arena = call.instance.arena();
    let key = arena.key(call.index(1)?)?;
    call.instance.with(call.index(0)?, |f| Ok(f.filter.contains(f.filter.hash_bytes(key)) as u32))
}

/// `add` and `has` without a JavaScript value on the way: handle and length are the first two doubles of `out`, the answer
/// its first byte. Each value that is not passed saves 5 ns.
macro_rules! now {
    ($($name:ident: |$f:ident, $hash:ident| $ask:expr;)*) => {$(
        #[inline(always)]
        pub fn $name<F: Kind>(call: &Call<F>) -> Outcome<()> {
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
    add_now: |f, hash| f.insert(hash)?;
    has_now: |f, hash| f.contains(hash);
}

/// A `KeyHash` as the arena holds it: hi, lo, seed, each a little-endian u64.
const KEY_HASH: u64 = 24;

pub fn key_hash<F: Kind>(call: &Call<F>) -> Outcome<()> {
    let arena = call.instance.arena();
    let key = arena.key(call.index(1)?)?;
    call.instance.with(call.index(0)?, |f| {
        let hash = f.filter.key_hash(key)?;
        let words = [hash.hash().hi, hash.hash().lo, hash.seed()];
        for (place, word) in arena.out(KEY_HASH)?.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        Ok(())
    })
}

/// The hash that `key_hash` made, if it belongs to this filter.
fn given_hash<F: Kind>(call: &Call<F>, shared: &Shared<F>) -> Outcome<Hash128> {
    let arena = call.instance.arena();
    let mut words = integers(arena.key(KEY_HASH)?);
    let [hi, lo, seed] = std::array::from_fn(|_| words.next().unwrap_or_default());
    Ok(shared.filter.check_hash(&KeyHash::new(Hash128 { hi, lo }, seed))?)
}

pub fn add_hash<F: Kind>(call: &Call<F>) -> Outcome<u32> {
    call.instance.with(call.index(0)?, |f| Ok(f.filter.insert(given_hash(call, f)?)? as u32))
}

pub fn has_hash<F: Kind>(call: &Call<F>) -> Outcome<u32> {
    call.instance.with(call.index(0)?, |f| Ok(f.filter.contains(given_hash(call, f)?) as u32))
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

fn integer_keys(arena: &Arena, count: u64) -> Outcome<impl Iterator<Item = u64> + '_> {
    Ok(integers(arena.key(count.checked_mul(8).ok_or(Fail::Seam("too many keys"))?)?))
}

/// Hands the hashes to `ask` in chunks and its answers to `out`. Where one is refused, the arena says how many were not.
#[inline(always)]
fn in_chunks(
    arena: &Arena,
    count: u64,
    mut hashes: impl Iterator<Item = Hash128>,
    mut ask: impl FnMut(&[Hash128], &mut [bool]) -> (usize, tepal::Result<()>),
) -> Outcome<()> {
    let mut chunk = [Hash128::default(); BATCH];
    let mut answers = [false; BATCH];
    let mut before = 0;
    for out in arena.out(count)?.chunks_mut(BATCH) {
        let chunk = &mut chunk[..out.len()];
        for (place, hash) in chunk.iter_mut().zip(&mut hashes) {
            *place = hash;
        }
        let answers = &mut answers[..out.len()];
        let (done, result) = ask(chunk, answers);
        for (place, answer) in out.iter_mut().zip(&*answers) {
            *place = *answer as u8;
        }
        if let Err(refused) = result {
            arena.set_done(before + done);
            return Err(refused.into());
        }
        before += done;
    }
    Ok(())
}

macro_rules! batches {
    ($($name:ident: $keys:ident $hash:ident, |$f:ident, $chunk:ident, $answers:ident| $ask:expr;)*) => {$(
        pub fn $name<F: Kind>(call: &Call<F>) -> Outcome<()> {
            let arena = call.instance.arena();
            let count = call.index(1)?;
            call.instance.with(call.index(0)?, |shared| {
                let $f = &shared.filter;
                let hashes = $keys(&arena, count)?.map(|key| $f.$hash(key));
                in_chunks(&arena, count, hashes, |$chunk, $answers| $ask)
            })
        }
    )*};
}
batches! {
    add_many: parts hash_bytes, |f, chunk, answers| f.insert_hashes(chunk, answers);
    has_many: parts hash_bytes, |f, chunk, answers| { f.contains_hashes(chunk, answers); (chunk.len(), Ok(())) };
    add_integers: integer_keys hash_u64, |f, chunk, answers| f.insert_hashes(chunk, answers);
    has_integers: integer_keys hash_u64, |f, chunk, answers| { f.contains_hashes(chunk, answers); (chunk.len(), Ok(())) };
}

/// Adds a batch to a builder, whose memory grows fallibly.
pub fn push_parts(call: &Call<BloomFilter<Storage>>) -> Outcome<()> {
    let arena = call.instance.arena();
    let count = call.index(1)?;
    call.instance.with_builder(call.index(0)?, |seed, hashes| {
        extend(hashes, count, parts(&arena, count)?.map(|key| hash_bytes(key, seed)))
    })
}

pub fn push_integers(call: &Call<BloomFilter<Storage>>) -> Outcome<()> {
    let arena = call.instance.arena();
    let count = call.index(1)?;
    call.instance.with_builder(call.index(0)?, |seed, hashes| {
        extend(hashes, count, integer_keys(&arena, count)?.map(|value| hash_u64(value, seed)))
    })
}

fn extend(hashes: &mut Vec<Hash128>, count: u64, more: impl Iterator<Item = Hash128>) -> Outcome<()> {
    let bytes = (hashes.len() as u64 + count) * size_of::<Hash128>() as u64;
    hashes.try_reserve(count as usize).map_err(|_| tepal::Error::out_of_memory(bytes))?;
    hashes.extend(more);
    Ok(())
}

/// The bytes of one compound key.
pub fn compound<F: Kind>(call: &Call<F>) -> Outcome<Vec<u8>> {
    let arena = call.instance.arena();
    let parts = parts(&arena, call.index(0)?)?;
    Ok(compound_key(parts))
}
