//! Errors on their way to JavaScript: class, code and sentence in the result buffer, apart by a zero byte.
use crate::arena::{give, texts};
use alloc::{boxed::Box, vec::Vec};
use tepal::{Error, Result};

/// Leaves the error for JavaScript.
#[cold]
pub fn leave(error: &Error) {
    let message = error.message();
    let mut bytes = Vec::with_capacity(64 + message.len());
    for part in [error.class().name(), "\0", error.code(), "\0", &message] {
        bytes.extend_from_slice(part.as_bytes());
    }
    give(bytes);
}

/// The value, or `failed` with the error left behind.
#[inline(always)]
pub fn or<T>(result: Result<T>, failed: T) -> T {
    match result {
        Ok(value) => value,
        Err(error) => {
            leave(&error);
            failed
        }
    }
}

/// 1, or 0 with the error left behind.
pub fn done(result: Result<()>) -> u32 {
    or(result.map(|()| 1), 0)
}

/// The core wants names that live for ever. The face's are a few dozen constants: each is kept once.
fn intern(name: &str) -> &'static str {
    static KNOWN: Known = Known(core::cell::UnsafeCell::new(Vec::new()));
    struct Known(core::cell::UnsafeCell<Vec<&'static str>>);
    // SAFETY: one thread, as all of this module.
    unsafe impl Sync for Known {}
    // SAFETY: no reference into the list leaves this function, only the names it holds.
    let known = unsafe { &mut *KNOWN.0.get() };
    match known.iter().find(|k| **k == name) {
        Some(k) => k,
        None => {
            let name: &'static str = Box::leak(name.into());
            known.push(name);
            name
        }
    }
}

/// What only JavaScript can notice: a number (the place in `NOTICES` of `npm/src/wasm.ts`), and up to three details, which are texts in the arena.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn notice(kind: u32) {
    let mut texts = texts(3);
    let mut next = || texts.next().unwrap_or_default();
    let (a, b, c) = (next(), next(), next());
    leave(&match kind {
        0 => Error::key_type(a),
        1 => Error::key_range(),
        2 => Error::key_unsafe_integer(),
        3 => Error::key_fraction(),
        4 => Error::key_surrogate(),
        5 => Error::argument_type(intern(a), intern(b), c),
        6 => Error::single_key(a),
        7 => Error::read_only(),
        8 => Error::freed(),
        9 => Error::io(intern(a), b),
        _ => Error::unsupported(intern(a)),
    });
}

/// Leaves the error of an arena that could not grow.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn out_of_memory(size: usize) {
    leave(&Error::out_of_memory(size as u64));
}
