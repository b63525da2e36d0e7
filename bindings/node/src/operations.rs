//! All operations but the hot ones, and the table of all names. One expression each, in the order of `backend.ts`.
use std::io::Read;
use std::sync::Arc;

use napi::sys;
use tepal::{arg, BloomFilter, Error, LayoutChoice, Metadata, Options, Storage};

use crate::call::{bytes, enter, ok, Answer, Call, Callback, Fail, Outcome, ARGUMENTS};
use crate::instance::{Entry, Instance};
use crate::share::{self, Shared};
use crate::{keys, tasks};

macro_rules! table {
    ($($name:literal $operation:path $(, $takes:literal)?;)*) => {
        /// Each operation of `NativeOperations` with its callback.
        const OPERATIONS: &[(&std::ffi::CStr, Callback)] = &[$((
            $name,
            {
                unsafe extern "C" fn callback(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
                    // SAFETY: called by Node, and `open` gave the function an instance.
                    unsafe { enter([$($takes,)? ARGUMENTS][0], env, info, $operation) }
                }
                callback
            },
        )),*];
    };
}
table! {
    c"init" init;
    c"version" version;
    c"notice" notice;
    c"create" create;
    c"fromBytes" from_bytes;
    c"clone" clone;
    c"free" free;
    c"add" keys::add;
    c"has" keys::has;
    c"addNow" keys::add_now, 0;
    c"hasNow" keys::has_now, 0;
    c"keyHash" keys::key_hash;
    c"addHash" keys::add_hash;
    c"hasHash" keys::has_hash;
    c"explain" explain;
    c"addMany" keys::add_many;
    c"hasMany" keys::has_many;
    c"addInts" keys::add_integers;
    c"hasInts" keys::has_integers;
    c"compound" keys::compound;
    c"builderNew" builder_new;
    c"builderPush" keys::push_parts;
    c"builderPushInts" keys::push_integers;
    c"builderFinish" builder_finish;
    c"builderFree" free;
    c"fact" fact;
    c"seed" seed;
    c"layout" layout;
    c"metadata" metadata;
    c"clear" clear;
    c"union" union;
    c"intersection" intersection;
    c"unionAll" union_all;
    c"unionWith" union_with;
    c"intersectWith" intersect_with;
    c"equals" equals;
    c"fold" fold;
    c"shrinkTo" shrink_to;
    c"toBytes" to_bytes;
    c"verify" verify;
    c"share" share;
    c"attach" attach;
    c"loadFile" tasks::load_file;
    c"saveFile" tasks::save_file;
}

/// Gives `exports` the function `open`.
pub fn export_open(env: sys::napi_env, exports: sys::napi_value) -> napi::Result<()> {
    set_function(env, exports, c"open", open, std::ptr::null_mut())
        .map_err(|_| napi::Error::from_reason("tepal: cannot export open"))
}

/// A fresh `NativeOperations`, with its own handles: several copies of the package in one thread do not meet.
unsafe extern "C" fn open(env: sys::napi_env, _: sys::napi_callback_info) -> sys::napi_value {
    let mut object = std::ptr::null_mut();
    // SAFETY: called by Node.
    unsafe { sys::napi_create_object(env, &mut object) };
    let filled = Instance::open(env).and_then(|instance| {
        let data = std::rc::Rc::as_ptr(&instance).cast_mut().cast();
        OPERATIONS.iter().try_for_each(|(name, callback)| set_function(env, object, name, *callback, data))
    });
    filled.map_or(std::ptr::null_mut(), |()| object)
}

fn set_function(
    env: sys::napi_env,
    object: sys::napi_value,
    name: &std::ffi::CStr,
    callback: Callback,
    data: *mut std::ffi::c_void,
) -> Outcome<()> {
    let mut function = std::ptr::null_mut();
    let len = name.count_bytes() as isize;
    // SAFETY: a C string and values of this environment; `data` outlives the environment's last call.
    unsafe {
        ok(sys::napi_create_function(env, name.as_ptr(), len, Some(callback), data, &mut function), "no function")?;
        ok(sys::napi_set_named_property(env, object, name.as_ptr(), function), "no property")
    }
}

fn init(call: &Call) -> Outcome<()> {
    call.instance.init(call)
}

fn version(_: &Call) -> Outcome<&'static str> {
    Ok(env!("CARGO_PKG_VERSION"))
}

