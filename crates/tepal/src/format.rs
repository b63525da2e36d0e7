//! Header and trailer of the serialized format: FORMAT.md, section 1, in code.
//!
//! Promise: every byte string meets one total function. It gives the parameters, or an error that names the field; it never
//! panics, and allocates nothing by a length that was not compared with the bytes that are there.
use crate::arg;
use crate::error::{Error, Got, Result};
use crate::hash::{checksum, seed_check};
use crate::layout::Layout;
use crate::metadata::{Metadata, MAX_LEN};
use crate::scheme::{Scheme, Seed};
use crate::sizing::Params;
use alloc::vec::Vec;

const MAGIC: [u8; 8] = *b"\x89TEPAL\r\n";
const TRAILER_MAGIC: [u8; 8] = *b"TEPALEND";
const VERSION: u16 = 1;
const KIND_BLOOM: u8 = 1;
const KIND_SCALABLE: u8 = 2;
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

/// The header of a scalable filter; its body begins with a table of levels.
pub(crate) struct ScalableHeader {
    pub scheme: Scheme,
    pub seed: Seed,
    pub capacity: u64,
    pub fpr: f64,
    pub lines: u64,
    pub metadata: Metadata,
    pub body_offset: usize,
}

fn body_offset(metadata_len: usize) -> usize {
    (FIXED + metadata_len + 8).div_ceil(64) * 64
}

/// The length of a whole serialized filter with a body of so many lines, in bytes.
pub(crate) fn total_len(lines: u64, metadata: &Metadata) -> u64 {
    body_offset(metadata.encoded().len()) as u64 + lines * 64 + TRAILER as u64
}

/// The header's bytes of a Bloom filter, in the order of FORMAT.md.
pub(crate) fn encode_header(params: &Params, metadata: &Metadata, withhold_seed: bool) -> Vec<u8> {
    let mut h = begin_header(KIND_BLOOM, HASH_XXH3_128, params.capacity, params.fpr, params.lines, metadata);
    put(&mut h, 11, 1, params.layout.id() as u64);
    put(&mut h, 14, 2, params.probes as u64);
    put_seed(&mut h, params.seed, withhold_seed);
    end_header(h, metadata)
}

/// The header's bytes of a scalable filter.
pub(crate) fn encode_scalable(header: &ScalableHeader, withhold_seed: bool) -> Vec<u8> {
    let ScalableHeader { scheme, seed, capacity, fpr, lines, ref metadata, .. } = *header;
    let mut h = begin_header(KIND_SCALABLE, scheme.id(), capacity, fpr, lines, metadata);
    h[72..96].copy_from_slice(&seed.bytes()[8..]);
    put_seed(&mut h, seed.as_u64(), withhold_seed);
    end_header(h, metadata)
}

#[inline(never)]
fn begin_header(kind: u8, hash: u8, capacity: u64, fpr: f64, lines: u64, metadata: &Metadata) -> Vec<u8> {
    let metadata_len = metadata.encoded().len();
    let offset = body_offset(metadata_len);
    let mut h = Vec::with_capacity(offset);
    h.resize(FIXED, 0);
    put(&mut h, 0, 8, u64::from_le_bytes(MAGIC));
    put(&mut h, 8, 2, VERSION as u64);
    put(&mut h, 10, 1, kind as u64);
    put(&mut h, 12, 1, hash as u64);
    put(&mut h, 20, 4, offset as u64);
    put(&mut h, 24, 8, capacity);
    put(&mut h, 32, 8, fpr.to_bits());
    put(&mut h, 40, 8, lines);
    put(&mut h, 48, 8, lines * 64);
    put(&mut h, 56, 8, total_len(lines, metadata));
    put(&mut h, 96, 4, metadata_len as u64);
    h
}

fn put_seed(h: &mut [u8], seed: u64, withhold: bool) {
    if withhold {
        put(h, 16, 4, SEED_WITHHELD as u64);
        put(h, 100, 4, seed_check(seed) as u64);
    } else {
        put(h, 64, 8, seed);
    }
}

