"""Bad arguments: each its code and class, the same in every language, and never an abort."""

from __future__ import annotations

import math
import pickle
import sys

import numpy as np
import pytest
from helpers import python, raises
from hypothesis import given
from hypothesis import strategies as st

import tepal
from tepal import BloomFilter, errors

BAD = [
    ({"capacity": 0}, "ERR_CAPACITY_ZERO"),
    ({"capacity": -1}, "ERR_CAPACITY_RANGE"),
    ({"capacity": 2**48 + 1}, "ERR_CAPACITY_RANGE"),
    ({"capacity": 2**63}, "ERR_CAPACITY_RANGE"),
    ({"capacity": 10**50}, "ERR_CAPACITY_RANGE"),
    ({"capacity": -(10**50)}, "ERR_CAPACITY_RANGE"),
    ({"capacity": 1.5}, "ERR_CAPACITY_RANGE"),
    ({"capacity": math.nan}, "ERR_CAPACITY_RANGE"),
    ({"capacity": math.inf}, "ERR_CAPACITY_RANGE"),
    ({"capacity": "10"}, "ERR_ARGUMENT_TYPE"),
    ({"capacity": None}, "ERR_ARGUMENT_TYPE"),
    ({"capacity": True}, "ERR_ARGUMENT_TYPE"),
    ({"fpr": 0}, "ERR_FPR_RANGE"),
    ({"fpr": 0.0}, "ERR_FPR_RANGE"),
    ({"fpr": 1}, "ERR_FPR_RANGE"),
    ({"fpr": -0.1}, "ERR_FPR_RANGE"),
    ({"fpr": 0.51}, "ERR_FPR_RANGE"),
    ({"fpr": 1e-10}, "ERR_FPR_RANGE"),
    ({"fpr": math.nan}, "ERR_FPR_RANGE"),
    ({"fpr": math.inf}, "ERR_FPR_RANGE"),
    ({"fpr": -math.inf}, "ERR_FPR_RANGE"),
    ({"fpr": 10**400}, "ERR_FPR_RANGE"),
    ({"fpr": "0.1"}, "ERR_ARGUMENT_TYPE"),
    ({"fpr": True}, "ERR_ARGUMENT_TYPE"),
    ({"fpr": [0.1]}, "ERR_ARGUMENT_TYPE"),
    ({"seed": -1}, "ERR_SEED_RANGE"),
    ({"seed": 2**64}, "ERR_SEED_RANGE"),
    ({"seed": 0.5}, "ERR_SEED_RANGE"),
    ({"seed": "a"}, "ERR_ARGUMENT_TYPE"),
    ({"layout": "Line"}, "ERR_LAYOUT_NAME"),
    ({"layout": ""}, "ERR_LAYOUT_NAME"),
    ({"layout": "\ud800"}, "ERR_LAYOUT_NAME"),
    ({"layout": 1}, "ERR_ARGUMENT_TYPE"),
    ({"metadata": {"": "x"}}, "ERR_METADATA"),
    ({"metadata": {"x": "y" * 65_528}}, "ERR_METADATA"),
    ({"metadata": {"x": 1}}, "ERR_ARGUMENT_TYPE"),
    ({"metadata": {1: "x"}}, "ERR_ARGUMENT_TYPE"),
    ({"metadata": {"x": "\ud800"}}, "ERR_ARGUMENT_TYPE"),
    ({"metadata": [("a", "b")]}, "ERR_ARGUMENT_TYPE"),
]


@pytest.mark.parametrize(("arguments", "code"), BAD, ids=lambda value: str(value)[:40])
def test_constructor(arguments: dict[str, object], code: str) -> None:
    with raises(code, tepal.ArgumentError) as caught:
        BloomFilter(**{"capacity": 10, **arguments})
    assert isinstance(caught.value, ValueError)
    assert next(iter(arguments)) in str(caught.value)
    if "capacity" not in arguments:
        with raises(code, tepal.ArgumentError):
            BloomFilter.build(["a"], **arguments)


def test_numbers_of_other_kinds_are_fine() -> None:
    wanted = BloomFilter(1000, 0.25)
    assert BloomFilter(1000.0, 0.25) == wanted
    assert BloomFilter(np.int64(1000), np.float32(0.25)) == wanted
    assert BloomFilter(np.uint8(100), np.float64(0.25)).capacity == 100
    assert BloomFilter(10, seed=np.uint64(2**64 - 1)).seed == 2**64 - 1
    assert BloomFilter(10, metadata={"x": "y" * 65_527}).metadata["x"][-1] == "y"


