"""Batches against a loop over `add`, whatever holds the keys."""

from __future__ import annotations

import array
import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from helpers import keys, raises
from hypothesis import given
from hypothesis import strategies as st

import tepal
from tepal import BloomFilter


def looped(batch: list[object]) -> tuple[list[bool], bytes]:
    f = BloomFilter(100)
    return [f.add(key) for key in batch], f.to_bytes()


@given(st.lists(keys, max_size=60), st.sampled_from([1, 2, 7]))
def test_any_iterable_equals_the_loop(batch: list[object], threads: int) -> None:
    answers, body = looped(batch)
    for wrap in (
        list,
        tuple,
        iter,
        lambda b: (key for key in b),
        lambda b: np.array(b, object),
        lambda b: dict.fromkeys(b),
    ):
        f = BloomFilter(100)
        wrapped = wrap(batch)
        mask = f.add_many(wrapped, threads=threads)
        if not isinstance(wrapped, dict):
            assert list(mask) == answers
        assert f.to_bytes() == body
        assert list(f.contains_many(batch, threads=threads)) == [key in f for key in batch]
        g = BloomFilter(100)
        g.update(wrap(batch))
        assert g.to_bytes() == body


@pytest.mark.parametrize("code", ["b", "B", "h", "H", "i", "I", "l", "L", "q", "Q"])
@pytest.mark.parametrize("order", ["=", "<", ">"])
def test_integer_arrays(code: str, order: str) -> None:
    dtype = np.dtype(code).newbyteorder(order)
    info = np.iinfo(dtype)
    whole = np.array([info.min, info.max, 0, 1, 2, 2, 3, info.max], dtype)
    for column in (whole, whole[::2], whole[::-1], whole[:0], whole.reshape(2, 4)[:, 1]):
        answers, body = looped(column.tolist())
        f = BloomFilter(100)
        assert list(f.add_many(column)) == answers
        assert f.to_bytes() == body
        assert f.contains_many(column).all()
        assert f.contains_many(column.tolist()).all()
        assert BloomFilter.build(column) == BloomFilter.build(column.tolist())


def test_other_buffers_of_integers() -> None:
    values = [3, 1, 2, 1]
    answers, body = looped(values)
    for column in (array.array("q", values), memoryview(array.array("I", values)), array.array("b", values)):
        f = BloomFilter(100)
        assert list(f.add_many(column)) == answers
        assert f.to_bytes() == body


def test_arrays_that_are_no_integers() -> None:
    f = BloomFilter(100)
    with raises("ERR_KEY_TYPE", tepal.KeyTypeError) as caught:
        f.add_many(np.array([1.0, 2.0]))
    assert "Int64" in str(caught.value)
    assert caught.value.index == 0
    for wrong in (
        np.array([True]),
        np.array([[1, 2], [3, 4]]),
        np.array(["2020"], "M8[Y]"),
        np.array([1.5], np.float16),
    ):
        with raises("ERR_KEY_TYPE") as caught:
            f.add_many(wrong)
        assert caught.value.index == 0
    with raises("ERR_ARGUMENT_TYPE"):
        f.add_many(np.array(5))
    assert list(f.add_many(np.array(["a", "b", "a"]))) == [True, True, False]
    assert "a" in f


@pytest.mark.parametrize("one", ["abc", b"abc", bytearray(b"abc"), memoryview(b"abc"), np.str_("abc")], ids=repr)
def test_one_key_is_not_many(one: object) -> None:
    f = BloomFilter(100)
    for call in (f.add_many, f.contains_many, f.update, BloomFilter.build):
        with raises("ERR_ARGUMENT_TYPE", tepal.ArgumentError) as caught:
            call(one)
        assert "add" in str(caught.value)
    assert f == BloomFilter(100)


@pytest.mark.parametrize("none", [3, None, 1.5, object()], ids=repr)
def test_what_cannot_be_iterated(none: object) -> None:
    f = BloomFilter(100)
    for call in (f.add_many, f.contains_many, f.update, BloomFilter.build):
        with raises("ERR_ARGUMENT_TYPE", tepal.ArgumentError) as caught:
            call(none)
        assert type(none).__name__ in str(caught.value)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True, 10**30])