#[inline(never)]
fn end_header(mut h: Vec<u8>, metadata: &Metadata) -> Vec<u8> {
    h.extend_from_slice(metadata.encoded());
    h.resize(body_offset(metadata.encoded().len()) - 8, 0);
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

/// Reads a whole header of a Bloom filter: `h` is exactly [`header_len`] bytes long.
pub(crate) fn decode_header(h: &[u8], seed: Option<u64>) -> Result<Header> {
    begin(h, KIND_BLOOM, "1 (Bloom filter)")?;
    if h[12] != HASH_XXH3_128 {
        return Err(Error::data("ERR_HASH", "hash", "1 (XXH3-128)", Got::Integer(h[12] as i128)));
    }
    let layout = Layout::from_id(h[11]).ok_or_else(|| {
        Error::data("ERR_LAYOUT", "layout", "1 (line), 2 (pair) or 3 (classic)", Got::Integer(h[11] as i128))
    })?;
    let withheld = flags(h, true)?;
    reserved(h, withheld, 8)?;
    let probes = u16_at(h, 14) as u32;
    let (capacity, fpr, lines) = (u64_at(h, 24), f64::from_bits(u64_at(h, 32)), u64_at(h, 40));
    if arg::capacity(capacity).is_err() {
        return Err(bad_header("capacity", "1 to 2^48", capacity));
    }
    if arg::fpr(fpr).is_err() {
        return Err(bad_rate("a rate from 1e-9 to 0.5", fpr));
    }
    if !layout.allows(probes) {
        return Err(bad_header("probes", "a number that the layout allows", probes as u64));
    }
    if lines == 0 || lines > MAX_LINES || lines % layout.unit() != 0 {
        return Err(bad_header("lines", "1 to 2^51, even for pair", lines));
    }
    let metadata = lengths_and_metadata(h, lines)?;
    let seed = settle_seed(h, withheld, seed)?;
    Ok(Header { params: Params { capacity, fpr, seed, layout, probes, lines }, metadata, body_offset: h.len() })
}

/// Reads a whole header of a scalable filter: `h` is exactly [`header_len`] bytes long.
pub(crate) fn decode_scalable(h: &[u8], seed: Option<u64>) -> Result<ScalableHeader> {
    begin(h, KIND_SCALABLE, "2 (scalable Bloom filter)")?;
    let scheme = Scheme::from_id(h[12])
        .ok_or_else(|| Error::data("ERR_HASH", "hash", "1 or 3 to 7", Got::Integer(h[12] as i128)))?;
    scheme.require()?;
    if h[11] != 0 {
        let expected = "0 (each level has its own)";
        return Err(Error::data("ERR_LAYOUT", "layout", expected, Got::Integer(h[11] as i128)));
    }
    let withheld = flags(h, scheme == Scheme::Tepal)?;
    reserved(h, withheld, scheme.seed_len())?;
    let (capacity, fpr, lines) = (u64_at(h, 24), f64::from_bits(u64_at(h, 32)), u64_at(h, 40));
    if arg::scalable_capacity(capacity, scheme).is_err() {
        return Err(bad_header("capacity", "1 to 2^48, for other schemes to 2^63 - 1", capacity));
    }
    if !(fpr > 0.0 && fpr < 1.0) {
        return Err(bad_rate("a rate above 0 and below 1", fpr));
    }
    if u16_at(h, 14) != 0 {
        return Err(bad_header("probes", "0 (each level has its own)", u16_at(h, 14) as u64));
    }
    if !(3..=MAX_LINES).contains(&lines) {
        return Err(bad_header("lines", "3 to 2^51", lines));
    }
    let metadata = lengths_and_metadata(h, lines)?;
    let word = settle_seed(h, withheld, seed)?;
    let seed = match scheme {
        Scheme::Tepal => Seed::from_u64(word),
        _ => Seed::new(h[64..96].try_into().unwrap_or_default()),
    };
    Ok(ScalableHeader { scheme, seed, capacity, fpr, lines, metadata, body_offset: h.len() })
}

/// Checksum and kind.
fn begin(h: &[u8], kind: u8, expected: &'static str) -> Result<()> {
    let end = h.len() - 8;
    if checksum(&h[..end]) != u64_at(h, end) {
        return Err(bad_checksum("header"));
    }
    if h[10] != kind {
        return Err(Error::data("ERR_KIND", "kind", expected, Got::Integer(h[10] as i128)));
    }
    Ok(())
}

/// Whether the seed is withheld, where it may be.
fn flags(h: &[u8], may_withhold: bool) -> Result<bool> {
    let flags = u32_at(h, 16);
    if flags & !SEED_WITHHELD != 0 || (flags != 0 && !may_withhold) {
        return Err(Error::data("ERR_FLAGS", "flags", "only flags that version 1 knows", Got::Integer(flags as i128)));
    }
    Ok(flags != 0)
}

/// What is not used is zero; of the seed, `seed_len` bytes are used.
fn reserved(h: &[u8], withheld: bool, seed_len: usize) -> Result<()> {
    let metadata_end = FIXED + u32_at(h, 96) as usize;
    let reserved_is_zero = h[13] == 0
        && zeros(h, 64 + seed_len, 96)
        && zeros(h, 104, 120)
        && zeros(h, metadata_end, h.len() - 8)
        && if withheld { zeros(h, 64, 96) } else { u32_at(h, 100) == 0 };
    if reserved_is_zero {
        Ok(())
    } else {
        Err(Error::data("ERR_RESERVED", "reserved", "zero", Got::Word("other bytes")))
    }
}

fn lengths_and_metadata(h: &[u8], lines: u64) -> Result<Metadata> {
    let body_len = u64_at(h, 48);
    if body_len != lines * 64 {
        return Err(bad_header("body_len", "64 bytes a line", body_len));
    }
    if u64_at(h, 56) != h.len() as u64 + body_len + TRAILER as u64 {
        return Err(bad_header("total_len", "header, body and trailer together", u64_at(h, 56)));
    }
    Metadata::decode(&h[FIXED..FIXED + u32_at(h, 96) as usize])
}

/// The seed, stored or given.
fn settle_seed(h: &[u8], withheld: bool, given: Option<u64>) -> Result<u64> {
    let stored = u64_at(h, 64);
    match given {
        None if withheld => Err(Error::seed_required()),
        Some(seed) if withheld && seed_check(seed) == u32_at(h, 100) => Ok(seed),
        Some(seed) if seed != stored || withheld => {
            let got = Got::Word("another seed");
            Err(Error::mismatch("ERR_SEED_DIFFERS", "seed", "the seed that these bytes were built with", got))
        }
        _ => Ok(stored),
    }
}

/// Reads header and trailer of bytes that must be one whole filter; the body is left unread.
pub(crate) fn decode(bytes: &[u8], seed: Option<u64>) -> Result<Header> {
    let header = decode_header(header_of(bytes)?, seed)?;
    whole(bytes, header.body_offset, header.params.lines)?;
    Ok(header)
}

/// [`decode`] for a scalable filter.
pub(crate) fn decode_whole_scalable(bytes: &[u8], seed: Option<u64>) -> Result<ScalableHeader> {
    let header = decode_scalable(header_of(bytes)?, seed)?;
    whole(bytes, header.body_offset, header.lines)?;
    Ok(header)
}

/// Whether the bytes say that they are a scalable filter; whatever else is wrong with them is for a reader to say.
pub(crate) fn is_scalable(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC) && bytes.get(10) == Some(&KIND_SCALABLE)
}

