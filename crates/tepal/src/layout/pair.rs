//! `pair`: eight bits in a line of the first half, eight in an independent line of the second half.
//!
//! With a half each, the two loads are independent and the rate is exactly the square of a half's rate.
use super::{each_bit, next_word, second_pattern, test_pattern, Read, Shape, Write};
use crate::hash::Hash128;
use crate::lock::Stripes;
use crate::math::mulhi;

#[derive(Clone, Copy)]
pub(crate) struct Pair {
    pub half: u64,
}

impl Pair {
    #[inline(always)]
    fn places(self, h: Hash128) -> [(u64, u64); 2] {
        let second = self.half + mulhi(next_word(h.hi, h.lo), self.half);
        [(mulhi(h.hi, self.half), h.lo), (second, second_pattern(h))]
    }
}

impl Shape for Pair {
    #[inline(always)]
    fn test<R: Read>(self, at: &R, h: Hash128) -> bool {
        self.places(h).into_iter().all(|(line, pattern)| test_pattern(at, line as usize, pattern))
    }

    #[inline(always)]
    fn set<W: Write>(self, at: &W, stripes: &Stripes, h: Hash128) -> bool {
        let [(first, pattern), (second, other)] = self.places(h);
        let _alone = stripes.hold_both(first as usize, second as usize);
        at.set_alone(first as usize, pattern) + at.set_alone(second as usize, other) != 16
    }

    #[inline(always)]
    fn prefetch<R: Read>(self, at: &R, h: Hash128) {
        self.places(h).into_iter().for_each(|(line, _)| at.prefetch(line as usize));
    }

    fn each(self, h: Hash128, f: &mut dyn FnMut(u64, u8, u8)) {
        self.places(h).into_iter().for_each(|(line, pattern)| each_bit(line, pattern, f));
    }
}
