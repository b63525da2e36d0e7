//! The lines of a filter: owned memory, borrowed bytes, or either.
//!
//! Always true: the memory *is* the serialized body (little-endian lanes on every target), its length is 64 bytes a line,
//! and owned memory begins at a multiple of 64. This file holds the crate's only unsafe code besides the prefetch.
use crate::error::{Error, Result};
use crate::layout::{pattern_bit, Read, Write};
use crate::lock::Stripes;
use alloc::{alloc as memory, boxed::Box, sync::Arc, vec::Vec};
use core::alloc::Layout as MemoryLayout;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// One 64-byte line, in memory as in the file.
pub(crate) type Line = [AtomicU64; 8];

/// Where a filter's lines live. Sealed: [`Owned`], `&[u8]` or [`Storage`].
pub trait Body: sealed::Sealed {
    #[doc(hidden)]
    fn lines(&self) -> Lines<'_>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Owned {}
    impl Sealed for &[u8] {}
    impl Sealed for super::Storage {}
}

/// The two kinds of memory that lines are read from.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub enum Lines<'a> {
    /// Own lines, which other threads may be writing.
    Atomic(AtomicLines<'a>),
    /// Foreign bytes of any alignment.
    Bytes(ByteLines<'a>),
}

#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct AtomicLines<'a>(pub(crate) &'a [Line]);

#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct ByteLines<'a>(pub(crate) &'a [u8]);

impl Read for AtomicLines<'_> {
    #[inline(always)]
    fn lane(&self, line: usize, lane: usize) -> u64 {
        u64::from_le(self.0[line][lane].load(Relaxed))
    }

    #[inline(always)]
    fn prefetch(&self, line: usize) {
        fetch(self.0.as_ptr().wrapping_add(line).cast());
    }
}

impl Write for AtomicLines<'_> {
    #[inline(always)]
    fn or_shared(&self, line: usize, lane: usize, mask: u64) -> bool {
        let cell = &self.0[line][lane];
        let mask = mask.to_le();
        cell.load(Relaxed) & mask != mask && cell.fetch_or(mask, Relaxed) & mask != mask
    }

    #[inline(always)]
    fn set_alone(&self, line: usize, pattern: u64) -> u32 {
        let line = &self.0[line];
        #[cfg(target_arch = "x86_64")]
        return set_pattern_x86(line, pattern);
        #[cfg(not(target_arch = "x86_64"))]
        set_pattern(line, pattern)
    }
}

/// The bits of a pattern, set while nobody else writes the line; how many were set before.
#[cfg_attr(target_arch = "wasm32", inline(never))] // one copy in a module for pages, at no cost that shows
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
#[cfg_attr(all(target_arch = "x86_64", not(test)), allow(dead_code))]
fn set_pattern(line: &Line, pattern: u64) -> u32 {
    let mut known = 0;
    for (lane, cell) in line.iter().enumerate() {
        let mask = (1u64 << pattern_bit(pattern, lane)).to_le();
        let old = cell.load(Relaxed);
        cell.store(old | mask, Relaxed);
        known += (old & mask != 0) as u32;
    }
    known
}

/// [`set_pattern`] in 40 instructions instead of 65: `bts` both sets a bit and tells what it was, which compilers do not
/// make use of. An insertion in cache takes 10.3 ns instead of 12.5 (`cargo run --release -p tepal-compare -- --n 20000`).
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn set_pattern_x86(line: &Line, pattern: u64) -> u32 {
    let mut known = 0u32;
    macro_rules! lanes {
        ($($offset:literal)*) => {
            // SAFETY: reads and writes the eight lanes of `line` and nothing else, each with one aligned 64-bit move, which
            // is what a relaxed load and a relaxed store are.
            unsafe {
                core::arch::asm!(
                    $(
                        concat!("mov {old}, [{line} + ", $offset, "]"),
                        "bts {old}, {pattern}", // the bit of the low six bits; carry: it was set
                        concat!("mov [{line} + ", $offset, "], {old}"),
                        "adc {known:e}, 0",
                        "shr {pattern}, 6",
                    )*
                    line = in(reg) line.as_ptr(),
                    pattern = inout(reg) pattern => _,
                    old = out(reg) _,
                    known = inout(reg) known,
                    options(nostack),
                )
            }
        };
    }
    lanes!(0 8 16 24 32 40 48 56);
    known
}

