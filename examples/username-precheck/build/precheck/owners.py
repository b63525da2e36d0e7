"""Reads the distinct GitHub owners out of the package, without unpacking it.

The package is one JSON object of 4.5 million lines, `"package": "repository URL",`. Parsing it whole takes a gigabyte;
one regular expression over the stream takes a hundredth of that and finds the same owners.
An owner is what stands between `github.com` and the next slash, as the package's author wrote it. A few hundred are no
handles (`your_user`, `<me>`); they are kept, and counted, because they are in the source. None is an e-mail address.
"""

import json
import re
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from .normalise import fold

MEMBER = "package/data/packages.json"
CHUNK = 1 << 20

# The literal in front makes it fast. Behind the owner the string must end as values do; keys end in a colon.
_OWNER = re.compile(rb'github\.com[:/]+((?:[^/"\\]|\\.)+)/[^"\\]*(?:\\.[^"\\]*)*",?$', re.MULTILINE)


def owners_in(stream: IO[bytes], progress: Callable[[int], None] = lambda _: None) -> set[str]:
    """The folded owners in `stream`; `progress` is called with the number of bytes of each chunk."""
    raw: set[bytes] = set()
    rest = b""
    while chunk := stream.read(CHUNK):
        text = rest + chunk
        end = text.rfind(b"\n") + 1
        raw.update(_OWNER.findall(text[:end]))
        rest = text[end:]
        progress(len(chunk))
    raw.update(_OWNER.findall(rest))
    # Backslashes are JSON's: the string is read back as JSON would.
    return {fold(json.loads(b'"' + owner + b'"')) for owner in raw}


def read_owners(tarball: Path, progress: Callable[[int, int], None] = lambda *_: None) -> list[str]:
    """The folded owners in the tarball, sorted; `progress(bytes read just now, bytes in all)`."""
    with tarfile.open(tarball, "r|gz") as archive:
        member = next((member for member in archive if member.name == MEMBER), None)
        stream = archive.extractfile(member) if member else None
        if member is None or stream is None:
            raise ValueError(f"{tarball.name} has no {MEMBER}")
        return sorted(owners_in(stream, lambda done: progress(done, member.size)))
