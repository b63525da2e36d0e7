"""Files: wholly or not at all, whatever happens; maps."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from helpers import INTERPRETER, python, raises

import tepal
from tepal import BloomFilter


@pytest.fixture
def f() -> BloomFilter:
    return BloomFilter.build(range(1000), metadata={"a": "b"})


def test_round_trip(f: BloomFilter, tmp_path: Path) -> None:
    path = tmp_path / "é names.tepal"
    f.save(path)
    assert path.read_bytes() == f.to_bytes()
    for loader in (BloomFilter.load, tepal.load):
        for where in (path, str(path)):
            g = loader(where)
            assert g == f
            assert g.metadata == f.metadata
            assert not g.read_only
            assert g.add("new")
    assert list(tmp_path.iterdir()) == [path]


def test_relative_path(f: BloomFilter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    f.save("x.tepal")
    f.save("x.tepal")
    assert tepal.load("x.tepal") == f
    assert os.listdir() == ["x.tepal"]


def test_mapped(f: BloomFilter, tmp_path: Path) -> None:
    path = tmp_path / "f.tepal"
    f.save(path)
    with BloomFilter.load(path, mmap=True) as g:
        assert g == f
        assert g.read_only
        g.verify()
        with raises("ERR_READ_ONLY"):
            g.add("x")
        other = BloomFilter(10)
        other.save(path)  # replaces: the map keeps the old file
        assert g == f
        assert tepal.load(path, mmap=True) == other
        path.unlink()
        assert g.contains_many(range(1000)).all()
        g.save(path)
    with raises("ERR_FREED"):
        g.add("x")
    assert tepal.load(path) == f


def test_a_mapped_file_is_verified_on_demand(f: BloomFilter, tmp_path: Path) -> None:
    path = tmp_path / "f.tepal"
    data = bytearray(f.to_bytes())
    data[500] ^= 1
    path.write_bytes(data)
    with raises("ERR_CHECKSUM", tepal.FormatError):
        tepal.load(path)
    with tepal.load(path, mmap=True) as g, raises("ERR_CHECKSUM", tepal.FormatError):
        g.verify()


@pytest.mark.parametrize("mmap", [False, True])
def test_files_that_are_no_filters(mmap: bool, f: BloomFilter, tmp_path: Path) -> None:
    path = tmp_path / "f.tepal"
    data = f.to_bytes()
    for content, code in (
        (b"", "ERR_TRUNCATED"),
        (b"hello, world", "ERR_MAGIC"),
        (data[:-1], "ERR_TRUNCATED"),
        (data + b"x", "ERR_TRAILING"),
    ):
        path.write_bytes(content)
        with raises(code, tepal.FormatError):
            tepal.load(path, mmap=mmap)


@pytest.mark.parametrize("mmap", [False, True])
def test_what_the_system_refuses(mmap: bool, f: BloomFilter, tmp_path: Path) -> None:
    missing = tmp_path / "missing" / "f.tepal"
    for call in (lambda: tepal.load(missing, mmap=mmap), lambda: f.save(missing)):
        with raises("ERR_IO", tepal.FilterIOError) as caught:
            call()
        assert isinstance(caught.value, OSError)
        assert caught.value.errno == errno.ENOENT
        assert caught.value.filename == missing
    for call in (lambda: tepal.load(tmp_path, mmap=mmap), lambda: f.save(tmp_path)):
        with raises("ERR_IO", tepal.FilterIOError) as caught:
            call()
        assert isinstance(caught.value, OSError)
        assert caught.value.errno in (errno.EISDIR, errno.ENODEV)
    assert list(tmp_path.iterdir()) == []
    for wrong in (3, None, 1.5, object()):
        for call in (lambda w=wrong: tepal.load(w, mmap=mmap), lambda w=wrong: f.save(w)):
            with raises("ERR_ARGUMENT_TYPE", tepal.ArgumentError):
                call()
    for odd in ("", "a\0b"):
        for call in (lambda o=odd: tepal.load(o, mmap=mmap), lambda o=odd: f.save(o)):
            with raises("ERR_IO", tepal.FilterIOError):
                call()


def test_withheld_seed(tmp_path: Path) -> None:
    f = BloomFilter.build(["a"], seed=99)
    path = tmp_path / "f.tepal"
    f.save(path, withhold_seed=True)
    for mmap in (False, True):
        with raises("ERR_SEED_REQUIRED"):
            tepal.load(path, mmap=mmap)
        assert tepal.load(path, mmap=mmap, seed=99) == f


def test_links_and_permissions_are_kept(f: BloomFilter, tmp_path: Path) -> None:
    real, link = tmp_path / "real.tepal", tmp_path / "link.tepal"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to(real)
    f.save(link)
    assert link.is_symlink()
    assert tepal.load(real) == f
    assert real.stat().st_mode & 0o777 == 0o640


def test_devices_and_pipes(f: BloomFilter, tmp_path: Path) -> None:
    f.save("/dev/null")
    assert not Path("/dev/null").is_file()
    ran = subprocess.run(
        [*INTERPRETER, "import tepal; tepal.BloomFilter.build(range(1000), metadata={'a': 'b'}).save('/dev/stdout')"],
        capture_output=True,
        check=True,
    )
    assert ran.stdout == f.to_bytes()
    code = "import sys, tepal; print(5 in tepal.load('/dev/stdin'))"
    ran = subprocess.run([*INTERPRETER, code], input=f.to_bytes(), capture_output=True, check=True)
    assert ran.stdout == b"True\n"


def test_a_full_disk(f: BloomFilter, tmp_path: Path) -> None:
    """The old file is still there, nothing is left behind, and the filter is usable."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", disk], capture_output=True).returncode:
        pytest.skip("mounting needs root; test_a_file_size_limit covers the same path")
    try:
        path = disk / "f.tepal"
        f.save(path)
        big = BloomFilter(1_000_000)
        with raises("ERR_IO", tepal.FilterIOError) as caught:
            big.save(path)
        assert isinstance(caught.value, OSError)
        assert caught.value.errno == errno.ENOSPC
        assert tepal.load(path) == f
        assert list(disk.iterdir()) == [path]
        assert big.add("x")
        big.save(tmp_path / "elsewhere.tepal")
        f.save(path)
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_file_size_limit(tmp_path: Path) -> None:
    path = tmp_path / "f.tepal"
    code = """
import errno, os, resource, signal, sys, tepal
path = sys.argv[1]
tepal.BloomFilter.build(["old"]).save(path)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
big = tepal.BloomFilter(1_000_000)
try:
    big.save(path)
except tepal.FilterIOError as error:
    print(error.code, errno.errorcode[error.errno], error.filename == path)
print("old" in tepal.load(path), os.listdir(os.path.dirname(path)), big.add("x"))
"""
    ran = python(code, str(path))
    assert ran.stderr == ""
    assert ran.stdout == "ERR_IO EFBIG True\nTrue ['f.tepal'] True\n"


