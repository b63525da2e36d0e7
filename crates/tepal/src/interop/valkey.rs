//! valkey-bloom's filters: the payload of BF.LOAD, and what DUMP gives and RESTORE takes.
//!
//! Both hold the same: a few numbers, and for each sub filter its capacity, how many items it took, and the crate
//! `bloomfilter`'s own bytes. Reading accepts what a server can have made: each sub filter with the capacity, the rate and
//! the size that the numbers before give it.
use super::{agree, crc64::crc64, foreign, lzf, rate, within, Reader, MAX_CAPACITY};
use crate::bits::try_vec;
use crate::error::{Error, Got, Result};
use crate::math::powi;
use crate::scheme::{valkey_probes, valkey_size, Seed};
use alloc::{borrow::Cow, vec::Vec};

pub(crate) struct Valkey<'a> {
    /// 0: non-scaling, in these bytes too.
    pub expansion: u32,
    /// Rate of the first sub filter.
    pub fpr: f64,
    pub tightening: f64,
    /// False only with the fixed seed: a server drops another one that says so.
    pub seed_is_random: bool,
    pub seed: Seed,
    /// At least one; a non-scaling filter has one.
    pub filters: Vec<ValkeyFilter<'a>>,
}

pub(crate) struct ValkeyFilter<'a> {
    /// 1 to 2^63 − 1: the first one's times a power of the expansion.
    pub capacity: u64,
    /// At most the capacity.
    pub items: u64,
    pub probes: u32,
    /// Bit p is bit p & 7 of byte p >> 3.
    pub bits: Cow<'a, [u8]>,
}

const VERSION: u64 = 1;
/// Version, length, probes and seed before the bits.
const BLOB_HEADER: usize = 1 + 8 + 4 + 32;

/// The seed, the probes and the bits of `bloomfilter`'s own bytes.
fn decode_blob(blob: Cow<[u8]>) -> Result<(Seed, u32, Cow<[u8]>)> {
    let mut reader = Reader(&blob);
    agree("blob version", "version 1", reader.little(1, "blob")?, VERSION)?;
    let bytes = reader.little(8, "blob")?;
    let probes = reader.little(4, "blob")? as u32;
    let mut seed = [0; 32];
    seed.copy_from_slice(reader.take(32, "blob")?);
    agree("blob bytes", "the bytes that are there", bytes, reader.0.len() as u64)?;
    let bits = match blob {
        Cow::Borrowed(blob) => Cow::Borrowed(&blob[BLOB_HEADER..]),
        Cow::Owned(mut blob) => {
            blob.drain(..BLOB_HEADER);
            Cow::Owned(blob)
        }
    };
    Ok((Seed::new(seed), probes, bits))
}

impl<'a> Valkey<'a> {
    fn encode_blob(&self, filter: &ValkeyFilter, out: &mut Vec<u8>) {
        out.push(VERSION as u8);
        out.extend_from_slice(&(filter.bits.len() as u64).to_le_bytes());
        out.extend_from_slice(&filter.probes.to_le_bytes());
        out.extend_from_slice(self.seed.bytes());
        out.extend_from_slice(&filter.bits);
    }

    /// One more sub filter, which must be the next of its series.
    fn push(&mut self, capacity: u64, items: u64, blob: Cow<'a, [u8]>) -> Result<()> {
        let index = self.filters.len();
        let (seed, probes, bits) = decode_blob(blob)?;
        within("capacity", capacity, 1, MAX_CAPACITY, "a number from 1 to 2^63 - 1")?;
        if let Some(last) = self.filters.last() {
            let next = last.capacity.checked_mul(self.expansion as u64);
            agree("capacity", "the capacity before times the expansion", capacity, next.unwrap_or(0))?;
        } else {
            self.seed = seed;
        }
        if seed != self.seed || !self.seed_is_random && seed != Seed::VALKEY_FIXED {
            let got = Got::Word("another one");
            return Err(Error::data(
                "ERR_FOREIGN",
                "seed",
                "one seed, the fixed one unless it is marked as random",
                got,
            ));
        }
        within("items", items, 0, capacity, "at most the capacity")?;
        // A server grows only to rates above the smallest normal double.
        let later = self.fpr * powi(self.tightening, index as u64);
        let fpr = rate("rate", if index > 0 && later == f64::MIN_POSITIVE { 0.0 } else { later })?;
        let bytes = bits.len() as u64;
        // From 4 GiB on not to the byte: the server's `ln` may differ from this one's in the last place.
        let want = valkey_size(capacity, fpr).map_or(0, |(bytes, _)| bytes);
        if bytes == 0 || bytes.abs_diff(want) > want >> 32 {
            return Err(foreign("blob bytes", "the size for the capacity and the rate", bytes));
        }
        agree(
            "probes",
            "the number for the capacity and the size",
            probes as u64,
            valkey_probes(bytes, capacity) as u64,
        )?;
        self.filters.push(ValkeyFilter { capacity, items, probes, bits });
        Ok(())
    }

