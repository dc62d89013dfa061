"""The records of a run in its store, which is the only place that has all of them: written and read part by part."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, overload

import numpy as np

from otherminds.errors import StoreError
from otherminds.items import Item
from otherminds.store.run_seals import Seal, break_seal
from otherminds.store.store import Store
from otherminds.store.tables import (
    COUNT_VERSIONS,
    INTO_RECORDS,
    SELECT_POSITION,
    SELECT_RECORD,
    SUM_USAGE,
    Damaged,
    read_record,
    record_values,
)

AT_ONCE = 500
_FIRST = 16
"""Hexadecimal digits of a key by which calls are counted: of a million, two are alike in one run of ten million."""


def keep_records(store: Store, run: str, records: Iterable[Mapping[str, Any]], without: Iterable[int]) -> None:
    """Write some records of a run, in place of what was there; at the other positions there are none from now on."""
    rows, gone = [record_values(run, record) for record in records], list(without)
    with store.changing() as db:
        there = _rows_at(store, run, [*(row[1] for row in rows), *gone])
        new = [row for row in rows if row != there.get(row[1])]
        old = [(run, place) for place in gone if place in there]
        if new or old:
            break_seal(db, run)
        db.executemany(f"INSERT OR REPLACE {INTO_RECORDS}", new)
        db.executemany("DELETE FROM records WHERE run = ? AND position = ?", old)


def records_at(store: Store, run: str, positions: Sequence[int]) -> list[dict[str, Any]]:
    """Some of the records of a run."""
    with store.reading():
        there = _rows_at(store, run, positions)
        if missing := [position for position in positions if position not in there]:
            raise Damaged(f"malformed run {run}: answer {missing[0]} is not there")
        return [read_record(there[position]) for position in positions]


def _rows_at(store: Store, run: str, positions: Sequence[int]) -> dict[int, tuple[Any, ...]]:
    """The rows of some records of a run, as they lie in the store, by position."""
    found: dict[int, tuple[Any, ...]] = {}
    for start in range(0, len(positions), AT_ONCE):
        part = positions[start : start + AT_ONCE]
        where = f"WHERE run = ? AND position IN ({','.join('?' * len(part))})"
        found |= {row[1]: row for row in store.rows(f"{SELECT_RECORD} {where}", (run, *part))}
    return found


def count(calls: Iterable[Sequence[str]]) -> int:
    """How many different calls are behind some records."""
    first = bytearray()
    for keys in calls:
        first += b"".join(bytes.fromhex(key[:_FIRST]) for key in keys)
    return len(np.unique(np.frombuffer(first, dtype="<u8")))


def sound_calls(store: Store, run: str, seal: Seal | None) -> Iterator[Sequence[str]]:
    """The calls behind every record of a run; refused where one of either is not as it was written."""
    records = store.record_calls(run)
    while some := list(islice(records, AT_ONCE)):
        keys = {key for calls in some for key in calls}
        if store.sound_calls(keys, seal) != keys:
            raise StoreError(f"{store.path}: answers behind run {run} are damaged or gone")
        yield from some


def usage(store: Store, run: str) -> tuple[int, int, int, int]:
    """Of the answers of a run: how many calls they rest on, and tokens sent, of these cached, and written."""
    ((calls, sent, cached, written),) = store.rows(SUM_USAGE, (run,))
    return int(calls), int(sent), int(cached), int(written)


def count_versions(store: Store, run: str) -> dict[str, int]:
    """Which versions of a model gave the answers of a run, and how many each."""
    counts: dict[str, int] = {}
    for *said, often in store.rows(COUNT_VERSIONS, (run,)):
        name = " ".join(str(each) for each in said if each)
        counts |= {name: counts.get(name, 0) + often} if name else {}
    return counts


def note_start(store: Store, run: str, manifest: Mapping[str, Any]) -> None:
    """Write what the manifest of a run that goes on says now; its records stay as they are."""
    with store.changing() as db:
        break_seal(db, run, manifest=manifest)


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
        return [Item.from_dict(line["item"]) for line in records_at(self._store, self._run, positions)]
