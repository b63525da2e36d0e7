//! The doors for loose numbers.
//!
//! A dynamically typed language hands over a double or a big integer; behind these functions it is a value that
//! cannot be wrong. Each error names the field, the range and what came.
use crate::error::{Error, Got, Result};

/// The largest capacity: 2^48 keys.
pub const MAX_CAPACITY: u64 = 1 << 48;

const CAPACITY: &str = "an integer from 1 to 2^48";
const SEED: &str = "an integer from 0 to 2^64 - 1";
const FACTOR: &str = "an integer from 1 to 2^48";

/// A capacity from a double: `ERR_CAPACITY_ZERO` for 0, `ERR_CAPACITY_RANGE` outside 1 … 2^48, for fractions, NaN and infinities.
pub fn capacity_f64(value: f64) -> Result<u64> {
    match exact(value, MAX_CAPACITY) {
        Some(n) => capacity(n),
        None => Err(Error::argument("ERR_CAPACITY_RANGE", "capacity", CAPACITY, Got::Float(value))),
    }
}

/// A capacity from an integer: the same errors as [`capacity_f64`].
pub fn capacity_i128(value: i128) -> Result<u64> {
    match u64::try_from(value) {
        Ok(n) => capacity(n),
        Err(_) => Err(Error::argument("ERR_CAPACITY_RANGE", "capacity", CAPACITY, Got::Integer(value))),
    }
}

/// A checked capacity.
pub fn capacity(value: u64) -> Result<u64> {
    match value {
        0 => Err(Error::argument("ERR_CAPACITY_ZERO", "capacity", CAPACITY, Got::Integer(0))),
        1..=MAX_CAPACITY => Ok(value),
        _ => Err(Error::argument("ERR_CAPACITY_RANGE", "capacity", CAPACITY, Got::Integer(value as i128))),
    }
}

/// A seed from a double: `ERR_SEED_RANGE` for negative numbers, fractions and what a double cannot hold exactly (above 2^53 − 1).
pub fn seed_f64(value: f64) -> Result<u64> {
    exact(value, (1 << 53) - 1).ok_or_else(|| Error::argument("ERR_SEED_RANGE", "seed", SEED, Got::Float(value)))
}

/// A seed from an integer: `ERR_SEED_RANGE` outside 0 … 2^64 − 1.
pub fn seed_i128(value: i128) -> Result<u64> {
    u64::try_from(value).map_err(|_| Error::argument("ERR_SEED_RANGE", "seed", SEED, Got::Integer(value)))
}

/// A fold factor from a double: `ERR_FACTOR` unless it is an integer from 1 to 2^48.
pub fn factor_f64(value: f64) -> Result<u64> {
    exact(value, MAX_CAPACITY)
        .filter(|n| *n > 0)
        .ok_or_else(|| Error::argument("ERR_FACTOR", "factor", FACTOR, Got::Float(value)))
}

/// A fold factor from an integer: `ERR_FACTOR` unless it is from 1 to 2^48.
pub fn factor_i128(value: i128) -> Result<u64> {
    u64::try_from(value)
        .ok()
        .filter(|n| (1..=MAX_CAPACITY).contains(n))
        .ok_or_else(|| Error::argument("ERR_FACTOR", "factor", FACTOR, Got::Integer(value)))
}

/// A checked rate: `ERR_FPR_RANGE` outside 1e-9 … 0.5 and for NaN.
pub fn fpr(value: f64) -> Result<f64> {
    if (1e-9..=0.5).contains(&value) {
        Ok(value)
    } else {
        Err(Error::argument("ERR_FPR_RANGE", "fpr", "a rate from 1e-9 to 0.5", Got::Float(value)))
    }
}

/// The integer that a double holds exactly, if it is one from 0 to `max`.
fn exact(value: f64, max: u64) -> Option<u64> {
    let n = value as u64; // saturates; NaN gives 0
    (n as f64 == value && n <= max).then_some(n)
}
