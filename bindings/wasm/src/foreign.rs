//! Scalable filters in the formats of servers and other libraries.
use crate::arena::{give, key};
use crate::fail::or;
use crate::filter::{at, keep};
use alloc::{vec, vec::Vec};
use tepal::{Error, ScalableBloomFilter};

/// The filter in another's format (0 RedisBloom, 1 a payload of BF.LOAD, 2 of RESTORE): for each piece its iterator (i64), its length (u32) and its bytes.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn exported(filter: usize, format: u32) -> u32 {
    let filter = at(filter);
    let pieces = match format {
        0 => filter.to_redisbloom(),
        1 => filter.to_valkey_load().map(|bytes| vec![(0, bytes)]),
        _ => filter.to_valkey_dump().map(|bytes| vec![(0, bytes)]),
    };
    let packed = pieces.map(|pieces| {
        let mut packed = Vec::new();
        for (iterator, bytes) in pieces {
            packed.extend_from_slice(&iterator.to_le_bytes());
            packed.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            packed.extend_from_slice(&bytes);
        }
        give(packed)
    });
    or(packed, 0)
}

/// A filter from another's format (0 RedisBloom, 1 Valkey, 2 Guava, 3 Spark), whose pieces lie in the first `length` bytes of the arena as `exported` packs them.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn imported(length: usize, format: u32) -> usize {
    let mut rest = key(length);
    let pieces = core::iter::from_fn(|| {
        let (iterator, after) = rest.split_first_chunk()?;
        let (len, after) = after.split_first_chunk()?;
        let (bytes, after) = after.split_at_checked(u32::from_le_bytes(*len) as usize)?;
        rest = after;
        Some((i64::from_le_bytes(*iterator), bytes))
    });
    let pieces: Vec<(i64, &[u8])> = pieces.collect();
    let first = pieces.first().map_or(&[] as &[u8], |(_, bytes)| bytes);
    keep(match format {
        0 => ScalableBloomFilter::from_redisbloom(&pieces),
        1 => ScalableBloomFilter::from_valkey(first),
        2 => ScalableBloomFilter::from_guava(first),
        3 => ScalableBloomFilter::from_spark(first),
        _ => Err(Error::unsupported("reading this format")),
    })
}
