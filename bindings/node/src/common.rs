//! The operations of every class. One expression each, in the order of `backend.ts`.
use std::io::Read;
use std::sync::Arc;

use napi::sys;
use tepal::Error;

use crate::call::{bytes, ok, Answer, Call, Fail, Outcome};
use crate::instance::Entry;
use crate::kind::Kind;
use crate::share::{self, Shared};

pub fn init<F: Kind>(call: &Call<F>) -> Outcome<()> {
    call.instance.init(call)
}

pub fn version<F: Kind>(_: &Call<F>) -> Outcome<&'static str> {
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

pub fn notice<F: Kind>(call: &Call<F>) -> Outcome<sys::napi_value> {
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

/// A handle for a new filter.
pub fn put<F: Kind>(call: &Call<F>, filter: F) -> Outcome<f64> {
    call.instance.put(call.env, Entry::Filter(Arc::new(filter.into())))
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

pub fn from_bytes<F: Kind>(call: &Call<F>) -> Outcome<f64> {
    let chunks: Vec<&[u8]> = call.array(0)?.into_iter().map(|chunk| bytes(call.env, chunk)).collect::<Outcome<_>>()?;
    let seed = call.optional_seed(1)?;
    // Bytes that are there at once are judged as in every language; a stream meets the trailer last (FORMAT.md, section 6.3).
    if let [whole] = chunks[..] {
        return put(call, F::from_bytes(whole, seed)?);
    }
    let available = chunks.iter().map(|chunk| chunk.len() as u64).sum();
    put(call, F::read_from(&mut Chunks(chunks, 0), seed, Some(available))?)
}

pub fn clone<F: Kind>(call: &Call<F>) -> Outcome<f64> {
    put(call, call.instance.filter(call.index(0)?)?.filter.copy()?)
}

pub fn free<F: Kind>(call: &Call<F>) -> Outcome<()> {
    drop(call.instance.take(call.env, call.index(0)?));
    Ok(())
}

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

// ---- facts

pub fn metadata<F: Kind>(call: &Call<F>) -> Outcome<Vec<String>> {
    call.instance.with(call.index(0)?, |f| {
        Ok(f.filter.metadata().iter().flat_map(|(key, value)| [key.to_string(), value.to_string()]).collect())
    })
}

// ---- whole filters. Each holds the filters by itself, since making an answer may make JavaScript collect garbage.

pub fn clear<F: Kind>(call: &Call<F>) -> Outcome<()> {
    Ok(call.instance.filter(call.index(0)?)?.filter.clear()?)
}

pub fn two<F: Kind>(call: &Call<F>) -> Outcome<[Arc<Shared<F>>; 2]> {
    Ok([call.instance.filter(call.index(0)?)?, call.instance.filter(call.index(1)?)?])
}

pub fn union<F: Kind>(call: &Call<F>) -> Outcome<f64> {
    let [a, b] = two(call)?;
    put(call, a.filter.union(&b.filter)?)
}

pub fn union_with<F: Kind>(call: &Call<F>) -> Outcome<()> {
    let [a, b] = two(call)?;
    Ok(a.filter.union_with(&b.filter)?)
}

pub fn equals<F: Kind>(call: &Call<F>) -> Outcome<bool> {
    let [a, b] = two(call)?;
    Ok(a.filter.same_filter(&b.filter))
}

/// Writes into memory of JavaScript's own, without a copy in between.
pub fn to_bytes<F: Kind>(call: &Call<F>) -> Outcome<sys::napi_value> {
    let shared = call.instance.filter(call.index(0)?)?;
    let filter = &shared.filter;
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

pub fn verify<F: Kind>(call: &Call<F>) -> Outcome<()> {
    Ok(call.instance.filter(call.index(0)?)?.filter.verify()?)
}

// ---- threads

pub fn share<F: Kind>(call: &Call<F>) -> Outcome<f64> {
    call.instance.with(call.index(0)?, |shared| Ok(share::share(shared) as f64))
}

pub fn attach<F: Kind>(call: &Call<F>) -> Outcome<f64> {
    call.instance.put(call.env, Entry::Filter(share::attach(call.index(0)?)?))
}
