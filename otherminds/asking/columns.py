"""The columns of a large run: of all its answers what statistics need, in one piece that is read in a moment.

A run of many answers keeps them beside its records, sealed with the row of the run; `Stored` are its records, each of
which is read when it is looked at. Whatever has changed since, or was written otherwise, has no columns, and is read
record by record.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from array import array
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from math import nan
from operator import eq
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from otherminds.asking.plans import STORIES, Grouping
from otherminds.asking.readers import baselines
from otherminds.asking.records import Record
from otherminds.items import Item, Suite, Tag
from otherminds.items.tags import STAGE, TWIN
from otherminds.showing.brief import cut, plain

MOST_VALUES = 1_000
"""A tag with more values than that names items rather than kinds of items."""
NUMBERS = ("S", "S_token", "b", "mass", "consistent")
"""Of a score's details, those that reports take means of."""
MORE = {"S_bounds", "draws", "thought", "by_key"}
"""Details of scores within bounds, of drawn ones, of those that were thought about, and of a judge's."""
AT_ONCE = 500
"""Records that are read together."""
FLOATS, CODES = "<f8", "<i4"
"""How numpy calls the numbers of packed columns."""
Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Coded:
    """A value for every answer, by its place among the values that there are; -1 for none."""

    values: Sequence[Any]
    codes: Codes

    @property
    def counted(self) -> Counter[Any]:
        """How many answers have each."""
        often = np.bincount(self.codes[self.codes >= 0], minlength=len(self.values)).tolist()
        return Counter(dict(zip(self.values, often, strict=True)))

    def among(self, wanted: Iterable[Any]) -> NDArray[np.bool_]:
        """Which answers have one of these."""
        asked = list(wanted)
        return np.isin(self.codes, [code for code, value in enumerate(self.values) if value in asked])


@dataclass(frozen=True, slots=True, repr=False)
class Columns:
    """What is told of all answers of a run, in their order."""

    ids: Sequence[str]
    positions: Codes
    """In the suite; of a run that was stopped, some are missing."""
    group: Codes
    """The same for answers that are not independent."""
    value: Floats
    """1 right, 0 wrong; not a number where nothing could be read, or nothing is right."""
    verdicts: Coded
    choices: Codes
    """How many there were."""
    tags: dict[str, Coded]
    twins: Codes
    numbers: dict[str, Floats]
    readers: dict[str, Floats]
    """What each baseline gets."""
    calls: tuple[int, int, int, int]
    """How many the answers rest on, and their tokens: sent, of these from a shared past, written."""
    stories: int
    """How many there are."""
    twinned: bool
    """Whether every question about a false belief has a twin with another answer."""

    def __repr__(self) -> str:
        return plain(f"<Columns of {len(self.ids)} answers: {cut(', '.join(self.tags), 200)}>")

    def values(self, of: str, tags: Mapping[str, Tag]) -> dict[str, float] | None:
        """By item id, the values (or another number) of answers to items with these tags; None if that is not told."""
        if of not in ("value", *self.numbers) or not all(name in self.tags for name in tags):
            return None
        found = self.value if of == "value" else self.numbers[of]
        chosen = ~np.isnan(found)
        for name, tag in tags.items():
            chosen &= self.tags[name].among([tag])
        return {self.ids[place]: float(found[place]) for place in np.flatnonzero(chosen).tolist()}


