//! Header and trailer of the serialized format: FORMAT.md, section 1, in code.
//!
//! Promise: every byte string meets one total function. It gives the parameters, or an error that names the field; it never
//! panics, and allocates nothing by a length that was not compared with the bytes that are there.
use crate::arg;
use crate::error::{Error, Got, Result};
use crate::hash::{checksum, seed_check};
use crate::layout::Layout;
use crate::metadata::{Metadata, MAX_LEN};
use crate::sizing::Params;
use alloc::vec::Vec;

const MAGIC: [u8; 8] = *b"\x89TEPAL\r\n";
const TRAILER_MAGIC: [u8; 8] = *b"TEPALEND";
const VERSION: u16 = 1;
const KIND_BLOOM: u8 = 1;
const HASH_XXH3_128: u8 = 1;
const SEED_WITHHELD: u32 = 1;
const MAX_LINES: u64 = 1 << 51;

/// Bytes before the metadata, and the shortest header.
const FIXED: usize = 120;
pub(crate) const MIN_HEADER: usize = 128;
pub(crate) const TRAILER: usize = 64;
const MAX_HEADER: usize = (FIXED + MAX_LEN + 8).div_ceil(64) * 64;

/// A header that was read and found true.
pub(crate) struct Header {
    pub params: Params,
    pub metadata: Metadata,
    pub body_offset: usize,
}

impl Header {
    pub fn body_len(&self) -> u64 {
        self.params.lines * 64
    }

    pub fn total_len(&self) -> u64 {
        total_len(&self.params, &self.metadata)
    }
}

fn body_offset(metadata_len: usize) -> usize {
    (FIXED + metadata_len + 8).div_ceil(64) * 64
}

/// The length of the whole serialized filter in bytes.
pub(crate) fn total_len(params: &Params, metadata: &Metadata) -> u64 {
    body_offset(metadata.encoded().len()) as u64 + params.lines * 64 + TRAILER as u64
}

/// The header's bytes, in the order of FORMAT.md.
pub(crate) fn encode_header(params: &Params, metadata: &Metadata, withhold_seed: bool) -> Vec<u8> {
    let metadata_len = metadata.encoded().len();
    let offset = body_offset(metadata_len);
    let (flags, seed, check) =
        if withhold_seed { (SEED_WITHHELD, 0, seed_check(params.seed)) } else { (0, params.seed, 0) };
    let mut h = Vec::with_capacity(offset);
    h.resize(FIXED, 0);
    put(&mut h, 0, 8, u64::from_le_bytes(MAGIC));
    put(&mut h, 8, 2, VERSION as u64);
    put(&mut h, 10, 1, KIND_BLOOM as u64);
    put(&mut h, 11, 1, params.layout.id() as u64);
    put(&mut h, 12, 1, HASH_XXH3_128 as u64);
    put(&mut h, 14, 2, params.probes as u64);
    put(&mut h, 16, 4, flags as u64);
    put(&mut h, 20, 4, offset as u64);
    put(&mut h, 24, 8, params.capacity);
    put(&mut h, 32, 8, params.fpr.to_bits());
    put(&mut h, 40, 8, params.lines);
    put(&mut h, 48, 8, params.lines * 64);
    put(&mut h, 56, 8, total_len(params, metadata));
    put(&mut h, 64, 8, seed);
    put(&mut h, 96, 4, metadata_len as u64);
    put(&mut h, 100, 4, check as u64);
    h.extend_from_slice(metadata.encoded());
    h.resize(offset - 8, 0);
    let sum = checksum(&h);
    h.extend_from_slice(&sum.to_le_bytes());
    h
}

/// The trailer's bytes.
pub(crate) fn encode_trailer(body_checksum: u64) -> [u8; TRAILER] {
    let mut t = [0; TRAILER];
    t[..8].copy_from_slice(&TRAILER_MAGIC);
    t[8..16].copy_from_slice(&body_checksum.to_le_bytes());
    t
}

