//! The byte formats of other libraries' filters, as plain data in and out.
//!
//! Promise: foreign bytes are hostile. A decoder gives a value in which every number is in range and agrees with the others, or
//! an error that names the field; it never panics, and allocates nothing by a length that was not compared with the
//! bytes that are there. Nothing here knows a filter class.
mod crc64;
pub(crate) mod guava;
mod lzf;
pub(crate) mod redisbloom;
pub(crate) mod spark;
pub(crate) mod valkey;

use crate::bits::try_vec;
use crate::error::{Error, Got, Result};
use crate::scheme::{Scheme, Seed};
use alloc::vec::Vec;

/// More probes than any filter has whose rate is a normal double (2^-1022 takes 1022, a small one of valkey-bloom 1026).
const MAX_PROBES: u64 = 1100;
/// The largest capacity that the servers know.
const MAX_CAPACITY: u64 = i64::MAX as u64;

/// A filter of one array of bits whose capacity and rate its bytes do not tell.
pub(crate) struct BitArray {
    pub scheme: Scheme,
    pub seed: Seed,
    pub probes: u32,
    /// Bit p is bit p & 7 of byte p >> 3; a multiple of eight, not empty.
    pub bytes: Vec<u8>,
}

/// What Guava's and Spark's formats have in common: the number of 64-bit words and the words, big-endian, to the end.
fn read_words(mut reader: Reader, scheme: Scheme, seed: u32, probes: u64) -> Result<BitArray> {
    let probes = within("probes", probes, 1, MAX_PROBES, "a number from 1 to 1100")? as u32;
    let words = within("words", reader.big(4, "words")?, 1, i32::MAX as u64, "a number from 1 to 2^31 - 1")?;
    let data = reader.take(words * 8, "words")?;
    reader.end()?;
    let mut bytes = try_vec(data.len())?;
    data.chunks_exact(8).for_each(|word| bytes.extend(word.iter().rev()));
    Ok(BitArray { scheme, seed: Seed::from_u64(seed as u64), probes, bytes })
}

/// Bytes that are read from the front.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// The next `n` bytes; `ERR_TRUNCATED` if there are fewer.
    #[inline(never)]
    fn take(&mut self, n: u64, field: &'static str) -> Result<&'a [u8]> {
        if n > self.0.len() as u64 {
            return Err(Error::truncated(field, n, self.0.len() as u64));
        }
        let (taken, rest) = self.0.split_at(n as usize);
        self.0 = rest;
        Ok(taken)
    }

    /// A big-endian integer of `width` bytes.
    fn big(&mut self, width: u64, field: &'static str) -> Result<u64> {
        Ok(self.take(width, field)?.iter().fold(0, |n, byte| n << 8 | *byte as u64))
    }

    /// A little-endian integer of `width` bytes.
    fn little(&mut self, width: u64, field: &'static str) -> Result<u64> {
        Ok(self.take(width, field)?.iter().rev().fold(0, |n, byte| n << 8 | *byte as u64))
    }

    fn float(&mut self, field: &'static str) -> Result<f64> {
        self.little(8, field).map(f64::from_bits)
    }

    /// `ERR_TRAILING` unless everything was read.
    fn end(&self) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let got = Got::Integer(self.0.len() as i128);
        Err(Error::data("ERR_TRAILING", "filter", "no bytes behind the filter", got))
    }
}

/// `ERR_FOREIGN`: a field of a foreign filter is not what it must be.
#[cold]
#[inline(never)]
fn foreign(field: &'static str, expected: &'static str, got: u64) -> Error {
    Error::data("ERR_FOREIGN", field, expected, Got::Integer(got as i128))
}

/// A number that must be what the rest of the filter says.
fn agree(field: &'static str, expected: &'static str, got: u64, want: u64) -> Result<()> {
    if got == want {
        Ok(())
    } else {
        Err(foreign(field, expected, got))
    }
}

/// A number from `least` to `most`.
fn within(field: &'static str, got: u64, least: u64, most: u64, expected: &'static str) -> Result<u64> {
    if got >= least && got <= most {
        Ok(got)
    } else {
        Err(foreign(field, expected, got))
    }
}

/// A rate from the smallest normal double to below 1.
fn rate(field: &'static str, got: f64) -> Result<f64> {
    if (f64::MIN_POSITIVE..1.0).contains(&got) {
        Ok(got)
    } else {
        Err(Error::data("ERR_FOREIGN", field, "a number between 0 and 1", Got::Float(got)))
    }
}

#[cfg(all(test, feature = "std"))]
mod tests;
