"""Filters as bytes, over buffers and through pickles."""

from __future__ import annotations

import array
import copy
import gc
import mmap
import multiprocessing
import pickle
from multiprocessing import shared_memory
from pathlib import Path

import pytest
from helpers import raises
from hypothesis import given
from hypothesis import strategies as st

import tepal
from tepal import BloomFilter

DATA = BloomFilter.build(range(200), 0.001, metadata={"a": "b"}).to_bytes()
OPENERS = [BloomFilter.from_bytes, BloomFilter.from_buffer, tepal.from_bytes, tepal.from_buffer]


@pytest.mark.parametrize("opener", OPENERS)
@pytest.mark.parametrize("wrap", [bytes, bytearray, memoryview, lambda data: array.array("b", data)])
def test_any_bytes_like(opener, wrap) -> None:
    f = opener(wrap(DATA))
    assert f.contains_many(range(200)).all()
    assert f.to_bytes() == DATA
    assert f.metadata == {"a": "b"}
    assert f.read_only == (opener in (BloomFilter.from_buffer, tepal.from_buffer))


@pytest.mark.parametrize("opener", OPENERS)
@pytest.mark.parametrize("wrong", ["text", None, 3, [1, 2], memoryview(DATA)[::2]], ids=lambda v: type(v).__name__)
def test_no_bytes(opener, wrong: object) -> None:
    with raises("ERR_ARGUMENT_TYPE", tepal.ArgumentError):
        opener(wrong)


@given(st.data())
def test_every_changed_byte_is_noticed(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(DATA) - 1))
    mask = data.draw(st.integers(1, 255))
    changed = bytearray(DATA)
    changed[at] ^= mask
    with pytest.raises(tepal.FormatError) as caught:
        BloomFilter.from_bytes(changed)
    assert isinstance(caught.value, ValueError)
    try:
        view = BloomFilter.from_buffer(changed)
    except tepal.FormatError:
        pass
    else:
        with raises("ERR_CHECKSUM", tepal.FormatError):
            view.verify()


@given(st.integers(0, len(DATA) - 1), st.binary(min_size=1, max_size=100))
def test_truncated_and_trailing(at: int, more: bytes) -> None:
    for opener in OPENERS:
        with raises("ERR_TRUNCATED", tepal.FormatError):
            opener(DATA[:at])
        with raises("ERR_TRAILING", tepal.FormatError):
            opener(DATA + more)


@given(st.binary(max_size=400))
def test_random_bytes_are_refused(data: bytes) -> None:
    for opener in OPENERS:
        with pytest.raises(tepal.FormatError):
            opener(data)


def test_withheld_seed() -> None:
    f = BloomFilter.build(["a"], seed=12345)
    public = f.to_bytes(withhold_seed=True)
    assert (12345).to_bytes(8, "little") in f.to_bytes()
    assert (12345).to_bytes(8, "little") not in public
    for opener in OPENERS:
        with raises("ERR_SEED_REQUIRED", tepal.FormatError):
            opener(public)
        with raises("ERR_SEED_DIFFERS", tepal.MismatchError):
            opener(public, seed=1)
        with raises("ERR_SEED_RANGE", tepal.ArgumentError):
            opener(public, seed=-1)
        assert opener(public, seed=12345) == f
        assert opener(f.to_bytes(), seed=12345) == f
        with raises("ERR_SEED_DIFFERS"):
            opener(f.to_bytes(), seed=1)


def test_a_view_is_read_only_and_copies_writable() -> None:
    f = BloomFilter.from_buffer(DATA)
    g = BloomFilter.build(range(200), 0.001)
    changes = [
        lambda: f.add("x"),
        lambda: f.add(bytearray(b"x")),
        lambda: f.add_many(["x"]),
        lambda: f.update(["x"]),
        lambda: f.add_hash(f.key_hash("x")),
        f.clear,
        lambda: f.__ior__(g),
        lambda: f.__iand__(g),
    ]
    for change in changes:
        with raises("ERR_READ_ONLY", tepal.StateError) as caught:
            change()
        assert "copy" in str(caught.value)
    assert f == g
    assert f | g == g | f == f & g == g
    writable = f.copy()
    assert writable.add("x")
    assert not writable.read_only
    assert f.fold(1) == f
    f.verify()
    g.verify()


def test_a_view_copies_nothing_and_keeps_its_buffer() -> None:
    buffer = bytearray(DATA)
    f = BloomFilter.from_buffer(buffer)
    with pytest.raises(BufferError):
        buffer.append(0)
    buffer[128 + 64 : -64] = bytes(len(buffer) - 256)  # whoever changes the buffer changes the filter
    assert not f.contains_many(range(200)).any()
    f.close()
    buffer.append(0)
    g = BloomFilter.from_buffer(buffer[:-1])
    del g
    gc.collect()
    buffer.append(0)
    with pytest.raises(tepal.FormatError):
        BloomFilter.from_buffer(buffer)
    buffer.append(0)


def test_unaligned_views() -> None:
    for shift in range(9):
        memory = memoryview(bytes(shift) + DATA)[shift:]
        assert BloomFilter.from_buffer(memory).contains_many(range(200)).all()


def test_mmap_and_shared_memory(tmp_path: Path) -> None:
    path = tmp_path / "f.tepal"
    path.write_bytes(DATA)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        f = BloomFilter.from_buffer(mapped)
        assert 7 in f
        with pytest.raises(BufferError):
            mapped.close()
        f.close()
    block = shared_memory.SharedMemory(create=True, size=len(DATA))
    try:
        block.buf[: len(DATA)] = DATA
        with BloomFilter.from_buffer(block.buf[: len(DATA)]) as f:
            assert f.contains_many(range(200)).all()
    finally:
        block.close()
        block.unlink()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_in_band(protocol: int) -> None:
    f = BloomFilter.build(range(100), seed=5, layout="pair", metadata={"a": "b"})
    g = pickle.loads(pickle.dumps(f, protocol))
    assert g == f
    assert g.metadata == f.metadata
    assert not g.read_only
    assert g.add("new")
    assert "new" not in f


def test_pickle_out_of_band() -> None:
    f = BloomFilter.build(range(100_000))
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(f, 5, buffer_callback=buffers.append)
    assert len(data) < 100
    assert len(buffers) == 1
    assert buffers[0].raw().nbytes == f.nbytes
    g = pickle.loads(data, buffers=buffers)
    assert g == f
    assert g.read_only  # a view of the buffer: copy() makes it writable
    assert g.copy().add("new")
    elsewhere = bytearray(buffers[0].raw())
    h = pickle.loads(data, buffers=[elsewhere])
    assert h == f
    elsewhere[64 * 10 : 64 * 11] = b"\xff" * 64
    assert h != f  # the very memory that was handed in
    with pytest.raises(tepal.FormatError):
        pickle.loads(data, buffers=[b"other"])


def test_pickle_of_views_hashes_and_across_processes() -> None:
    f = BloomFilter.from_buffer(DATA)
    assert pickle.loads(pickle.dumps(f)) == f
    assert copy.deepcopy([f])[0] == f
    assert copy.deepcopy(f).add("new")
    hash_ = f.key_hash("a")
    assert pickle.loads(pickle.dumps(hash_)) == hash_
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        parts = pool.map(_part, range(3))
    assert tepal.union_all(parts).contains_many(range(30)).all()


def _part(i: int) -> BloomFilter:
    f = BloomFilter(30)
    f.update(range(i * 10, i * 10 + 10))
    return f
