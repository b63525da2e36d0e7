//! `classic`: every bit of a key anywhere in the body, the fewest bits for a rate.
use super::{next_word, Read, Shape, Write};
use crate::hash::Hash128;
use crate::lock::Stripes;
use crate::math::mulhi;

#[derive(Clone, Copy)]
pub(crate) struct Classic {
    pub lines: u64,
    pub probes: u32,
}

impl Classic {
    /// The probes as (line, lane, bit). Each line index is cut from the top of a fresh word, each bit from its middle.
    #[inline(always)]
    fn places(self, h: Hash128) -> impl Iterator<Item = (u64, usize, u32)> {
        let mut s = h.hi;
        (0..self.probes).map(move |_| {
            let bit = (s >> 8) as u32 & 511;
            let place = (mulhi(s, self.lines), (bit >> 6) as usize, bit & 63);
            s = next_word(s, h.lo);
            place
        })
    }
}

impl Shape for Classic {
    #[inline(always)]
    fn test<R: Read>(self, at: &R, h: Hash128) -> bool {
        self.places(h).all(|(line, lane, bit)| at.lane(line as usize, lane) >> bit & 1 == 1)
    }

    #[inline(always)]
    fn set<W: Write>(self, at: &W, stripes: &Stripes, h: Hash128) -> bool {
        let _one_step = stripes.hold(h.lo as usize); // equal keys exclude each other; others may write the same lanes
        self.places(h).fold(false, |new, (line, lane, bit)| at.or_shared(line as usize, lane, 1 << bit) | new)
    }

    #[inline(always)]
    fn prefetch<R: Read>(self, at: &R, h: Hash128) {
        // A stranger is refused after two probes on average; prefetching all would cost more than it hides.
        self.places(h).take(4).for_each(|(line, _, _)| at.prefetch(line as usize));
    }

    fn each(self, h: Hash128, f: &mut dyn FnMut(u64, u8, u8)) {
        self.places(h).for_each(|(line, lane, bit)| f(line, lane as u8, bit as u8));
    }
}
