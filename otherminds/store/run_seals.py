"""The records of a run in its store, and what the run was when it ended, in one hash.

The row of a sealed run says how many answers it has. Its seal has the checksums of the calls behind them, and a hash
of these, of the checksums of its answers in their order, and of the row: an answer that is gone since, or is another,
is missed. A run that is being asked has no seal, nor has one that an older otherminds wrote.
"""

from __future__ import annotations

import logging
import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from otherminds.errors import StoreError
from otherminds.items import Item
from otherminds.store import tables
from otherminds.store.tables import Altered, Damaged, RunRow, checksum

if TYPE_CHECKING:
    from otherminds.store.store import Store

_CALLS = (
    "SELECT key, checksum FROM calls WHERE key IN (SELECT asked.value FROM records"
    " JOIN json_each(CASE WHEN json_valid(calls) THEN calls ELSE '[]' END) AS asked WHERE run = ?)"
)
_ANSWERS = "SELECT position, checksum FROM records WHERE run = ? ORDER BY position"
_SEAL = "SELECT written, hash, calls FROM seals WHERE run = ?"
_log = logging.getLogger("otherminds")


class RunSeal:
    """Which calls are behind a sealed run, and what their checksums were."""

    def __init__(self, run: str, calls: bytes) -> None:
        self._run = run
        numbers = array("Q", calls)
        self._keys, self._checksums = numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]

    def check(self, there: Mapping[str, str], keys: Iterable[str]) -> set[str]:
        """Those of these calls that belong to the run; refused where one is gone or, by its checksum, another."""
        known = {key for key in keys if self._kept(key) is not None}
        if gone := len(known - there.keys()):
            raise Altered(f"what was answered to {gone:,} of the calls behind run {self._run} is not there")
        if others := len(self.altered(there)):
            raise Altered(f"{others:,} of the calls behind run {self._run} are not those that were sealed")
        return known

    def altered(self, there: Mapping[str, str]) -> list[str]:
        """The keys of those calls, given with their checksums, that are not what they were."""
        return [key for key, kept in there.items() if self._kept(key) not in (None, _number(kept))]

    def _kept(self, key: str) -> int | None:
        """What the checksum of a call was; None of one that does not belong to the run."""
        number = _number(key)
        place = bisect_left(self._keys, number)
        return self._checksums[place] if self._keys[place : place + 1] == array("Q", [number]) else None


def seal_run(db: sqlite3.Connection, row: RunRow, columns: str | None, *, written: int = 0) -> RunRow:
    """Write and seal a run that has ended, with what is told of all its answers; None where they are as they were."""
    answers = db.execute(_ANSWERS, (row.id,)).fetchall()
    places = [place for place, _ in answers]
    if not all(isinstance(place, int) for place in places) or places != sorted(set(places)):
        raise Damaged(f"malformed order of the answers of run {row.id}")
    row = replace(row, written=written or next_number(db), sound=True, sealed=len(answers))
    before = db.execute(_SEAL, (row.id,)).fetchone() if columns is None else None
    columns = read_columns(db, row.id) if columns is None else columns
    calls = before[2] if before and before[1] else _pack(db, row.id)
    values = tables.run_values(row, row.written)
    db.execute(f"INSERT OR REPLACE {tables.INTO_RUNS}", values)
    db.execute(
        f"INSERT OR REPLACE {tables.INTO_SEALS}", (row.id, row.written, _hash(row, answers, calls, columns), calls)
    )
    db.execute("INSERT OR REPLACE INTO columns VALUES (?, ?, ?)", (row.id, checksum(values[-2], columns), columns))
    return row


def compare(db: sqlite3.Connection, row: RunRow) -> tuple[RunSeal | None, str]:
    """The seal of a run, if it has one, and what is wrong where its row or its answers are not as they were then."""
    if not row.sound:
        return None, f"run {row.id} is damaged (its checksum is wrong)"
    written, kept, calls = db.execute(_SEAL, (row.id,)).fetchone() or (0, "", b"")
    if row.sealed is None and not (kept and isinstance(written, int) and written >= row.written):
        return None, ""
    answers = db.execute(_ANSWERS, (row.id,)).fetchall()
    if row.sealed is not None and len(answers) < row.sealed:
        return None, f"run {row.id} lacks {row.sealed - len(answers):,} of its {row.sealed:,} answers"
    if not isinstance(calls, bytes) or kept != _hash(row, answers, calls, read_columns(db, row.id)):
        return None, f"run {row.id} is not as it was sealed"
    return RunSeal(row.id, calls), ""


def read_seal(db: sqlite3.Connection, row: RunRow) -> RunSeal | None:
    """The seal of a run, which is refused if it is not as it was; None for one that has none."""
    seal, flaw = compare(db, row)
    if flaw:
        raise Altered(flaw)
    return seal


