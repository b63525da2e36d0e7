//! `ScalableBloomFilter` to and from bytes: a table of levels, then the bits of each (FORMAT.md, section 6).
//!
//! The table has a checksum of its own, so that a view knows its levels without reading their bits. Counts in the table are
//! bounded by the capacities and decide only when the filter grows, never membership.
use super::ScalableBloomFilter;
use crate::bits::{try_vec, Bytes, Lines, Owned, Shared, Storage};
use crate::error::{Error, Got, Result};
use crate::format::{self, bad_checksum, bad_header, put, u16_at, u32_at, u64_at, zeros, ScalableHeader, TRAILER};
use crate::hash::checksum;
#[cfg(feature = "schemes")]
use crate::layout::Double;
use crate::layout::Layout;
use crate::level::Level;
use crate::scheme::Scheme;
use crate::series::{Next, Plan, Series, MAX_LEVELS};
use crate::sizing::Params;
use crate::stream::{each_block, Sum};
use alloc::{sync::Arc, vec, vec::Vec};

/// Bytes of the series and of each level in the table.
const RECORD: usize = 64;
const TABLE_SUM: usize = 56;
const RANDOM_SEED: u32 = 1;
/// The layout of all levels of a server's scheme.
const DOUBLE: u8 = 4;

/// A level as the table has it.
struct Entry {
    next: Next,
    items: u64,
}

/// The table: the series, then the levels from the oldest on.
fn encode_table(series: &Series, levels: &[&Level]) -> Vec<u8> {
    let mut t = vec![0; RECORD * (levels.len() + 1)];
    put(&mut t, 0, 4, levels.len() as u64);
    put(&mut t, 4, 4, series.expansion as u64);
    put(&mut t, 8, 8, series.tightening.to_bits());
    put(&mut t, 16, 8, series.max_bytes);
    put(&mut t, 24, 8, series.fpr.to_bits());
    put(&mut t, 32, 4, if series.seed_is_random { RANDOM_SEED as u64 } else { 0 });
    for (record, level) in t[RECORD..].chunks_exact_mut(RECORD).zip(levels) {
        put(record, 0, 8, level.capacity);
        put(record, 8, 8, level.items());
        put(record, 16, 8, level.fpr.to_bits());
        put(record, 24, 8, level.plan.num_bits());
        put(record, 32, 8, level.plan.lines());
        put(record, 40, 4, level.index as u64);
        put(record, 44, 2, level.plan.probes() as u64);
        put(record, 46, 1, level.plan.layout().map_or(DOUBLE, Layout::id) as u64);
    }
    let sum = checksum(&t);
    put(&mut t, TABLE_SUM, 8, sum);
    t
}

/// How many records of levels the table has that begins with these 64 bytes, inside a body of so many lines.
fn level_count(series: &[u8], lines: u64) -> Result<usize> {
    let count = u32_at(series, 0);
    if count == 0 || count > MAX_LEVELS || (count as u64 + 1) + count as u64 > lines {
        return Err(bad_header("level_count", "1 to 65536 levels that the body has room for", count as u64));
    }
    Ok(count as usize)
}

