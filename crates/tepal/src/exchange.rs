//! `ScalableBloomFilter` in the formats of others: RedisBloom and valkey-bloom both ways, Guava and Spark to be read.
//!
//! A filter goes out only in the format of the scheme that it was made with: its bits mean nothing under another hash.
use crate::bits::{try_vec, Owned, Storage};
use crate::error::{Error, Got, Result};
use crate::interop::{guava, redisbloom, spark, valkey, BitArray};
use crate::layout::Double;
use crate::level::Level;
use crate::metadata::Metadata;
use crate::scalable::{ScalableBloomFilter, ScalableOptions};
use crate::scheme::{redisbloom_size, Scheme, Seed};
use crate::series::{memory_size, Next, Plan, Series};
use crate::stream::each_block;
use alloc::vec::Vec;
use core::f64::consts::LN_2;

/// What a level is, without its bits.
struct About {
    index: u32,
    capacity: u64,
    fpr: f64,
    probes: u32,
    items: u64,
}

impl About {
    /// The level whose bits come as pieces of bytes.
    fn level(&self, scheme: Scheme, pieces: &[&[u8]]) -> Result<Level> {
        let len: usize = pieces.iter().map(|piece| piece.len()).sum();
        let plan = Plan::Double(Double::new(scheme, len as u64 * 8, self.probes));
        let mut owned = Owned::zeroed(plan.lines())?;
        let mut rest = &mut owned.bytes_mut()[..len];
        for piece in pieces {
            let (here, after) = rest.split_at_mut(piece.len());
            here.copy_from_slice(piece);
            rest = after;
        }
        let next = Next { index: self.index, capacity: self.capacity, fpr: self.fpr, plan };
        Ok(Level::with_body(next, self.items, Storage::Owned(owned)))
    }
}

/// The bytes of a level's bits.
fn bytes_of(level: &Level) -> Result<Vec<u8>> {
    let len = level.plan.bytes() as usize;
    let mut bytes = try_vec(level.plan.lines() as usize * 64)?;
    each_block(level.lines(), |block| {
        bytes.extend_from_slice(block);
        Ok::<(), Error>(())
    })?;
    bytes.truncate(len);
    Ok(bytes)
}

impl ScalableBloomFilter {
    /// The levels, if the filter is of this scheme and could have grown to them by itself.
    fn exported(&self, scheme: Scheme, full: bool) -> Result<Vec<&Level>> {
        if self.scheme() != scheme {
            let what = match scheme {
                Scheme::Valkey => "writing a filter as valkey-bloom's that was not made with scheme valkey",
                _ => "writing a filter as RedisBloom's that was not made with scheme redisbloom",
            };
            return Err(Error::unsupported(what));
        }
        let levels = self.snapshot();
        let inner = levels.len() - 1;
        let regular = levels.iter().zip(0..).all(|(level, i)| level.index == i);
        if !regular || full && levels[..inner].iter().any(|level| level.items() != level.capacity) {
            return Err(Error::unsupported("writing a union whose levels stand side by side in a server's format"));
        }
        Ok(levels)
    }

    /// The filter for BF.LOADCHUNK of RedisBloom: the header and chunks of at most 16 MiB, each with its iterator. Send all of them, in order, or none.
    /// `ERR_UNSUPPORTED` unless it was made with scheme `redisbloom`. Cost: a copy of the bits.
    pub fn to_redisbloom(&self) -> Result<Vec<(i64, Vec<u8>)>> {
        let levels = self.exported(Scheme::RedisBloom, false)?;
        let mut bits = try_vec(levels.len())?;
        for level in &levels {
            bits.push(bytes_of(level)?);
        }
        let links = levels.iter().zip(&bits).map(|(level, data)| {
            let (size, entries, error) = (level.items(), level.capacity, level.fpr);
            let bpe = redisbloom_size(entries, error).map_or(0.0, |(.., bpe)| bpe);
            let (bits, hashes) = (level.plan.num_bits(), level.plan.probes());
            redisbloom::RedisBloomFilter {
                bits,
                size,
                error,
                bpe,
                hashes,
                entries,
                n2: 0,
                data: [data.as_slice()].into(),
            }
        });
        let scaling = self.expansion();
        let options = redisbloom::FORCE64 | redisbloom::NO_ROUND;
        redisbloom::encode(&redisbloom::RedisBloom {
            options: if scaling.is_some() { options } else { options | redisbloom::NO_SCALING },
            growth: scaling.unwrap_or(2), // what a server stores for a filter that does not grow
            filters: links.collect(),
        })
    }

    /// A filter of scheme `redisbloom` from what BF.SCANDUMP gave: the header and all chunks, in order, each with its iterator.
    /// Errors: `ERR_FOREIGN` with the field that is wrong, `ERR_TRUNCATED`, `ERR_TRAILING`, `ERR_OUT_OF_MEMORY`.
    pub fn from_redisbloom(chunks: &[(i64, &[u8])]) -> Result<Self> {
        let foreign = redisbloom::decode(chunks)?;
        let scales = foreign.options & redisbloom::NO_SCALING == 0;
        let first = &foreign.filters[0];
        let fpr = if scales { first.error * 2.0 } else { first.error };
        if fpr >= 1.0 {
            return Err(Error::data(
                "ERR_FOREIGN",
                "error",
                "a rate below 0.5 in a filter that grows",
                Got::Float(first.error),
            ));
        }
        let series = Series {
            scheme: Scheme::RedisBloom,
            seed: Seed::default(),
            capacity: first.entries,
            fpr,
            expansion: if scales { foreign.growth } else { 0 },
            tightening: 0.5,
            max_bytes: 0,
            seed_is_random: false,
        };
        let mut levels = try_vec(foreign.filters.len())?;
        for (index, f) in (0..).zip(&foreign.filters) {
            let about = About { index, capacity: f.entries, fpr: f.error, probes: f.hashes, items: f.size };
            levels.push(about.level(series.scheme, &f.data)?);
        }
        Self::assemble(series, fpr, Metadata::default(), levels, None)
    }

