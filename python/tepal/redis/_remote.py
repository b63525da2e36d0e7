"""The scripts of RemoteBloomFilter: BF.* commands for the methods of a local ScalableBloomFilter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import index
from typing import Any, Literal, SupportsFloat, SupportsIndex, TypedDict

from tepal._native import Mask, _restore_mask
from tepal.errors import ArgumentError, CapacityError, MismatchError, TepalError

from ._header import parse
from ._keys import each_key, key_bytes
from ._refusals import coded, missing, refusal, unsupported
from ._script import Command, Reply, Script, is_error, pairs, text
from ._server import defaults, scheme_of

#: Keys per command. The server answers nobody else while it works on one: about a millisecond.
KEYS_PER_COMMAND = 1000
#: Commands sent before the replies are waited for.
COMMANDS_PER_BATCH = 16

Expansion = int | Literal["server"] | None


class Info(TypedDict):
    """The fields of BF.INFO, as `ScalableBloomFilter.info()` has them. None: filters of this server have no such."""

    capacity: int
    size: int
    filter_count: int
    inserted_count: int
    fpr: float
    expansion: int | None
    tightening: float | None
    max_scaled_capacity: int | None


@dataclass(frozen=True)
class Wanted:
    """What a filter was asked to be; None and "server": whatever the server makes it."""

    capacity: int | None
    fpr: float | None
    expansion: Expansion
    tightening: float | None
    seed: bytes | None
    validate_scale_to: int | None
    create: bool

    def options(self) -> tuple[bytes | str | int | float, ...]:
        """As options of BF.INSERT, which creates a filter that is missing, unless told not to."""
        if not self.create:
            return ("NOCREATE",)
        options: list[bytes | str | int | float] = []
        for name, value in (
            ("CAPACITY", self.capacity),
            ("ERROR", self.fpr),
            ("TIGHTENING", self.tightening),
            ("SEED", self.seed),
        ):
            if value is not None:
                options += [name, value]
        if self.expansion is None:
            options.append("NONSCALING")
        elif self.expansion != "server":
            options += ["EXPANSION", self.expansion]
        return tuple(options)


def open_filter(key: bytes, wanted: Wanted) -> Script[None]:
    """Makes the filter, or finds it and compares it with what is wanted."""
    [exists] = yield [("EXISTS", key)]
    if is_error(exists):
        raise refusal(exists)
    if not exists:
        if not wanted.create:
            raise missing()
        if (yield from _make(key, wanted)):
            return
    _compare((yield from info(key)), wanted)
    if wanted.capacity is not None and wanted.capacity != (initial := (yield from initial_capacity(key))):
        raise _differs("capacity", wanted.capacity, initial)


def _make(key: bytes, wanted: Wanted) -> Script[bool]:
    """Makes it; False when somebody else did meanwhile."""
    scale_to = wanted.validate_scale_to
    more = () if scale_to is None else ("VALIDATESCALETO", scale_to)
    # valkey-bloom knows this, and makes a filter of its defaults where nothing is said. RedisBloom wants an item.
    [reply] = yield [("BF.INSERT", key, *wanted.options(), *more)]
    if is_error(reply) and "wrong number of arguments" in text(reply).lower():
        known = yield from defaults()
        rate = known["fpr"] if wanted.fpr is None else wanted.fpr
        reserve: Command = ("BF.RESERVE", key, rate, known["capacity"] if wanted.capacity is None else wanted.capacity)
        if wanted.expansion is None:
            reserve += ("NONSCALING",)
        elif wanted.expansion != "server":
            reserve += ("EXPANSION", wanted.expansion)
        [reply] = yield [reserve]
        if is_error(reply) and "item exists" in text(reply):
            return False
    if is_error(reply):
        raise refusal(reply)
    return True


def _compare(found: Info, wanted: Wanted) -> None:
    """A filter that is there stays as it is; somebody who wanted another one should know."""
    if wanted.fpr not in (None, found["fpr"]):
        raise _differs("fpr", wanted.fpr, found["fpr"])
    if wanted.expansion not in ("server", found["expansion"]):
        raise _differs("expansion", wanted.expansion, found["expansion"])
    if wanted.tightening is not None and found["tightening"] not in (None, wanted.tightening):
        raise _differs("tightening", wanted.tightening, found["tightening"])
    if wanted.validate_scale_to is not None:
        limit = found["max_scaled_capacity"]
        if limit is None:
            raise unsupported(
                "validate_scale_to: expected a server that knows how far a filter can grow, got one without"
            )
        if limit < wanted.validate_scale_to:
            said = f"validate_scale_to: expected at most {limit}, got {wanted.validate_scale_to}"
            raise coded(ArgumentError(said), "ERR_SCALE_TO")


def _differs(name: str, want: object, have: object) -> MismatchError:
    said = f"{name}: expected {want} as asked for, got a filter with {have}"
    return coded(MismatchError(said), f"ERR_{name.upper()}_DIFFERS")


def add(key: bytes, wanted: Wanted, item: Any) -> Script[bool]:
    answers: list[bool] = []
    yield from _in_batches(_inserts(key, wanted), [key_bytes(item)], answers, single=True)
    return answers[0]


def add_many(key: bytes, wanted: Wanted, items: Iterable[Any]) -> Script[Mask]:
    answers: list[bool] = []
    yield from _in_batches(_inserts(key, wanted), each_key(items), answers)
    return mask(answers)


def update(key: bytes, wanted: Wanted, iterables: tuple[Iterable[Any], ...]) -> Script[None]:
    for items in iterables:
        yield from _in_batches(_inserts(key, wanted), each_key(items), [])


def contains(key: bytes, wanted: Wanted, item: Any) -> Script[bool]:
    answers: list[bool] = []
    yield from _in_batches(_questions(key, wanted), [key_bytes(item)], answers, single=True)
    return answers[0]


def contains_many(key: bytes, wanted: Wanted, items: Iterable[Any]) -> Script[Mask]:
    answers: list[bool] = []
    yield from _in_batches(_questions(key, wanted), each_key(items), answers)
    return mask(answers)


@dataclass(frozen=True)
class _Verb:
    """The command around the items, and whether it answers no, instead of an error, where there is no filter."""

    head: Command
    asks: bool
    wanted: Wanted


def _inserts(key: bytes, wanted: Wanted) -> _Verb:
    return _Verb(("BF.INSERT", key, *wanted.options(), "ITEMS"), asks=False, wanted=wanted)


def _questions(key: bytes, wanted: Wanted) -> _Verb:
    return _Verb(("BF.MEXISTS", key), asks=True, wanted=wanted)


def _in_batches(verb: _Verb, items: Iterable[bytes], answers: list[bool], single: bool = False) -> Script[None]:
    """Asks for all items, many commands at a time, and collects the answers. What comes before a bad key is done."""
    iterator = iter(items)
    raised: BaseException | None = None
    while raised is None:
        batch: list[Command] = []
        counts: list[int] = []
        while len(batch) < COMMANDS_PER_BATCH and raised is None:
            part: list[bytes] = []
            try:
                # When the iterator raises, what it gave before is in the list.
                part.extend(islice(iterator, KEYS_PER_COMMAND))
            except Exception as error:
                raised = error
            if not part:
                break
            batch.append((*verb.head, *part))
            counts.append(len(part))
        if not batch:
            break
        if verb.asks:
            # In the same round trip, before the questions: is there a filter at all?
            kind, *replies = yield [("TYPE", verb.head[1]), *batch]
            _check_kind(kind, verb.wanted)
        else:
            replies = yield batch
        _collect(replies, counts, answers, single)
    if raised is not None:
        raise raised


def _check_kind(kind: Reply, wanted: Wanted) -> None:
    """A key that is missing, or no filter, contains nothing, says the server. Who opened a filter that was there wants
    to know that it went.
    """
    if is_error(kind):
        raise refusal(kind)
    if text(kind) != "none":
        scheme_of(text(kind))
    elif not wanted.create:
        raise missing()


def _collect(replies: Sequence[Reply], counts: Sequence[int], answers: list[bool], single: bool) -> None:
    for reply, count in zip(replies, counts, strict=True):
        parts = reply if isinstance(reply, list) else [reply]
        for part in parts:
            if is_error(part):
                raise _unfinished(refusal(part), answers, single)
            answers.append(bool(part))
        if len(parts) != count:
            raise _unfinished(refusal("expected an answer for every key, got fewer"), answers, single)


def _unfinished(error: TepalError, answers: list[bool], single: bool) -> TepalError:
    if not single:
        error.index = len(answers)
        if isinstance(error, CapacityError):
            error.answers = mask(answers)
    return error


def wanted(
    capacity: SupportsIndex | float | None,
    fpr: SupportsFloat | None,
    expansion: Expansion,
    tightening: float | None,
    seed: bytes | None,
    validate_scale_to: int | None,
    create: bool,
) -> Wanted:
    """The arguments of the constructors, in types that go over the wire; their ranges are the server's affair."""
    return Wanted(
        capacity=_whole("capacity", capacity),
        fpr=_rate("fpr", fpr),
        expansion="server" if expansion == "server" else _whole("expansion", expansion),
        tightening=_rate("tightening", tightening),
        seed=seed,
        validate_scale_to=_whole("validate_scale_to", validate_scale_to),
        create=create,
    )


