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

/// [`from_bytes`] for bytes whose seed was withheld. `ERR_SEED_DIFFERS` if it is not theirs.
pub fn from_bytes_with_seed(bytes: &[u8], seed: u64) -> Result<AnyFilter> {
    match is_scalable(bytes) {
        true => ScalableBloomFilter::from_bytes_with_seed(bytes, seed).map(AnyFilter::Scalable),
        false => BloomFilter::from_bytes_with_seed(bytes, seed).map(AnyFilter::Bloom),
    }
}

/// The filter in a file, verified; `seed` is for files that withhold theirs. Errors: `ERR_IO`, and as [`from_bytes`].
#[cfg(feature = "std")]
pub fn load(path: impl AsRef<std::path::Path>, seed: Option<u64>) -> Result<AnyFilter> {
    use std::io::Read;
    let (mut file, length) = crate::disk::open(path.as_ref())?;
    let mut head = [0; 16];
    let read = crate::stream::read_up_to(&mut file, &mut head)?;
    let mut whole = head[..read].chain(file);
    match is_scalable(&head[..read]) {
        true => ScalableBloomFilter::read_from(&mut whole, seed, length).map(AnyFilter::Scalable),
        false => BloomFilter::read_from(&mut whole, seed, length).map(AnyFilter::Bloom),
    }
}

impl AnyFilter {
    /// The same filter with its storage decided at run time.
    pub fn into_storage(self) -> AnyFilter<Storage> {
        match self {
            AnyFilter::Bloom(filter) => AnyFilter::Bloom(filter.into_storage()),
            AnyFilter::Scalable(filter) => AnyFilter::Scalable(filter),
        }
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