fn decode_table(table: &[u8], header: &ScalableHeader) -> Result<(Series, Vec<Entry>)> {
    // The sum is over the table with its own place zero. (The table may be long: it is not copied whole.)
    let mut sum = Sum::new();
    [&table[..TABLE_SUM], &[0; 8], &table[RECORD..]].iter().for_each(|part| sum.update(part));
    if sum.finish() != u64_at(table, TABLE_SUM) {
        return Err(bad_checksum("levels"));
    }
    let flags = u32_at(table, 32);
    if flags & !RANDOM_SEED != 0 {
        let expected = "only flags that version 1 knows";
        return Err(Error::data("ERR_FLAGS", "series flags", expected, Got::Integer(flags as i128)));
    }
    let series = Series {
        scheme: header.scheme,
        seed: header.seed,
        capacity: header.capacity,
        fpr: f64::from_bits(u64_at(table, 24)),
        expansion: u32_at(table, 4),
        tightening: f64::from_bits(u64_at(table, 8)),
        max_bytes: u64_at(table, 16),
        seed_is_random: flags & RANDOM_SEED != 0,
    };
    if !zeros(table, 36, TABLE_SUM) || !table[RECORD..].chunks_exact(RECORD).all(|record| zeros(record, 47, RECORD)) {
        return Err(Error::data("ERR_RESERVED", "levels", "zero in reserved bytes", Got::Word("other bytes")));
    }
    let tightening = series.tightening;
    if !((tightening > 0.0 || tightening.to_bits() == 0 && series.scheme == Scheme::Tepal) && tightening < 1.0) {
        let expected = "a ratio above 0 and below 1, or 0 for the flat head of scheme tepal";
        return Err(Error::data("ERR_HEADER", "tightening", expected, Got::Float(tightening)));
    }
    if series.max_bytes > i64::MAX as u64 {
        return Err(bad_header("max_bytes", "at most 2^63 - 1", series.max_bytes));
    }
    if !(series.fpr > 0.0 && series.fpr <= header.fpr) {
        let expected = "a rate above 0 and at most the stated one";
        return Err(Error::data("ERR_HEADER", "series fpr", expected, Got::Float(series.fpr)));
    }
    let records = table[RECORD..].chunks_exact(RECORD);
    let mut entries = try_vec(records.len())?;
    let mut lines = records.len() as u64 + 1;
    for record in records {
        let entry = decode_level(record, header)?;
        lines = lines.saturating_add(entry.next.plan.lines());
        entries.push(entry);
    }
    if lines != header.lines {
        return Err(bad_header("lines", "the table's lines and those of all levels", header.lines));
    }
    Ok((series, entries))
}

fn decode_level(record: &[u8], header: &ScalableHeader) -> Result<Entry> {
    let (capacity, items, fpr) = (u64_at(record, 0), u64_at(record, 8), f64::from_bits(u64_at(record, 16)));
    let (bits, lines, index) = (u64_at(record, 24), u64_at(record, 32), u32_at(record, 40));
    let (probes, layout) = (u16_at(record, 44) as u32, record[46]);
    if crate::arg::scalable_capacity(capacity, header.scheme).is_err() {
        return Err(bad_header("level capacity", "1 to 2^48, for other schemes to 2^63 - 1", capacity));
    }
    if items > capacity {
        return Err(bad_header("level items", "at most the level's capacity", items));
    }
    if !(fpr > 0.0 && fpr < 1.0) {
        let expected = "a rate above 0 and below 1";
        return Err(Error::data("ERR_HEADER", "level fpr", expected, Got::Float(fpr)));
    }
    if index >= MAX_LEVELS {
        return Err(bad_header("level index", "at most 65535", index as u64));
    }
    if lines == 0 || lines > header.lines || bits > lines * 512 || bits.div_ceil(512) != lines {
        return Err(bad_header("level lines", "the fewest lines that hold the bits", lines));
    }
    let plan = match header.scheme {
        Scheme::Tepal => {
            let layout = Layout::from_id(layout).ok_or_else(|| {
                let expected = "1 (line), 2 (pair) or 3 (classic)";
                Error::data("ERR_LAYOUT", "level layout", expected, Got::Integer(layout as i128))
            })?;
            if bits != lines * 512 || lines % layout.unit() != 0 {
                return Err(bad_header("level bits", "512 a line; for pair an even number of lines", bits));
            }
            if !layout.allows(probes) {
                return Err(bad_header("level probes", "a number that the layout allows", probes as u64));
            }
            Plan::Lines(Params { capacity, fpr, seed: header.seed.as_u64(), layout, probes, lines })
        }
        scheme => {
            if layout != DOUBLE {
                let expected = "4 (bits anywhere)";
                return Err(Error::data("ERR_LAYOUT", "level layout", expected, Got::Integer(layout as i128)));
            }
            if bits % 8 != 0 {
                return Err(bad_header("level bits", "whole bytes", bits));
            }
            if probes == 0 {
                return Err(bad_header("level probes", "1 to 65535", 0));
            }
            double(scheme, bits, probes)?
        }
    };
    Ok(Entry { next: Next { index, capacity, fpr, plan }, items })
}

#[cfg(feature = "schemes")]
fn double(scheme: Scheme, bits: u64, probes: u32) -> Result<Plan> {
    Ok(Plan::Double(Double::new(scheme, bits, probes)))
}

