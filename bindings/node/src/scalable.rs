//! The operations that only `ScalableBloomFilter` has.
use tepal::{arg, Metadata, ScalableBloomFilter, ScalableOptions, Scheme, Seed, DEFAULT_FPR};

use napi::sys::{self, ValueType};

use crate::call::{bytes, f64, loose, ok, type_of, Fail, Outcome};
use crate::common::put;

type Call<'a> = crate::call::Call<'a, ScalableBloomFilter>;

/// Scheme; what was given of capacity, fpr, expansion, tightening, maxBytes, seed and validateScaleTo (`undefined`: the scheme's
/// default, `null`: none); flat metadata.
pub fn create(call: &Call) -> Outcome<f64> {
    let env = call.env;
    let scheme = Scheme::from_name(&call.string(0)?)?;
    let mut options = ScalableOptions::of(scheme);
    let (mut capacity, mut fpr) = (tepal::default_capacity(scheme), DEFAULT_FPR);
    for (i, value) in call.array(1)?.into_iter().enumerate() {
        let kind = type_of(env, value);
        if kind == ValueType::napi_undefined {
            continue;
        }
        let none = kind == ValueType::napi_null;
        match i {
            0 => {
                let float = |x| arg::scalable_capacity_f64(x, scheme);
                capacity = loose(env, value, float, |n| arg::scalable_capacity_i128(n, scheme))?;
            }
            1 => fpr = f64(env, value)?,
            2 if none => options.expansion = None,
            2 => options.expansion = Some(loose(env, value, arg::expansion_f64, arg::expansion_i128)? as u32),
            3 if none => options.tightening = None,
            3 => options.tightening = Some(f64(env, value)?),
            4 if none => options.max_bytes = None,
            4 => options.max_bytes = Some(loose(env, value, arg::max_bytes_f64, arg::max_bytes_i128)?),
            5 if kind == ValueType::napi_object => options.seed = arg::seed_bytes(bytes(env, value)?)?,
            5 => options.seed = Seed::from_u64(loose(env, value, arg::seed_f64, arg::seed_i128)?),
            6 => options.validate_scale_to = Some(loose(env, value, arg::scale_to_f64, arg::scale_to_i128)?),
            _ => return Err(Fail::Seam("too many options")),
        }
    }
    let mut flat = call.strings(2)?.into_iter();
    options.metadata = Metadata::from_pairs(std::iter::from_fn(|| flat.next().zip(flat.next())).collect::<Vec<_>>())?;
    put(call, ScalableBloomFilter::with_options(capacity, fpr, options)?)
}

pub fn fact(call: &Call) -> Outcome<f64> {
    let filter = &call.instance.filter(call.index(0)?)?.filter;
    Ok(match call.index(1)? {
        0 => filter.capacity() as f64,
        1 => filter.fpr(),
        3 => filter.num_bits() as f64,
        5 => filter.byte_len() as f64,
        6 => filter.is_read_only() as u8 as f64,
        7 => filter.fill_ratio(),
        8 => filter.estimated_count() as f64,
        9 => filter.estimated_fpr(),
        10 => filter.saturation(),
        11 => filter.initial_capacity() as f64,
        12 => filter.expansion().unwrap_or(0).into(),
        13 => filter.tightening().unwrap_or(0.0),
        14 => filter.max_bytes().unwrap_or(0) as f64,
        15 => filter.filter_count() as f64,
        16 => filter.inserted_count() as f64,
        17 => filter.size() as f64,
        18 => filter.max_scaled_capacity() as f64,
        _ => return Err(Fail::Seam("unknown fact")),
    })
}

pub fn seed(call: &Call) -> Outcome<Vec<u8>> {
    call.instance.with(call.index(0)?, |f| Ok(f.filter.seed().bytes().to_vec()))
}

pub fn scheme(call: &Call) -> Outcome<&'static str> {
    call.instance.with(call.index(0)?, |f| Ok(f.filter.scheme().name()))
}

pub fn levels(call: &Call) -> Outcome<Vec<u8>> {
    Ok(call.instance.filter(call.index(0)?)?.filter.levels().iter().flat_map(|level| level.to_bytes()).collect())
}

pub fn validate_scale_to(call: &Call) -> Outcome<()> {
    let keys = call.loose(1, arg::scale_to_f64, arg::scale_to_i128)?;
    Ok(call.instance.filter(call.index(0)?)?.filter.validate_scale_to(keys)?)
}

pub fn metrics(_: &Call) -> Outcome<Vec<u8>> {
    Ok(tepal::metrics().to_bytes().to_vec())
}

/// The filter in another's format, one piece after the other as `imported` takes them.
pub fn exported(call: &Call) -> Outcome<sys::napi_value> {
    let shared = call.instance.filter(call.index(0)?)?;
    let filter = &shared.filter;
    let chunks = match call.string(1)?.as_str() {
        "redisbloom" => filter.to_redisbloom()?,
        "valkey-load" => vec![(0, filter.to_valkey_load()?)],
        "valkey-dump" => vec![(0, filter.to_valkey_dump()?)],
        _ => return Err(Fail::Seam("unknown format")),
    };
    let env = call.env;
    let mut array = std::ptr::null_mut();
    // SAFETY: values of this environment.
    ok(unsafe { sys::napi_create_array(env, &mut array) }, "no array")?;
    for (i, (iterator, chunk)) in chunks.into_iter().enumerate() {
        let place = call.instance.byte_array(env, chunk.len() as u64)?;
        let (data, len) = crate::call::typed_array::<u8>(env, place, sys::TypedarrayType::uint8_array)?;
        // SAFETY: the array was just made, with this length.
        unsafe { std::slice::from_raw_parts_mut(data, len) }.copy_from_slice(&chunk);
        for (at, value) in [(2 * i, crate::call::Answer::give(iterator as f64, env)?), (2 * i + 1, place)] {
            // SAFETY: values of this environment.
            ok(unsafe { sys::napi_set_element(env, array, at as u32, value) }, "no element")?;
        }
    }
    Ok(array)
}

/// A filter from another's format: its name, iterators, chunks.
pub fn imported(call: &Call) -> Outcome<f64> {
    let iterators = call.array(1)?.into_iter().map(|value| f64(call.env, value).map(|n| n as i64));
    let iterators: Vec<i64> = iterators.collect::<Outcome<_>>()?;
    let chunks = call.array(2)?.into_iter().map(|value| bytes(call.env, value));
    let chunks: Vec<&[u8]> = chunks.collect::<Outcome<_>>()?;
    let first = chunks.first().copied().unwrap_or_default();
    let filter = match call.string(0)?.as_str() {
        "redisbloom" => ScalableBloomFilter::from_redisbloom(&iterators.into_iter().zip(chunks).collect::<Vec<_>>())?,
        "valkey" => ScalableBloomFilter::from_valkey(first)?,
        "guava" => ScalableBloomFilter::from_guava(first)?,
        "spark" => ScalableBloomFilter::from_spark(first)?,
        _ => return Err(Fail::Seam("unknown format")),
    };
    put(call, filter)
}
