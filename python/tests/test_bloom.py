"""One filter against a plain set, and every member of the class."""

from __future__ import annotations

import copy
import math
import weakref

import pytest
from helpers import key_bytes, keys, raises
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import tepal
from tepal import BloomFilter

layouts = st.sampled_from(["auto", "line", "pair", "classic"])


class AgainstASet(RuleBasedStateMachine):
    """A sequence of operations on two filters and on two sets of key bytes."""

    @initialize(capacity=st.integers(1, 500), layout=layouts, seed=st.integers(0, 2**64 - 1))
    def make(self, capacity: int, layout: str, seed: int) -> None:
        self.filters = [BloomFilter(capacity, 1e-3, seed=seed, layout=layout) for _ in range(2)]
        self.models: list[set[bytes]] = [set(), set()]

    @rule(key=keys, which=st.integers(0, 1))
    def add(self, key: str | int | bytes, which: int) -> None:
        found = key in self.filters[which]
        new = self.filters[which].add(key)
        assert new != found
        if key_bytes(key) in self.models[which]:
            assert not new
        self.models[which].add(key_bytes(key))
        assert key in self.filters[which]

    @rule(batch=st.lists(keys, max_size=30), which=st.integers(0, 1))
    def add_many(self, batch: list[str | int | bytes], which: int) -> None:
        twin = self.filters[which].copy()
        assert list(self.filters[which].add_many(batch)) == [twin.add(key) for key in batch]
        assert self.filters[which].to_bytes() == twin.to_bytes()
        self.models[which].update(map(key_bytes, batch))

    @rule(which=st.integers(0, 1))
    def union(self, which: int) -> None:
        merged = self.filters[0] | self.filters[1]
        assert merged == self.filters[1] | self.filters[0]
        self.filters[which] |= self.filters[1 - which]
        assert self.filters[which] == merged
        self.models[which] |= self.models[1 - which]

    @rule(which=st.integers(0, 1))
    def intersection(self, which: int) -> None:
        merged = self.filters[0] & self.filters[1]
        self.filters[which] &= self.filters[1 - which]
        assert self.filters[which] == merged
        self.models[which] &= self.models[1 - which]

    @rule(which=st.integers(0, 1))
    def clear(self, which: int) -> None:
        self.filters[which].clear()
        self.models[which].clear()
        assert self.filters[which].fill_ratio == 0

    @rule(which=st.integers(0, 1))
    def through_bytes(self, which: int) -> None:
        again = BloomFilter.from_bytes(self.filters[which].to_bytes())
        assert again == self.filters[which]
        self.filters[which] = again

    @invariant()
    def no_key_is_missed(self) -> None:
        for filter_, model in zip(self.filters, self.models, strict=True):
            assert filter_.contains_many(model).all()


TestAgainstASet = AgainstASet.TestCase


def test_facts() -> None:
    f = BloomFilter(1000, 0.01, seed=7, layout="classic", metadata={"rule": "v1", "a": ""})
    assert (f.capacity, f.fpr, f.seed, f.layout) == (1000, 0.01, 7, "classic")
    assert f.metadata == {"a": "", "rule": "v1"}
    assert f.num_bits == f.num_lines * 512
    assert f.nbytes == len(f.to_bytes())
    assert 1 <= f.num_probes <= 64
    assert not f.read_only
    assert (f.fill_ratio, f.estimated_count, f.estimated_fpr, f.saturation) == (0, 0, 0, 0)
    f.update(range(1000))
    assert math.isclose(f.estimated_count, 1000, rel_tol=0.1)
    assert math.isclose(f.saturation, 1, rel_tol=0.1)
    assert 0.3 < f.fill_ratio < 0.6
    assert 0.001 < f.estimated_fpr < 0.02
    with pytest.raises(AttributeError):
        f.capacity = 3


def test_defaults_are_those_of_the_signature() -> None:
    assert BloomFilter(1000) == BloomFilter(1000, 0.01, seed=0, layout="auto", metadata=None)
    assert BloomFilter(1000).layout == "line"
    assert BloomFilter(1000).metadata == {}
    assert BloomFilter(capacity=10, fpr=0.1) == BloomFilter(10, 0.1)


def test_metadata_is_a_copy() -> None:
    given_ = {"a": "1"}
    f = BloomFilter(10, metadata=given_)
    given_["b"] = "2"
    f.metadata["c"] = "3"
    assert f.metadata == {"a": "1"}


