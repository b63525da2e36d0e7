"""The filter, its files and its manifest, on a few thousand names."""

import gzip
import hashlib
import json
import re

import pytest
import tepal

from precheck import build, publish
from precheck.normalise import RULE

NAMES = sorted({f"user-{number * 7919 % 65_521}" for number in range(5_000)})


@pytest.fixture(scope="module")
def names_filter():
    return build.build_filter(NAMES)


def test_no_name_is_missed(names_filter):
    assert all(names_filter.contains_many(NAMES))
    assert names_filter.metadata["normalise"] == RULE
    assert names_filter.layout == "line"


def test_strangers_are_strangers_and_the_rate_is_kept(names_filter):
    known = frozenset(NAMES)
    made = list(build.strangers(20_000, known))
    assert len(set(made)) == len(made)
    assert known.isdisjoint(made)
    rate = build.measure(names_filter, known, 20_000)
    deviation = (build.FPR * (1 - build.FPR) / 20_000) ** 0.5
    assert 0 < rate <= build.FPR + 4 * deviation


def test_examples_are_what_they_say(names_filter):
    found = build.examples(names_filter, frozenset(NAMES))
    assert found["free"]
    assert not any(name in names_filter for name in found["free"])
    assert all(name in names_filter and name not in NAMES for name in found["mistaken"])


def test_same_names_same_file(tmp_path, names_filter):
    first = publish.publish(tmp_path / "a", names_filter, NAMES, {})
    second = publish.publish(tmp_path / "b", build.build_filter(NAMES), NAMES, {})
    assert first["file"] == second["file"]
    assert first["list"] == second["list"]


def test_files_and_manifest_agree(tmp_path, names_filter):
    manifest = publish.publish(tmp_path, names_filter, NAMES, {"extra": 1})
    assert json.loads((tmp_path / "manifest.json").read_text()) == manifest
    data = (tmp_path / manifest["file"]).read_bytes()
    assert hashlib.sha256(data).hexdigest() == manifest["sha256"]
    assert re.fullmatch(r"usernames\.[0-9a-f]{16}\.tepal", manifest["file"])
    assert manifest["sha256"][:16] in manifest["file"]
    assert len(data) == manifest["bytes"]
    assert manifest["extra"] == 1
    assert gzip.decompress((tmp_path / (manifest["list"]["file"] + ".gz")).read_bytes()).decode().split() == NAMES
    assert tepal.from_bytes(data) == names_filter


def test_a_damaged_file_is_built_again(tmp_path, names_filter):
    assert publish.current(tmp_path) is None
    manifest = publish.publish(tmp_path, names_filter, NAMES, {})
    assert publish.current(tmp_path) == manifest
    path = tmp_path / manifest["file"]
    data = bytearray(path.read_bytes())
    data[-100] ^= 1
    path.write_bytes(data)
    assert publish.current(tmp_path) is None


def test_a_file_of_another_format_is_built_again(tmp_path, names_filter):
    """What an older tepal wrote may have the right hash and yet be no filter for this one."""
    manifest = publish.publish(tmp_path, names_filter, NAMES, {})
    data = b"another format"
    (tmp_path / manifest["file"]).write_bytes(data)
    manifest["sha256"] = hashlib.sha256(data).hexdigest()
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert publish.current(tmp_path) is None


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "manifest.json"
    publish.write_atomically(path, b"old")

    def full(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(publish.os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        publish.write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