#[cfg(not(feature = "schemes"))]
fn double(scheme: Scheme, _: u64, _: u32) -> Result<Plan> {
    Err(scheme.foreign())
}

/// `ERR_RESERVED` if a bit is set behind the last of a level.
fn check_padding(plan: &Plan, lines: Lines<'_>) -> Result<()> {
    let used = (plan.num_bits() - (plan.lines() - 1) * 512) as usize;
    let last = lines.line(lines.count() - 1);
    let set = |bit: usize| last[bit / 64] >> (bit % 64) & 1 == 1;
    if (used..512).any(set) {
        return Err(Error::data("ERR_RESERVED", "level bits", "zero behind the last bit", Got::Word("other bits")));
    }
    Ok(())
}

impl ScalableBloomFilter {
    /// The levels of this moment, the oldest first.
    pub(crate) fn snapshot(&self) -> Vec<&Level> {
        let mut levels: Vec<&Level> = self.levels.iter().collect();
        levels.reverse();
        levels
    }

    /// The length of [`ScalableBloomFilter::to_bytes`] in bytes.
    pub fn byte_len(&self) -> u64 {
        format::total_len(body_lines(&self.snapshot()), &self.metadata)
    }

    /// The filter as bytes, the same in every language: 256 bytes, the metadata, 64 bytes a level, and the levels' bits. Errors: `ERR_OUT_OF_MEMORY`, `ERR_TOO_LARGE`.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.bytes(false)
    }

    /// [`ScalableBloomFilter::to_bytes`] without the seed, for publishing: scheme `tepal` only, else `ERR_UNSUPPORTED`.
    pub fn to_bytes_without_seed(&self) -> Result<Vec<u8>> {
        self.bytes(true)
    }

    fn bytes(&self, withhold_seed: bool) -> Result<Vec<u8>> {
        let len = self.byte_len();
        let mut out = try_vec(usize::try_from(len).map_err(|_| Error::too_large(len))?)?;
        self.write_parts(withhold_seed, |part| {
            out.extend_from_slice(part);
            Ok::<(), Error>(())
        })?;
        Ok(out)
    }

    /// Hands the serialized filter on in pieces. An insertion meanwhile is in it or not. `ERR_UNSUPPORTED` where a server's seed is to be withheld.
    pub fn write_parts<E: From<Error>>(
        &self,
        withhold_seed: bool,
        mut sink: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        if withhold_seed && self.series.scheme != Scheme::Tepal {
            return Err(Error::unsupported("withholding the seed of a server's scheme").into());
        }
        let levels = self.snapshot();
        sink(&format::encode_scalable(&self.header(&levels), withhold_seed))?;
        let table = encode_table(&self.series, &levels);
        let mut sum = Sum::new();
        sum.update(&table);
        sink(&table)?;
        for level in levels {
            each_block(level.lines(), |block| {
                sum.update(block);
                sink(block)
            })?;
        }
        sink(&format::encode_trailer(sum.finish()))
    }

    fn header(&self, levels: &[&Level]) -> ScalableHeader {
        ScalableHeader {
            scheme: self.series.scheme,
            seed: self.series.seed,
            capacity: self.series.capacity,
            fpr: self.fpr(),
            lines: body_lines(levels),
            metadata: self.metadata.clone(),
            body_offset: 0,
        }
    }

    /// A filter from its bytes, verified to the last one.
    ///
    /// Any bytes may be given: the result is a filter or an error that says what is wrong (the `ERR_…` codes of FORMAT.md,
    /// sections 1.6 and 6.3), never a panic, and no more memory is used than a small multiple of the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::read_bytes(bytes, None)
    }

    /// [`ScalableBloomFilter::from_bytes`] for bytes whose seed was withheld. `ERR_SEED_DIFFERS` if it is not theirs.
    pub fn from_bytes_with_seed(bytes: &[u8], seed: u64) -> Result<Self> {
        Self::read_bytes(bytes, Some(seed))
    }

    fn read_bytes(bytes: &[u8], seed: Option<u64>) -> Result<Self> {
        let header = format::decode_whole_scalable(bytes, seed)?;
        let (body, trailer) = bytes[header.body_offset..].split_at(bytes.len() - header.body_offset - TRAILER);
        let table = &body[..RECORD * (level_count(body, header.lines)? + 1)];
        let (series, entries) = decode_table(table, &header)?;
        format::check_body(checksum(body), trailer)?;
        let mut rest = &body[table.len()..];
        let mut levels = try_vec(entries.len())?;
        for Entry { next, items } in entries {
            let (bits, after) = rest.split_at(next.plan.lines() as usize * 64);
            rest = after;
            let mut owned = Owned::zeroed(next.plan.lines())?;
            owned.bytes_mut().copy_from_slice(bits);
            let level = Level::with_body(next, items, Storage::Owned(owned));
            check_padding(&level.plan, level.lines())?;
            levels.push(level);
        }
        Self::assemble(series, header.fpr, header.metadata, levels, None)
    }

    /// A read-only filter in bytes that somebody else owns, for instance a mapped file. Header, levels and trailer are verified, the bits are not
    /// ([`ScalableBloomFilter::verify`] does). `seed` is for bytes that withhold theirs. Cost: O(levels).
    pub fn from_shared(bytes: Arc<dyn Bytes>, seed: Option<u64>) -> Result<Self> {
        let whole = bytes.bytes();
        let header = format::decode_whole_scalable(whole, seed)?;
        let body = &whole[header.body_offset..whole.len() - TRAILER];
        let table = &body[..RECORD * (level_count(body, header.lines)? + 1)];
        let (series, entries) = decode_table(table, &header)?;
        let mut at = header.body_offset + table.len();
        let levels: Vec<Level> = entries
            .into_iter()
            .map(|Entry { next, items }| {
                let len = next.plan.lines() as usize * 64;
                let body = Storage::Shared(Shared::new(bytes.clone(), at, len));
                at += len;
                Level::with_body(next, items, body)
            })
            .collect();
        let len = whole.len();
        Self::assemble(series, header.fpr, header.metadata, levels, Some(Shared::new(bytes.clone(), 0, len)))
    }

    /// Compares the body of a view with its checksum; a filter in owned memory was verified when it was read. `ERR_CHECKSUM`, `ERR_RESERVED`.
    /// Cost: reads all levels.
    pub fn verify(&self) -> Result<()> {
        let Some(shared) = &self.shared else { return Ok(()) };
        let whole = shared.whole();
        let offset = format::header_len(whole)?;
        format::check_body(checksum(&whole[offset..whole.len() - TRAILER]), &whole[whole.len() - TRAILER..])?;
        self.levels.iter().try_for_each(|level| check_padding(&level.plan, level.lines()))
    }
}

