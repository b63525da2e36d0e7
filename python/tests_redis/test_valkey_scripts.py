"""What is said to valkey-bloom and done with what it says: conversations, word by word.

The module is in no package registry, so most machines have no server to ask; those that have one
(scripts/setup-servers.sh) run the other tests against it too. The replies here are those of the module 1.0.
"""

from __future__ import annotations

import errno
from typing import Any

import pytest
import redis
import run
import valkey
from redis_helpers import raises

import tepal
from tepal import ScalableBloomFilter
from tepal.redis import _doctor, _remote, _transfer, push
from tepal.redis._script import Script, T

GOLDEN = bytes.fromhex(
    "01020000009a9999999999b93f000000000000e03f0002000000000000002f0000000000000001020000000000000004000000590ff522ea7811"
    "daa714d8093b3e7bd91d898a733e988887307f97cd280733833c8703000000000000000300000000000000320000000000000001050000000000"
    "000005000000590ff522ea7811daa714d8093b3e7bd91d898a733e988887307f97cd28073383500108200001000000000000000600000000"
    "000000"
)  # a BF.LOAD payload of the module: capacity 3, rate 0.1, its fixed seed; a b c d are in
INFO = [
    b"Capacity", 300, b"Size", 892, b"Number of filters", 2, b"Number of items inserted", 101, b"Error rate", b"0.01",
    b"Expansion rate", 2, b"Tightening ratio", b"0.5", b"Max scaled capacity", 26214300,
]  # fmt: skip


class Refused(Exception):
    """An error as a reply."""


def play(script: Script[T], *conversation: tuple[list[tuple[Any, ...]], list[Any]]) -> T:
    """Runs a script against what is expected of it and answered to it."""
    turns = iter(conversation)
    replies: list[Any] | None = None
    try:
        while True:
            batch = next(script) if replies is None else script.send(replies)
            expected, replies = next(turns)
            assert batch == expected
    except StopIteration as done:
        assert next(turns, None) is None
        result: T = done.value
        return result


@pytest.fixture
def local() -> ScalableBloomFilter:
    return ScalableBloomFilter.from_valkey(GOLDEN)


def test_the_golden_filter(local: ScalableBloomFilter) -> None:
    assert local.to_valkey_load() == GOLDEN
    assert local.contains_many("abcd" for _ in "x").any() is False
    assert local.contains_many(["a", "b", "c", "d"]).all()


def test_push_is_one_restore(local: ScalableBloomFilter) -> None:
    dump = local.to_valkey_dump()
    done: list[tuple[int, int]] = []
    script = _transfer.push(b"seen", local, lambda now, total: done.append((now, total)))
    play(script, ([("RESTORE", b"seen", 0, dump, "REPLACE")], [b"OK"]))
    assert done == [(0, len(dump)), (len(dump), len(dump))]
    script = _transfer.push(b"seen", local, overwrite=False, expire=2.5)
    play(script, ([("RESTORE", b"seen", 2500, dump)], [b"OK"]))


def test_push_that_is_refused(local: ScalableBloomFilter) -> None:
    dump = local.to_valkey_dump()
    for overwrite, said, code, kind, number in (
        (False, "BUSYKEY Target key name already exists.", "ERR_IO", tepal.FilterIOError, errno.EEXIST),
        (True, "Bad data format", "ERR_UNSUPPORTED", tepal.UnsupportedError, None),
        (True, "DUMP payload version or checksum are wrong", "ERR_UNSUPPORTED", tepal.UnsupportedError, None),
        (True, "OOM command not allowed.", "ERR_OUT_OF_MEMORY", tepal.FilterMemoryError, None),
        (True, "READONLY You can't write against a read only replica.", "ERR_IO", tepal.FilterIOError, errno.EPROTO),
    ):  # fmt: skip
        command = ("RESTORE", b"seen", 0, dump, *(("REPLACE",) if overwrite else ()))
        with raises(code, kind, number):
            play(_transfer.push(b"seen", local, overwrite=overwrite), ([command], [Refused(said)]))


