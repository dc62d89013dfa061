"""The records of a run in its store, which is the only place that has all of them: written and read part by part."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, overload

import numpy as np

from otherminds.asking.store import RunRow, Store
from otherminds.asking.tables import (
    COUNT_VERSIONS,
    HAS_COLUMNS,
    INTO_RECORDS,
    INTO_RUNS,
    SELECT_POSITION,
    SUM_USAGE,
    record_values,
    run_values,
)
from otherminds.errors import StoreError
from otherminds.items import Item

AT_ONCE = 500
_FIRST = 16
"""Hexadecimal digits of a key by which calls are counted: of a million, two are alike in one run of ten million."""


def keep_records(store: Store, run: str, records: Iterable[Mapping[str, Any]], without: Iterable[int]) -> None:
    """Write some records of a run, in place of what was there; at the other positions there are none from now on."""
    with store.changing() as db:
        db.executemany(f"INSERT OR REPLACE {INTO_RECORDS}", (record_values(run, record) for record in records))
        db.executemany("DELETE FROM records WHERE run = ? AND position = ?", ((run, place) for place in without))
        if db.execute(HAS_COLUMNS).fetchone():
            db.execute("DELETE FROM columns WHERE run = ?", (run,))  # which told of others


def count(calls: Iterable[Sequence[str]]) -> int:
    """How many different calls are behind some records."""
    first = bytearray()
    for keys in calls:
        first += b"".join(bytes.fromhex(key[:_FIRST]) for key in keys)
    return len(np.unique(np.frombuffer(first, dtype="<u8")))


def sound_calls(store: Store, run: str) -> Iterator[Sequence[str]]:
    """The calls behind every record of a run; refused where one of either is not as it was written."""
    records = store.record_calls(run)
    while some := list(islice(records, AT_ONCE)):
        keys = {key for calls in some for key in calls}
        if store.sound_calls(keys) != keys:
            raise StoreError(f"{store.path}: answers behind run {run} are damaged or gone")
        yield from some


def usage(store: Store, run: str) -> tuple[int, int, int, int]:
    """Of the answers of a run: how many calls they rest on, and tokens sent, of these cached, and written."""
    ((calls, sent, cached, written),) = store.rows(SUM_USAGE, (run,))
    return int(calls), int(sent), int(cached), int(written)


def count_versions(store: Store, run: str) -> dict[str, int]:
    """Which versions of a model gave the answers of a run, and how many each."""
    found: dict[str, int] = {}
    for *said, often in store.rows(COUNT_VERSIONS, (run,)):
        name = " ".join(str(each) for each in said if each)
        found |= {name: found.get(name, 0) + often} if name else {}
    return found


def note_start(store: Store, row: RunRow) -> None:
    """Write what the row of a run that goes on says now; its records stay as they are."""
    with store.changing() as db:
        db.execute(f"INSERT OR REPLACE {INTO_RUNS}", run_values(row, row.written))


class Items(Sequence[Item]):
    """The items of a run, each of which is read when it is looked at."""

    def __init__(self, store: Store, run: str) -> None:
        self._store, self._run = store, run

    def __len__(self) -> int:
        return self._store.count_records(self._run)

    def __iter__(self) -> Iterator[Item]:
        return (Item.from_dict(line["item"]) for line in self._store.records(self._run))

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | Sequence[Item]:
        positions = self._positions[place]
        if isinstance(positions, int):
            return self._read([positions])[0]
        return self._read(positions)

    @cached_property
    def _positions(self) -> Sequence[int]:
        query = f"{SELECT_POSITION} WHERE run = ? ORDER BY position"
        return array("q", (position for (position,) in self._store.rows(query, (self._run,))))

    def _read(self, positions: Sequence[int]) -> list[Item]:
        return [Item.from_dict(line["item"]) for line in self._store.records_at(self._run, positions)]