@given(st.lists(keys, max_size=50), layouts)
def test_build(batch: list[str | int | bytes], layout: str) -> None:
    f = BloomFilter.build(iter(batch), 0.001, seed=3, layout=layout, metadata={"k": "v"})
    assert f.capacity == max(1, len(set(map(key_bytes, batch))))
    assert f.contains_many(batch).all()
    assert (f.seed, f.metadata) == (3, {"k": "v"})


def test_measured_rate_keeps_the_promise() -> None:
    f = BloomFilter.build(range(100_000), 0.01)
    asked = 200_000
    yes = f.contains_many(range(1_000_000, 1_000_000 + asked)).count()
    assert abs(yes / asked - f.estimated_fpr) < 3 * math.sqrt(f.estimated_fpr / asked)
    assert f.estimated_fpr < 0.0102


def test_past_capacity_it_goes_on_and_says_so() -> None:
    f = BloomFilter(100)
    f.update(range(1000))
    assert f.contains_many(range(1000)).all()
    assert f.saturation > 5
    assert f.estimated_fpr > 0.1


def test_key_hash() -> None:
    a, b, other = BloomFilter(100), BloomFilter(9999, 1e-5), BloomFilter(100, seed=1)
    hash_ = a.key_hash("x")
    assert a.add_hash(hash_) is True
    assert a.add_hash(hash_) is False
    assert "x" in a
    assert a.contains_hash(hash_) is True
    assert b.contains_hash(hash_) is False
    assert hash_ == b.key_hash(b"x") != a.key_hash("y")
    assert len({hash_, b.key_hash("x")}) == 1
    assert hash_ != other.key_hash("x")
    assert len(hash_.hex()) == 32
    assert hash_.seed == 0
    assert hash_.hex() in repr(hash_)
    for call in (other.add_hash, other.contains_hash):
        with raises("ERR_SEED_DIFFERS", tepal.MismatchError):
            call(hash_)
    with raises("ERR_ARGUMENT_TYPE", tepal.ArgumentError):
        a.add_hash("x")


def test_operators_refuse_what_is_no_filter() -> None:
    f = BloomFilter(10)
    for other in ({"a"}, None, 3):
        with pytest.raises(TypeError):
            f | other
        with pytest.raises(TypeError):
            f & other
        with pytest.raises(TypeError):
            f |= other
        with pytest.raises(TypeError):
            f &= other
        assert f != other
        with raises("ERR_ARGUMENT_TYPE", tepal.ArgumentError):
            f.union(other)
        with raises("ERR_ARGUMENT_TYPE", tepal.ArgumentError):
            f.intersection(other)


def test_in_place_operators_keep_the_object() -> None:
    f, g = BloomFilter(10), BloomFilter(10)
    g.add("a")
    same = f
    f |= g
    assert f is same
    assert "a" in f
    f &= BloomFilter(10)
    assert f is same
    assert "a" not in f
    f |= f
    f &= f
    assert f == BloomFilter(10)


def test_equality_is_parameters_and_bits() -> None:
    f = BloomFilter(10, metadata={"a": "1"})
    assert f == BloomFilter(10)
    assert f != BloomFilter(10, seed=1)
    assert f != BloomFilter(10, 0.02)
    g = f.copy()
    g.add("x")
    assert f != g


def test_what_a_filter_is_not() -> None:
    f = BloomFilter(10)
    with pytest.raises(TypeError, match="unhashable"):
        hash(f)
    with pytest.raises(TypeError, match="len"):
        len(f)
    with pytest.raises(TypeError, match="not iterable"):
        iter(f)
    with pytest.raises(TypeError):
        type("Sub", (BloomFilter,), {})
    assert f  # an empty one, too


def test_union_all_and_sizes() -> None:
    parts = [BloomFilter(1000), BloomFilter(1000), BloomFilter(1000)]
    for i, part in enumerate(parts):
        part.update(range(i * 100, i * 100 + 100))
    whole = BloomFilter(1000)
    whole.update(range(300))
    assert tepal.union_all(parts) == whole == tepal.union_all(iter(parts))
    assert tepal.union_all(parts[:1]) == parts[0]
    with raises("ERR_EMPTY", tepal.ArgumentError):
        tepal.union_all([])
    for wrong in (3, [3], parts[0]):
        with raises("ERR_ARGUMENT_TYPE", tepal.ArgumentError):
            tepal.union_all(wrong)


