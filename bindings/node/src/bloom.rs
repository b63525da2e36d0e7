//! The operations that only `BloomFilter` has.
use std::sync::Arc;

use tepal::{arg, BloomFilter, Error, LayoutChoice, Metadata, Options, Storage};

use crate::call::{f64, Fail, Outcome};
use crate::common::{put as put_filter, two};
use crate::instance::Entry;
use crate::share::Shared;

type Filter = BloomFilter<Storage>;
type Call<'a> = crate::call::Call<'a, Filter>;

fn put(call: &Call, filter: BloomFilter) -> Outcome<f64> {
    put_filter(call, filter.into_storage())
}

/// Options from a layout name and flat metadata, at these arguments.
fn options(call: &Call, seed: u64, layout: usize, metadata: usize) -> Outcome<Options> {
    let mut flat = call.strings(metadata)?.into_iter();
    let pairs: Vec<_> = std::iter::from_fn(|| flat.next().zip(flat.next())).collect();
    Ok(Options {
        seed,
        layout: LayoutChoice::from_name(&call.string(layout)?)?,
        metadata: Metadata::from_pairs(pairs)?,
    })
}

pub fn create(call: &Call) -> Outcome<f64> {
    let capacity = call.loose(0, arg::capacity_f64, arg::capacity_i128)?;
    let fpr = arg::fpr(call.f64(1)?)?;
    let options = options(call, call.seed(2)?, 3, 4)?;
    put(call, BloomFilter::with_options(capacity, fpr, options)?)
}

pub fn explain(call: &Call) -> Outcome<Vec<u8>> {
    let arena = call.instance.arena();
    let key = arena.key(call.index(1)?)?;
    call.instance.with(call.index(0)?, |f| Ok(f.filter.explain_hash(f.filter.hash_bytes(key)).to_bytes()))
}

pub fn builder_new(call: &Call) -> Outcome<f64> {
    call.instance.put(call.env, Entry::Builder(call.seed(0)?, Vec::new()))
}

pub fn builder_finish(call: &Call) -> Outcome<f64> {
    let Entry::Builder(seed, hashes) = call.instance.take(call.env, call.index(0)?) else {
        return Err(Error::freed().into());
    };
    let fpr = arg::fpr(call.f64(1)?)?;
    put(call, BloomFilter::build_hashes(hashes, fpr, options(call, seed, 2, 3)?)?)
}

pub fn fact(call: &Call) -> Outcome<f64> {
    let filter = &call.instance.filter(call.index(0)?)?.filter;
    Ok(match call.index(1)? {
        0 => filter.capacity() as f64,
        1 => filter.fpr(),
        2 => filter.num_probes() as f64,
        3 => filter.num_bits() as f64,
        4 => filter.num_lines() as f64,
        5 => filter.byte_len() as f64,
        6 => filter.is_read_only() as u8 as f64,
        7 => filter.fill_ratio(),
        8 => filter.estimated_count() as f64,
        9 => filter.estimated_fpr(),
        10 => filter.saturation(),
        _ => return Err(Fail::Seam("unknown fact")),
    })
}

pub fn seed(call: &Call) -> Outcome<u64> {
    call.instance.with(call.index(0)?, |f| Ok(f.filter.seed()))
}

pub fn layout(call: &Call) -> Outcome<&'static str> {
    call.instance.with(call.index(0)?, |f| Ok(f.filter.layout().name()))
}

pub fn intersection(call: &Call) -> Outcome<f64> {
    let [a, b] = two(call)?;
    put(call, a.filter.intersection(&b.filter)?)
}

pub fn union_all(call: &Call) -> Outcome<f64> {
    let filters: Vec<Arc<Shared<Filter>>> = call
        .array(0)?
        .into_iter()
        .map(|handle| call.instance.filter(f64(call.env, handle)? as u64))
        .collect::<Outcome<_>>()?;
    put(call, tepal::union_all(filters.iter().map(|shared| &shared.filter))?)
}

pub fn intersect_with(call: &Call) -> Outcome<()> {
    let [a, b] = two(call)?;
    Ok(a.filter.intersect_with(&b.filter)?)
}

pub fn fold(call: &Call) -> Outcome<f64> {
    let factor = call.loose(1, arg::factor_f64, arg::factor_i128)?;
    put(call, call.instance.filter(call.index(0)?)?.filter.fold(factor)?)
}

pub fn shrink_to(call: &Call) -> Outcome<f64> {
    let capacity = call.loose(1, arg::capacity_f64, arg::capacity_i128)?;
    put(call, call.instance.filter(call.index(0)?)?.filter.shrink_to(capacity)?)
}
