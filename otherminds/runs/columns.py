"""Columns: of all answers of a run what statistics need, one array for each property, for 10 answers or 100,000.

`Records` are the answers of a run, in memory or read from the store when they are looked at; their columns are made
once. A large run keeps its columns in the store, sealed with the row of the run, so that a report need not read its
records. Columns that another version of the package wrote are not used: it may judge otherwise.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from array import array
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version
from math import isnan, nan
from operator import eq
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from otherminds.formats.plans import STORIES, Grouping
from otherminds.heuristics.readers import baselines
from otherminds.items import Item, Suite, Tag
from otherminds.items.tags import STAGE, TWIN
from otherminds.showing.brief import cut, plain
from otherminds.stats import Bounded

if TYPE_CHECKING:
    from otherminds.runs.records import Record

MOST_VALUES = 1_000
"""A tag with more values than that names items rather than kinds of items; stored columns leave it out."""
BOUNDS = "S_bounds"
"""The detail of a score that says between which two numbers S lies."""
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

    def at(self, places: NDArray[np.intp]) -> list[Any]:
        """The values of the answers at these places; None where there is none."""
        values = [*self.values, None]  # the last is where there is none
        return [values[code] for code in self.codes[places].tolist()]

    def among(self, wanted: Iterable[Any]) -> NDArray[np.bool_]:
        """Which answers have one of these."""
        asked = set(wanted)
        return np.isin(self.codes, [code for code, value in enumerate(self.values) if value in asked])


@dataclass(frozen=True, slots=True, repr=False)
class Columns:
    """The columns of a run's answers, in their order."""

    ids: Sequence[str]
    group: Codes
    """The same for answers that are not independent."""
    value: Floats
    """1 right, 0 wrong; not a number where nothing could be read, or nothing is right."""
    verdicts: Coded
    choices: Codes
    """How many choices the item has."""
    tags: dict[str, Coded]
    twins: Codes
    numbers: dict[str, Floats]
    """Every number that the score produced besides, such as S; of one within bounds, the middle."""
    stories: int
    """How many stories they are about."""
    twinned: bool
    """Whether every question about a false belief has a twin with another answer."""
    positions: Codes | None = None
    """In the suite; of a stored run that was stopped, some are missing."""
    readers: dict[str, Floats] = field(default_factory=dict)
    """What each baseline gets, where the columns are stored."""
    calls: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Of stored columns, how many calls the answers rest on, and their tokens: sent, of these shared, written."""

    def __repr__(self) -> str:
        return plain(f"<Columns of {len(self.ids)} answers: {cut(', '.join(self.tags), 200)}>")

    def number(self, of: str) -> Floats:
        """A number for every answer: the value, or one that the score produced; not a number where there is none."""
        if of == "value":
            return self.value
        return self.numbers[of] if of in self.numbers else np.full(len(self.ids), nan)

    def numbers_at(self, places: NDArray[np.intp], of: str = "value") -> list[float]:
        """Those of some answers, not a number where there is none; one of which only the bounds are known has them."""
        exact: list[float] = self.number(of)[places].tolist()
        if of != "S" or "S low" not in self.numbers:
            return exact
        ends = zip(*(self.numbers[end][places].tolist() for end in ("S low", "S high")), strict=True)
        return [one if isnan(low) else Bounded(low, high) for one, (low, high) in zip(exact, ends, strict=True)]

    def with_tags(self, tags: Mapping[str, Tag]) -> NDArray[np.bool_] | None:
        """Which answers are to items with these tags; None where stored columns leave one of the tags out."""
        chosen = np.ones(len(self.ids), dtype=bool)
        for name, tag in tags.items():
            if name not in self.tags and self.positions is not None:
                return None
            chosen &= self.tags[name].among([tag]) if name in self.tags else False
        return chosen


def columns_of(
    records: Iterable[Record], *, most: int = 0, readers: Sequence[Any] = (), letters: bool = False
) -> Columns:
    """The columns of records that come one by one, none of which is held.

    A tag with more than `most` values is left out, unless that is 0. `readers` are baselines whose values are wanted.
    """
    ids: list[str] = []
    choices, answers, believed = array("i"), array("q"), bytearray()
    value, verdicts, twins, tags = array("d"), _Coding(), _Coding(), dict[str, _Coding]()
    numbers, got = dict[str, Any](), {reader.name: array("d") for reader in readers}
    grouping = Grouping((*STORIES, STAGE), STORIES)
    for place, record in enumerate(records):
        item = record.item
        ids.append(item.id)
        choices.append(len(item.choices))
        answers.append(hash(item.answer))
        believed.append(item.tags.get("false_belief") is True)
        value.append(_float(record.value()))
        verdicts.put(place, record.verdict)
        grouping.add(item)
        for name, tag in item.tags.items():
            tags.setdefault(name, _Coding(most)).put(place, tag)
        if TWIN in item.tags:
            twins.put(place, item.tags[TWIN])
        for name, number in numbers_of(record.score.detail):
            _extend(numbers.setdefault(name, array("d")), place).append(number)
        for reader in readers:
            got[reader.name].append(_float(reader.value(item, letters=letters)))
    # Names of stories and twins take more room than all columns, so they go first.
    by_group, stories = _in_order(grouping.roots()), len(np.unique(_as(np.int64, grouping.roots(1))))
    del grouping
    by_twin = twins.coded(len(ids)).codes
    del twins
    told = zip((None if twin < 0 else twin for twin in by_twin), answers, believed, strict=True)
    return Columns(
        ids=ids,
        group=by_group,
        value=_as(np.float64, value),
        verdicts=verdicts.coded(len(ids)),
        choices=_as(np.int32, choices),
        tags={name: tag.coded(len(ids)) for name, tag in tags.items() if tag.known},
        twins=by_twin,
        numbers={name: _as(np.float64, _extend(column, len(ids))) for name, column in numbers.items()},
        stories=stories,
        twinned=_all_differ(told),
        readers={name: _as(np.float64, column) for name, column in got.items()},
    )


def numbers_of(detail: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The numbers of a score's detail, by name; `single` is S in the order of the choices that was drawn first."""
    for name, found in detail.items():
        if name == BOUNDS and found:
            yield "S low", float(found[0])
            yield "S high", float(found[1])
        elif name == "S_orders" and found:
            yield "single", _float(found[0])
        elif isinstance(found, int | float):
            yield name, float(found)


