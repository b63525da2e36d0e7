"""What is a key, what is none, and what the refusal says."""

from __future__ import annotations

import array
import datetime
import decimal
import enum
import fractions
import uuid

import numpy as np
import pytest
from helpers import key_bytes, keys, raises
from hypothesis import given
from hypothesis import strategies as st

import tepal
from tepal import BloomFilter


def hash_of(key: object) -> str:
    return BloomFilter(1, seed=9).key_hash(key).hex()


@given(keys)
def test_a_key_is_its_bytes(key: str | int | bytes) -> None:
    assert hash_of(key) == hash_of(key_bytes(key))


@given(st.integers(0, 255), st.sampled_from(["b", "B", "h", "H", "i", "I", "l", "L", "q", "Q"]))
def test_an_integer_is_its_value_whatever_its_type(value: int, code: str) -> None:
    value -= 128 if code.islower() else 0
    assert hash_of(np.dtype(code).type(value)) == hash_of(value)


def test_one_key_in_many_forms() -> None:
    assert (
        hash_of("é") == hash_of("é".encode()) == hash_of(bytearray("é".encode())) == hash_of(memoryview("é".encode()))
    )
    assert hash_of(-1) == hash_of(2**64 - 1)
    assert hash_of(np.str_("a")) == hash_of(np.bytes_(b"a")) == hash_of("a")
    assert hash_of(enum.IntEnum("Colour", "RED").RED) == hash_of(1)
    assert hash_of(type("Text", (str,), {})("a")) == hash_of("a")
    assert hash_of(np.array(5)) == hash_of(5)
    assert hash_of(memoryview(b"abcdef")[1:4]) == hash_of("bcd")
    assert hash_of(memoryview(array.array("B", b"abc"))) == hash_of("abc")
    assert hash_of("") == hash_of(b"") == hash_of(bytearray())
    assert hash_of(0) != hash_of("") != hash_of("0")


def test_huge_keys() -> None:
    huge = b"x" * 100_000_000
    f = BloomFilter(10)
    assert f.add(huge)
    assert huge in f
    assert huge.decode() in f
    assert memoryview(huge) in f
    assert huge[:-1] not in f
    assert list(f.add_many([huge, huge[1:]])) == [False, True]


class Raises:
    def __index__(self) -> int:
        raise ZeroDivisionError("mine")


class NoInteger:
    def __index__(self) -> str:
        return "1"


REFUSED = [
    (True, "int(key)"),
    (np.True_, "int(key)"),
    (1.0, "Int64"),
    (float("nan"), "Int64"),
    (np.float64(1), "Int64"),
    (np.float32(1), "Int64"),
    (None, "missing values"),
    (uuid.UUID(int=1), ".bytes"),
    (decimal.Decimal(1), "text"),
    (fractions.Fraction(1), "text"),
    (1j, "text"),
    (datetime.datetime(2020, 1, 1), "ISO 8601"),
    (datetime.date(2020, 1, 1), "ISO 8601"),
    (np.datetime64("2020-01-01"), "ISO 8601"),
    ([1], "key(part"),
    ((1, 2), "key(part"),
    ({1: 2}, ""),
    ({1}, ""),
    (object(), ""),
    (int, ""),
    (array.array("d", [1.0]), ""),
    (array.array("B", [1]), "contiguous"),
    (np.zeros(3, np.uint8), "contiguous"),
    (memoryview(b"abcd")[::2], "contiguous"),
    (memoryview(b"abcd").cast("H"), "contiguous"),
    (np.zeros((2, 2), np.uint8), ""),
    (np.zeros(3), ""),
    (NoInteger(), ""),
    (BloomFilter(1), ""),
]


@pytest.mark.parametrize(("key", "hint"), REFUSED, ids=lambda value: type(value).__name__)
def test_refused_everywhere(key: object, hint: str) -> None:
    f = BloomFilter(10)
    calls = [
        lambda: f.add(key),
        lambda: key in f,
        lambda: f.key_hash(key),
        lambda: f.explain(key),
    ]
    for call in calls:
        with raises("ERR_KEY_TYPE", tepal.KeyTypeError) as caught:
            call()
        assert type(key).__name__ in str(caught.value)
        assert hint in str(caught.value)
        assert isinstance(caught.value, TypeError)
        assert caught.value.index is None
    for call in (f.add_many, f.contains_many, f.update, BloomFilter.build):
        for batch in (["ok", key, "never"], ("ok", key, "never"), iter(["ok", key, "never"])):
            with raises("ERR_KEY_TYPE", tepal.KeyTypeError) as caught:
                call(batch)
            assert caught.value.index == 1
    assert "ok" in f
    assert "never" not in f
    with raises("ERR_KEY_TYPE", tepal.KeyTypeError) as caught:
        tepal.key("a", key)
    assert caught.value.index == 1


@pytest.mark.parametrize("key", [2**64, -(2**63) - 1, 10**100, -(10**100)])
def test_integers_out_of_range(key: int) -> None:
    f = BloomFilter(10)
    for call in (f.add, f.__contains__, f.key_hash, tepal.key):
        with raises("ERR_KEY_RANGE", tepal.KeyTypeError) as caught:
            call(key)
        assert str(key) not in str(caught.value)
    for edge in (2**64 - 1, -(2**63), 2**63, 0):
        assert edge in BloomFilter.build([edge])


@pytest.mark.parametrize("key", ["\ud800", "a\udfffb", "\udc80" * 3])
def test_lone_surrogates(key: str) -> None:
    f = BloomFilter(10)
    for call in (f.add, f.__contains__, f.key_hash, tepal.key):
        with raises("ERR_KEY_SURROGATE", tepal.KeyTypeError):
            call(key)
    with raises("ERR_KEY_SURROGATE") as caught:
        f.add_many(["a", key])
    assert caught.value.index == 1
    with raises("ERR_KEY_SURROGATE"):
        f.add(type("Text", (str,), {})(key))


def test_keys_never_appear_in_messages() -> None:
    f = BloomFilter(10)
    secret = type("Secret", (), {"__repr__": lambda _self: "hunter2", "__str__": lambda _self: "hunter2"})()
    for key in (secret, "hunter2\ud800", [b"hunter2"], 10**30):
        with pytest.raises(tepal.KeyTypeError) as caught:
            f.add(key)
        assert "hunter2" not in str(caught.value)
        assert str(10**30) not in str(caught.value)


def test_an_exception_of_the_keys_own_code_passes() -> None:
    f = BloomFilter(10)
    for call in (f.add, f.__contains__):
        with pytest.raises(ZeroDivisionError, match="mine"):
            call(Raises())
    with pytest.raises(ZeroDivisionError, match="mine"):
        f.add_many(["a", Raises(), "b"])
    assert "a" in f
    assert "b" not in f


def test_released_views_are_refused_not_read() -> None:
    view = memoryview(b"abc")
    view.release()
    with raises("ERR_KEY_TYPE"):
        BloomFilter(10).add(view)
    data = bytearray(b"abc")
    f = BloomFilter(10)
    f.add(data)
    data.append(1)  # no export was left behind


def test_compound_keys() -> None:
    assert tepal.key("ab", "c") != tepal.key("a", "bc")
    assert tepal.key("ab", 1) == b"\2\0\0\0\0\0\0\0ab\10\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"
    assert tepal.key("a") != b"a"
    assert tepal.key(b"a") == tepal.key("a") == tepal.key(bytearray(b"a"))
    assert tepal.key() == b""