def test_killed_in_the_middle_of_a_save(tmp_path: Path) -> None:
    """Again and again at another moment: the file is always a whole one, of before or after."""
    path = tmp_path / "f.tepal"
    code = """
import sys, tepal
filters = [tepal.BloomFilter(3_000_000) for _ in "ab"]
filters[0].add("a"); filters[1].add("b")
filters[0].save(sys.argv[1])
print("ready", flush=True)
while True:
    for f in filters:
        f.save(sys.argv[1])
"""
    killed_inside = 0
    for i in range(8):
        with subprocess.Popen([*INTERPRETER, code, path], stdout=subprocess.PIPE) as process:
            assert process.stdout
            process.stdout.readline()
            time.sleep(0.003 + 0.0071 * i)
            process.send_signal(signal.SIGKILL)
        leftovers = [entry for entry in tmp_path.iterdir() if entry != path]
        killed_inside += bool(leftovers)
        g = tepal.load(path)
        assert ("a" in g) != ("b" in g)
        assert all(entry.name.startswith(".tepal-") and entry.name.endswith(".tmp") for entry in leftovers)
        for entry in leftovers:
            entry.unlink()
    assert killed_inside, "no kill hit a save: the test proved nothing"


def test_many_saves_at_once(tmp_path: Path) -> None:
    path = tmp_path / "f.tepal"
    filters = [BloomFilter.build([i], metadata={"i": str(i)}) for i in range(8)]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(10):
            list(pool.map(lambda f: f.save(path), filters))
            assert tepal.load(path) in filters
    assert list(tmp_path.iterdir()) == [path]