def read_columns(db: sqlite3.Connection, id: str) -> str:
    """What is told of all answers of a run; nothing where that was not kept, or the run has changed since."""
    row = db.execute(tables.SELECT_COLUMNS, (id,)).fetchone()
    return str(row[0]) if row and checksum(row[2], row[0]) == row[1] else ""


def check_run(db: sqlite3.Connection, row: RunRow) -> None:
    """Refuse a run that is not as it was sealed, or some of whose calls are not."""
    if (seal := read_seal(db, row)) and (others := altered_calls(db, row.id, seal)):
        seal.check(dict.fromkeys(others, ""), others)


def break_seal(db: sqlite3.Connection, id: str, **changes: Any) -> None:
    """Note that answers of a run are changing: until it ends it is unfinished, and has no seal; so may its row."""
    for row in map(tables.read_run, db.execute(f"{tables.SELECT_RUN} WHERE id = ?", (id,)).fetchall()):
        values = tables.run_values(replace(row, finished="", sealed=None, **changes), row.written)
        db.execute(f"INSERT OR REPLACE {tables.INTO_RUNS}", values)
        db.execute(f"INSERT OR REPLACE {tables.INTO_SEALS}", (id, row.written, "", b""))
    db.execute("DELETE FROM columns WHERE run = ?", (id,))


def altered_calls(db: sqlite3.Connection, id: str, seal: RunSeal) -> list[str]:
    """The keys of those calls behind a run that, sound as they may be, are not what they were when it was sealed."""
    return seal.altered(dict(db.execute(_CALLS, (id,))))


def begin_run(db: sqlite3.Connection, row: RunRow, path: str) -> None:
    """Write a run that is not there; of one that is, remove what cannot be believed, so that it is asked again."""
    there = db.execute(f"{tables.SELECT_RUN} WHERE +id = ?", (row.id,)).fetchall()
    if there != db.execute(f"{tables.SELECT_RUN} WHERE id = ?", (row.id,)).fetchall():
        check_file(db)  # its index leads astray
    for found in there:
        try:
            seal, flaw = compare(db, tables.read_run(found))
        except Damaged:
            check_file(db)
            forget_run(db, row.id)
            break
        if flaw:
            check_file(db)
            db.execute("DELETE FROM records WHERE run = ?", (row.id,))
            break_seal(db, row.id)
        if others := altered_calls(db, row.id, seal) if seal else ():
            db.executemany("DELETE FROM calls WHERE key = ?", ((key,) for key in others))
            _log.warning("%s: damaged answers, which are asked for again: %d", path, len(others))
    if db.execute(f"INSERT OR IGNORE {tables.INTO_RUNS}", tables.run_values(row, next_number(db))).rowcount:
        break_seal(db, row.id)


def forget_run(db: sqlite3.Connection, id: str) -> None:
    """Remove a run with its answers; its calls stay."""
    for table in ("records", "columns", "seals"):
        db.execute(f"DELETE FROM {table} WHERE run = ?", (id,))
    db.execute("DELETE FROM runs WHERE id = ?", (id,))


def check_file(db: sqlite3.Connection) -> None:
    """Refuse a file in which SQLite finds damage, such as two pages in each other's place: not to be written into."""
    ((verdict,), *_) = db.execute("PRAGMA integrity_check(1)")
    if verdict != "ok":
        raise Damaged(f"the file itself is malformed ({verdict})")


def astray(db: sqlite3.Connection) -> list[str]:
    """Runs that were begun but have no row, or one that is older than their seal."""
    late = "SELECT run FROM seals LEFT JOIN runs ON id = run WHERE id IS NULL OR runs.written < seals.written"
    return [str(run) for (run,) in db.execute(late)]


def next_number(db: sqlite3.Connection) -> int:
    """The number of what is written now."""
    (last,) = db.execute("SELECT max(written) FROM runs WHERE typeof(written) = 'integer'").fetchone()
    return int(last or 0) + 1


def _pack(db: sqlite3.Connection, id: str) -> bytes:
    """Of the calls behind a run, the keys as numbers, in their order, and then the checksums."""
    pairs, unmarked = list[tuple[int, int]](), list[str]()
    for key, kept in db.execute(_CALLS, (id,)):
        if kept:
            pairs.append((_number(key), _number(kept)))
        else:
            unmarked.append(key)  # an older otherminds wrote it
    for key in unmarked:
        for *columns, _ in db.execute(f"{tables.SELECT_CALL} WHERE key = ?", (key,)).fetchall():
            db.execute("UPDATE calls SET checksum = ? WHERE key = ?", (checksum(*columns), key))
            pairs.append((_number(key), _number(checksum(*columns))))
    pairs.sort()
    return array("Q", [pair[side] for side in (0, 1) for pair in pairs]).tobytes()


