"""Writes the files that the server hands out, so that caches can keep them.

    usernames.<16 digits of its SHA-256>.tepal    the filter; immutable, a new snapshot is a new file
    names.<16 digits>.txt.gz                      the names, one a line, for page and database
    manifest.json                                 which files are current; short-lived, replaced last and atomically

A reader that holds an old manifest still finds its files: nothing is deleted here.
"""

import gzip
import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import tepal

from . import source
from .normalise import RULE

MANIFEST = "manifest.json"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def write_atomically(path: Path, data: bytes) -> None:
    """The file has either its old content or `data`, whatever happens in between."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def publish(
    out: Path, names_filter: tepal.BloomFilter, names: Sequence[str], facts: dict[str, Any], now: datetime | None = None
) -> dict[str, Any]:
    """Writes filter, list and manifest into `out`; gives the manifest. `facts` are fields that the builder adds."""
    out.mkdir(parents=True, exist_ok=True)
    digest = sha256(names_filter.to_bytes())
    filter_file = out / f"usernames.{digest[:16]}.tepal"
    names_filter.save(filter_file)

    text = "".join(f"{name}\n" for name in names).encode()
    packed = gzip.compress(text, 6, mtime=0)
    list_file = out / f"names.{sha256(text)[:16]}.txt.gz"
    write_atomically(list_file, packed)

    manifest = {
        "file": filter_file.name,
        "sha256": digest,
        "bytes": names_filter.nbytes,
        "names": len(names),
        "rule": RULE,
        "promisedRate": names_filter.fpr,
        "estimatedRate": names_filter.estimated_fpr,
        "builtAt": (now or datetime.now(UTC)).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "delta": "delta.tepal",
        "list": {
            "file": list_file.name.removesuffix(".gz"),
            "sha256": sha256(text),
            "bytes": len(text),
            "packed": len(packed),
        },
        "source": {"package": source.PACKAGE, "version": source.VERSION, "integrity": source.INTEGRITY},
        "builder": {"tepal": tepal.__version__, "backend": tepal.backend},
        **facts,
    }
    write_atomically(out / MANIFEST, (json.dumps(manifest, indent=2) + "\n").encode())
    return manifest


def current(out: Path) -> dict[str, Any] | None:
    """The manifest of a build that this builder would make again, its files intact and readable; otherwise None."""
    try:
        manifest = json.loads((out / MANIFEST).read_text())
        names_filter = tepal.load(out / manifest["file"])
        same = (
            manifest["rule"] == RULE
            and manifest["source"]["integrity"] == source.INTEGRITY
            and manifest["builder"]["tepal"] == tepal.__version__
            and names_filter.metadata["normalise"] == RULE
            and sha256(names_filter.to_bytes()) == manifest["sha256"]
            and sha256(gzip.decompress((out / (manifest["list"]["file"] + ".gz")).read_bytes()))
            == manifest["list"]["sha256"]
        )
    except (tepal.TepalError, OSError, ValueError, KeyError, TypeError):
        return None
    return manifest if same else None
