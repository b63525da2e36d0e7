//! `ScalableBloomFilter`: its type, and what only it has.
use crate::arena::{give, take_loose, take_seed, texts, Loose};
use crate::fail::done;
use crate::filter::{at, keep};
use tepal::{
    arg, default_capacity, KeyHash, Metadata, Result, ScalableBloomFilter, ScalableOptions, Scheme, Seed, DEFAULT_FPR,
};

/// What a pointer points at.
pub type Filter = ScalableBloomFilter;

/// Fails where the filter cannot grow.
#[inline(always)]
pub fn insert(filter: &Filter, key: &[u8]) -> Result<bool> {
    filter.insert(key)
}

/// Fails for the schemes of servers.
pub fn key_hash(filter: &Filter, key: &[u8]) -> Result<KeyHash> {
    filter.key_hash(key)
}

/// Fails for a filter that can only be asked.
pub fn clear(filter: &Filter) -> Result<()> {
    filter.clear()
}

/// A number as a double; what is no number is NaN, which no door lets in.
fn float(value: Loose) -> f64 {
    match value {
        Loose::Float(value) => value,
        Loose::Integer(value) => value as f64,
        _ => f64::NAN,
    }
}

/// A capacity: a bigint may name the larger ones of servers' schemes.
fn capacity(value: Loose, scheme: Scheme) -> Result<u64> {
    match value {
        Loose::Integer(value) => arg::scalable_capacity_i128(value, scheme),
        value => arg::scalable_capacity_f64(float(value), scheme),
    }
}

fn made(count: usize) -> Result<Filter> {
    let mut texts = texts(count);
    let given = [0, 1, 2, 3, 4, 5, 6].map(take_loose);
    let seed = take_seed();
    let scheme = Scheme::from_name(texts.next().unwrap_or_default())?;
    let mut options = ScalableOptions::of(scheme);
    let (mut keys, mut fpr) = (default_capacity(scheme), DEFAULT_FPR);
    let whole = |value: Loose, float: fn(f64) -> Result<u64>, integer: fn(i128) -> Result<u64>| match value {
        Loose::None => Ok(None),
        value => value.check(float, integer).map(Some),
    };
    for (i, value) in given.into_iter().enumerate().filter(|(_, value)| !matches!(value, Loose::Absent)) {
        match i {
            0 => keys = capacity(value, scheme)?,
            1 => options.seed = Seed::from_u64(value.check(arg::seed_f64, arg::seed_i128)?),
            2 => fpr = float(value),
            3 => options.expansion = whole(value, arg::expansion_f64, arg::expansion_i128)?.map(|n| n as u32),
            4 => options.tightening = if let Loose::None = value { None } else { Some(float(value)) },
            5 => options.max_bytes = whole(value, arg::max_bytes_f64, arg::max_bytes_i128)?,
            _ => options.validate_scale_to = whole(value, arg::scale_to_f64, arg::scale_to_i128)?,
        }
    }
    if let Some(bytes) = seed {
        options.seed = arg::seed_bytes(&bytes)?;
    }
    options.metadata = Metadata::from_pairs(core::iter::from_fn(|| Some((texts.next()?, texts.next()?))))?;
    ScalableBloomFilter::with_options(keys, fpr, options)
}

/// A new filter: scheme and metadata in the arena; capacity, seed, fpr, expansion, tightening, max_bytes and validate_scale_to in slots 0 to 6.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn create(count: usize) -> usize {
    keep(made(count))
}

/// A number. 7 to 10 read all levels.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn fact(filter: usize, which: u32) -> f64 {
    let filter = at(filter);
    match which {
        0 => filter.capacity() as f64,
        1 => filter.fpr(),
        3 => filter.num_bits() as f64,
        5 => filter.byte_len() as f64,
        6 => f64::from(u8::from(filter.is_read_only())),
        7 => filter.fill_ratio(),
        8 => filter.estimated_count() as f64,
        9 => filter.estimated_fpr(),
        10 => filter.saturation(),
        11 => filter.initial_capacity() as f64,
        12 => f64::from(filter.expansion().unwrap_or(0)),
        13 => filter.tightening().unwrap_or(0.0),
        14 => filter.max_bytes().unwrap_or(0) as f64,
        15 => filter.filter_count() as f64,
        16 => filter.inserted_count() as f64,
        17 => filter.size() as f64,
        18 => filter.max_scaled_capacity() as f64,
        _ => 0.0,
    }
}

/// The seed: 32 bytes.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn seed(filter: usize) {
    give(at(filter).seed().bytes().to_vec());
}

/// The scheme's name.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn scheme(filter: usize) {
    give(at(filter).scheme().name().as_bytes().to_vec());
}

/// Each level's facts, as the core packs them.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn levels(filter: usize) {
    give(at(filter).levels().iter().flat_map(|level| level.to_bytes()).collect());
}

/// Whether the number of keys in slot 0 can be reached.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn validate_scale_to(filter: usize) -> u32 {
    let keys = take_loose(0).check(arg::scale_to_f64, arg::scale_to_i128);
    done(keys.and_then(|keys| at(filter).validate_scale_to(keys)))
}

/// Totals over all filters here: five doubles.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn metrics() {
    give(tepal::metrics().to_bytes().to_vec());
}