@given(st.one_of(st.integers(), st.floats(), st.text(), st.none(), st.booleans(), st.binary(), st.complex_numbers()))
def test_any_value_gives_a_filter_or_an_argument_error(value: object) -> None:
    for arguments in (
        {"capacity": value},
        {"fpr": value},
        {"seed": value},
        {"layout": value},
        {"metadata": value},
    ):
        if value is not None and not (isinstance(value, int | float) and abs(value) > 10**7):
            try:
                f = BloomFilter(**{"capacity": 10, **arguments})
            except tepal.ArgumentError as error:
                assert error.code.startswith("ERR_")  # noqa: PT017
            else:
                assert isinstance(f, BloomFilter)


def test_more_memory_than_there_is() -> None:
    """In a process of its own, with the address space limited: an error, not an abort, and life goes on."""
    code = """
import resource, tepal
f = tepal.BloomFilter(10)
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
for capacity in (10**12, 2**48, 10**10):
    try:
        tepal.BloomFilter(capacity)
    except MemoryError as error:
        assert isinstance(error, tepal.FilterMemoryError), error
        print(error.code)
big = tepal.BloomFilter(2 * 10**9)
for use in (big.copy, big.to_bytes, lambda: big | big):
    try:
        use()
    except MemoryError as error:
        print(error.code)
print(f.add("a"))
"""
    ran = python(code)
    assert ran.stderr == ""
    assert ran.stdout.split() == ["ERR_OUT_OF_MEMORY"] * 6 + ["True"]
    assert ran.returncode == 0


def test_a_trillion_keys() -> None:
    with raises("ERR_OUT_OF_MEMORY", tepal.FilterMemoryError):
        BloomFilter(10**12)


@pytest.mark.parametrize("factor", [0, -1, 1.5, 2**64, 7])
def test_fold(factor: float) -> None:
    f = BloomFilter(1_000_000)
    assert f.num_lines % 7
    with raises("ERR_FACTOR", tepal.ArgumentError):
        f.fold(factor)
    with raises("ERR_ARGUMENT_TYPE", tepal.ArgumentError):
        f.fold("2")


@pytest.mark.parametrize(
    ("capacity", "code"), [(0, "ERR_CAPACITY_ZERO"), (-1, "ERR_CAPACITY_RANGE"), ("1", "ERR_ARGUMENT_TYPE")]
)
def test_shrink_to(capacity: int, code: str) -> None:
    with raises(code, tepal.ArgumentError):
        BloomFilter(100).shrink_to(capacity)


def test_filters_that_do_not_belong_together() -> None:
    f = BloomFilter(1000)
    others = [
        (BloomFilter(1000, seed=1), "ERR_SEED_DIFFERS"),
        (BloomFilter(1000, layout="pair"), "ERR_LAYOUT_DIFFERS"),
        (BloomFilter(1000, 1e-4, layout="line"), "ERR_PROBES_DIFFERS"),
        (BloomFilter(1100), "ERR_SIZE_DIFFERS"),
    ]
    before = f.to_bytes()
    for other, code in others:
        calls = [
            lambda o=other: f | o,
            lambda o=other: o | f,
            lambda o=other: f & o,
            lambda o=other: f.__ior__(o),
            lambda o=other: f.__iand__(o),
            lambda o=other: tepal.union_all([f, o]),
        ]
        for call in calls:
            with raises(code, tepal.MismatchError) as caught:
                call()
            assert isinstance(caught.value, ValueError)
    assert f.to_bytes() == before


def test_classes() -> None:
    kin = {
        "ArgumentError": ValueError,
        "KeyTypeError": TypeError,
        "FormatError": ValueError,
        "MismatchError": ValueError,
        "CapacityError": Exception,
        "StateError": Exception,
        "UnsupportedError": Exception,
        "FilterMemoryError": MemoryError,
        "FilterIOError": OSError,
    }
    assert set(errors.__all__) == {*kin, "TepalError"}
    for name, built_in in kin.items():
        kind = getattr(tepal, name)
        assert issubclass(kind, tepal.TepalError)
        assert issubclass(kind, built_in)
        assert kind.__module__ == "tepal.errors"


def test_an_exception_survives_pickling() -> None:
    with raises("ERR_KEY_TYPE") as caught:
        BloomFilter(1).add_many(["a", None])
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), again.code, again.index, str(again)) == (
        tepal.KeyTypeError,
        "ERR_KEY_TYPE",
        1,
        str(caught.value),
    )


def test_refusals_leak_nothing() -> None:
    f, key = BloomFilter(10), object()
    before = sys.getrefcount(key)
    for _ in range(1000):
        with pytest.raises(tepal.KeyTypeError):
            f.add(key)
        with pytest.raises(tepal.KeyTypeError):
            f.add_many([key])
    assert sys.getrefcount(key) <= before + 3
