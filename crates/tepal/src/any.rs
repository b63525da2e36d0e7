//! Bytes of any kind of filter: the header says which one they are.
use crate::bits::{Bytes, Owned, Storage};
use crate::bloom::BloomFilter;
use crate::error::Result;
use crate::format::is_scalable;
use crate::scalable::ScalableBloomFilter;
use alloc::sync::Arc;

/// A filter whose kind was read from its bytes.
#[derive(Debug)]
#[non_exhaustive]
pub enum AnyFilter<B = Owned> {
    /// A [`BloomFilter`].
    Bloom(BloomFilter<B>),
    /// A [`ScalableBloomFilter`].
    Scalable(ScalableBloomFilter),
}

/// The filter that the bytes hold, verified to the last byte. Errors as [`BloomFilter::from_bytes`] of its kind.
///
/// ```
/// let bytes = tepal::BloomFilter::build(["a"], 0.01)?.to_bytes()?;
/// match tepal::from_bytes(&bytes)? {
///     tepal::AnyFilter::Bloom(filter) => assert!(filter.contains("a")),
///     _ => unreachable!(),
/// }
/// # Ok::<(), tepal::Error>(())
/// ```
pub fn from_bytes(bytes: &[u8]) -> Result<AnyFilter> {
    match is_scalable(bytes) {
        true => ScalableBloomFilter::from_bytes(bytes).map(AnyFilter::Scalable),
        false => BloomFilter::from_bytes(bytes).map(AnyFilter::Bloom),
    }
}

/// The filter that somebody else's bytes hold, read-only and without a copy. `seed` is for bytes that withhold theirs.
/// Errors as [`BloomFilter::view`].
pub fn from_shared(bytes: Arc<dyn Bytes>, seed: Option<u64>) -> Result<AnyFilter<Storage>> {
    match is_scalable(bytes.bytes()) {
        true => ScalableBloomFilter::from_shared(bytes, seed).map(AnyFilter::Scalable),
        false => BloomFilter::from_shared(bytes, seed).map(AnyFilter::Bloom),
    }
}