/// Lines of the table and of all levels.
fn body_lines(levels: &[&Level]) -> u64 {
    levels.iter().fold(1 + levels.len() as u64, |sum, level| sum + level.plan.lines())
}

#[cfg(feature = "std")]
mod files {
    use super::*;
    use crate::disk;
    use crate::stream::{read_up_to, BLOCK};
    use std::io::{self, Read, Write};
    use std::path::Path;

    /// The sink's error, while a filter is written to a file.
    struct Failed(io::Error);

    impl From<Error> for Failed {
        fn from(error: Error) -> Self {
            Failed(io::Error::new(io::ErrorKind::Unsupported, error))
        }
    }

    impl ScalableBloomFilter {
        /// [`ScalableBloomFilter::to_bytes`] into a writer, without a second copy of the body. An error of the writer is returned as it is.
        pub fn write_to(&self, writer: &mut (impl Write + ?Sized)) -> io::Result<()> {
            self.write_parts(false, |part| writer.write_all(part).map_err(Failed)).map_err(|Failed(e)| e)
        }

        /// Saves the filter: afterwards the path holds all of it, or what it held before. `ERR_IO` with the operating system's reason and
        /// number; `ERR_UNSUPPORTED` where a server's seed is to be withheld.
        pub fn save(&self, path: impl AsRef<Path>, withhold_seed: bool) -> Result<()> {
            if withhold_seed && self.series.scheme != Scheme::Tepal {
                return Err(Error::unsupported("withholding the seed of a server's scheme"));
            }
            disk::save(path.as_ref(), |file| {
                self.write_parts(withhold_seed, |part| file.write_all(part).map_err(Failed)).map_err(|Failed(e)| e)
            })
        }