def _whole(name: str, value: SupportsIndex | float | None) -> int | None:
    try:
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if value is None or not isinstance(value, bool):
            return None if value is None else index(value)  # type: ignore[arg-type]
    except TypeError:
        pass
    code = "ERR_CAPACITY_RANGE" if isinstance(value, float) else "ERR_ARGUMENT_TYPE"
    raise coded(ArgumentError(f"{name}: expected an integer, got {type(value).__name__}"), code)


def _rate(name: str, value: SupportsFloat | None) -> float | None:
    try:
        if value is None or not isinstance(value, bool | str):
            return None if value is None else float(value)
    except TypeError:
        pass
    raise coded(ArgumentError(f"{name}: expected a number, got {type(value).__name__}"), "ERR_ARGUMENT_TYPE")


def mask(answers: list[bool]) -> Mask:
    return _restore_mask(bytes(answers))


def info(key: bytes) -> Script[Info]:
    """BF.INFO; what RedisBloom leaves out of it stands in the header of its dump."""
    [reply] = yield [("BF.INFO", key)]
    if is_error(reply):
        raise refusal(reply)
    # The names differ in their capitals between servers and versions.
    fields = {name.lower(): value for name, value in pairs(reply).items()}
    expansion = fields.get("expansion rate")
    found = Info(
        capacity=int(fields["capacity"]),
        size=int(fields["size"]),
        filter_count=int(fields["number of filters"]),
        inserted_count=int(fields["number of items inserted"]),
        fpr=0.0,
        expansion=None if expansion in (None, b"", -1, 0) else int(expansion),
        tightening=None,
        max_scaled_capacity=None,
    )
    if "error rate" in fields:  # valkey-bloom
        found["fpr"] = float(fields["error rate"])
        if found["expansion"] is not None:
            found["tightening"] = float(fields["tightening ratio"])
            found["max_scaled_capacity"] = int(fields["max scaled capacity"])
        return found
    [dump] = yield [("BF.SCANDUMP", key, 0)]
    if is_error(dump):
        raise refusal(dump)
    header = parse(dump[1])
    found["fpr"] = header.fpr
    found["tightening"] = 0.5 if header.scaling else None
    return found


def initial_capacity(key: bytes) -> Script[int]:
    """The first level's capacity. valkey-bloom tells the sum only, from which it follows."""
    [dump] = yield [("BF.SCANDUMP", key, 0)]
    if not is_error(dump):
        return parse(dump[1]).initial_capacity
    found = yield from info(key)
    expansion = found["expansion"] or 1
    first: int = found["capacity"] // sum(expansion**level for level in range(found["filter_count"]))
    return first


def scheme(key: bytes) -> Script[str]:
    """The scheme of the filter, told by the type of its key."""
    [kind] = yield [("TYPE", key)]
    if is_error(kind):
        raise refusal(kind)
    if text(kind) == "none":
        raise missing()
    return scheme_of(text(kind))