def _number(text: object) -> int:
    return int.from_bytes(blake2b(str(text).encode(), digest_size=8).digest())


def _hash(row: RunRow, answers: Iterable[tuple[int, str]], calls: bytes, columns: str) -> str:
    """Of all that is told of a run."""
    known = blake2b(calls, digest_size=16)
    known.update(repr((*tables.run_values(row, row.written)[-2:], *answers)).encode())
    known.update(columns.encode())
    return known.hexdigest()


AT_ONCE = 500
_FIRST = 16
"""Hexadecimal digits of a key by which calls are counted: of a million, two are alike in one run of ten million."""


def keep_records(store: Store, run: str, records: Iterable[Mapping[str, Any]], without: Iterable[int]) -> None:
    """Write some records of a run, in place of what was there; at the other positions there are none from now on."""
    rows, gone = [tables.record_values(run, record) for record in records], list(without)
    with store.changing() as db:
        there = _rows_at(store, run, [*(row[1] for row in rows), *gone])
        new = [row for row in rows if row != there.get(row[1])]
        old = [(run, place) for place in gone if place in there]
        if new or old:
            break_seal(db, run)
        db.executemany(f"INSERT OR REPLACE {tables.INTO_RECORDS}", new)
        db.executemany("DELETE FROM records WHERE run = ? AND position = ?", old)


def records_at(store: Store, run: str, positions: Sequence[int]) -> list[dict[str, Any]]:
    """Some of the records of a run."""
    with store.reading():
        there = _rows_at(store, run, positions)
        if missing := [position for position in positions if position not in there]:
            raise Damaged(f"malformed run {run}: answer {missing[0]} is not there")
        return [tables.read_record(there[position]) for position in positions]


def _rows_at(store: Store, run: str, positions: Sequence[int]) -> dict[int, tuple[Any, ...]]:
    """The rows of some records of a run, as they lie in the store, by position."""
    found: dict[int, tuple[Any, ...]] = {}
    for start in range(0, len(positions), AT_ONCE):
        part = positions[start : start + AT_ONCE]
        where = f"WHERE run = ? AND position IN ({','.join('?' * len(part))})"
        found |= {row[1]: row for row in store.rows(f"{tables.SELECT_RECORD} {where}", (run, *part))}
    return found


def count(calls: Iterable[Sequence[str]]) -> int:
    """How many different calls are behind some records."""
    first = bytearray()
    for keys in calls:
        first += b"".join(bytes.fromhex(key[:_FIRST]) for key in keys)
    return len(np.unique(np.frombuffer(first, dtype="<u8")))


def sound_calls(store: Store, run: str, seal: RunSeal | None) -> Iterator[Sequence[str]]:
    """The calls behind every record of a run; refused where one of either is not as it was written."""
    records = store.record_calls(run)
    while some := list(islice(records, AT_ONCE)):
        keys = {key for calls in some for key in calls}
        if store.sound_calls(keys, seal) != keys:
            raise StoreError(f"{store.path}: answers behind run {run} are damaged or gone")
        yield from some


def usage(store: Store, run: str) -> tuple[int, int, int, int]:
    """Of the answers of a run: how many calls they rest on, and tokens sent, of these cached, and written."""
    ((calls, sent, cached, written),) = store.rows(tables.SUM_USAGE, (run,))
    return int(calls), int(sent), int(cached), int(written)


def count_versions(store: Store, run: str) -> dict[str, int]:
    """Which versions of a model gave the answers of a run, and how many each."""
    counts: dict[str, int] = {}
    for *said, often in store.rows(tables.COUNT_VERSIONS, (run,)):
        name = " ".join(str(each) for each in said if each)
        counts |= {name: counts.get(name, 0) + often} if name else {}
    return counts


class Items(Sequence[Item]):
    """The items of a run, each of which is read when it is looked at."""

    def __init__(self, store: Store, run: str) -> None:
        self._store, self._run = store, run

    def __len__(self) -> int:
        return self._store.count_records(self._run)

    def __iter__(self) -> Iterator[Item]:
        return (Item.from_dict(line["item"]) for line in self._store.records(self._run))

    def __getitem__(self, place: Any) -> Any:
        positions = self._positions[place]
        found = records_at(self._store, self._run, [positions] if isinstance(positions, int) else positions)
        items = [Item.from_dict(line["item"]) for line in found]
        return items[0] if isinstance(positions, int) else items

    @cached_property
    def _positions(self) -> Sequence[int]:
        query = f"{tables.SELECT_POSITION} WHERE run = ? ORDER BY position"
        return array("q", (position for (position,) in self._store.rows(query, (self._run,))))