/// The core wants names that live for ever; the face's are a few constants, and each is kept once.
fn constant(name: String) -> &'static str {
    static KNOWN: std::sync::Mutex<Vec<&'static str>> = std::sync::Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(same) = known.iter().find(|k| **k == name) {
        return same;
    }
    known.push(name.leak());
    known[known.len() - 1]
}

fn notice(call: &Call) -> Outcome<sys::napi_value> {
    let [kind, a, b, c] = [call.string(0)?, call.string(1)?, call.string(2)?, call.string(3)?];
    let error = match kind.as_str() {
        "key_type" => Error::key_type(&a),
        "key_range" => Error::key_range(),
        "key_unsafe_integer" => Error::key_unsafe_integer(),
        "key_fraction" => Error::key_fraction(),
        "key_surrogate" => Error::key_surrogate(),
        "argument_type" => Error::argument_type(constant(a), constant(b), &c),
        "single_key" => Error::single_key(&a),
        "read_only" => Error::read_only(),
        "freed" => Error::freed(),
        "unsupported" => Error::unsupported(constant(a)),
        "io" => Error::io(constant(a), &b),
        _ => return Err(Fail::Seam("unknown notice")),
    };
    call.instance.exception(call.env, &error)
}

// ---- making and ending

fn put(call: &Call, filter: impl Into<Shared>) -> Outcome<f64> {
    call.instance.put(call.env, Entry::Filter(Arc::new(filter.into())))
}

impl From<BloomFilter> for Shared {
    fn from(filter: BloomFilter) -> Self {
        filter.into_storage().into()
    }
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

fn create(call: &Call) -> Outcome<f64> {
    let capacity = call.loose(0, arg::capacity_f64, arg::capacity_i128)?;
    let fpr = arg::fpr(call.f64(1)?)?;
    let options = options(call, call.seed(2)?, 3, 4)?;
    put(call, BloomFilter::with_options(capacity, fpr, options)?)
}

/// Chunks one after the other, as one reader.
struct Chunks<'a>(Vec<&'a [u8]>, usize);

impl Read for Chunks<'_> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        while let Some(chunk) = self.0.get_mut(self.1) {
            match chunk.read(to)? {
                0 => self.1 += 1,
                n => return Ok(n),
            }
        }
        Ok(0)
    }
}

fn from_bytes(call: &Call) -> Outcome<f64> {
    let chunks: Vec<&[u8]> = call.array(0)?.into_iter().map(|chunk| bytes(call.env, chunk)).collect::<Outcome<_>>()?;
    let available = chunks.iter().map(|chunk| chunk.len() as u64).sum();
    put(call, BloomFilter::read_from(&mut Chunks(chunks, 0), call.optional_seed(1)?, Some(available))?)
}

fn clone(call: &Call) -> Outcome<f64> {
    put(call, call.instance.filter(call.index(0)?)?.filter.copy()?)
}

fn free(call: &Call) -> Outcome<()> {
    drop(call.instance.take(call.env, call.index(0)?));
    Ok(())
}

// ---- keys

