"""Fetches the one input, an npm package, pinned by version and by hash.

`npm pack` is the registry's ordinary client: it honours the user's registry and proxy settings. The tarball is checked
against the SHA-512 below before anything reads it, and kept in the cache, so the second start needs no network.
"""

import base64
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

PACKAGE = "all-the-package-repos"
VERSION = "2.0.3148"
INTEGRITY = "sha512-t4Eyvjw40rO1SHldm1kpramQJcgKpWfLxJHRyD85cPnrlfzzo5dS+pnfvsy+evkauV61B2Rkk7yYta1kK6UV4Q=="


class SourceError(RuntimeError):
    """The input could not be fetched, or is not the input that was pinned."""


def integrity(path: Path) -> str:
    """The file's hash as npm writes it: `sha512-` and base64."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha512").digest()
    return "sha512-" + base64.b64encode(digest).decode("ascii")


def fetch(cache: Path) -> Path:
    """The tarball's path inside `cache`, fetched when it is not there, always checked."""
    tarball = cache / f"{PACKAGE}-{VERSION}.tgz"
    if tarball.exists() and integrity(tarball) == INTEGRITY:
        return tarball
    npm = shutil.which("npm")
    if npm is None:
        raise SourceError("npm is needed to fetch the names and is not on the PATH")
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        command = [npm, "pack", f"{PACKAGE}@{VERSION}", "--silent", "--pack-destination", folder]
        ran = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
        fetched = Path(folder) / tarball.name
        if ran.returncode != 0 or not fetched.exists():
            reason = ran.stderr.strip() or ran.stdout.strip()
            raise SourceError(f"npm pack {PACKAGE}@{VERSION} failed: {reason}")
        got = integrity(fetched)
        if got != INTEGRITY:
            raise SourceError(f"{tarball.name}: expected {INTEGRITY}, got {got}")
        os.replace(fetched, tarball)
    return tarball
