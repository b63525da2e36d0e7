//! The doors for loose numbers.
//!
//! A dynamically typed language hands over a double or a big integer; behind these functions it is a value that
//! cannot be wrong. Each error names the field, the range and what came.
use crate::error::{Error, Got, Result};
use crate::scheme::Scheme;

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

pub(crate) const EXPANSION: &str = "an integer from 1 to 2^32 - 1, or none for a filter that does not grow";
pub(crate) const MAX_BYTES: &str = "an integer from 1 to 2^63 - 1, or none";
const SCALE_TO: &str = "an integer from 1 to 2^63 - 1";

fn whole(value: f64, max: u64, code: &'static str, field: &'static str, expected: &'static str) -> Result<u64> {
    let integer = exact(value, max.min((1 << 53) - 1)).filter(|n| *n > 0);
    integer.ok_or_else(|| Error::argument(code, field, expected, Got::Float(value)))
}

fn integer(value: i128, max: u64, code: &'static str, field: &'static str, expected: &'static str) -> Result<u64> {
    let integer = u64::try_from(value).ok().filter(|n| (1..=max).contains(n));
    integer.ok_or_else(|| Error::argument(code, field, expected, Got::Integer(value)))
}

macro_rules! positive {
    ($($from_f64:ident $from_i128:ident: $code:literal $field:literal $expected:ident $max:expr;)*) => {$(
        #[doc = concat!("`", $field, "` from a double: `", $code, "` unless it is ", "a whole number in range.")]
        pub fn $from_f64(value: f64) -> Result<u64> {
            whole(value, $max, $code, $field, $expected)
        }

        #[doc = concat!("`", $field, "` from an integer: `", $code, "` unless it is in range.")]
        pub fn $from_i128(value: i128) -> Result<u64> {
            integer(value, $max, $code, $field, $expected)
        }
    )*};
}
positive! {
    expansion_f64 expansion_i128: "ERR_EXPANSION_RANGE" "expansion" EXPANSION u32::MAX as u64;
    max_bytes_f64 max_bytes_i128: "ERR_MAX_BYTES_RANGE" "max_bytes" MAX_BYTES i64::MAX as u64;
    scale_to_f64 scale_to_i128: "ERR_SCALE_TO" "validate_scale_to" SCALE_TO i64::MAX as u64;
}

/// A checked tightening ratio: `ERR_TIGHTENING_RANGE` unless above 0 and below 1.
pub fn tightening(value: f64) -> Result<f64> {
    if value > 0.0 && value < 1.0 {
        return Ok(value);
    }
    let expected = "a ratio above 0 and below 1";
    Err(Error::argument("ERR_TIGHTENING_RANGE", "tightening", expected, Got::Float(value)))
}

/// The capacity of a scalable filter: as [`capacity`], for a server's scheme up to 2^63 − 1.
pub fn scalable_capacity(value: u64, scheme: Scheme) -> Result<u64> {
    match scheme {
        Scheme::Tepal => capacity(value),
        _ if value >> 63 != 0 => server_capacity(Got::Integer(value as i128)),
        _ => capacity(value.min(MAX_CAPACITY)).map(|_| value),
    }
}

/// [`scalable_capacity`] from a double.
pub fn scalable_capacity_f64(value: f64, scheme: Scheme) -> Result<u64> {
    match (scheme, exact(value, i64::MAX as u64)) {
        (Scheme::Tepal, _) => capacity_f64(value),
        (_, Some(n)) => scalable_capacity(n, scheme),
        _ => server_capacity(Got::Float(value)),
    }
}

/// [`scalable_capacity`] from an integer.
pub fn scalable_capacity_i128(value: i128, scheme: Scheme) -> Result<u64> {
    match (scheme, u64::try_from(value)) {
        (Scheme::Tepal, _) => capacity_i128(value),
        (_, Ok(n)) => scalable_capacity(n, scheme),
        _ => server_capacity(Got::Integer(value)),
    }
}

fn server_capacity(got: Got) -> Result<u64> {
    Err(Error::argument("ERR_CAPACITY_RANGE", "capacity", "an integer from 1 to 2^63 - 1", got))
}

/// The rate of a scalable filter: as [`fpr`], for a server's scheme anything above 0 and below 1.
pub fn scalable_fpr(value: f64, scheme: Scheme) -> Result<f64> {
    match scheme {
        Scheme::Tepal => fpr(value),
        _ if (f64::MIN_POSITIVE..1.0).contains(&value) => Ok(value),
        _ => Err(Error::argument("ERR_FPR_RANGE", "fpr", "a rate above 0 and below 1", Got::Float(value))),
    }
}

/// A seed of 32 bytes, for scheme `valkey`: `ERR_SEED_LENGTH` for any other length.
pub fn seed_bytes(bytes: &[u8]) -> Result<crate::scheme::Seed> {
    match bytes.try_into() {
        Ok(bytes) => Ok(crate::scheme::Seed::new(bytes)),
        Err(_) => Err(Error::argument("ERR_SEED_LENGTH", "seed", "32 bytes", Got::Integer(bytes.len() as i128))),
    }
}

/// The integer that a double holds exactly, if it is one from 0 to `max`.
fn exact(value: f64, max: u64) -> Option<u64> {
    let n = value as u64; // saturates; NaN gives 0
    (n as f64 == value && n <= max).then_some(n)
}