/// The header's length, from (at least) the first 128 bytes.
pub(crate) fn header_len(start: &[u8]) -> Result<usize> {
    if start.len() < MAGIC.len() && MAGIC.starts_with(start) {
        return Err(Error::truncated("header", MIN_HEADER as u64, start.len() as u64));
    }
    if !start.starts_with(&MAGIC) {
        return Err(Error::data("ERR_MAGIC", "magic", "bytes of a tepal filter", Got::Word("something else")));
    }
    if start.len() < MIN_HEADER {
        return Err(Error::truncated("header", MIN_HEADER as u64, start.len() as u64));
    }
    let version = u16_at(start, 8);
    if version != VERSION {
        return Err(Error::data("ERR_VERSION", "version", "format version 1", Got::Integer(version as i128)));
    }
    let (offset, metadata_len) = (u32_at(start, 20) as usize, u32_at(start, 96) as usize);
    if metadata_len > MAX_LEN {
        return Err(bad_header("metadata_len", "at most 65536", metadata_len as u64));
    }
    if !(MIN_HEADER..=MAX_HEADER).contains(&offset) || offset != body_offset(metadata_len) {
        return Err(bad_header("body_offset", "the end of the header at a multiple of 64", offset as u64));
    }
    Ok(offset)
}

/// Reads a whole header: `h` is exactly [`header_len`] bytes long.
pub(crate) fn decode_header(h: &[u8], seed: Option<u64>) -> Result<Header> {
    let offset = h.len();
    if checksum(&h[..offset - 8]) != u64_at(h, offset - 8) {
        return Err(bad_checksum("header"));
    }
    if h[10] != KIND_BLOOM {
        return Err(Error::data("ERR_KIND", "kind", "1 (Bloom filter)", Got::Integer(h[10] as i128)));
    }
    if h[12] != HASH_XXH3_128 {
        return Err(Error::data("ERR_HASH", "hash", "1 (XXH3-128)", Got::Integer(h[12] as i128)));
    }
    let layout = Layout::from_id(h[11]).ok_or_else(|| {
        Error::data("ERR_LAYOUT", "layout", "1 (line), 2 (pair) or 3 (classic)", Got::Integer(h[11] as i128))
    })?;
    let flags = u32_at(h, 16);
    if flags & !SEED_WITHHELD != 0 {
        return Err(Error::data("ERR_FLAGS", "flags", "only flags that version 1 knows", Got::Integer(flags as i128)));
    }
    let withheld = flags & SEED_WITHHELD != 0;
    let metadata_end = FIXED + u32_at(h, 96) as usize;
    let zero = |from: usize, to: usize| h[from..to].iter().all(|b| *b == 0);
    let check = u32_at(h, 100);
    let reserved_is_zero = h[13] == 0
        && zero(72, 96)
        && zero(104, 120)
        && zero(metadata_end, offset - 8)
        && if withheld { zero(64, 72) } else { check == 0 };
    if !reserved_is_zero {
        return Err(Error::data("ERR_RESERVED", "reserved", "zero", Got::Word("other bytes")));
    }
    let mut params = Params {
        capacity: u64_at(h, 24),
        fpr: f64::from_bits(u64_at(h, 32)),
        seed: u64_at(h, 64),
        layout,
        probes: u16_at(h, 14) as u32,
        lines: u64_at(h, 40),
    };
    check_ranges(&params, u64_at(h, 48), u64_at(h, 56), offset as u64)?;
    let metadata = Metadata::decode(&h[FIXED..metadata_end])?;
    match seed {
        None if withheld => return Err(Error::seed_required()),
        Some(seed) if withheld && seed_check(seed) == check => params.seed = seed,
        Some(seed) if seed != params.seed || withheld => {
            let got = Got::Word("another seed");
            return Err(Error::mismatch("ERR_SEED_DIFFERS", "seed", "the seed that these bytes were built with", got));
        }
        _ => {}
    }
    Ok(Header { params, metadata, body_offset: offset })
}

