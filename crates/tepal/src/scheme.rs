//! Whose filter it is: the hash, the probes and the sizes of tepal, valkey-bloom, RedisBloom, Guava and Spark.
//!
//! A scheme is fixed when a filter is made: its bits mean nothing under another one. Everything here is normative
//! (FORMAT.md, sections 2, 3 and 4); where the probes lie is in `layout`.
use crate::error::{Error, Got, Result};
use crate::hash::{hash_bytes, Hash128};
#[cfg(feature = "schemes")]
use crate::math::{ceil, ln};
#[cfg(feature = "schemes")]
use crate::murmur::{murmur3_x64_128, murmur3_x86_32_spark, murmur64a};
#[cfg(feature = "schemes")]
use crate::siphash::siphash13;
#[cfg(feature = "schemes")]
use core::f64::consts::LN_2;

/// Whose hash and probes a filter has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Scheme {
    /// tepal's own: XXH3-128 and the layouts of this crate.
    #[default]
    Tepal,
    /// valkey-bloom's, which is the crate `bloomfilter` 3: SipHash-1-3.
    Valkey,
    /// RedisBloom's: MurmurHash64A.
    RedisBloom,
    /// Guava's `BloomFilter` (`MURMUR128_MITZ_64`): read only.
    Guava,
    /// Spark's `BloomFilter`, version 1: read only.
    SparkV1,
    /// Spark's `BloomFilter`, version 2: read only.
    SparkV2,
}

const SCHEMES: [(Scheme, &str, u8); 6] = [
    (Scheme::Tepal, "tepal", 1), // 2 is reserved for a keyed hash of tepal's own
    (Scheme::Valkey, "valkey", 3),
    (Scheme::RedisBloom, "redisbloom", 4),
    (Scheme::Guava, "guava", 5),
    (Scheme::SparkV1, "spark-v1", 6),
    (Scheme::SparkV2, "spark-v2", 7),
];

impl Scheme {
    /// `"tepal"`, `"valkey"`, `"redisbloom"`, `"guava"`, `"spark-v1"` or `"spark-v2"`.
    pub const fn name(self) -> &'static str {
        SCHEMES[self as usize].1
    }

    /// The scheme of a name that [`name`](Scheme::name) gives; anything else is `ERR_SCHEME_NAME`.
    pub fn from_name(name: &str) -> Result<Self> {
        let known = SCHEMES.iter().find(|(_, n, _)| *n == name);
        known.map(|(scheme, ..)| *scheme).ok_or_else(|| {
            let expected = "tepal, valkey, redisbloom, guava, spark-v1 or spark-v2";
            Error::argument("ERR_SCHEME_NAME", "scheme", expected, Got::Text(name.into()))
        })
    }

    /// The hash's number in the header.
    pub(crate) const fn id(self) -> u8 {
        SCHEMES[self as usize].2
    }

    pub(crate) fn from_id(id: u8) -> Option<Self> {
        SCHEMES.iter().find(|(.., i)| *i == id).map(|(scheme, ..)| *scheme)
    }

    /// How many bytes of a seed the hash uses.
    pub(crate) const fn seed_len(self) -> usize {
        match self {
            Scheme::Tepal => 8,
            Scheme::Valkey => 32,
            Scheme::SparkV2 => 4,
            _ => 0,
        }
    }

    /// The hash of a key's bytes: two halves that the scheme's probes are made of. Spark's halves of 32 bits are
    /// sign-extended. Cost: from 3 ns (tepal) to 20 ns (valkey) for a short key.
    pub fn hash(self, key: &[u8], seed: &Seed) -> Hash128 {
        #[cfg(not(feature = "schemes"))]
        return hash_bytes(key, seed.as_u64());
        #[cfg(feature = "schemes")]
        self.any_hash(key, seed)
    }

    /// `ERR_UNSUPPORTED` for another library's scheme in a build that has none.
    pub(crate) fn require(self) -> Result<()> {
        if cfg!(feature = "schemes") || self == Scheme::Tepal {
            Ok(())
        } else {
            Err(self.foreign())
        }
    }

    #[cold]
    pub(crate) fn foreign(self) -> Error {
        Error::unsupported(
            "a scheme of a server or of another library, in a build without schemes (in JavaScript: import from tepal/schemes)",
        )
    }

    #[cfg(feature = "schemes")]
    #[inline]
    fn any_hash(self, key: &[u8], seed: &Seed) -> Hash128 {
        let (hi, lo) = match self {
            Scheme::Tepal => return hash_bytes(key, seed.as_u64()),
            Scheme::Valkey => (siphash13(key, seed.word(0), seed.word(1)), siphash13(key, seed.word(2), seed.word(3))),
            Scheme::RedisBloom => {
                let a = murmur64a(key, REDISBLOOM_SEED);
                (a, murmur64a(key, a))
            }
            Scheme::Guava => murmur3_x64_128(key),
            Scheme::SparkV1 | Scheme::SparkV2 => {
                let first = murmur3_x86_32_spark(key, seed.as_u64() as u32);
                let second = murmur3_x86_32_spark(key, first);
                (first as i32 as u64, second as i32 as u64)
            }
        };
        Hash128 { hi, lo }
    }
}