        /// The filter in a file, verified. It must exist: nothing is created. `seed` is for files that withhold theirs. Errors: `ERR_IO`, and as
        /// [`ScalableBloomFilter::from_bytes`].
        pub fn load(path: impl AsRef<Path>, seed: Option<u64>) -> Result<Self> {
            let (mut file, length) = disk::open(path.as_ref())?;
            Self::read_from(&mut file, seed, length)
        }

        /// A filter from a reader: what [`ScalableBloomFilter::from_bytes`] does, without a second copy of the body. `available` is how many bytes the
        /// reader is known to hold; without it, what follows the filter is left unread, and memory grows with what really comes.
        pub fn read_from(reader: &mut (impl Read + ?Sized), seed: Option<u64>, available: Option<u64>) -> Result<Self> {
            let mut start = [0; format::MIN_HEADER];
            let got = read_up_to(reader, &mut start)?;
            let offset = format::header_len(&start[..got])?;
            let mut head = start.to_vec();
            fill(reader, &mut head, offset as u64, "header", offset as u64, &mut Sum::new())?;
            let header = format::decode_scalable(&head, seed)?;
            let need = format::total_len(header.lines, &header.metadata);
            if let Some(there) = available {
                format::all_there(there, need)?;
            }
            let mut sum = Sum::new();
            let mut table = Vec::new();
            fill(reader, &mut table, RECORD as u64, "filter", need, &mut sum)?;
            let count = level_count(&table, header.lines)?;
            fill(reader, &mut table, (RECORD * (count + 1)) as u64, "filter", need, &mut sum)?;
            let (series, entries) = decode_table(&table, &header)?;
            let mut levels = try_vec(entries.len())?;
            for Entry { next, items } in entries {
                let owned = read_lines(reader, next.plan.lines(), available.is_some(), need, &mut sum)?;
                levels.push(Level::with_body(next, items, Storage::Owned(owned)));
            }
            let mut trailer = Vec::new();
            fill(reader, &mut trailer, TRAILER as u64, "filter", need, &mut Sum::new())?;
            format::check_body(sum.finish(), &trailer)?;
            levels.iter().try_for_each(|level| check_padding(&level.plan, level.lines()))?;
            Self::assemble(series, header.fpr, header.metadata, levels, None)
        }
    }

    /// Reads until `bytes` has `len`, growing with what comes.
    fn fill(
        reader: &mut (impl Read + ?Sized),
        bytes: &mut Vec<u8>,
        len: u64,
        what: &'static str,
        need: u64,
        sum: &mut Sum,
    ) -> Result<()> {
        while (bytes.len() as u64) < len {
            let from = bytes.len();
            let wanted = (len - from as u64).min(1 << 16) as usize;
            bytes.try_reserve(wanted).map_err(|_| Error::out_of_memory(len))?;
            bytes.resize(from + wanted, 0);
            let got = read_up_to(reader, &mut bytes[from..])?;
            sum.update(&bytes[from..from + got]);
            if got < wanted {
                return Err(Error::truncated(what, need, (from + got) as u64));
            }
        }
        Ok(())
    }

    /// The lines of one level: all at once where the bytes are known to be there, else doubled while they keep coming.
    fn read_lines(
        reader: &mut (impl Read + ?Sized),
        lines: u64,
        known: bool,
        need: u64,
        sum: &mut Sum,
    ) -> Result<Owned> {
        let mut held = if known { lines } else { lines.min(16_384) };
        let mut owned = Owned::zeroed(held)?;
        let mut filled = 0usize;
        loop {
            let target = held as usize * 64;
            while filled < target {
                let block = &mut owned.bytes_mut()[filled..target.min(filled + BLOCK * 64)];
                let wanted = block.len();
                let got = read_up_to(reader, block)?;
                sum.update(&block[..got]);
                filled += got;
                if got < wanted {
                    return Err(Error::truncated("filter", need, filled as u64));
                }
            }
            if held == lines {
                return Ok(owned);
            }
            held = lines.min(held * 2);
            let mut larger = Owned::zeroed(held)?;
            larger.bytes_mut()[..filled].copy_from_slice(owned.bytes_mut());
            owned = larger;
        }
    }
}
