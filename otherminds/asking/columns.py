"""The columns of a large run: of all its answers what statistics need, in one piece that is read in a moment.

A run of many answers keeps them beside its records, sealed with the row of the run; `Stored` are its records, each of
which is read when it is looked at. Whatever has changed since, or was written otherwise, has no columns, and is read
record by record.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from math import nan
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from otherminds.asking.plans import STORIES, groups
from otherminds.asking.readers import baselines
from otherminds.asking.records import Record
from otherminds.items import Item, Suite, Tag
from otherminds.items.tags import TWIN
from otherminds.showing.brief import cut

MOST_VALUES = 1_000
"""A tag with more values than that names items rather than kinds of items."""
NUMBERS = ("S", "S_token", "b", "mass", "consistent")
"""Of a score's details, those that reports take means of."""
MORE = {"S_bounds", "draws", "thought", "by_key"}
"""Details of scores within bounds, of drawn ones, of those that were thought about, and of a judge's."""
FLOATS, CODES = "<f8", "<i4"
"""How numpy calls the numbers of packed columns."""
Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Coded:
    """A value for every answer, by its place among the values that there are; -1 for none."""

    values: Sequence[Any]
    codes: Codes

    @classmethod
    def of(cls, values: Iterable[Any]) -> Coded:
        """Each value once, in the order in which they come."""
        known: dict[Any, int] = {}
        # True is 1 to a dict, but not to a reader.
        codes = [-1 if one is None else known.setdefault((type(one), one), len(known)) for one in values]
        return cls([value for _, value in known], np.array(codes, dtype=np.int32))

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
        return f"<Columns of {len(self.ids)} answers: {cut(', '.join(self.tags), 200)}>"


def columns_of(records: Sequence[Record], suite: str) -> Columns | None:
    """The columns of a run; none where scores tell more than columns can."""
    if any(record.score.detail.keys() & MORE for record in records):
        return None
    items = [record.item for record in records]
    names = dict.fromkeys(name for item in items for name in item.tags)
    tags = {name: Coded.of(item.tags.get(name) for item in items) for name in names}
    return Columns(
        [item.id for item in items],
        Coded.of(groups(items)).codes,
        _floats(record.value() for record in records),
        Coded.of(record.verdict for record in records),
        np.array([len(item.choices) for item in items], dtype=np.int32),
        {name: tag for name, tag in tags.items() if len(tag.values) <= MOST_VALUES},
        tags[TWIN].codes if TWIN in tags else np.full(len(items), -1, dtype=np.int32),
        {name: _floats(record.score.detail.get(name) for record in records) for name in NUMBERS},
        {reader.name: _by_item(items, reader.values(items)) for reader in baselines(Suite(suite, tuple(items)))},
        _spent(records),
        len(set(groups(items, by=STORIES))),
        twinned(items),
    )


def _spent(records: Sequence[Record]) -> tuple[int, int, int, int]:
    spent = [result.usage for record in records for result in record.results]
    return len(spent), *(sum(getattr(each, name) for each in spent) for name in ("prompt", "cached", "written"))


def twinned(items: Iterable[Item]) -> bool:
    """Whether every question about a false belief has a twin with another answer."""
    answers: dict[Tag | None, set[str]] = {}
    wanted: list[Tag | None] = []
    for item in items:
        if TWIN in item.tags:
            answers.setdefault(item.tags[TWIN], set()).add(item.answer)
        if item.tags.get("false_belief") is True:
            wanted.append(item.tags.get(TWIN))
    return bool(wanted) and all(len(answers.get(twin, ())) > 1 for twin in wanted)


def _by_item(items: Sequence[Item], values: dict[str, float]) -> Floats:
    return _floats(values.get(item.id) for item in items)


def _floats(values: Iterable[float | None]) -> Floats:
    return np.array([nan if value is None else value for value in values], dtype=np.float64)


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
    data |= {name: _write(getattr(columns, name)) for name in ("group", "choices", "twins", "value")}
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
    read |= {name: _read(data[name], CODES) for name in ("group", "choices", "twins")}
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
        """The records at some places."""
        self._known: dict[int, Record] = {}

    def __len__(self) -> int:
        return len(self.columns.ids)

    def __iter__(self) -> Iterator[Record]:
        self.at(range(len(self)))
        return (self._known[place] for place in range(len(self)))

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
            self._known |= zip(new, self._read(new), strict=True)
        return [self._known[place] for place in places]

    def changed(self, records: dict[int, Record]) -> Stored:
        """The same with some records, by the id of the object, in place of others."""
        made = Stored(self.columns, self._read)
        made._known = {place: records.get(id(record), record) for place, record in self._known.items()}
        return made
