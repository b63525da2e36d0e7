//! Which bits a hash sets: three layouts, each a pure function of (hash, size, probes).
//!
//! The plain loops here *are* the specification (FORMAT.md, section 3); nothing in this folder knows where the lines
//! live. A body is lines of 64 bytes, a line is eight 64-bit lanes.
//!
//! Accuracy, exact: `line` 10.1 bits a key at 1e-2 and 15.7 at 1e-3; `pair` 20.2 at 1e-4 and 31.5 at 1e-6; `classic`
//! 9.6, 14.4, 19.2 and 28.8 for those four rates. `cargo test -p tepal --test accuracy` compares with what is measured.
mod classic;
#[cfg(feature = "schemes")]
mod double;
#[cfg(not(feature = "schemes"))]
#[path = "no_double.rs"]
mod double;
mod line;
mod pair;

pub(crate) use classic::Classic;
pub(crate) use double::Double;
pub(crate) use line::{Line16, Line8};
pub(crate) use pair::Pair;

use crate::error::{Error, Got, Result};
use crate::hash::Hash128;
use crate::lock::Stripes;

pub(crate) const K1: u64 = 0x9E37_79B9_7F4A_7C15;
pub(crate) const K2: u64 = 0xD6E8_FEB8_6659_FD93;

/// How the bits of a key are spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// All bits in one 64-byte line: one cache miss a key.
    Line,
    /// Bits in two independent lines: two cache misses, fewer bits at low rates.
    Pair,
    /// Bits anywhere: the fewest bits, the most cache misses.
    Classic,
}

impl Layout {
    /// `"line"`, `"pair"` or `"classic"`.
    pub const fn name(self) -> &'static str {
        match self {
            Layout::Line => "line",
            Layout::Pair => "pair",
            Layout::Classic => "classic",
        }
    }

    pub(crate) const fn id(self) -> u8 {
        match self {
            Layout::Line => 1,
            Layout::Pair => 2,
            Layout::Classic => 3,
        }
    }

    pub(crate) const fn from_id(id: u8) -> Option<Self> {
        match id {
            1 => Some(Layout::Line),
            2 => Some(Layout::Pair),
            3 => Some(Layout::Classic),
            _ => None,
        }
    }

    /// Lines in a unit of sizing (FORMAT.md, section 4.2).
    pub(crate) const fn unit(self) -> u64 {
        match self {
            Layout::Pair => 2,
            _ => 1,
        }
    }

    pub(crate) const fn allows(self, probes: u32) -> bool {
        match self {
            Layout::Line => probes == 8 || probes == 16,
            Layout::Pair => probes == 16,
            Layout::Classic => probes >= 1 && probes <= 64,
        }
    }
}

/// A layout, or `Auto`: `line` for a rate of 1e-4 and above, `pair` down to 1e-7, `classic` below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LayoutChoice {
    /// By the rate.
    #[default]
    Auto,
    /// This one.
    Fixed(Layout),
}

impl LayoutChoice {
    /// From `"auto"`, `"line"`, `"pair"` or `"classic"`; anything else is `ERR_LAYOUT_NAME`.
    pub fn from_name(name: &str) -> Result<Self> {
        Ok(match name {
            "auto" => LayoutChoice::Auto,
            "line" => LayoutChoice::Fixed(Layout::Line),
            "pair" => LayoutChoice::Fixed(Layout::Pair),
            "classic" => LayoutChoice::Fixed(Layout::Classic),
            _ => {
                let expected = "auto, line, pair or classic";
                return Err(Error::argument("ERR_LAYOUT_NAME", "layout", expected, Got::Text(name.into())));
            }
        })
    }

    pub(crate) fn resolve(self, fpr: f64) -> Layout {
        match self {
            LayoutChoice::Fixed(layout) => layout,
            LayoutChoice::Auto if fpr >= 1e-4 => Layout::Line,
            LayoutChoice::Auto if fpr >= 1e-7 => Layout::Pair,
            LayoutChoice::Auto => Layout::Classic,
        }
    }
}

impl From<Layout> for LayoutChoice {
    fn from(layout: Layout) -> Self {
        LayoutChoice::Fixed(layout)
    }
}

/// A place where lanes can be read. `line` is below the number of lines.
pub(crate) trait Read {
    fn lane(&self, line: usize, lane: usize) -> u64;
    /// Asks the processor to fetch a line; does nothing where there is no such instruction.
    fn prefetch(&self, line: usize);
}

/// A place where bits can be set.
pub(crate) trait Write: Read {
    /// Sets the bits of `mask`; true if one of them was not set. Another thread may be writing the same lane.
    fn or_shared(&self, line: usize, lane: usize, mask: u64) -> bool;
    /// Sets a whole pattern while nobody else writes this line; how many of its eight bits were set before.
    fn set_alone(&self, line: usize, pattern: u64) -> u32;
}

/// One layout with its size: what a hash tests and sets.
pub(crate) trait Shape: Copy {
    /// Whether all bits are set.
    fn test<R: Read>(self, at: &R, h: Hash128) -> bool;
    /// Sets all bits; true if one was not set. Holds what stripes it takes for that to be one step among threads.
    fn set<W: Write>(self, at: &W, stripes: &Stripes, h: Hash128) -> bool;
    /// Asks for the lines that a test will read.
    fn prefetch<R: Read>(self, at: &R, h: Hash128);
    /// Calls `f(line, lane, bit)` for each probe.
    fn each(self, h: Hash128, f: &mut dyn FnMut(u64, u8, u8));
}

/// The second pattern: 48 bits.
#[inline(always)]
pub(crate) fn second_pattern(h: Hash128) -> u64 {
    (h.lo ^ (h.lo >> 32)).wrapping_mul(K1) >> 16
}

/// The next word of the sequence that chooses further lines.
#[inline(always)]
pub(crate) fn next_word(s: u64, lo: u64) -> u64 {
    (s.rotate_left(32) ^ lo).wrapping_mul(K2)
}

/// The bit that a pattern names in a lane.
#[inline(always)]
pub(crate) fn pattern_bit(pattern: u64, lane: usize) -> u32 {
    (pattern >> (6 * lane)) as u32 & 63
}

/// Calls `f` with the eight bits of a pattern.
pub(crate) fn each_bit(line: u64, pattern: u64, f: &mut dyn FnMut(u64, u8, u8)) {
    (0..8).for_each(|lane| f(line, lane as u8, pattern_bit(pattern, lane) as u8));
}

/// Whether a line has a whole pattern.
#[inline(always)]
pub(crate) fn test_pattern<R: Read>(at: &R, line: usize, pattern: u64) -> bool {
    // Counted, not ANDed: x86-64 counts with `bt` and `adc`, where a shift by a register takes three micro-operations.
    let mut set = 0;
    for lane in 0..8 {
        set += (at.lane(line, lane) & (1 << pattern_bit(pattern, lane)) != 0) as u32;
    }
    set == 8
}
