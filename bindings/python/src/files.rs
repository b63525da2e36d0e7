//! Mapped files. (Reading and the atomic save are the core's.)

use std::fs::File;
use std::path::Path;
use tepal::Error;

/// A whole file as memory, read-only.
pub struct Map(memmap2::Mmap);

impl Map {
    /// Maps a file. `ERR_IO`.
    pub fn open(path: &Path) -> tepal::Result<Self> {
        let map = File::open(path).and_then(|file| {
            // SAFETY: the map is read-only; whoever changes the file meanwhile changes bits of the filter, and whoever
            // shortens it ends the process, as load(mmap=True) documents.
            unsafe { memmap2::Mmap::map(&file) }
        });
        map.map(Map).map_err(|error| Error::os("load", &error))
    }
}

impl AsRef<[u8]> for Map {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}