    /// The numbers before the sub filters, of which there will be `count`.
    fn begin(expansion: u64, fpr: f64, tightening: f64, seed_is_random: u64, count: u64) -> Result<Self> {
        let expansion = within("expansion", expansion, 0, u32::MAX as u64, "a number from 0 to 2^32 - 1")? as u32;
        rate("rate", fpr)?;
        rate("tightening", tightening)?;
        within("seed mark", seed_is_random, 0, 1, "0 or 1")?;
        let most = if expansion == 0 { 1 } else { u32::MAX as u64 };
        within("filters", count, 1, most, "at least one, and no more than one if it is non-scaling")?;
        let seed_is_random = seed_is_random == 1;
        Ok(Valkey { expansion, fpr, tightening, seed_is_random, seed: Seed::VALKEY_FIXED, filters: Vec::new() })
    }

    /// All bytes of the sub filters, and some for each.
    fn room(&self) -> usize {
        self.filters.iter().map(|f| f.bits.len() + 100).sum::<usize>() + 100
    }
}

// BF.LOAD: u8 1 | u32 expansion | f64 fpr | f64 tightening | u8 random | u64 n | n × (u64 len | blob | i64 items | i64 capacity)

/// Reads the payload of BF.LOAD.
pub(crate) fn decode_load(bytes: &[u8]) -> Result<Valkey<'_>> {
    let mut reader = Reader(bytes);
    agree("version", "version 1", reader.little(1, "version")?, VERSION)?;
    let expansion = reader.little(4, "expansion")?;
    let (fpr, tightening) = (reader.float("rate")?, reader.float("tightening")?);
    let seed_is_random = reader.little(1, "seed mark")?;
    let count = reader.little(8, "filters")?;
    let mut valkey = Valkey::begin(expansion, fpr, tightening, seed_is_random, count)?;
    for _ in 0..count {
        let len = reader.little(8, "blob")?;
        let blob = reader.take(len, "blob")?;
        let items = reader.little(8, "items")?;
        let capacity = reader.little(8, "capacity")?;
        valkey.push(capacity, items, Cow::Borrowed(blob))?;
    }
    reader.end()?;
    Ok(valkey)
}

/// The payload of BF.LOAD.
pub(crate) fn encode_load(valkey: &Valkey) -> Result<Vec<u8>> {
    let mut out = try_vec(valkey.room())?;
    out.push(VERSION as u8);
    out.extend_from_slice(&valkey.expansion.to_le_bytes());
    out.extend_from_slice(&valkey.fpr.to_le_bytes());
    out.extend_from_slice(&valkey.tightening.to_le_bytes());
    out.push(valkey.seed_is_random as u8);
    out.extend_from_slice(&(valkey.filters.len() as u64).to_le_bytes());
    for filter in &valkey.filters {
        out.extend_from_slice(&((BLOB_HEADER + filter.bits.len()) as u64).to_le_bytes());
        valkey.encode_blob(filter, &mut out);
        out.extend_from_slice(&filter.items.to_le_bytes());
        out.extend_from_slice(&filter.capacity.to_le_bytes());
    }
    Ok(out)
}

// DUMP: 07 | 81 and the type's number | items, each behind its kind | 00 | u16 version | u64 CRC. Integers and lengths as RDB has them.

const MODULE_TYPE: u64 = 7;
/// The type `bloomfltr` in encoding version 1.
const TYPE_NUMBER: u64 = 0x6e5a_2899_f96d_ac01;
const END: u64 = 0;
const UNSIGNED: u64 = 2;
const DOUBLE: u64 = 4;
const STRING: u64 = 5;
const RDB_VERSION: u16 = 11;
/// RDB version and checksum.
const DUMP_TRAILER: usize = 2 + 8;

/// Whether bytes begin as a DUMP payload of a module's type does (BF.LOAD's begins with 1).
pub(crate) fn is_dump(bytes: &[u8]) -> bool {
    bytes.first() == Some(&(MODULE_TYPE as u8))
}

/// Reads what DUMP gives, of any RDB version, with the items in the order of either version of the module.
pub(crate) fn decode_dump(bytes: &[u8]) -> Result<Valkey<'_>> {
    if bytes.len() <= DUMP_TRAILER {
        return Err(Error::truncated("dump", DUMP_TRAILER as u64 + 1, bytes.len() as u64));
    }
    let body = bytes.len() - DUMP_TRAILER;
    let mut reader = Reader(bytes);
    agree("type", "7 (a module's type)", reader.big(1, "type")?, MODULE_TYPE)?;
    if crc64(&bytes[..body + 2]) != Reader(&bytes[body + 2..]).little(8, "checksum")? {
        let got = Got::Word("corrupted ones");
        return Err(Error::data("ERR_CHECKSUM", "dump", "bytes that match their checksum", got));
    }
    reader.0 = &bytes[1..body];
    if length(&mut reader, "type")? != Length::Plain(TYPE_NUMBER) {
        let got = Got::Word("another type");
        return Err(Error::data("ERR_FOREIGN", "type", "bloomfltr, version 1", got));
    }
    let count = unsigned(&mut reader, "filters")?;
    let expansion = unsigned(&mut reader, "expansion")?;
    let fpr = double(&mut reader, "rate")?;
    let tightening = double(&mut reader, "tightening")?;
    let seed_is_random = unsigned(&mut reader, "seed mark")?;
    let mut valkey = Valkey::begin(expansion, fpr, tightening, seed_is_random, count)?;
    for index in 1..=count {
        // The first versions wrote the blob before the numbers.
        let blob_first = reader.0.first() == Some(&(STRING as u8));
        let first = if blob_first { Some(string(&mut reader)?) } else { None };
        let capacity = unsigned(&mut reader, "capacity")?;
        // Only the last one says how many items it has; the others are full.
        let items = if index == count { unsigned(&mut reader, "items")? } else { capacity };
        let blob = match first {
            Some(blob) => blob,
            None => string(&mut reader)?,
        };
        valkey.push(capacity, items, blob)?;
    }
    kind(&mut reader, END, "end")?;
    reader.end()?;
    Ok(valkey)
}