fn check_ranges(p: &Params, body_len: u64, total_len: u64, offset: u64) -> Result<()> {
    if arg::capacity(p.capacity).is_err() {
        return Err(bad_header("capacity", "1 to 2^48", p.capacity));
    }
    if arg::fpr(p.fpr).is_err() {
        return Err(Error::data("ERR_HEADER", "fpr", "a rate from 1e-9 to 0.5", Got::Float(p.fpr)));
    }
    if !p.layout.allows(p.probes) {
        return Err(bad_header("probes", "a number that the layout allows", p.probes as u64));
    }
    if p.lines == 0 || p.lines > MAX_LINES || p.lines % p.layout.unit() != 0 {
        return Err(bad_header("lines", "1 to 2^51, even for pair", p.lines));
    }
    if body_len != p.lines * 64 {
        return Err(bad_header("body_len", "64 bytes a line", body_len));
    }
    if total_len != offset + body_len + TRAILER as u64 {
        return Err(bad_header("total_len", "header, body and trailer together", total_len));
    }
    Ok(())
}

/// Reads header and trailer of bytes that must be one whole filter; the body is left unread.
pub(crate) fn decode(bytes: &[u8], seed: Option<u64>) -> Result<Header> {
    let offset = header_len(bytes)?;
    if bytes.len() < offset {
        return Err(Error::truncated("header", offset as u64, bytes.len() as u64));
    }
    let header = decode_header(&bytes[..offset], seed)?;
    all_there(bytes.len() as u64, header.total_len())?;
    decode_trailer(&bytes[bytes.len() - TRAILER..])?;
    Ok(header)
}

/// `ERR_TRUNCATED` or `ERR_TRAILING` unless there are as many bytes as the filter has.
pub(crate) fn all_there(there: u64, need: u64) -> Result<()> {
    if there < need {
        return Err(Error::truncated("filter", need, there));
    }
    if there > need {
        let got = Got::Integer((there - need) as i128);
        return Err(Error::data("ERR_TRAILING", "filter", "no bytes behind the trailer", got));
    }
    Ok(())
}

/// The body checksum of a trailer.
pub(crate) fn decode_trailer(t: &[u8]) -> Result<u64> {
    if t.len() != TRAILER || !t.starts_with(&TRAILER_MAGIC) || t[16..].iter().any(|b| *b != 0) {
        return Err(Error::data("ERR_TRAILER", "trailer", "the mark that ends a filter", Got::Word("other bytes")));
    }
    Ok(u64_at(t, 8))
}

/// `ERR_CHECKSUM` unless the body's checksum is the trailer's.
pub(crate) fn check_body(computed: u64, trailer: &[u8]) -> Result<()> {
    if computed == decode_trailer(trailer)? {
        Ok(())
    } else {
        Err(bad_checksum("body"))
    }
}

fn bad_checksum(field: &'static str) -> Error {
    Error::data("ERR_CHECKSUM", field, "bytes that match their checksum", Got::Word("corrupted ones"))
}

fn bad_header(field: &'static str, expected: &'static str, got: u64) -> Error {
    Error::data("ERR_HEADER", field, expected, Got::Integer(got as i128))
}

// Never inlined: the copies would be a twentieth of the WebAssembly module, and a header is read once.

#[inline(never)]
fn put(h: &mut [u8], at: usize, width: usize, value: u64) {
    h[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
}

#[inline(never)]
fn u64_at(h: &[u8], at: usize) -> u64 {
    h[at..at + 8].iter().rev().fold(0, |word, byte| word << 8 | *byte as u64)
}

#[inline(never)]
fn u32_at(h: &[u8], at: usize) -> u32 {
    u64_at(h, at) as u32
}

fn u16_at(h: &[u8], at: usize) -> u16 {
    u32_at(h, at) as u16
}
