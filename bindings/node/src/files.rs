//! Files: a save that leaves the old file or the new one, never a part of either; loading by copy or by map.
//!
//! A save writes a temporary file in the same directory, flushes it to the disk, renames it over the old one and flushes
//! the directory. Whatever fails before the rename, the old file is as it was and the temporary file is removed; a
//! process that is killed in between leaves the old file and a stray `.tepal-*.tmp`.
//! A mapped file must not be cut short while it is mapped (the operating system would kill the process): replace files
//! by renaming, as a save does.
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

use tepal::{BloomFilter, Error, Result, Storage};

fn refused(what: &'static str) -> impl Fn(io::Error) -> Error {
    move |e| Error::io(what, &e.to_string())
}

/// Replaces the file at `path` with what `write` writes. A link is followed; a device or a pipe is written to directly.
pub fn save_atomically(path: &Path, write: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
    let refused = refused("save");
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let old = fs::metadata(&target).ok();
    if old.as_ref().is_some_and(|m| !m.is_file() && !m.is_dir()) {
        return write(&mut OpenOptions::new().write(true).open(&target).map_err(&refused)?);
    }
    let directory = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let (mut file, temporary) = create_beside(&directory).map_err(&refused)?;
    let renamed = (|| {
        if let Some(old) = &old {
            file.set_permissions(old.permissions()).map_err(&refused)?;
        }
        write(&mut file)?;
        file.flush().and_then(|()| file.sync_all()).map_err(&refused)?;
        drop(file);
        fs::rename(&temporary, &target).map_err(&refused)
    })();
    match renamed {
        // The name is on the disk only when the directory is. Where directories cannot be opened (Windows), a rename is enough.
        Ok(()) => File::open(&directory).map_or(Ok(()), |d| d.sync_all().or(Ok(()))),
        Err(e) => {
            let _ = fs::remove_file(&temporary);
            Err(e)
        }
    }
}

/// A new file with a name that no other save uses.
fn create_beside(directory: &Path) -> io::Result<(File, PathBuf)> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = directory.join(format!(".tepal-{}-{n}.tmp", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue, // left by a killed process of the same id
            file => return file.map(|file| (file, path)),
        }
    }
}

/// Saves a filter as its bytes.
pub fn save(path: &Path, filter: &BloomFilter<Storage>, withhold_seed: bool) -> Result<()> {
    save_atomically(path, |file| filter.write_parts(withhold_seed, |part| file.write_all(part)).map_err(refused("save")))
}

/// The filter in a file: copied and verified, or mapped (read-only; the body is not verified).
pub fn load(path: &Path, mmap: bool, seed: Option<u64>) -> Result<BloomFilter<Storage>> {
    let refused = refused("load");
    let mut file = File::open(path).map_err(&refused)?;
    let len = file.metadata().map_err(&refused)?.len();
    if mmap && len > 0 {
        // SAFETY: the mapping is private to this process and read-only; the caller promises that nobody cuts the file.
        let map = unsafe { memmap2::Mmap::map(&file) }.map_err(&refused)?;
        return BloomFilter::from_shared(Arc::new(map), seed);
    }
    BloomFilter::read_from(&mut file, seed, Some(len)).map(BloomFilter::into_storage)
}