/// What RESTORE takes: RDB version 11, which every Valkey reads. Sub filters before the last are written as full.
pub(crate) fn encode_dump(valkey: &Valkey) -> Result<Vec<u8>> {
    let mut out = try_vec(valkey.room())?;
    out.push(MODULE_TYPE as u8);
    push_length(&mut out, TYPE_NUMBER);
    push_unsigned(&mut out, valkey.filters.len() as u64);
    push_unsigned(&mut out, valkey.expansion as u64);
    for x in [valkey.fpr, valkey.tightening] {
        out.push(DOUBLE as u8);
        out.extend_from_slice(&x.to_le_bytes());
    }
    push_unsigned(&mut out, valkey.seed_is_random as u64);
    for (i, filter) in valkey.filters.iter().enumerate() {
        push_unsigned(&mut out, filter.capacity);
        if i + 1 == valkey.filters.len() {
            push_unsigned(&mut out, filter.items);
        }
        out.push(STRING as u8);
        push_length(&mut out, (BLOB_HEADER + filter.bits.len()) as u64);
        valkey.encode_blob(filter, &mut out);
    }
    out.push(END as u8);
    out.extend_from_slice(&RDB_VERSION.to_le_bytes());
    let crc = crc64(&out);
    out.extend_from_slice(&crc.to_le_bytes());
    Ok(out)
}

/// A length as RDB has it, or the number of a special encoding.
#[derive(PartialEq)]
enum Length {
    Plain(u64),
    Special(u64),
}

fn length(reader: &mut Reader, field: &'static str) -> Result<Length> {
    let first = reader.big(1, field)?;
    Ok(Length::Plain(match (first >> 6, first & 63) {
        (0, low) => low,
        (1, low) => low << 8 | reader.big(1, field)?,
        (2, 0) => reader.big(4, field)?,
        (2, 1) => reader.big(8, field)?,
        (3, special) => return Ok(Length::Special(special)),
        _ => return Err(foreign(field, "a length as RDB has it", first)),
    }))
}

fn plain(reader: &mut Reader, field: &'static str) -> Result<u64> {
    match length(reader, field)? {
        Length::Plain(n) => Ok(n),
        Length::Special(n) => Err(foreign(field, "a plain length", n)),
    }
}

fn kind(reader: &mut Reader, want: u64, field: &'static str) -> Result<()> {
    let got = plain(reader, field)?;
    agree(field, "an item of another kind", got, want)
}

fn unsigned(reader: &mut Reader, field: &'static str) -> Result<u64> {
    kind(reader, UNSIGNED, field)?;
    plain(reader, field)
}

fn double(reader: &mut Reader, field: &'static str) -> Result<f64> {
    kind(reader, DOUBLE, field)?;
    reader.float(field)
}

fn string<'a>(reader: &mut Reader<'a>) -> Result<Cow<'a, [u8]>> {
    const LZF: u64 = 3;
    kind(reader, STRING, "blob")?;
    match length(reader, "blob")? {
        Length::Plain(len) => reader.take(len, "blob").map(Cow::Borrowed),
        Length::Special(LZF) => {
            let there = plain(reader, "blob")?;
            let len = plain(reader, "blob")?;
            lzf::decompress(reader.take(there, "blob")?, len).map(Cow::Owned)
        }
        Length::Special(n) => Err(foreign("blob", "a string of bytes", n)), // an integer, too short for a filter
    }
}

fn push_unsigned(out: &mut Vec<u8>, n: u64) {
    out.push(UNSIGNED as u8);
    push_length(out, n);
}

fn push_length(out: &mut Vec<u8>, n: u64) {
    match n {
        0..=63 => out.push(n as u8),
        64..=0x3FFF => out.extend_from_slice(&(n as u16 | 0x4000).to_be_bytes()),
        0x4000..=0xFFFF_FFFF => {
            out.push(0x80);
            out.extend_from_slice(&(n as u32).to_be_bytes());
        }
        _ => {
            out.push(0x81);
            out.extend_from_slice(&n.to_be_bytes());
        }
    }
}