#[cfg(feature = "schemes")]
const REDISBLOOM_SEED: u64 = 0xc6a4_a793_5bd1_e995;

/// The seed of a filter's hash: 32 bytes, of which tepal uses a `u64` (little-endian, the first eight), valkey-bloom all, Spark's version 2 an
/// `i32` (the first four), and the others none. What is not used is zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Seed([u8; 32]);

impl Seed {
    /// The seed that valkey-bloom gives its filters when `bf.bloom-use-random-seed` is off.
    pub const VALKEY_FIXED: Seed = Seed([
        89, 15, 245, 34, 234, 120, 17, 218, 167, 20, 216, 9, 59, 62, 123, 217, 29, 137, 138, 115, 62, 152, 136, 135,
        48, 127, 151, 205, 40, 7, 51, 131,
    ]);

    /// A seed of 32 bytes.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Seed(bytes)
    }

    /// A seed that is one integer, as tepal's are.
    pub const fn from_u64(seed: u64) -> Self {
        let (mut bytes, word) = ([0; 32], seed.to_le_bytes());
        let mut i = 0;
        while i < 8 {
            bytes[i] = word[i];
            i += 1;
        }
        Seed(bytes)
    }

    /// The first eight bytes as an integer.
    #[inline(always)]
    pub fn as_u64(&self) -> u64 {
        self.word(0)
    }

    /// All bytes.
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    #[inline(always)]
    fn word(&self, i: usize) -> u64 {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.0[8 * i..8 * i + 8]);
        u64::from_le_bytes(bytes)
    }
}

#[cfg(feature = "schemes")]
/// The bytes and the probes that valkey-bloom takes for so many keys at such a rate (0 < fpr < 1); none if the bits cannot be
/// counted in a `u64`. Bytes may be more than anybody has: the caller asks before allocating.
pub(crate) fn valkey_size(capacity: u64, fpr: f64) -> Option<(u64, u32)> {
    let bytes = ceil(capacity as f64 * ln(fpr) / (-8.0 * (LN_2 * LN_2)));
    let bytes = (bytes < MOST_BYTES).then_some(bytes as u64)?;
    Some((bytes, valkey_probes(bytes, capacity)))
}

#[cfg(feature = "schemes")]
/// The probes that valkey-bloom takes in so many bytes for so many keys.
pub(crate) fn valkey_probes(bytes: u64, capacity: u64) -> u32 {
    let probes = (bytes * 8) as f64 / capacity as f64 * LN_2;
    ((probes + 0.5) as u32).max(1) // truncated: what is halfway goes up
}

#[cfg(feature = "schemes")]
/// The bits, the probes and the bits per entry that RedisBloom takes for so many keys at such a rate (0 < fpr < 1); none if
/// there would be 2^63 bits or more.
pub(crate) fn redisbloom_size(capacity: u64, fpr: f64) -> Option<(u64, u32, f64)> {
    let bpe = -(ln(fpr) / 0.480453013918201);
    let bits = capacity as f64 * bpe;
    let bits = (bits < 8.0 * MOST_BYTES).then_some(bits as u64)?;
    Some((bits.max(1).next_multiple_of(64), redisbloom_probes(bpe), bpe))
}

#[cfg(feature = "schemes")]
/// The probes that RedisBloom takes at so many bits per entry.
#[allow(clippy::approx_constant)] // its digits
pub(crate) fn redisbloom_probes(bpe: f64) -> u32 {
    ceil(0.693147180559945 * bpe) as u32
}

#[cfg(feature = "schemes")]
/// 2^60: so many bytes have fewer than 2^63 bits.
const MOST_BYTES: f64 = 1_152_921_504_606_846_976.0;

