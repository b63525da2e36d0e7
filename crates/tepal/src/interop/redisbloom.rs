//! RedisBloom's filters: what BF.SCANDUMP gives and BF.LOADCHUNK takes.
//!
//! A header as chunk 1, then the bits of each sub filter in chunks of at most 16 MiB; a chunk's iterator is 1 and the bytes
//! of bits up to its end. Reading accepts what a server can have made, of any version with 64-bit hashes.
use super::{agree, foreign, rate, within, Reader, MAX_CAPACITY};
use crate::bits::try_vec;
use crate::error::{Error, Got, Result};
use crate::scheme::{redisbloom_probes, redisbloom_size};
use alloc::vec::Vec;

pub(crate) struct RedisBloom<'a> {
    /// [`FORCE64`], with [`NO_ROUND`] unless the sizes are powers of two, with [`NO_SCALING`] if it never grows.
    pub options: u32,
    /// At least 1 if it grows.
    pub growth: u32,
    /// At least one; exactly one if it does not grow.
    pub filters: Vec<RedisBloomFilter<'a>>,
}

pub(crate) struct RedisBloomFilter<'a> {
    /// The modulus: eight times the bytes.
    pub bits: u64,
    /// Items that it took, at most `entries`.
    pub size: u64,
    pub error: f64,
    /// Bits per entry.
    pub bpe: f64,
    pub hashes: u32,
    /// The capacity, 1 to 2^63 − 1.
    pub entries: u64,
    /// 0, or in old filters: the bits are 2^n2.
    pub n2: u8,
    /// The bits, in pieces: bit p is bit p & 7 of byte p >> 3.
    pub data: Vec<&'a [u8]>,
}

pub(crate) const NO_ROUND: u32 = 1;
pub(crate) const FORCE64: u32 = 4;
pub(crate) const NO_SCALING: u32 = 8;

const HEADER: u64 = 8 + 4 + 4 + 4;
const LINK: u64 = 53;
const CHUNK: usize = 16 << 20;

impl RedisBloom<'_> {
    /// Items in all sub filters.
    pub fn size(&self) -> u64 {
        self.filters.iter().map(|f| f.size).sum()
    }
}

/// Reads the chunks of BF.SCANDUMP, in its order; the last reply, which is empty, may be there.
pub(crate) fn decode<'a>(chunks: &[(i64, &'a [u8])]) -> Result<RedisBloom<'a>> {
    let Some(((iterator, header), mut chunks)) = chunks.split_first() else {
        return Err(Error::truncated("header", HEADER, 0));
    };
    agree("iterator", "1 for the header", *iterator as u64, 1)?;
    let mut filter = decode_header(header)?;
    if let Some(((0, []), rest)) = chunks.split_last() {
        chunks = rest;
    }
    let mut end = 1;
    for link in &mut filter.filters {
        let mut missing = link.bits / 8;
        while missing > 0 {
            let Some(((iterator, data), rest)) = chunks.split_first() else {
                return Err(Error::truncated("chunks", missing, 0));
            };
            let len = data.len() as u64;
            within("chunk", len, 1, missing, "a part of one sub filter, not empty")?;
            end += len;
            agree("iterator", "1 and the bytes up to the chunk's end", *iterator as u64, end)?;
            link.data.push(*data);
            missing -= len;
            chunks = rest;
        }
    }
    if chunks.is_empty() {
        return Ok(filter);
    }
    let got = Got::Integer(chunks.len() as i128);
    Err(Error::data("ERR_TRAILING", "chunks", "no chunks behind the last sub filter", got))
}

// u64 size | u32 nfilters | u32 options | u32 growth |
//   nfilters × (u64 bytes | u64 bits | u64 size | f64 error | f64 bpe | u32 hashes | u64 entries | u8 n2)

fn decode_header<'a>(bytes: &[u8]) -> Result<RedisBloom<'a>> {
    let mut reader = Reader(bytes);
    let size = reader.little(8, "header")?;
    let count = reader.little(4, "header")?;
    let options = reader.little(4, "header")?;
    let growth = reader.little(4, "header")? as u32;
    if options & FORCE64 as u64 == 0 || options & !((NO_ROUND | FORCE64 | NO_SCALING) as u64) != 0 {
        return Err(foreign("options", "64-bit hashes (4), with no rounding (1), with no scaling (8)", options));
    }
    let options = options as u32;
    let scales = options & NO_SCALING == 0;
    if scales {
        within("growth", growth as u64, 1, u32::MAX as u64, "at least 1")?;
    }
    let most = if scales { u32::MAX as u64 } else { 1 };
    within("filters", count, 1, most, "at least one, and no more than one if it is non-scaling")?;
    if reader.0.len() as u64 != count * LINK {
        Reader(reader.0).take(count * LINK, "header")?;
        return Err(foreign("header", "53 bytes for each sub filter and no more", bytes.len() as u64));
    }
    let mut filter = RedisBloom { options, growth, filters: try_vec(count as usize)? };
    let mut left = size;
    for _ in 0..count {
        let link = decode_link(&mut reader, &filter)?;
        left = left.checked_sub(link.size).ok_or_else(|| foreign("size", "the sum over the sub filters", size))?;
        filter.filters.push(link);
    }
    agree("size", "the sum over the sub filters", left, 0)?;
    Ok(filter)
}

