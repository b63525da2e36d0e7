"""Owners are found as a JSON parser would find them, however the stream is cut."""

import io
import json
import re
import tarfile

import pytest

from precheck import owners, source
from precheck.normalise import fold

PACKAGES = {
    "express": "https://github.com/expressjs/express",
    "none": None,
    "upper": "https://github.com/TJ/commander.js",
    "again": "https://github.com/tj/co",
    "no-repository": "https://github.com/nobody",
    "elsewhere": "https://gitlab.com/someone/else",
    "ssh": "https://github.com:Colon/thing",
    "doubled": "https://github.com//slashes/thing",
    "placeholder": "https://github.com/<me>/thing",
    "escaped": 'https://github.com/say"hi"/thing',
    "umlaut": "https://github.com/\u9707\u52a8/thing",
    "https://github.com/in-the-key/x": None,
    "host in query": "https://example.com/?u=github.com/inner/x",
}
EXPECTED = {"expressjs", "tj", "colon", "slashes", "<me>", 'say"hi"', "\u9707\u52a8", "inner"}


def as_json_would(data: dict) -> set[str]:
    found = (re.search(r"github\.com[:/]+([^/]+)/", url) for url in data.values() if url)
    return {fold(match[1]) for match in found if match}


@pytest.mark.parametrize("chunk", [1, 7, 64, 1 << 20])
@pytest.mark.parametrize("escape", [True, False])
def test_owners_whatever_the_chunk(monkeypatch, chunk, escape):
    monkeypatch.setattr(owners, "CHUNK", chunk)
    text = json.dumps(PACKAGES, indent=2, ensure_ascii=escape).encode()
    seen = []
    assert owners.owners_in(io.BytesIO(text), seen.append) == EXPECTED == as_json_would(PACKAGES)
    assert sum(seen) == len(text)


def test_reads_from_the_tarball(tmp_path):
    text = json.dumps(PACKAGES, indent=2).encode()
    path = tmp_path / "package.tgz"
    with tarfile.open(path, "w:gz") as archive:
        info = tarfile.TarInfo(owners.MEMBER)
        info.size = len(text)
        archive.addfile(info, io.BytesIO(text))
    assert owners.read_owners(path) == sorted(EXPECTED)


def test_a_tarball_without_the_list_is_an_error(tmp_path):
    path = tmp_path / "package.tgz"
    tarfile.open(path, "w:gz").close()
    with pytest.raises(ValueError, match="has no package/data"):
        owners.read_owners(path)


def test_a_damaged_download_is_refused(tmp_path, monkeypatch):
    """What is in the cache but is not the pinned file is not read; when npm brings something else, that is an error."""
    name = f"{source.PACKAGE}-{source.VERSION}.tgz"
    (tmp_path / name).write_bytes(b"not the package")

    def bring_something_else(command, **options):
        folder = command[command.index("--pack-destination") + 1]
        (source.Path(folder) / name).write_bytes(b"not it either")
        return source.subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(source.shutil, "which", lambda _: "npm")
    monkeypatch.setattr(source.subprocess, "run", bring_something_else)
    with pytest.raises(source.SourceError, match="expected sha512-"):
        source.fetch(tmp_path)
