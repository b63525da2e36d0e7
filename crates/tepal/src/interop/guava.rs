//! Guava's `BloomFilter.writeTo`: `i8 strategy | u8 probes | i32 words | i64…`, big-endian.
//!
//! Which funnel made the keys is not in the bytes: text as UTF-8, a long as eight little-endian bytes and raw bytes are keys as
//! tepal has them; other funnels' keys are the bytes that they put.
use super::{agree, read_words, BitArray, Reader};
use crate::error::Result;
use crate::scheme::Scheme;

pub(crate) fn decode(bytes: &[u8]) -> Result<BitArray> {
    let mut reader = Reader(bytes);
    let strategy = reader.big(1, "strategy")?;
    agree("strategy", "1 (MURMUR128_MITZ_64, Guava's since 2013)", strategy, 1)?;
    let probes = reader.big(1, "probes")?;
    read_words(reader, Scheme::Guava, 0, probes)
}