def test_threads(threads: object) -> None:
    f = BloomFilter(100)
    for call in (f.add_many, f.contains_many):
        if threads == 10**30:
            assert len(call([1], threads=threads)) == 1
            continue
        with raises("ERR_ARGUMENT_TYPE", tepal.ArgumentError):
            call([1], threads=threads)


@pytest.mark.parametrize("layout", ["line", "pair", "classic"])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_big_batches_are_in_order(layout: str, threads: int) -> None:
    """Larger than every chunk, with repeats near and far."""
    rng = np.random.default_rng(1)
    column = rng.integers(0, 200_000, 600_001)
    a, b = BloomFilter(200_000, layout=layout), BloomFilter(200_000, layout=layout)
    expected = np.asarray(a.add_many(iter(column.tolist())))
    one_by_one = BloomFilter(200_000, layout=layout)
    assert expected.tolist() == [one_by_one.add(key) for key in column.tolist()]
    assert (np.asarray(b.add_many(column, threads=threads)) == expected).all()
    assert a.to_bytes() == b.to_bytes() == one_by_one.to_bytes()
    strangers = np.arange(10**9, 10**9 + 600_001)
    assert a.contains_many(strangers, threads=threads) == a.contains_many(strangers.tolist())
    assert list(a.contains_many(strangers, threads=threads)) == [key in a for key in strangers.tolist()]


def test_a_bad_key_late_in_a_long_batch() -> None:
    for at in (0, 16_383, 16_384, 16_385, 50_000):
        f, batch = BloomFilter(100_000), [*range(at), None, "never"]
        with raises("ERR_KEY_TYPE") as caught:
            f.add_many(batch)
        assert caught.value.index == at
        g = BloomFilter(100_000)
        g.update(range(at))
        assert f == g


def test_an_iterators_own_exception() -> None:
    def some() -> Iterator[str]:
        yield "a"
        raise ZeroDivisionError

    f = BloomFilter(100)
    for call in (f.add_many, f.contains_many, f.update, BloomFilter.build):
        with pytest.raises(ZeroDivisionError):
            call(some())
    assert "a" in f


def test_user_code_may_use_the_filter_meanwhile() -> None:
    f = BloomFilter(100)

    def some() -> Iterator[str]:
        for i in range(50):
            assert f.add(f"inner {i}")
            f.clear()
            yield f"outer {i}"

    assert f.add_many(some()).all()
    assert f.contains_many(f"outer {i}" for i in range(50)).all()


def test_a_list_that_changes_under_way() -> None:
    batch: list[object] = []

    class Shrinks:
        def __index__(self) -> int:
            del batch[2:]
            return 1

    class Grows:
        def __index__(self) -> int:
            if len(batch) < 10:
                batch.append(Grows())
            return len(batch)

    batch[:] = [Shrinks(), 2, 3, 4]
    assert len(BloomFilter(100).add_many(batch)) == 2
    batch[:] = [Grows()]
    assert len(BloomFilter(100).add_many(batch)) == 10
    batch[:] = []
    assert len(BloomFilter(100).add_many(batch)) == 0


def test_update_takes_any_number() -> None:
    f = BloomFilter(100)
    f.update()
    assert f == BloomFilter(100)
    f.update(["a"], {"b"}, range(3), np.arange(5))
    assert f.contains_many(["a", "b", 0, 1, 2, 3, 4]).all()


def test_a_read_only_filter_refuses_before_anything_is_iterated() -> None:
    f = BloomFilter.from_buffer(BloomFilter(100).to_bytes())
    source = iter(["a", "b"])
    for call in (f.add_many, f.update):
        with raises("ERR_READ_ONLY", tepal.StateError) as caught:
            call(source)
        assert "copy" in str(caught.value)
    assert list(source) == ["a", "b"]
    with raises("ERR_READ_ONLY", tepal.StateError):
        f.add_many([])


def test_infinite_iterables_can_be_interrupted() -> None:
    def bomb() -> Iterator[int]:
        for i in itertools.count():
            if i == 40_000:
                raise KeyboardInterrupt
            yield i

    f = BloomFilter(100_000)
    with pytest.raises(KeyboardInterrupt):
        f.update(bomb())
    assert f.contains_many(range(40_000)).all()
