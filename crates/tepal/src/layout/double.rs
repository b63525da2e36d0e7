//! The probes of other libraries' filters: bits anywhere, each the next step of a walk modulo the number of bits.
//!
//! One walk serves all: it starts at a word, adds a step, and what differs between the schemes is what happens to the word
//! before it is divided. So the loop has no branch on the scheme.
use super::{Read, Shape, Write};
use crate::hash::Hash128;
use crate::lock::Stripes;
use crate::math::mulhi;
use crate::scheme::Scheme;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Double {
    pub scheme: Scheme,
    pub bits: u64,
    pub probes: u32,
    /// floor((2^64 − 1) / bits): a product with it is the quotient, or one less.
    inverse: u64,
}

/// The largest prime below 2^64.
const PRIME: u64 = 0xFFFF_FFFF_FFFF_FFC5;

impl Double {
    /// `bits` is not 0; `scheme` is not tepal's own.
    pub fn new(scheme: Scheme, bits: u64, probes: u32) -> Self {
        Double { scheme, bits, probes, inverse: u64::MAX / bits }
    }

    pub fn bits(&self) -> u64 {
        self.bits
    }

    pub fn probes(&self) -> u32 {
        self.probes
    }

    /// The bits of a hash, in the order in which the scheme's library tests them.
    #[inline(always)]
    pub fn positions(self, h: Hash128) -> impl Iterator<Item = u64> {
        let (a, b) = (h.hi, h.lo);
        // (start, step, second word, modulus, what a negative word is XORed with, mask, shift)
        let (mut c, step, second, flip, mask, shift) = match self.scheme {
            // The second probe is the second hash as it is; the others are taken modulo a prime first.
            Scheme::Valkey => (a, b, Some(b), 0, u64::MAX, 0),
            Scheme::Guava => (a, b, None, 0, u64::MAX >> 1, 0),
            // Sums of 32 bits: kept in the upper halves of the words.
            Scheme::SparkV1 => ((a << 32).wrapping_add(b << 32), b << 32, None, u64::MAX, u64::MAX, 32),
            Scheme::SparkV2 => (a.wrapping_mul(0x7FFF_FFFF).wrapping_add(b), b, None, u64::MAX, u64::MAX, 0),
            Scheme::RedisBloom | Scheme::Tepal => (a, b, None, 0, u64::MAX, 0),
        };
        (0..self.probes).map(move |i| {
            let word = match second {
                Some(b) if i == 1 => b,
                Some(_) if i > 1 && c >= PRIME => c - PRIME,
                _ => ((c ^ ((c as i64 >> 63) as u64 & flip)) & mask) >> shift,
            };
            c = c.wrapping_add(step);
            self.remainder(word)
        })
    }

    /// word mod bits.
    #[inline(always)]
    fn remainder(self, word: u64) -> u64 {
        if cfg!(not(target_pointer_width = "64")) {
            return word % self.bits; // where a high product costs more than a division
        }
        let rest = word - mulhi(word, self.inverse) * self.bits;
        rest.min(rest.wrapping_sub(self.bits)) // one subtraction is due, or wraps and is not taken
    }

    #[inline(always)]
    fn places(self, h: Hash128) -> impl Iterator<Item = (u64, usize, u32)> {
        self.positions(h).map(|p| (p >> 9, (p >> 6) as usize & 7, p as u32 & 63))
    }
}

impl Shape for Double {
    #[inline(always)]
    fn test<R: Read>(self, at: &R, h: Hash128) -> bool {
        self.places(h).all(|(line, lane, bit)| at.lane(line as usize, lane) >> bit & 1 == 1)
    }

    #[inline(always)]
    fn set<W: Write>(self, at: &W, stripes: &Stripes, h: Hash128) -> bool {
        let _one_step = stripes.hold(h.lo as usize); // as in `classic`
        self.places(h).fold(false, |new, (line, lane, bit)| at.or_shared(line as usize, lane, 1 << bit) | new)
    }

    #[inline(always)]
    fn prefetch<R: Read>(self, at: &R, h: Hash128) {
        self.places(h).take(4).for_each(|(line, ..)| at.prefetch(line as usize));
        // as in `classic`
    }

    fn each(self, h: Hash128, f: &mut dyn FnMut(u64, u8, u8)) {
        self.places(h).for_each(|(line, lane, bit)| f(line, lane as u8, bit as u8));
    }
}
