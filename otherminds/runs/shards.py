"""Shards: one run asked in parts, on several machines, and the stores of the parts put together.

    otherminds run starter -m smollm2 --shard 1/2 --store one.db     # here
    otherminds run starter -m smollm2 --shard 2/2 --store two.db     # there
    otherminds merge one.db two.db --store otherminds.db             # the run that one machine would have made

Every part is the same run, of which some items are not asked yet; so parts add up in one store as well.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from sqlite3 import Connection
from typing import NamedTuple

from otherminds.calling.provenance import join
from otherminds.errors import StoreError, UsageError
from otherminds.formats.plans import STORIES, groups
from otherminds.items import Item
from otherminds.runs.records import columns_for
from otherminds.store import tables
from otherminds.store.run_seals import check_run, count, next_number
from otherminds.store.store import RunRow, Store

SHARD, WANTED = "shard", "wanted"
"""In the manifest of a run that has only parts: which part was asked last, and how many items all have together."""
AT_ONCE = 500


class Shard(NamedTuple):
    """One of several parts; they count from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    @property
    def alone(self) -> str:
        """Why a run is not whole of which nothing else is missing."""
        return f"shard {self} alone was asked"

    @classmethod
    def read(cls, text: str) -> Shard:
        """2/8 as the second of eight parts."""
        number, slash, of = text.partition("/")
        if not (slash and all(part.isascii() and part.isdecimal() for part in (number, of))):
            raise UsageError(f"--shard {text!r} should be a part of how many, such as 1/4")
        if not 1 <= int(number) <= int(of):
            raise UsageError(f"--shard {text!r} is no part of {of}; parts count from 1/{of} to {of}/{of}")
        return cls(int(number), int(of))


def places(items: Sequence[Item], shard: Shard | None) -> Sequence[int]:
    """Which of these items a shard asks; stories and twins stay together, as one machine would ask them."""
    if shard is None:
        return range(len(items))
    numbers: dict[str, int] = {}
    by_group = (numbers.setdefault(group, len(numbers)) for group in groups(items, by=STORIES))
    found = array("q", (place for place, group in enumerate(by_group) if group % shard.of == shard.number - 1))
    if not found:
        raise UsageError(
            f"shard {shard} has nothing to ask: there are {len(numbers)} groups of items; take fewer shards"
        )
    return found


@dataclass(frozen=True, slots=True)
class Merged:
    """What was put together."""

    calls: int
    records: int
    runs: tuple[str, ...]
    unfinished: tuple[str, ...]
    """Runs of which some items are in none of the stores."""


def merge(store: Store, sources: Sequence[Store]) -> Merged:
    """Put all that some stores keep into one; what is there already stays. All of it or, if refused, nothing."""
    for each in (store, *sources):
        with each.reading() as db:
            for row in each.runs():
                check_run(db, row)
    _same_suite([store, *sources])
    with store.changing() as db:
        calls = sum(_copy_calls(db, store, source) for source in sources)
        records = sum(_copy_others(db, source) for source in sources)
        rows = [_copy_run(db, store, row) for source in sources for row in reversed(source.runs())]
        ids = {row.id: row for row in rows}
        for row in ids.values():
            store.keep_run_again(row, columns=columns_for(store, row))
    return Merged(calls, records, tuple(ids), tuple(id for id, row in ids.items() if not row.finished))


def _same_suite(stores: Sequence[Store]) -> None:
    found = {(row.suite, row.digest): store.path for store in stores for row in store.runs() if SHARD in row.manifest}
    if len(found) > 1:
        told = " and ".join(f"{path} has one of {suite!r} ({digest})" for (suite, digest), path in found.items())
        raise UsageError(f"shards of different suites cannot be merged: {told}; ask every shard from the same suite")


def _copy_calls(db: Connection, store: Store, source: Store) -> int:
    rows, before = source.rows(tables.SELECT_CALL), db.total_changes
    while some := list(islice(rows, AT_ONCE)):
        theirs = {call.key: call for call in map(tables.read_call, some)}
        for key, call in store.calls(theirs).items():
            # Whenever that was, and whichever version said it.
            if {**call.result, "origin": None} != {**theirs[key].result, "origin": None}:
                raise StoreError(
                    f"{source.path} holds another answer to call {key[:10]} than the stores before it; merge stores"
                    " whose shards do not overlap, or keep this one apart"
                )
        db.executemany(f"INSERT OR IGNORE {tables.INTO_CALLS}", some)
    return db.total_changes - before


def _copy_others(db: Connection, source: Store) -> int:
    """Models, annotations, sittings and records; how many of the last are new."""
    for table, columns in (("models", 3), ("annotations", 6)):
        marks = ", ".join("?" * columns)
        db.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", source.rows(f"SELECT * FROM {table}"))
    # Those that are not there yet: nothing that was spent counts twice when a store is merged again.
    select = "SELECT work, began, made, errors, retried, waited, prompt, cached, written FROM sittings"
    known = set(db.execute(select))
    new = [row for row in source.rows(select) if row not in known]
    db.executemany("INSERT INTO sittings VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)", new)
    before = db.total_changes
    for row in source.rows(tables.SELECT_RECORD):
        tables.read_record(row)
        db.execute(f"INSERT OR IGNORE {tables.INTO_RECORDS}", row)
    return db.total_changes - before


def _copy_run(db: Connection, store: Store, row: RunRow) -> RunRow:
    """A run with what all of its parts took; it is finished where nothing is missing."""
    there = next((run for run in store.runs() if run.id == row.id), None)
    both = [row] if there is None else [there, row]
    started, ended = min(run.created for run in both), max(str(run.manifest.get("ended", "")) for run in both)
    times, spent = store.sittings(row.id)
    reused, usage = max(0, count(store.record_calls(row.id)) - spent.made), asdict(spent.usage)
    in_all = {"sittings": times, **spent.to_dict(), "usage": usage}
    calls = {"reused": reused, **spent.to_dict(), "in_all": in_all}
    manifest = {**row.manifest, "calls": calls, "usage": usage, "started": started, "ended": ended}
    manifest |= join(store, row.id, [run.manifest for run in both])
    finished = max(run.finished for run in both)
    if not finished and store.count_records(row.id) == manifest.get(WANTED):
        finished = ended
    if finished:
        manifest = {name: value for name, value in manifest.items() if name not in (SHARD, WANTED)} | {"stopped": ""}
    found = replace(row, manifest=manifest, created=started, finished=finished, sealed=None)
    db.execute(f"INSERT OR REPLACE {tables.INTO_RUNS}", tables.run_values(found, next_number(db)))
    return found