def _extend(column: array[float], length: int) -> array[float]:
    column.extend([nan] * (length - len(column)))
    return column


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
    return nan if value is None else float(value)


# ---- in a store -----------------------------------------------------------------------------------------------------


def stored_columns(kept: Iterable[tuple[int, Record]], suite: Suite, calls: tuple[int, int, int, int]) -> Columns:
    """The columns that a store keeps of a run, whose records come one by one with their positions in the suite."""
    positions = array("i")

    def records() -> Iterator[Record]:
        for position, record in kept:
            positions.append(position)
            yield record

    letters = all(item.choices for item in suite)
    columns = columns_of(records(), most=MOST_VALUES, readers=baselines(suite), letters=letters)
    return replace(columns, positions=_as(np.int32, positions), calls=calls)


@cache
def program() -> str:
    """What judges and packs: another word for every change of it, whether or not the version says so."""
    known = hashlib.sha256(version("otherminds").encode())
    for room in ("formats", "heuristics", "items", "runs"):
        for path in sorted(Path(__file__).parents[1].joinpath(room).glob("*.py")):
            known.update(path.read_bytes())
    return known.hexdigest()[:16]


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
    """Of packed columns, the values that there are, whichever program packed them."""
    found = _read(json.loads(text)["value"], FLOATS)
    return [float(value) for value in found[~np.isnan(found)].tolist()]


def _write(array: NDArray[Any]) -> str:
    return b64encode(zlib.compress(array.astype(array.dtype.newbyteorder("<")).tobytes(), 1)).decode()


def _read(text: str, kind: str) -> NDArray[Any]:
    return np.frombuffer(zlib.decompress(b64decode(text)), dtype=kind)


def _coded(data: Sequence[Any]) -> Coded:
    return Coded(data[0], _read(data[1], CODES))


class Records(Sequence["Record"]):
    """The records of a run, in memory or each read from the store when it is looked at, and their columns."""

    def __init__(
        self,
        records: Iterable[Record] = (),
        *,
        columns: Columns | None = None,
        read: Callable[[Sequence[int]], list[Record]] | None = None,
    ) -> None:
        self._known = dict(enumerate(records))
        self._read = read
        """The records at some positions in the suite; nothing where all are in memory."""
        self._stored = columns
        self.memo: dict[Any, Any] = {}
        """What was derived of them, for as long as they live."""

    @property
    def in_memory(self) -> bool:
        """Whether all of them are, so that looking at one costs nothing."""
        return self._read is None

    @property
    def columns(self) -> Columns:
        """The columns, made once."""
        if self._stored is None:
            self._stored = columns_of(self)
        return self._stored

    def __repr__(self) -> str:
        return f"<{len(self)} records>"

    def __len__(self) -> int:
        return len(self._known) if self._read is None else len(self.columns.ids)

    def __iter__(self) -> Iterator[Record]:
        if self._read is None:
            yield from self._known.values()
            return
        # What is only passed by is not held on to: the records of a large run have no room.
        for start in range(0, len(self), AT_ONCE):
            places = range(start, min(start + AT_ONCE, len(self)))
            new = [place for place in places if place not in self._known]
            read = dict(zip(new, self._fetch(new), strict=True)) if new else {}
            yield from (self._known.get(place) or read[place] for place in places)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, place: Any) -> Any:
        places = range(len(self))[place]
        return self.at([places])[0] if isinstance(places, int) else tuple(self.at(places))

    def at(self, places: Sequence[int]) -> list[Record]:
        """The records at these places."""
        if new := [place for place in places if place not in self._known]:
            self._known |= zip(new, self._fetch(new), strict=True)
        return [self._known[place] for place in places]

    def changed(self, records: dict[int, Record]) -> Records:
        """The same with some records, by the id of the object, in place of others."""
        known = {place: records.get(id(record), record) for place, record in self._known.items()}
        made = Records(columns=self._stored, read=self._read)
        made._known = known
        return made

    def _fetch(self, places: Sequence[int]) -> list[Record]:
        assert self._read is not None, "only stored records are read"
        assert self.columns.positions is not None, "stored columns have them"
        return self._read(self.columns.positions[list(places)].tolist())
