"""`Mask` behaves like a tuple of bools and like a buffer."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tepal import BloomFilter, Mask


def mask_of(answers: list[bool]) -> Mask:
    f = BloomFilter.build([1], 1e-9)
    return f.contains_many([1 if answer else "other" for answer in answers])


@given(st.lists(st.booleans(), max_size=40), st.data())
def test_like_a_tuple(answers: list[bool], data: st.DataObject) -> None:
    mask = mask_of(answers)
    assert list(mask) == answers
    assert len(mask) == len(answers)
    assert mask.count() == mask.sum() == sum(answers)
    assert (mask.any(), mask.all()) == (any(answers), all(answers))
    assert mask == mask_of(answers)
    assert mask != mask_of([*answers, True])
    part = data.draw(st.slices(len(answers)))
    assert list(mask[part]) == answers[part]
    for i in range(-len(answers), len(answers)):
        assert mask[i] is answers[i]
    for i in (len(answers), -len(answers) - 1, 2**70):
        with pytest.raises(IndexError):
            mask[i]
    assert pickle.loads(pickle.dumps(mask)) == mask


@given(st.lists(st.booleans(), max_size=40))
def test_as_a_buffer(answers: list[bool]) -> None:
    mask = mask_of(answers)
    view = memoryview(mask)
    assert (view.format, view.itemsize, view.readonly, view.shape) == ("?", 1, True, (len(answers),))
    assert view.tolist() == answers
    array = np.asarray(mask)
    assert array.dtype == np.bool_
    assert array.tolist() == answers
    assert not array.flags.writeable
    assert np.arange(len(answers))[mask].tolist() == [i for i, yes in enumerate(answers) if yes]


def test_the_buffer_outlives_the_name() -> None:
    array = np.asarray(mask_of([True] * 1000))
    assert array.all()
    assert np.shares_memory(array, np.asarray(array.base))


def test_what_a_mask_is_not() -> None:
    mask = mask_of([True])
    with pytest.raises(TypeError, match=r"any\(\)"):
        bool(mask)
    with pytest.raises(TypeError):
        hash(mask)
    with pytest.raises(TypeError):
        Mask()
    with pytest.raises(TypeError):
        mask["a"]
    with pytest.raises(TypeError):
        mask[0] = False
    assert mask != [True]
    assert repr(mask_of([True, False])) == "<tepal.Mask of 2: 1 true [True, False]>"
    assert repr(mask_of([False] * 100)).endswith("False, ...]>")