def test_a_real_valkey_finds_nothing_wrong_with_the_payload_but_its_type(
    valkey_server: run.Server, local: ScalableBloomFilter
) -> None:
    """Length, version and checksum are right: without them another error comes, before the type is looked at."""
    with valkey.Valkey(port=valkey_server.port) as client:
        dump = local.to_valkey_dump()
        with pytest.raises(valkey.ResponseError, match="Bad data format"):
            client.restore("seen", 0, dump)
        with pytest.raises(valkey.ResponseError, match="checksum"):
            client.restore("seen", 0, dump[:-1] + bytes([dump[-1] ^ 1]))
        with raises("ERR_UNSUPPORTED", tepal.UnsupportedError):
            push(client, "seen", local)
        assert client.dbsize() == 0


def test_pull_is_one_dump(local: ScalableBloomFilter) -> None:
    turn = ([("TYPE", b"seen")], [b"bloomfltr"])
    pulled = play(_transfer.pull(b"seen"), turn, ([("DUMP", b"seen")], [local.to_valkey_dump()]))
    assert pulled.to_bytes() == local.to_bytes()
    with raises("ERR_IO", tepal.FilterIOError, errno.ENOENT):
        play(_transfer.pull(b"seen"), turn, ([("DUMP", b"seen")], [None]))
    with raises("ERR_CHECKSUM", tepal.FormatError):
        play(_transfer.pull(b"seen"), turn, ([("DUMP", b"seen")], [local.to_valkey_dump()[:-20] + bytes(20)]))


def test_info_in_both_protocols() -> None:
    expected = {
        "capacity": 300, "size": 892, "filter_count": 2, "inserted_count": 101, "fpr": 0.01, "expansion": 2,
        "tightening": 0.5, "max_scaled_capacity": 26214300,
    }  # fmt: skip
    for reply in (INFO, dict(zip(INFO[::2], INFO[1::2], strict=True))):
        assert play(_remote.info(b"seen"), ([("BF.INFO", b"seen")], [reply])) == expected
    fixed = [*INFO[:10], b"Expansion rate", None]
    found = play(_remote.info(b"seen"), ([("BF.INFO", b"seen")], [fixed]))
    assert (found["expansion"], found["tightening"], found["max_scaled_capacity"]) == (None, None, None)


def test_the_initial_capacity_follows_from_the_sum() -> None:
    unknown = Refused("unknown command 'BF.SCANDUMP'")
    turns = (([("BF.SCANDUMP", b"seen", 0)], [unknown]), ([("BF.INFO", b"seen")], [INFO]))
    assert play(_remote.initial_capacity(b"seen"), *turns) == 100


def wanted(**options: Any) -> _remote.Wanted:
    defaults = {"capacity": None, "fpr": None, "expansion": "server", "tightening": None, "seed": None,
                "validate_scale_to": None, "create": True}  # fmt: skip
    return _remote.wanted(**defaults | options)


def test_making() -> None:
    missing = ([("EXISTS", b"seen")], [0])
    for options, sent in (
        ({}, ()),
        ({"capacity": 1e4, "fpr": 0.001}, ("CAPACITY", 10_000, "ERROR", 0.001)),
        ({"expansion": None}, ("NONSCALING",)),
        (
            {"expansion": 4, "tightening": 0.6, "seed": bytes(32)},
            ("TIGHTENING", 0.6, "SEED", bytes(32), "EXPANSION", 4),
        ),
        ({"validate_scale_to": 26_214_300}, ("VALIDATESCALETO", 26_214_300)),
    ):
        turn: tuple[list[Any], list[Any]] = ([("BF.INSERT", b"seen", *sent)], [[]])
        play(_remote.open_filter(b"seen", wanted(**options)), missing, turn)
    for said, code, kind in (
        ("provided VALIDATESCALETO causes bloom object to exceed memory limit", "ERR_SCALE_TO", tepal.ArgumentError),
        ("provided VALIDATESCALETO causes false positive to degrade to 0", "ERR_SCALE_TO", tepal.ArgumentError),
        ("cannot use NONSCALING and VALIDATESCALETO options together", "ERR_SCALE_TO", tepal.ArgumentError),
        ("operation exceeds bloom object memory limit", "ERR_MEMORY_LIMIT", tepal.CapacityError),
        ("invalid seed", "ERR_SEED_LENGTH", tepal.ArgumentError),
        ("(0 < tightening ratio range < 1)", "ERR_TIGHTENING_RANGE", tepal.ArgumentError),
        ("bad expansion", "ERR_EXPANSION_RANGE", tepal.ArgumentError),
        ("bad capacity", "ERR_CAPACITY_RANGE", tepal.ArgumentError),
        ("(0 < error rate range < 1)", "ERR_FPR_RANGE", tepal.ArgumentError),
    ):
        with raises(code, kind):
            play(_remote.open_filter(b"seen", wanted()), missing, ([("BF.INSERT", b"seen")], [Refused(said)]))