impl Read for ByteLines<'_> {
    #[inline(always)]
    fn lane(&self, line: usize, lane: usize) -> u64 {
        let at = line * 64 + lane * 8;
        let mut word = [0; 8];
        word.copy_from_slice(&self.0[at..at + 8]);
        u64::from_le_bytes(word)
    }

    #[inline(always)]
    fn prefetch(&self, line: usize) {
        // Foreign bytes seldom begin at a multiple of 64, so that a line lies in two of the cache's: asking for both took a batch
        // on 25 MB from 69 to 25 ns a key.
        let first = self.0.as_ptr().wrapping_add(line * 64);
        fetch(first);
        fetch(first.wrapping_add(63));
    }
}

/// Whether this target has an instruction that asks for a line. Where it has none, a batch is a loop.
pub(crate) const PREFETCHES: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// Bodies up to this size stay in a core's cache; prefetching them costs more than it hides.
pub(crate) const CACHED_LINES: u64 = 4096;

/// How many keys before its turn a line is asked for. 8 took 22 ns a key, 16 and 32 took 17, in the same runs.
pub(crate) const AHEAD: usize = 24;

#[inline(always)]
fn fetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of any address is a hint and never faults.
    unsafe {
        core::arch::x86_64::_mm_prefetch(address.cast(), core::arch::x86_64::_MM_HINT_T0)
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        core::arch::asm!("prfm pldl1keep, [{0}]", in(reg) address, options(nostack, preserves_flags, readonly))
    };
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = address;
}

impl Lines<'_> {
    /// All lanes of one line.
    pub(crate) fn line(&self, line: usize) -> [u64; 8] {
        let mut lanes = [0; 8];
        for (lane, word) in lanes.iter_mut().enumerate() {
            *word = match self {
                Lines::Atomic(a) => a.lane(line, lane),
                Lines::Bytes(b) => b.lane(line, lane),
            };
        }
        lanes
    }

    /// How many lines there are.
    pub(crate) fn count(&self) -> usize {
        match self {
            Lines::Atomic(a) => a.0.len(),
            Lines::Bytes(b) => b.0.len() / 64,
        }
    }
}

/// Memory that a filter owns: aligned to 64 bytes, zero at first, writable from any number of threads.
pub struct Owned {
    lines: NonNull<Line>,
    count: usize,
    /// What the allocator gave: `lines` is inside, at the first multiple of 64.
    base: NonNull<u8>,
    pub(crate) stripes: Box<Stripes>,
}

// SAFETY: the lines are atomics, reached through shared references; the memory belongs to this value alone.
unsafe impl Send for Owned {}
// SAFETY: as above.
unsafe impl Sync for Owned {}

impl Owned {
    /// Zeroed lines. `ERR_TOO_LARGE` if the target cannot address them, `ERR_OUT_OF_MEMORY` if they cannot be had.
    pub(crate) fn zeroed(lines: u64) -> Result<Self> {
        let bytes = lines.saturating_mul(64);
        let count = usize::try_from(lines).map_err(|_| Error::too_large(bytes))?;
        let layout = Self::memory_layout(count).ok_or_else(|| Error::too_large(bytes))?;
        // SAFETY: the size is not zero.
        let base = unsafe { memory::alloc_zeroed(layout) };
        let base = NonNull::new(base).ok_or_else(|| Error::out_of_memory(bytes))?;
        ask_for_huge_pages(base, layout.size());
        let offset = base.as_ptr().align_offset(64);
        // SAFETY: `memory_layout` has 48 spare bytes, and an address that is a multiple of 16 is at most 48 below one of 64.
        let lines = unsafe { base.add(offset) }.cast();
        Ok(Owned { lines, count, base, stripes: Box::new(Stripes::new()) })
    }

    /// Aligned to 16 only: allocators hand such memory out zeroed and untouched, and write to all of it for a larger alignment.
    fn memory_layout(count: usize) -> Option<MemoryLayout> {
        MemoryLayout::from_size_align(count.checked_mul(64)?.checked_add(48)?, 16).ok()
    }

    #[inline(always)]
    pub(crate) fn atomic(&self) -> AtomicLines<'_> {
        // SAFETY: `count` lines stand at `lines`, zeroed at birth, freed in drop; atomics may be shared.
        AtomicLines(unsafe { core::slice::from_raw_parts(self.lines.as_ptr(), self.count) })
    }

    /// The bytes of the lines, for filling them from a file.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: `&mut self` excludes every other access; any byte is a valid byte of a lane.
        unsafe { core::slice::from_raw_parts_mut(self.lines.as_ptr().cast(), self.count * 64) }
    }
}