def columns_of(kept: Iterable[tuple[int, Record]], suite: Suite, calls: tuple[int, int, int, int]) -> Columns | None:
    """The columns of a run, whose records come one by one with their positions in its suite, and none is held.

    None where scores tell more than columns can.
    """
    readers, letters = baselines(suite), all(item.choices for item in suite)
    ids: list[str] = []
    positions, choices, answers, believed = array("i"), array("i"), array("q"), bytearray()
    value, verdicts, twins, tags = array("d"), _Coding(), _Coding(), dict[str, _Coding]()
    numbers, got = {name: array("d") for name in NUMBERS}, {reader.name: array("d") for reader in readers}
    grouping = Grouping((*STORIES, STAGE), STORIES)
    for place, (position, record) in enumerate(kept):
        item, detail = record.item, record.score.detail
        if detail.keys() & MORE:
            return None
        ids.append(item.id)
        positions.append(position)
        choices.append(len(item.choices))
        answers.append(hash(item.answer))
        believed.append(item.tags.get("false_belief") is True)
        value.append(_float(record.value()))
        verdicts.put(place, record.verdict)
        grouping.add(item)
        for name, tag in item.tags.items():
            tags.setdefault(name, _Coding(MOST_VALUES)).put(place, tag)
        if TWIN in item.tags:
            twins.put(place, item.tags[TWIN])
        for name, column in numbers.items():
            column.append(_float(detail.get(name)))
        for reader in readers:
            got[reader.name].append(_float(reader.value(item, letters=letters)))
    # Names of stories and twins take more room than all columns, so they go first.
    by_group, stories = _in_order(grouping.roots()), len(np.unique(_as(np.int64, grouping.roots(1))))
    del grouping
    by_twin = twins.coded(len(ids)).codes
    del twins
    told = zip((None if twin < 0 else twin for twin in by_twin), answers, believed, strict=True)
    return Columns(
        ids,
        _as(np.int32, positions),
        by_group,
        _as(np.float64, value),
        verdicts.coded(len(ids)),
        _as(np.int32, choices),
        {name: tag.coded(len(ids)) for name, tag in tags.items() if tag.known},
        by_twin,
        {name: _as(np.float64, column) for name, column in numbers.items()},
        {name: _as(np.float64, column) for name, column in got.items()},
        calls,
        stories,
        _all_differ(told),
    )


def _as(kind: type[Any], numbers: array[Any]) -> NDArray[Any]:
    """The same numbers in the same place."""
    return np.frombuffer(numbers, dtype=kind) if numbers else np.array([], dtype=kind)


class _Coding:
    """A value for some answers, which come one by one; nothing is known any more where there are too many values."""

    def __init__(self, most: int = 0) -> None:
        self.known: dict[Any, int] = {}
        self._most = most
        self._codes = array("i")

    def put(self, place: int, value: Any) -> None:
        """The value of the answer at this place; those before it that have none are passed over."""
        if self._codes and not self.known:
            return
        self._codes.extend([-1] * (place - len(self._codes)))
        # True is 1 to a dict, but not to a reader; texts are many, and need no more.
        key = value if isinstance(value, str) else (type(value), value)
        self._codes.append(self.known.setdefault(key, len(self.known)))
        if self._most and len(self.known) > self._most:
            self.known = {}

    def coded(self, n: int) -> Coded:
        """What there is of so many answers."""
        self._codes.extend([-1] * (n - len(self._codes)))
        return Coded([key if isinstance(key, str) else key[1] for key in self.known], _as(np.int32, self._codes))