def test_a_filter_that_is_there() -> None:
    there = ([("EXISTS", b"seen")], [1]), ([("BF.INFO", b"seen")], [INFO])
    play(_remote.open_filter(b"seen", wanted(tightening=0.5, validate_scale_to=26_214_300)), *there)
    for options, code, kind in (
        ({"tightening": 0.6}, "ERR_TIGHTENING_DIFFERS", tepal.MismatchError),
        ({"validate_scale_to": 26_214_301}, "ERR_SCALE_TO", tepal.ArgumentError),
    ):
        with raises(code, kind):
            play(_remote.open_filter(b"seen", wanted(**options)), *there)


def test_a_batch_that_is_too_much() -> None:
    """Module 1.0 answers up to the error; later ones answer with the error alone, having added nothing."""
    full = Refused("non scaling filter is full")
    for reply, index, answers in (([1, 0, full], 2, [True, False]), (full, 0, [])):
        with raises("ERR_FULL", tepal.CapacityError) as caught:
            play(
                _remote.add_many(b"seen", wanted(create=False), ["a", "a", "b"]),
                ([("BF.INSERT", b"seen", "NOCREATE", "ITEMS", b"a", b"a", b"b")], [reply]),
            )
        assert caught.value.index == index
        assert list(caught.value.answers) == answers
    for said, code in (
        ("operation exceeds bloom object memory limit", "ERR_MEMORY_LIMIT"),
        ("false positive degrades to 0 on scale out", "ERR_FPR_UNDERFLOW"),
        ("bloom object reached max number of filters", "ERR_MEMORY_LIMIT"),
    ):
        with raises(code, tepal.CapacityError):
            play(
                _remote.add(b"seen", wanted(create=False), 7),
                ([("BF.INSERT", b"seen", "NOCREATE", "ITEMS", b"\x07" + bytes(7))], [[Refused(said)]]),
            )


def test_the_doctor() -> None:
    report = play(
        _doctor.examine("*", False),
        ([("SCAN", 0, "MATCH", "*", "COUNT", 1000)], [[b"0", [b"seen", b"text"]]]),
        ([("TYPE", b"seen"), ("TYPE", b"text")], [b"bloomfltr", b"string"]),
        ([("BF.INFO", b"seen")], [INFO]),
    )
    [one] = report.filters
    assert (one.scheme, one.filter_count, one.capacity, one.inserted_count) == ("valkey", 2, 300, 101)
    assert one.compound_fpr == pytest.approx(0.015, rel=0.01)
    assert one.nbytes == 120 + 276  # what BF.INFO SIZE counts without its structs: 672 - 48 - 4 * 8 - 2 * 208
    assert any("together reach" in finding for finding in one.findings)


def test_no_error_repeats_a_key() -> None:
    said = "unknown command 'BF.MEXISTS', with args beginning with: 'seen' 'secret@example.org' "
    with pytest.raises(tepal.UnsupportedError) as caught:
        play(_remote.info(b"seen"), ([("BF.INFO", b"seen")], [redis.ResponseError(said)]))
    assert "secret" not in str(caught.value)
