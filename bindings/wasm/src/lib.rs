//! The core for JavaScript, as plain functions over numbers: one module for `BloomFilter`, one for `ScalableBloomFilter`.
//!
//! A filter is a pointer (0 is none), a key is bytes that the caller has written into the arena, text and bytes
//! come back through one result buffer. Exports are plain: generated glue would wrap each in what numbers do not need, and cost a
//! page 1.5 KB. A function that fails returns 0 (or [`FAILED`] where 0 is an answer) and leaves its
//! error in the result buffer. So no JavaScript value crosses the border, a call costs a few nanoseconds.
//! `npm/src/wasm*.ts` are the only callers; they never pass a pointer that they were not given.
#![cfg_attr(target_arch = "wasm32", no_std)]
#![allow(clippy::missing_safety_doc)]
extern crate alloc;

pub mod arena; // where keys and results lie
pub mod fail; // errors, by the result buffer
pub mod filter; // what every class has
#[cfg(all(feature = "schemes", not(feature = "bloom")))]
pub mod foreign; // other libraries' formats
pub mod many; // batches

// The class of this module: its type, what the files above need of it, and the exports that only it has.
#[cfg(feature = "bloom")]
#[path = "bloom.rs"]
pub mod kind;
#[cfg(not(feature = "bloom"))]
#[path = "scalable.rs"]
pub mod kind;

/// What a function returns that failed, where 0 is an answer.
pub const FAILED: u32 = 2;

// Constant time, neighbours joined when freed: thousands of filters, half of them freed and made anew, leave no holes. 1.5 KB
// gzipped less than `dlmalloc`; a plain free list saves 0.3 KB more, but walks through every hole (10 times slower then).
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

#[cfg(target_arch = "wasm32")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
