//! `line`: all bits of a key in one 64-byte line, one bit a lane (8 probes) or two (16).
use super::{each_bit, second_pattern, test_pattern, Read, Shape, Write};
use crate::hash::Hash128;
use crate::lock::Stripes;
use crate::math::mulhi;

/// One bit a lane.
#[derive(Clone, Copy)]
pub(crate) struct Line8 {
    pub lines: u64,
}

/// Two bits a lane.
#[derive(Clone, Copy)]
pub(crate) struct Line16 {
    pub lines: u64,
}

impl Shape for Line8 {
    #[inline(always)]
    fn test<R: Read>(self, at: &R, h: Hash128) -> bool {
        test_pattern(at, mulhi(h.hi, self.lines) as usize, h.lo)
    }

    #[inline(always)]
    fn set<W: Write>(self, at: &W, stripes: &Stripes, h: Hash128) -> bool {
        let line = mulhi(h.hi, self.lines) as usize;
        let _alone = stripes.hold(line);
        at.set_alone(line, h.lo) != 8
    }

    #[inline(always)]
    fn prefetch<R: Read>(self, at: &R, h: Hash128) {
        at.prefetch(mulhi(h.hi, self.lines) as usize);
    }

    fn each(self, h: Hash128, f: &mut dyn FnMut(u64, u8, u8)) {
        each_bit(mulhi(h.hi, self.lines), h.lo, f);
    }
}

impl Shape for Line16 {
    #[inline(always)]
    fn test<R: Read>(self, at: &R, h: Hash128) -> bool {
        let line = mulhi(h.hi, self.lines) as usize;
        test_pattern(at, line, h.lo) && test_pattern(at, line, second_pattern(h))
    }

    #[inline(always)]
    fn set<W: Write>(self, at: &W, stripes: &Stripes, h: Hash128) -> bool {
        let line = mulhi(h.hi, self.lines) as usize;
        let _alone = stripes.hold(line);
        // The patterns may share a bit; then both count it as set, or the first sets it for both: 16 means that nothing was new.
        at.set_alone(line, h.lo) + at.set_alone(line, second_pattern(h)) != 16
    }

    #[inline(always)]
    fn prefetch<R: Read>(self, at: &R, h: Hash128) {
        at.prefetch(mulhi(h.hi, self.lines) as usize);
    }

    fn each(self, h: Hash128, f: &mut dyn FnMut(u64, u8, u8)) {
        let line = mulhi(h.hi, self.lines);
        each_bit(line, h.lo, f);
        each_bit(line, second_pattern(h), f);
    }
}