fn decode_link<'a>(reader: &mut Reader, before: &RedisBloom) -> Result<RedisBloomFilter<'a>> {
    let bytes = within("bytes", reader.little(8, "bytes")?, 8, (1 << 60) - 1, "a number from 8 to 2^60 - 1")?;
    let bits = reader.little(8, "bits")?;
    let size = reader.little(8, "size")?;
    let error = rate("error", reader.float("error")?)?;
    let bpe = reader.float("bpe")?;
    let hashes = reader.little(4, "hashes")?;
    let entries = within("entries", reader.little(8, "entries")?, 1, MAX_CAPACITY, "a number from 1 to 2^63 - 1")?;
    let n2 = reader.little(1, "n2")?;
    within("size", size, 0, entries, "at most the entries")?;
    // The server's `ln` may differ from this one's in the last place.
    let own = redisbloom_size(1, error).map_or(0.0, |(_, _, bpe)| bpe);
    if !(bpe >= own * (1.0 - 1e-12) && bpe <= own * (1.0 + 1e-12)) {
        return Err(Error::data("ERR_FOREIGN", "bpe", "the bits per entry for the error", Got::Float(bpe)));
    }
    agree("hashes", "the number for the bits per entry", hashes, redisbloom_probes(bpe) as u64)?;
    agree("bits", "eight times the bytes", bits, bytes * 8)?;
    if before.options & NO_ROUND == 0 {
        within("n2", n2, 6, 62, "a number from 6 to 62")?;
        agree("bits", "2^n2", bits, 1 << n2)?;
    } else {
        agree("n2", "0 with option 1", n2, 0)?;
    }
    // More than are needed have the filters whose sizes were powers of two, and what was made of them.
    let needed = entries as f64 * bpe;
    if needed >= 18_446_744_073_709_551_616.0 || needed as u64 > bits {
        return Err(foreign("bits", "enough for the entries at the bits per entry", bits));
    }
    if let Some(last) = before.filters.last() {
        if error != last.error * 0.5 {
            return Err(Error::data("ERR_FOREIGN", "error", "half of the one before", Got::Float(error)));
        }
        let next = last.entries.checked_mul(before.growth as u64).filter(|n| *n <= entries);
        next.ok_or_else(|| foreign("entries", "at least those before times the growth", entries))?;
    }
    Ok(RedisBloomFilter { bits, size, error, bpe, hashes: hashes as u32, entries, n2: n2 as u8, data: Vec::new() })
}

/// The chunks for BF.LOADCHUNK.
pub(crate) fn encode(filter: &RedisBloom) -> Result<Vec<(i64, Vec<u8>)>> {
    let mut header = try_vec((HEADER + LINK * filter.filters.len() as u64) as usize)?;
    header.extend_from_slice(&filter.size().to_le_bytes());
    header.extend_from_slice(&(filter.filters.len() as u32).to_le_bytes());
    header.extend_from_slice(&filter.options.to_le_bytes());
    header.extend_from_slice(&filter.growth.to_le_bytes());
    for link in &filter.filters {
        for word in [link.bits / 8, link.bits, link.size, link.error.to_bits(), link.bpe.to_bits()] {
            header.extend_from_slice(&word.to_le_bytes());
        }
        header.extend_from_slice(&link.hashes.to_le_bytes());
        header.extend_from_slice(&link.entries.to_le_bytes());
        header.push(link.n2);
    }
    let mut chunks = Vec::new();
    chunks.push((1, header));
    let mut end = 1;
    for data in filter.filters.iter().flat_map(|link| &link.data).flat_map(|piece| piece.chunks(CHUNK)) {
        let mut chunk = try_vec(data.len())?;
        chunk.extend_from_slice(data);
        end += data.len() as i64;
        chunks.push((end, chunk));
    }
    Ok(chunks)
}
