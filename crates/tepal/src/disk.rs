//! Files: a save leaves the old file or the new one, never a part of either.
//!
//! A save writes a temporary file in the same directory, flushes it to the disk, renames it over the old one and flushes
//! the directory. Whatever fails before the rename, the old file is as it was; a process that is killed in between leaves
//! the old file and a stray `.tepal-….tmp`.
use crate::error::{Error, Result};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Saves what `write` writes: afterwards the path holds all of it, or what it held before. `ERR_IO`.
pub(crate) fn save(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<()> {
    replace(path, write).map_err(|e| Error::os("save", &e))
}

/// A file to read, and its length if it has one (a pipe has none). `ERR_IO`.
pub(crate) fn open(path: &Path) -> Result<(File, Option<u64>)> {
    let file = File::open(path).map_err(|e| Error::os("load", &e))?;
    let about = file.metadata().map_err(|e| Error::os("load", &e))?;
    Ok((file, about.is_file().then_some(about.len())))
}

fn replace(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
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