#[cfg(feature = "schemes")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Double;
    use alloc::vec::Vec;

    const SCHEMES_WITH_PROBES: [Scheme; 5] =
        [Scheme::Valkey, Scheme::RedisBloom, Scheme::Guava, Scheme::SparkV1, Scheme::SparkV2];

    #[test]
    fn names_and_numbers_are_one_to_one() {
        for (i, (scheme, name, id)) in SCHEMES.into_iter().enumerate() {
            assert_eq!(scheme as usize, i);
            assert_eq!((scheme.name(), scheme.id()), (name, id));
            assert_eq!(Scheme::from_name(name).unwrap(), scheme);
            assert_eq!(Scheme::from_id(id), Some(scheme));
        }
        assert_eq!(Scheme::from_name("redis").unwrap_err().code(), "ERR_SCHEME_NAME");
        assert!(Scheme::from_id(0).is_none() && Scheme::from_id(2).is_none() && Scheme::from_id(8).is_none());
    }

    #[test]
    fn seeds_are_read_little_endian() {
        assert_eq!(Seed::from_u64(0x0102_0304_0506_0708).bytes()[..8], [8, 7, 6, 5, 4, 3, 2, 1]);
        assert_eq!(Seed::from_u64(u64::MAX - 1).as_u64(), u64::MAX - 1);
        assert_eq!(Seed::VALKEY_FIXED.as_u64(), 0xda11_78ea_22f5_0f59);
    }

    /// Where the plain definitions of the five libraries put a hash.
    fn plain(scheme: Scheme, h: Hash128, bits: u64, probes: u32) -> Vec<u64> {
        let (a, b) = (h.hi, h.lo);
        let positive = |c: i64| if c < 0 { !c } else { c } as u64;
        (0..probes as u64)
            .map(|i| match scheme {
                Scheme::Valkey if i == 0 => a % bits,
                Scheme::Valkey if i == 1 => b % bits,
                Scheme::Valkey => a.wrapping_add(i.wrapping_mul(b)) % 0xFFFF_FFFF_FFFF_FFC5 % bits,
                Scheme::RedisBloom => a.wrapping_add(i.wrapping_mul(b)) % bits,
                Scheme::Guava => (a.wrapping_add(i.wrapping_mul(b)) & i64::MAX as u64) % bits,
                Scheme::SparkV1 => {
                    positive((a as i32).wrapping_add((i as i32 + 1).wrapping_mul(b as i32)) as i64) % bits
                }
                _ => {
                    positive(
                        (a as i64).wrapping_mul(i32::MAX as i64).wrapping_add((i as i64 + 1).wrapping_mul(b as i64)),
                    ) % bits
                }
            })
            .collect()
    }

    #[test]
    fn the_walk_equals_the_plain_definitions() {
        for scheme in SCHEMES_WITH_PROBES {
            let seed = Seed::VALKEY_FIXED;
            for i in 0..3_000u64 {
                let mut h = scheme.hash(&i.to_le_bytes()[..(i % 9) as usize], &seed);
                if matches!(scheme, Scheme::Valkey | Scheme::RedisBloom | Scheme::Guava) && i % 3 == 0 {
                    h = Hash128 { hi: u64::MAX - i, lo: i / 3 }; // next to 2^64, where the prime and the wrap are
                }
                for bits in [64, 65, 128, 1 << 20, 1_000_003 * 8, 1 << 40, (1 << 62) + 64, i64::MAX as u64 - 63] {
                    let walk = Double::new(scheme, bits, 40).positions(h);
                    assert!(walk.eq(plain(scheme, h, bits, 40)), "{scheme:?} {h:?} {bits}");
                }
            }
        }
    }

    #[test]
    fn a_modulus_that_is_a_power_of_two_is_the_mask_of_old_filters() {
        for i in 0..1_000u64 {
            let h = Scheme::RedisBloom.hash(&i.to_le_bytes(), &Seed::default());
            for n2 in 1..63 {
                let mask = (1 << n2) - 1;
                let masked = (0..9u64).map(|i| h.hi.wrapping_add(i.wrapping_mul(h.lo)) & mask);
                assert!(Double::new(Scheme::RedisBloom, 1 << n2, 9).positions(h).eq(masked));
            }
        }
    }

    #[test]
    fn sizes_are_those_of_the_servers() {
        assert_eq!(valkey_size(3, 0.1), Some((2, 4)));
        assert_eq!(valkey_size(6, 0.05), Some((5, 5)));
        assert_eq!(valkey_size(100, 0.01), Some((120, 7))); // SIZE 384 = 48 + 8 + 208 + 120
        assert_eq!(valkey_size(10_000, 0.001).map(|s| s.0), Some(18236 - 264));
        assert_eq!(redisbloom_size(3, 0.1), Some((64, 4, f64::from_bits(0x4013_2b8c_c58a_1688))));
        assert_eq!(redisbloom_size(1, 0.999).map(|s| s.0), Some(64));
        for fpr in [f64::MIN_POSITIVE, 0.5] {
            assert_eq!(valkey_size(u64::MAX, fpr), None);
            assert_eq!(redisbloom_size(u64::MAX, fpr), None);
        }
    }
}
