//! `BloomFilter` in files. Mapping a file is left to the caller: see [`crate::from_shared`].
use crate::bits::{Body, Owned};
use crate::bloom::BloomFilter;
use crate::disk;
use crate::error::Result;
use std::io::Write;
use std::path::Path;

impl<B: Body> BloomFilter<B> {
    /// Saves the filter: afterwards the path holds all of it, or what it held before. A link to a file is followed; a device or a
    /// pipe is written to directly. `ERR_IO` with the operating system's reason and number.
    ///
    /// ```
    /// let path = std::env::temp_dir().join("tepal-doc.tepal");
    /// tepal::BloomFilter::build(["a"], 0.01)?.save(&path, false)?;
    /// assert!(tepal::BloomFilter::load(&path, None)?.contains("a"));
    /// # std::fs::remove_file(path).ok();
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn save(&self, path: impl AsRef<Path>, withhold_seed: bool) -> Result<()> {
        disk::save(path.as_ref(), |file| self.write_parts(withhold_seed, |part| file.write_all(part)))
    }
}

impl BloomFilter<Owned> {
    /// The filter in a file, verified. `seed` is for files that withhold theirs. Errors: `ERR_IO`, and as [`BloomFilter::from_bytes`].
    pub fn load(path: impl AsRef<Path>, seed: Option<u64>) -> Result<Self> {
        let (mut file, length) = disk::open(path.as_ref())?;
        Self::read_from(&mut file, seed, length)
    }
}