impl Answer for Vec<u8> {
    fn give(self, env: sys::napi_env) -> Outcome<sys::napi_value> {
        let (mut data, mut buffer, mut array) = (std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: a new buffer of this length, filled before JavaScript sees it. Only for small answers: see `to_bytes`.
        unsafe {
            ok(sys::napi_create_arraybuffer(env, self.len(), &mut data, &mut buffer), "no buffer")?;
            if !self.is_empty() {
                std::ptr::copy_nonoverlapping(self.as_ptr(), data.cast(), self.len());
            }
            let kind = sys::TypedarrayType::uint8_array;
            ok(sys::napi_create_typedarray(env, kind, self.len(), buffer, 0, &mut array), "no array")?;
        }
        Ok(array)
    }
}

fn explain(call: &Call) -> Outcome<Vec<u8>> {
    let arena = call.instance.arena();
    let key = arena.key(call.index(1)?)?;
    call.instance.with(call.index(0)?, |f| Ok(f.filter.explain_hash(f.filter.hash_bytes(key)).to_bytes()))
}

fn builder_new(call: &Call) -> Outcome<f64> {
    call.instance.put(call.env, Entry::Builder(call.seed(0)?, Vec::new()))
}

fn builder_finish(call: &Call) -> Outcome<f64> {
    let Entry::Builder(seed, hashes) = call.instance.take(call.env, call.index(0)?) else {
        return Err(Error::freed().into());
    };
    let fpr = arg::fpr(call.f64(1)?)?;
    put(call, BloomFilter::build_hashes(hashes, fpr, options(call, seed, 2, 3)?)?)
}

// ---- facts

fn fact(call: &Call) -> Outcome<f64> {
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

fn seed(call: &Call) -> Outcome<u64> {
    call.instance.with(call.index(0)?, |f| Ok(f.filter.seed()))
}

fn layout(call: &Call) -> Outcome<&'static str> {
    call.instance.with(call.index(0)?, |f| Ok(f.filter.layout().name()))
}

fn metadata(call: &Call) -> Outcome<Vec<String>> {
    call.instance.with(call.index(0)?, |f| {
        Ok(f.filter.metadata().iter().flat_map(|(key, value)| [key.to_string(), value.to_string()]).collect())
    })
}

// ---- whole filters. Each holds the filters by itself, since making an answer may make JavaScript collect garbage.

fn clear(call: &Call) -> Outcome<()> {
    Ok(call.instance.filter(call.index(0)?)?.filter.clear()?)
}

fn two(call: &Call) -> Outcome<[Arc<Shared>; 2]> {
    Ok([call.instance.filter(call.index(0)?)?, call.instance.filter(call.index(1)?)?])
}

fn union(call: &Call) -> Outcome<f64> {
    let [a, b] = two(call)?;
    put(call, a.filter.union(&b.filter)?)
}

fn intersection(call: &Call) -> Outcome<f64> {
    let [a, b] = two(call)?;
    put(call, a.filter.intersection(&b.filter)?)
}

fn union_all(call: &Call) -> Outcome<f64> {
    let filters: Vec<Arc<Shared>> = call
        .array(0)?
        .into_iter()
        .map(|handle| {
            let mut value = 0.0;
            // SAFETY: a value of this call.
            ok(unsafe { sys::napi_get_value_double(call.env, handle, &mut value) }, "expected a number")?;
            call.instance.filter(value as u64)
        })
        .collect::<Outcome<_>>()?;
    put(call, tepal::union_all(filters.iter().map(|shared| &shared.filter))?)
}

fn union_with(call: &Call) -> Outcome<()> {
    let [a, b] = two(call)?;
    Ok(a.filter.union_with(&b.filter)?)
}

fn intersect_with(call: &Call) -> Outcome<()> {
    let [a, b] = two(call)?;
    Ok(a.filter.intersect_with(&b.filter)?)
}

fn equals(call: &Call) -> Outcome<bool> {
    let [a, b] = two(call)?;
    Ok(a.filter.same_filter(&b.filter))
}

fn fold(call: &Call) -> Outcome<f64> {
    let factor = call.loose(1, arg::factor_f64, arg::factor_i128)?;
    put(call, call.instance.filter(call.index(0)?)?.filter.fold(factor)?)
}

fn shrink_to(call: &Call) -> Outcome<f64> {
    let capacity = call.loose(1, arg::capacity_f64, arg::capacity_i128)?;
    put(call, call.instance.filter(call.index(0)?)?.filter.shrink_to(capacity)?)
}

/// Writes into memory of JavaScript's own, without a copy in between.
fn to_bytes(call: &Call) -> Outcome<sys::napi_value> {
    let shared = call.instance.filter(call.index(0)?)?;
    let filter: &BloomFilter<Storage> = &shared.filter;
    let array = call.instance.byte_array(call.env, filter.byte_len())?;
    let (data, len) = crate::call::typed_array::<u8>(call.env, array, sys::TypedarrayType::uint8_array)?;
    // SAFETY: the array was just made and JavaScript does not run before this call ends.
    let mut rest = unsafe { std::slice::from_raw_parts_mut(data, len) };
    filter.write_parts(call.bool(1)?, |part| {
        if part.len() > rest.len() {
            return Err(Fail::Seam("more bytes than promised"));
        }
        let (to, after) = std::mem::take(&mut rest).split_at_mut(part.len());
        to.copy_from_slice(part);
        rest = after;
        Ok(())
    })?;
    Ok(array)
}

fn verify(call: &Call) -> Outcome<()> {
    Ok(call.instance.filter(call.index(0)?)?.filter.verify()?)
}

// ---- threads

fn share(call: &Call) -> Outcome<f64> {
    call.instance.with(call.index(0)?, |shared| Ok(share::share(shared) as f64))
}

fn attach(call: &Call) -> Outcome<f64> {
    call.instance.put(call.env, Entry::Filter(share::attach(call.index(0)?)?))
}