/// Asks Linux for pages of 2 MiB. A line at random then seldom needs a walk through the page table: a batch on 126 MB took
/// 20 ns a key instead of 30. Only advice: whatever comes of it, the memory is the same.
#[cfg(all(feature = "std", target_os = "linux", target_pointer_width = "64"))]
fn ask_for_huge_pages(base: NonNull<u8>, bytes: usize) {
    const MADV_HUGEPAGE: i32 = 14;
    const LARGEST_SMALL_PAGE: usize = 1 << 16;
    extern "C" {
        fn madvise(address: *mut u8, bytes: usize, advice: i32) -> i32;
    }
    if bytes >= 4 << 20 {
        let skip = base.as_ptr().align_offset(LARGEST_SMALL_PAGE);
        // SAFETY: the range is inside one allocation, and this advice changes nothing that a program can observe.
        unsafe { madvise(base.as_ptr().add(skip), bytes - skip, MADV_HUGEPAGE) };
    }
}

#[cfg(not(all(feature = "std", target_os = "linux", target_pointer_width = "64")))]
fn ask_for_huge_pages(_: NonNull<u8>, _: usize) {}

impl Drop for Owned {
    fn drop(&mut self) {
        if let Some(layout) = Self::memory_layout(self.count) {
            // SAFETY: allocated in `zeroed` with this very layout.
            unsafe { memory::dealloc(self.base.as_ptr(), layout) };
        }
    }
}

impl Body for Owned {
    #[inline(always)]
    fn lines(&self) -> Lines<'_> {
        Lines::Atomic(self.atomic())
    }
}

impl Body for &[u8] {
    #[inline(always)]
    fn lines(&self) -> Lines<'_> {
        Lines::Bytes(ByteLines(self))
    }
}

/// Bytes that somebody else owns, for instance a mapped file or another language's buffer. `as_ref` must give the same
/// bytes at every call for as long as the value lives.
pub trait Bytes: Send + Sync {
    /// The bytes.
    fn bytes(&self) -> &[u8];
}

impl<T: AsRef<[u8]> + Send + Sync> Bytes for T {
    fn bytes(&self) -> &[u8] {
        self.as_ref()
    }
}

/// Lines that are owned, or read-only in bytes that somebody else owns. What the bindings use.
pub enum Storage {
    /// Owned and writable.
    Owned(Owned),
    /// Read-only.
    Shared(Shared),
}

/// Part of somebody else's bytes.
#[derive(Clone)]
pub struct Shared {
    bytes: Arc<dyn Bytes>,
    offset: usize,
    len: usize,
}

impl Shared {
    pub(crate) fn new(bytes: Arc<dyn Bytes>, offset: usize, len: usize) -> Self {
        Shared { bytes, offset, len }
    }

    pub(crate) fn whole(&self) -> &[u8] {
        self.bytes.bytes()
    }

    fn body(&self) -> &[u8] {
        &self.bytes.bytes()[self.offset..self.offset + self.len]
    }
}

impl Body for Storage {
    #[inline(always)]
    fn lines(&self) -> Lines<'_> {
        match self {
            Storage::Owned(owned) => owned.lines(),
            Storage::Shared(shared) => Lines::Bytes(ByteLines(shared.body())),
        }
    }
}

/// A Vec of `n` bytes, or the error instead of an abort.
pub(crate) fn try_vec<T>(n: usize) -> Result<Vec<T>> {
    let mut v = Vec::new();
    v.try_reserve_exact(n).map_err(|_| Error::out_of_memory((n as u64).saturating_mul(size_of::<T>() as u64)))?;
    Ok(v)
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn the_fast_way_to_set_a_pattern_equals_the_plain_one() {
        let (fast, plain) = (Line::default(), Line::default());
        let mut pattern = 0;
        for i in 0..10_000u64 {
            // Every pattern twice: the second time all eight are known.
            if i % 2 == 0 {
                pattern = i.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (i << 40);
            }
            if i % 64 == 0 {
                fast.iter().chain(&plain).for_each(|lane| lane.store(0, Relaxed));
            }
            assert_eq!(set_pattern_x86(&fast, pattern), set_pattern(&plain, pattern), "{pattern:x}");
            assert!(fast.iter().zip(&plain).all(|(a, b)| a.load(Relaxed) == b.load(Relaxed)), "{pattern:x}");
        }
    }
}