fn header_of(bytes: &[u8]) -> Result<&[u8]> {
    let offset = header_len(bytes)?;
    bytes.get(..offset).ok_or_else(|| Error::truncated("header", offset as u64, bytes.len() as u64))
}

/// All bytes are there, none too many, and a trailer ends them.
fn whole(bytes: &[u8], offset: usize, lines: u64) -> Result<()> {
    all_there(bytes.len() as u64, offset as u64 + lines * 64 + TRAILER as u64)?;
    decode_trailer(&bytes[bytes.len() - TRAILER..]).map(drop)
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

pub(crate) fn bad_checksum(field: &'static str) -> Error {
    Error::data("ERR_CHECKSUM", field, "bytes that match their checksum", Got::Word("corrupted ones"))
}

fn bad_rate(expected: &'static str, got: f64) -> Error {
    Error::data("ERR_HEADER", "fpr", expected, Got::Float(got))
}

pub(crate) fn bad_header(field: &'static str, expected: &'static str, got: u64) -> Error {
    Error::data("ERR_HEADER", field, expected, Got::Integer(got as i128))
}

// Never inlined: the copies would be a twentieth of the WebAssembly module, and a header is read once.

#[inline(never)]
pub(crate) fn put(h: &mut [u8], at: usize, width: usize, value: u64) {
    h[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
}

#[inline(never)]
pub(crate) fn zeros(h: &[u8], from: usize, to: usize) -> bool {
    h[from..to].iter().all(|b| *b == 0)
}

#[inline(never)]
pub(crate) fn u64_at(h: &[u8], at: usize) -> u64 {
    h[at..at + 8].iter().rev().fold(0, |word, byte| word << 8 | *byte as u64)
}

#[inline(never)]
pub(crate) fn u32_at(h: &[u8], at: usize) -> u32 {
    u64_at(h, at) as u32
}

pub(crate) fn u16_at(h: &[u8], at: usize) -> u16 {
    u32_at(h, at) as u16
}
