//! What the machine allows: how fast lines can be had from the very buffer that a filter lies in.
//!
//! A lookup that waits for the one before takes at least hash + one dependent read + test. Lookups in a batch take at
//! least max(hash + test, lines × the interval of prefetched random lines), whatever the code.
use crate::clock;
use crate::keys::mix;
use std::hint::black_box;

/// Nanoseconds.
pub struct Limit {
    /// One random line after the other, each address taken from the line before.
    pub dependent: f64,
    /// Random lines whose addresses are known in advance, requested 32 at a time and then read once.
    pub prefetched: f64,
}

/// One round over the lines of `buffer`, which must hold at least one.
pub fn measure(buffer: &[u8], round: u64) -> Limit {
    let lines = buffer.len() / 64;
    let reads = (lines as u64).clamp(20_000, 500_000);
    let word = |line: usize| u64::from_le_bytes(buffer[line * 64..line * 64 + 8].try_into().expect("eight bytes"));
    let pick = |i: u64| ((mix(i) as u128 * lines as u128) >> 64) as usize;

    let begin = clock::now();
    let mut at = round << 32;
    for i in 0..reads {
        at = i + (round << 32) + (word(pick(at)) & black_box(0)); // the next address depends on this word
    }
    black_box(at);
    let dependent = (clock::now() - begin) / reads as f64;

    let begin = clock::now();
    let mut sum = 0u64;
    let mut chunk = [0usize; 32];
    for c in 0..reads / 32 {
        for (j, line) in chunk.iter_mut().enumerate() {
            *line = pick((round << 32) + (1 << 31) + c * 32 + j as u64);
            prefetch(buffer, *line);
        }
        sum = chunk.iter().fold(sum, |sum, line| sum.wrapping_add(word(*line)));
    }
    black_box(sum);
    Limit { dependent, prefetched: (clock::now() - begin) / (reads / 32 * 32) as f64 }
}

fn prefetch(buffer: &[u8], line: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint, and the address is inside the buffer.
    unsafe {
        use core::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        _mm_prefetch(buffer.as_ptr().add(line * 64).cast(), _MM_HINT_T0)
    };
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (buffer, line);
}
