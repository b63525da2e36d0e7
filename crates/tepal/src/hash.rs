//! The hash: XXH3-128 of the key's bytes with a 64-bit seed (xxHash specification).
//!
//! The high half chooses the line, the low half the pattern in it, so that a line index never eats pattern bits. XXH3
//! is not a keyed pseudo-random function: a secret seed hinders, but does not stop, whoever can watch answers.
use crate::error::{Error, Got, Result};
use alloc::string::String;
use xxhash_rust::xxh3;

/// The 128-bit hash of one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Hash128 {
    /// High half: chooses the line.
    pub hi: u64,
    /// Low half: chooses the bits in the line.
    pub lo: u64,
}

/// The hash of a key's bytes. Cost: about 3 ns up to 16 bytes, then 0.1 ns a byte.
#[cfg_attr(target_arch = "wasm32", inline(never))] // one copy in a module for pages
#[cfg_attr(not(target_arch = "wasm32"), inline)]
pub fn hash_bytes(key: &[u8], seed: u64) -> Hash128 {
    let h = xxh3::xxh3_128_with_seed(key, seed);
    Hash128 { hi: (h >> 64) as u64, lo: h as u64 }
}

/// The hash of an integer key: of its value modulo 2^64 as eight little-endian bytes.
#[inline]
pub fn hash_u64(value: u64, seed: u64) -> Hash128 {
    hash_bytes(&value.to_le_bytes(), seed)
}

/// A good number of keys to hash at a time before a batch call: each call begins with lines that are not there yet, which
/// took 20 ns a key at 64 and 17 at 256 on a body of 126 MB (`cargo run --release -p tepal-compare`).
pub const BATCH: usize = 256;

/// How many bytes go into one step of the checksum.
pub(crate) const CHECKSUM_BLOCK: usize = 65_536;

/// The format's checksum (FORMAT.md, section 1.5): the key hash, chained over blocks of 64 KiB. One hash function serves for
/// both, and bytes that come in blocks need no state but the sum.
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.chunks(CHECKSUM_BLOCK).fold(0, checksum_step)
}

/// The sum after one more block. All blocks but the last have [`CHECKSUM_BLOCK`] bytes.
pub(crate) fn checksum_step(sum: u64, block: &[u8]) -> u64 {
    hash_bytes(block, sum).lo
}

/// The word that tells a withheld seed from a wrong one (FORMAT.md, section 1.3).
pub(crate) fn seed_check(seed: u64) -> u32 {
    hash_bytes(b"tepal seed", seed).lo as u32
}

/// A key's hash that remembers which hash function and seed made it, so that asking a filter with another seed is an
/// error and not a silent "no".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash {
    hash: Hash128,
    seed: u64,
}

impl KeyHash {
    /// The hash of a key under a seed.
    pub fn new(hash: Hash128, seed: u64) -> Self {
        KeyHash { hash, seed }
    }

    /// The 128 bits.
    pub fn hash(&self) -> Hash128 {
        self.hash
    }

    /// The 128 bits, if this seed made it; `ERR_SEED_DIFFERS` otherwise.
    pub(crate) fn under(&self, seed: u64) -> Result<Hash128> {
        if self.seed == seed {
            return Ok(self.hash);
        }
        let got = Got::Word("a hash made with another seed");
        Err(Error::mismatch("ERR_SEED_DIFFERS", "seed", "a hash made with the filter's seed", got))
    }

    /// The seed that made it.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The name of the hash function: `"xxh3-128"`.
    pub fn hasher(&self) -> &'static str {
        "xxh3-128"
    }

    /// The 128 bits as 32 lower-case hexadecimal digits, high half first: the canonical XXH128 digest.
    pub fn to_hex(&self) -> String {
        let mut s = String::with_capacity(32);
        for half in [self.hash.hi, self.hash.lo] {
            for i in (0..16).rev() {
                s.push(char::from_digit((half >> (4 * i)) as u32 & 15, 16).unwrap_or('0'));
            }
        }
        s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_is_the_canonical_one() {
        // XXH3_128bits("") and XXH3_128bits("a") with seed 0, from the reference implementation's xxhsum -H2.
        assert_eq!(KeyHash::new(hash_bytes(b"", 0), 0).to_hex(), "99aa06d3014798d86001c324468d497f");
        assert_eq!(KeyHash::new(hash_bytes(b"a", 0), 0).to_hex(), "a96faf705af16834e6c632b61e964e1f");
    }
}
