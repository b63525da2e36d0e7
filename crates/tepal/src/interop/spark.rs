//! Spark's `BloomFilter.writeTo`, big-endian: version 1 is `i32 1 | i32 probes | i32 words | i64…`, version 2 has an `i32 seed`
//! behind the probes.
use super::{foreign, read_words, BitArray, Reader};
use crate::error::Result;
use crate::scheme::Scheme;

pub(crate) fn decode(bytes: &[u8]) -> Result<BitArray> {
    let mut reader = Reader(bytes);
    let scheme = match reader.big(4, "version")? {
        1 => Scheme::SparkV1,
        2 => Scheme::SparkV2,
        version => return Err(foreign("version", "1 or 2", version)),
    };
    let probes = reader.big(4, "probes")?;
    let seed = if scheme == Scheme::SparkV2 { reader.big(4, "seed")? } else { 0 };
    read_words(reader, scheme, seed as u32, probes)
}