def test_fold_and_shrink() -> None:
    f = BloomFilter(1_000_000)
    f.update(range(1000))
    half = f.fold(2)
    assert half.num_lines * 2 == f.num_lines
    assert half.contains_many(range(1000)).all()
    small = f.shrink_to(1000)
    assert small.capacity == 1000
    assert small.nbytes < f.nbytes / 100
    assert small.contains_many(range(1000)).all()
    assert (small | f).num_lines == small.num_lines


def test_copies_are_independent() -> None:
    f = BloomFilter(10, metadata={"a": "1"})
    for clone in (f.copy(), copy.copy(f), copy.deepcopy(f)):
        assert clone == f
        assert clone.metadata == f.metadata
        clone.add("x")
        assert "x" not in f


def test_repr_tells_and_never_scans() -> None:
    f = BloomFilter(1000, metadata={"<b>": "&"})
    assert repr(f) == f"<tepal.BloomFilter capacity=1000 fpr=0.01 seed=0 layout='line' nbytes={f.nbytes}>"
    html = f._repr_html_()
    assert "<th>capacity</th><td>1000</td>" in html
    assert "&lt;b&gt;: &amp;" in html
    view = BloomFilter.from_buffer(f.to_bytes())
    assert "read-only" in repr(view)
    view.close()
    assert repr(view) == "<tepal.BloomFilter closed>"


def test_explain() -> None:
    for layout, lines in (("line", 1), ("pair", 2)):
        f = BloomFilter.build(range(50), 1e-3, layout=layout)
        why = f.explain(7)
        assert why.contained
        assert why.hash == f.key_hash(7)
        assert len(why.lines) == lines
        body = f.to_bytes()[128:-64] if not f.metadata else b""
        for line in why.lines:
            assert line.body_offset == 64 * line.line
            stored = body[line.body_offset : line.body_offset + 64]
            assert b"".join(word.to_bytes(8, "little") for word in line.words) == stored
            for bit in line.bits:
                assert bit.set
                assert line.words[bit.lane] >> bit.bit & 1
        assert 0 < why.false_positive_chance < 1
        assert "probably contained" in repr(why)
        assert "#" in repr(why)
    stranger = BloomFilter(50).explain("x")
    assert not stranger.contained
    assert "certainly not" in repr(stranger)
    assert "O" in repr(stranger)


def test_a_closed_filter_says_so_everywhere() -> None:
    f = BloomFilter(10)
    hash_ = f.key_hash("a")
    f.close()
    f.close()
    uses = [
        lambda: f.add("a"),
        lambda: f.add(bytearray(b"a")),
        lambda: "a" in f,
        lambda: f.add_many(["a"]),
        lambda: f.contains_many(["a"]),
        lambda: f.update(["a"]),
        lambda: f.add_hash(hash_),
        lambda: f.contains_hash(hash_),
        lambda: f.explain("a"),
        f.clear,
        f.copy,
        lambda: f | BloomFilter(10),
        lambda: BloomFilter(10) | f,
        lambda: f & f,
        lambda: f.fold(1),
        lambda: f.shrink_to(1),
        f.to_bytes,
        lambda: f.save("/dev/null"),
        f.verify,
        f.__enter__,
        lambda: f == BloomFilter(10),
        lambda: f.__reduce_ex__(5),
        lambda: tepal.union_all([f]),
        f._repr_html_,
    ]
    facts = "capacity fpr seed layout num_probes num_bits num_lines nbytes metadata read_only fill_ratio"
    facts += " estimated_count estimated_fpr saturation"
    uses += [lambda name=name: getattr(f, name) for name in facts.split()]
    for use in uses:
        with raises("ERR_FREED", tepal.StateError):
            use()
    with pytest.raises(TypeError):
        f |= {"a"}


def test_close_inside_the_keys_own_code() -> None:
    f = BloomFilter(10)

    class Closing:
        def __index__(self) -> int:
            f.close()
            return 1

    with raises("ERR_FREED"):
        f.add(Closing())
    f = BloomFilter(10)
    assert f.add_many([2, Closing(), 3]).all()  # a batch that has begun is finished
    with raises("ERR_FREED"):
        f.add(1)


def test_context_manager_and_weak_reference() -> None:
    with BloomFilter(10) as f:
        assert f.add("a")
        reference = weakref.ref(f)
        assert reference() is f
    with raises("ERR_FREED"):
        f.add("a")
    with pytest.raises(ZeroDivisionError), BloomFilter(10) as f:
        raise ZeroDivisionError