    fn as_valkey(&self, full: bool) -> Result<valkey::Valkey<'static>> {
        let levels = self.exported(Scheme::Valkey, full)?;
        let mut filters = try_vec(levels.len())?;
        for level in levels {
            let (capacity, items, probes) = (level.capacity, level.items(), level.plan.probes());
            filters.push(valkey::ValkeyFilter { capacity, items, probes, bits: bytes_of(level)?.into() });
        }
        let series = self.series();
        Ok(valkey::Valkey {
            expansion: series.expansion,
            fpr: series.fpr,
            tightening: series.tightening,
            seed_is_random: series.seed_is_random || series.seed != Seed::VALKEY_FIXED,
            seed: series.seed,
            filters,
        })
    }

    /// The filter as a payload of BF.LOAD of valkey-bloom. (To push one to a server take [`ScalableBloomFilter::to_valkey_dump`] and RESTORE: a server
    /// replicates a client's BF.LOAD as an insertion.) `ERR_UNSUPPORTED` unless it was made with scheme `valkey`. Cost: a copy of the bits.
    pub fn to_valkey_load(&self) -> Result<Vec<u8>> {
        valkey::encode_load(&self.as_valkey(false)?)
    }

    /// The filter as a payload of RESTORE for a Valkey with valkey-bloom. `ERR_UNSUPPORTED` unless it was made with scheme `valkey`. Cost: a copy of the bits.
    pub fn to_valkey_dump(&self) -> Result<Vec<u8>> {
        valkey::encode_dump(&self.as_valkey(true)?)
    }

    /// A filter of scheme `valkey` from a payload of BF.LOAD or of DUMP. The payload does not tell a memory limit: it is the 128 MiB of
    /// valkey-bloom, or none for a filter that is already larger. Errors as [`ScalableBloomFilter::from_redisbloom`], and `ERR_CHECKSUM`.
    pub fn from_valkey(bytes: &[u8]) -> Result<Self> {
        let dump = valkey::is_dump(bytes);
        let foreign = if dump { valkey::decode_dump(bytes)? } else { valkey::decode_load(bytes)? };
        let bits = foreign.filters.iter().fold(0u64, |sum, f| sum.saturating_add(f.bits.len() as u64));
        let limit = ScalableOptions::of(Scheme::Valkey).max_bytes.unwrap_or(0);
        let mut series = Series {
            scheme: Scheme::Valkey,
            seed: foreign.seed,
            capacity: foreign.filters[0].capacity,
            fpr: foreign.fpr,
            expansion: foreign.expansion,
            tightening: foreign.tightening,
            max_bytes: if memory_size(foreign.filters.len() as u64, bits) <= limit { limit } else { 0 },
            seed_is_random: foreign.seed_is_random,
        };
        let mut levels = try_vec(foreign.filters.len())?;
        for (index, f) in (0..).zip(&foreign.filters) {
            let fpr = series.rate(index)?;
            let about = About { index, capacity: f.capacity, fpr, probes: f.probes, items: f.items };
            levels.push(about.level(series.scheme, &[&f.bits])?);
        }
        series.seed_is_random &= series.seed != Seed::VALKEY_FIXED;
        Self::assemble(series, foreign.fpr, Metadata::default(), levels, None)
    }

    /// A read-only filter of scheme `guava` from what Guava's `BloomFilter.writeTo` wrote. Guava's bytes do not tell how a key became bytes: text
    /// here is `Funnels.stringFunnel(UTF_8)`, an integer `longFunnel`, bytes `byteArrayFunnel`. Capacity and rate, which they do not tell
    /// either, are those for which so many probes are the best. Errors as [`ScalableBloomFilter::from_redisbloom`].
    pub fn from_guava(bytes: &[u8]) -> Result<Self> {
        Self::from_bits(guava::decode(bytes)?)
    }

    /// A read-only filter of scheme `spark-v1` or `spark-v2` from what Spark's `BloomFilter.writeTo` wrote: text is `putString`, an integer `putLong`,
    /// bytes `putBinary`. Otherwise as [`ScalableBloomFilter::from_guava`].
    pub fn from_spark(bytes: &[u8]) -> Result<Self> {
        Self::from_bits(spark::decode(bytes)?)
    }

    fn from_bits(array: BitArray) -> Result<Self> {
        let bits = array.bytes.len() as f64 * 8.0;
        let capacity = ((bits * LN_2 / array.probes as f64) as u64).max(1);
        let fpr = crate::math::powi(0.5, array.probes as u64).max(f64::MIN_POSITIVE);
        let series = Series {
            scheme: array.scheme,
            seed: array.seed,
            capacity,
            fpr,
            expansion: 0,
            tightening: 0.5,
            max_bytes: 0,
            seed_is_random: false,
        };
        let mut about = About { index: 0, capacity, fpr, probes: array.probes, items: 0 };
        about.items = about.level(series.scheme, &[&array.bytes])?.estimated_count().min(capacity);
        let only = about.level(series.scheme, &[&array.bytes])?;
        Self::assemble(series, fpr, Metadata::default(), [only], None)
    }
}