def _in_order(numbers: array[int]) -> Codes:
    """The same numbers counted from 0 in the order in which they come."""
    _, first, which = np.unique(_as(np.int64, numbers), return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[which].astype(np.int32)


def twinned(items: Iterable[Item]) -> bool:
    """Whether every question about a false belief has a twin with another answer."""
    return _all_differ((item.tags.get(TWIN), item.answer, item.tags.get("false_belief") is True) for item in items)


def _all_differ(rows: Iterable[tuple[Tag | None, str | int, bool | int]]) -> bool:
    """The same of items of which each is told by its twin, its answer, and whether a false belief is asked for."""
    first: dict[Tag, str | int] = {}
    differ: set[Tag | None] = set()
    wanted: set[Tag | None] = set()
    for twin, answer, believed in rows:
        if twin is not None and first.setdefault(twin, answer) != answer:
            differ.add(twin)
        if believed:
            wanted.add(twin)
    return bool(wanted) and wanted <= differ


def _float(value: float | None) -> float:
    return nan if value is None else value


@cache
def program() -> str:
    """What judges and packs: another word for every change of it, whether or not the version says so."""
    known = hashlib.sha256(version("otherminds").encode())
    for room in ("asking", "items"):
        for path in sorted(Path(__file__).parents[1].joinpath(room).glob("*.py")):
            known.update(path.read_bytes())
    return known.hexdigest()[:16]


# ---- in a store -----------------------------------------------------------------------------------------------------


def pack(columns: Columns) -> str:
    """As JSON, with arrays as base64 of zlib of what numpy has in memory: lists of so many numbers are read slowly."""
    data: dict[str, Any] = {"program": program()}
    data |= {name: getattr(columns, name) for name in ("ids", "calls", "stories", "twinned")}
    data |= {name: _write(getattr(columns, name)) for name in ("positions", "group", "choices", "twins", "value")}
    data["verdicts"] = [list(columns.verdicts.values), _write(columns.verdicts.codes)]
    data["tags"] = {name: [list(tag.values), _write(tag.codes)] for name, tag in columns.tags.items()}
    for name in ("numbers", "readers"):
        data[name] = {one: _write(values) for one, values in getattr(columns, name).items()}
    return json.dumps(data, ensure_ascii=False, allow_nan=False)


def unpack(text: str) -> Columns | None:
    """The columns that were packed; none where another program did it, which may judge otherwise."""
    data = json.loads(text)
    if data["program"] != program():
        return None
    read: dict[str, Any] = {name: data[name] for name in ("ids", "stories", "twinned")}
    read |= {name: _read(data[name], CODES) for name in ("positions", "group", "choices", "twins")}
    read |= {"value": _read(data["value"], FLOATS), "verdicts": _coded(data["verdicts"])}
    read["tags"] = {name: _coded(tag) for name, tag in data["tags"].items()}
    for name in ("numbers", "readers"):
        read[name] = {one: _read(values, FLOATS) for one, values in data[name].items()}
    return Columns(calls=tuple(data["calls"]), **read)


def values(text: str) -> list[float]:
    """Of packed columns, the values that there are, whoever packed them."""
    found = _read(json.loads(text)["value"], FLOATS)
    return [float(value) for value in found[~np.isnan(found)].tolist()]


def _write(array: NDArray[Any]) -> str:
    return b64encode(zlib.compress(array.astype(array.dtype.newbyteorder("<")).tobytes(), 1)).decode()


def _read(text: str, kind: str) -> NDArray[Any]:
    return np.frombuffer(zlib.decompress(b64decode(text)), dtype=kind)


def _coded(data: Sequence[Any]) -> Coded:
    return Coded(data[0], _read(data[1], CODES))


class Stored(Sequence[Record]):
    """The records of a large run, each of which is read when it is looked at; `columns` tell of all of them."""

    def __init__(self, columns: Columns, read: Callable[[Sequence[int]], list[Record]]) -> None:
        self.columns = columns
        self._read = read
        """The records at some positions in the suite."""
        self._known: dict[int, Record] = {}

    def __len__(self) -> int:
        return len(self.columns.ids)

    def __iter__(self) -> Iterator[Record]:
        # What is only passed by is not held on to: the records of a large run have no room.
        for start in range(0, len(self), AT_ONCE):
            places = range(start, min(start + AT_ONCE, len(self)))
            new = [place for place in places if place not in self._known]
            read = dict(zip(new, self._read(self.columns.positions[new].tolist()), strict=True)) if new else {}
            yield from (self._known.get(place) or read[place] for place in places)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]

    @overload
    def __getitem__(self, place: int) -> Record: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Record]: ...
    def __getitem__(self, place: int | slice) -> Record | Sequence[Record]:
        places = range(len(self))[place]
        return self.at([places])[0] if isinstance(places, int) else tuple(self.at(places))

    def at(self, places: Sequence[int]) -> list[Record]:
        """The records at these places."""
        if new := [place for place in places if place not in self._known]:
            self._known |= zip(new, self._read(self.columns.positions[new].tolist()), strict=True)
        return [self._known[place] for place in places]

    def changed(self, records: dict[int, Record]) -> Stored:
        """The same with some records, by the id of the object, in place of others."""
        made = Stored(self.columns, self._read)
        made._known = {place: records.get(id(record), record) for place, record in self._known.items()}
        return made
