//! `BloomFilter` in files: a save leaves the old file or the new one, never a part of either.
//!
//! A save writes a temporary file in the same directory, flushes it to the disk, renames it over the old one and flushes
//! the directory. Whatever fails before the rename, the old file is as it was; a process that is killed in between leaves
//! the old file and a stray `.tepal-….tmp`. Mapping a file is left to the caller: see [`crate::from_shared`].
use crate::bits::{Body, Owned};
use crate::bloom::BloomFilter;
use crate::error::{Error, Result};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

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
        save(path.as_ref(), |file| self.write_parts(withhold_seed, |part| file.write_all(part)))
            .map_err(|e| Error::os("save", &e))
    }
}

impl BloomFilter<Owned> {
    /// The filter in a file, verified. `seed` is for files that withhold theirs. Errors: `ERR_IO`, and as [`BloomFilter::from_bytes`].
    pub fn load(path: impl AsRef<Path>, seed: Option<u64>) -> Result<Self> {
        let mut file = File::open(path).map_err(|e| Error::os("load", &e))?;
        let about = file.metadata().map_err(|e| Error::os("load", &e))?;
        Self::read_from(&mut file, seed, about.is_file().then_some(about.len()))
        // a pipe has no length
    }
}

fn save(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let old = fs::metadata(&target).ok();
    if old.as_ref().is_some_and(|m| !m.is_file() && !m.is_dir()) {
        return write(&mut OpenOptions::new().write(true).open(&target)?);
    }
    let directory = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let (mut file, temporary) = create_beside(directory)?;
    let done = write(&mut file)
        .and_then(|()| old.map_or(Ok(()), |old| file.set_permissions(old.permissions())))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&temporary, &target));
    if done.is_err() {
        let _ = fs::remove_file(&temporary);
        return done;
    }
    // The name is on the disk only when the directory is. Where a directory cannot be opened, the rename has to be enough.
    let _ = File::open(directory).and_then(|d| d.sync_all());
    Ok(())
}

/// A new file with a name that no other save uses.
fn create_beside(directory: &Path) -> io::Result<(File, PathBuf)> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let n = NEXT.fetch_add(1, Relaxed);
        let path = directory.join(std::format!(".tepal-{}-{n}.tmp", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {} // left by a killed process of the same id
            file => return file.map(|file| (file, path)),
        }
    }
}
