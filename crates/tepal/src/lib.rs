//! One membership filter for every runtime.
//!
//! A [`BloomFilter`] answers "no" for certain and "probably" at a rate that is promised when it is made. It is built in
//! Rust, Python or JavaScript and read in any of them: the [serialized format](format_spec) is the same to the byte.
//!
//! ```
//! let filter = tepal::BloomFilter::new(1_000, 0.01)?;
//! assert!(filter.insert("alice"));          // true: the key was new
//! assert!(filter.contains("alice"));
//! assert!(!filter.contains("bob"));
//! let copy = tepal::BloomFilter::from_bytes(&filter.to_bytes()?)?;
//! assert_eq!(copy, filter);
//! # Ok::<(), tepal::Error>(())
//! ```
//!
//! A [`ScalableBloomFilter`] grows with its keys and keeps its promise at any size.
//!
//! The crate is `no_std` with `alloc`; the default feature `std` adds streaming reads and writes, the default feature `schemes` the filters
//! of RedisBloom, valkey-bloom, Guava and Spark. It needs 64-bit atomics, and knows no binding.
#![cfg_attr(not(feature = "std"), no_std)]
#![warn(missing_docs)]
extern crate alloc;

mod any; // AnyFilter: bytes of any kind of filter
pub mod arg; // the doors for loose numbers that bindings receive
mod bits; // the lines: owned memory, borrowed bytes, or either
mod bloom; // BloomFilter
mod bulk; // BloomFilter by the batch
mod chain; // a list that grows while others walk it
mod combine; // BloomFilter with BloomFilter: union, intersection, fold
#[cfg(feature = "std")]
mod disk; // files, replaced atomically
mod error; // Error: code, class and sentence
#[cfg(feature = "schemes")]
mod exchange; // ScalableBloomFilter in the formats of others
mod explain; // why a filter said yes
mod facts; // what the bits tell
#[cfg(feature = "std")]
mod file; // BloomFilter in files
mod format; // header and trailer
mod hash; // 128-bit seeded hash
#[cfg(feature = "schemes")]
mod interop; // the byte formats of other libraries' filters
mod key; // what a key is
mod layout; // which bits a hash sets
mod level; // one level of a growing filter
mod lock; // stripe locks without std
mod math; // the few functions that decide sizes, the same everywhere
mod metadata; // sorted string pairs
#[cfg(feature = "schemes")]
mod murmur; // the hashes of RedisBloom, Guava and Spark
mod scalable; // ScalableBloomFilter
mod scheme; // whose hash, probes and sizes
mod serial; // BloomFilter to and from bytes
mod series; // which levels a growing filter has
#[cfg(feature = "schemes")]
mod siphash; // the hash of valkey-bloom
mod sizing; // how many lines for a promise
mod stream; // bodies in pieces

#[cfg(feature = "std")]
pub use any::load;
pub use any::{from_bytes, from_bytes_with_seed, from_shared, AnyFilter};
pub use bits::{Body, Bytes, Owned, Storage};
pub use bloom::{BloomFilter, Options, DEFAULT_FPR};
pub use combine::union_all;
pub use error::{Class, Error, Result};
pub use explain::{ExplainedBit, ExplainedLine, Explanation};
pub use hash::{checksum, hash_bytes, hash_u64, Hash128, KeyHash, BATCH};
pub use key::{compound_key, Key};
pub use layout::{Layout, LayoutChoice};
pub use lock::fork_happened;
pub use metadata::Metadata;
pub use scalable::{
    default_capacity, metrics, Info, LevelFacts, Metrics, ScalableBloomFilter, ScalableOptions, Unfinished,
};
pub use scheme::{Scheme, Seed};
pub use sizing::Params;

#[doc = include_str!("../FORMAT.md")]
pub mod format_spec {}
