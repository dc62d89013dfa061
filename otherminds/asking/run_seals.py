"""What a run was when it ended, in one hash: an answer that is gone since, or is another, is missed.

The row of a sealed run says how many answers it has. Its seal has the checksums of the calls behind them, and a hash
of these, of the checksums of its answers in their order, and of the row. A run that is being asked has no seal, nor has
one that an older otherminds wrote.
"""

from __future__ import annotations

import logging
import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from otherminds.asking.tables import (
    HAS_TABLE,
    INTO_RUNS,
    MAKE_COLUMNS,
    MAKE_SEALS,
    SELECT_CALL,
    SELECT_COLUMNS,
    SELECT_RUN,
    Altered,
    Damaged,
    RunRow,
    checksum,
    read_run,
    readable_run,
    run_values,
)

_CALLS = (
    "SELECT key, checksum FROM calls WHERE key IN (SELECT asked.value FROM records"
    " JOIN json_each(CASE WHEN json_valid(calls) THEN calls ELSE '[]' END) AS asked WHERE run = ?)"
)
# One search a run, since a run has very many records; UNION, for in a damaged tree the next one may be an earlier one.
_WITH_RECORDS = (
    "WITH RECURSIVE known(run) AS (SELECT min(run) FROM records UNION"
    " SELECT (SELECT min(run) FROM records WHERE run > known.run) FROM known) SELECT run FROM known WHERE run NOTNULL"
)
_log = logging.getLogger("otherminds")


class Seal:
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
    answers = _answers(db, row.id)
    places = [place for place, _ in answers]
    if not all(isinstance(place, int) for place in places) or places != sorted(set(places)):
        raise Damaged(f"malformed order of the answers of run {row.id}")
    row = replace(row, written=written or next_number(db), sound=True, sealed=len(answers))
    before = _kept(db, row) if columns is None else None
    columns = read_columns(db, row.id) if columns is None else columns
    calls = before[2] if before else _pack(db, row.id)
    values = run_values(row, row.written)
    db.execute(f"INSERT OR REPLACE {INTO_RUNS}", values)
    db.execute(MAKE_SEALS)
    seal = _hash(row, answers, calls, columns)
    db.execute("INSERT OR REPLACE INTO seals VALUES (?, ?, ?, ?)", (row.id, row.written, seal, calls))
    db.execute(MAKE_COLUMNS)
    db.execute("INSERT OR REPLACE INTO columns VALUES (?, ?, ?)", (row.id, checksum(values[-2], columns), columns))
    return row


def read_seal(db: sqlite3.Connection, row: RunRow) -> Seal | None:
    """The seal of a run, refused where its row or its answers are not as they were; None for one that has none."""
    found = _kept(db, row)
    if not row.sound:
        raise Altered(f"run {row.id} is damaged (its checksum is wrong)")
    if row.sealed is None and not (found and found[0]):
        return None
    answers = _answers(db, row.id)
    if row.sealed is not None and len(answers) < row.sealed:
        raise Altered(f"run {row.id} lacks {row.sealed - len(answers):,} of its {row.sealed:,} sealed answers")
    if found is None or found[1] != _hash(row, answers, found[2], read_columns(db, row.id)):
        raise Altered(f"run {row.id} is not as it was sealed")
    return Seal(row.id, found[2])


def seal_flaw(db: sqlite3.Connection, row: RunRow) -> str:
    """What is wrong with a run that is not as it was written and sealed."""
    try:
        read_seal(db, row)
    except Altered as error:
        return str(error)
    return ""


def read_columns(db: sqlite3.Connection, id: str) -> str:
    """What is told of all answers of a run; nothing where that was not kept, or the run has changed since."""
    row = db.execute(SELECT_COLUMNS, (id,)).fetchone() if has(db, "columns") else None
    return str(row[0]) if row and checksum(row[2], row[0]) == row[1] else ""


def break_seal(db: sqlite3.Connection, id: str) -> None:
    """Note that answers of a run are changing: until it ends it is unfinished, and has no seal."""
    for row in map(read_run, db.execute(f"{SELECT_RUN} WHERE id = ?", (id,)).fetchall()):
        if row.finished or row.sealed is not None:
            values = run_values(replace(row, finished="", sealed=None), row.written)
            db.execute(f"INSERT OR REPLACE {INTO_RUNS}", values)
    forget(db, id, "seals", "columns")


def altered_calls(db: sqlite3.Connection, id: str, seal: Seal) -> list[str]:
    """The keys of those calls behind a run that, sound as they may be, are not what they were when it was sealed."""
    return seal.altered(dict(db.execute(_CALLS, (id,))))


def make_ready(db: sqlite3.Connection, id: str, path: str) -> None:
    """Before a run is asked again, remove what cannot be believed of it, so that it is made, or asked, again."""
    for row in map(readable_run, db.execute(f"{SELECT_RUN} WHERE id = ?", (id,)).fetchall()):
        others: list[str] = []
        try:
            if row and (seal := read_seal(db, row)):
                others = altered_calls(db, id, seal)
        except Altered:
            check_file(db)
            forget(db, id, "records")
            break_seal(db, id)
        if not row:
            check_file(db)
            forget(db, id, "records", "seals", "runs")
        db.executemany("DELETE FROM calls WHERE key = ?", ((key,) for key in others))
        if others:
            _log.warning("%s: damaged answers, which are asked for again: %d", path, len(others))


def forget(db: sqlite3.Connection, id: str, *tables: str) -> None:
    """Remove what these tables have of a run."""
    for table in tables:
        if has(db, table):
            db.execute(f"DELETE FROM {table} WHERE {'id' if table == 'runs' else 'run'} = ?", (id,))


def check_file(db: sqlite3.Connection) -> None:
    """Refuse a file in which SQLite finds damage, such as two pages in each other's place: not to be written into."""
    ((verdict,), *_) = db.execute("PRAGMA integrity_check(1)")
    if verdict != "ok":
        raise Damaged(f"the file itself is malformed ({verdict})")


def lost_runs(db: sqlite3.Connection) -> list[str]:
    """Runs that have answers or a seal, but no row."""
    known = f"{_WITH_RECORDS}{' UNION SELECT run FROM seals' if has(db, 'seals') else ''}"
    return [str(run) for (run,) in db.execute(f"SELECT run FROM ({known}) WHERE run NOT IN (SELECT id FROM runs)")]


def check_list(db: sqlite3.Connection) -> None:
    """Refuse a list of runs that lacks one, or has one in the place that it had before it was asked last."""
    late = "SELECT id FROM runs JOIN seals ON run = id WHERE runs.written < seals.written"
    for id in lost_runs(db):
        raise Altered(f"run {id} is sealed or has answers, but its row is gone")
    for (id,) in db.execute(late) if has(db, "seals") else ():
        raise Altered(f"run {id} is not as it was sealed")


def next_number(db: sqlite3.Connection) -> int:
    """The number of what is written now."""
    (last,) = db.execute("SELECT max(written) FROM runs WHERE typeof(written) = 'integer'").fetchone()
    return int(last or 0) + 1


def has(db: sqlite3.Connection, table: str) -> bool:
    """Whether there is this table, which is made where it is first written."""
    return bool(db.execute(HAS_TABLE, (table,)).fetchone())


def _kept(db: sqlite3.Connection, row: RunRow) -> Any:
    """Of the seal of a run, whether it is of this row or a later one, its hash and its calls."""
    select = "SELECT written >= ?, hash, calls FROM seals WHERE run = ?"
    return db.execute(select, (row.written, row.id)).fetchone() if has(db, "seals") else None


def _answers(db: sqlite3.Connection, id: str) -> list[tuple[int, str]]:
    """The positions of a run's answers with their checksums, in order."""
    return db.execute("SELECT position, checksum FROM records WHERE run = ? ORDER BY position", (id,)).fetchall()


def _pack(db: sqlite3.Connection, id: str) -> bytes:
    """Of the calls behind a run, the keys as numbers, in their order, and then the checksums."""
    found = dict(db.execute(_CALLS, (id,)))
    for key in [key for key, kept in found.items() if not kept]:
        # An older otherminds wrote it.
        for *columns, _ in db.execute(f"{SELECT_CALL} WHERE key = ?", (key,)).fetchall():
            found[key] = checksum(*columns)
            db.execute("UPDATE calls SET checksum = ? WHERE key = ?", (found[key], key))
    pairs = sorted((_number(key), _number(kept)) for key, kept in found.items())
    return array("Q", [pair[side] for side in (0, 1) for pair in pairs]).tobytes()


def _number(text: object) -> int:
    return int.from_bytes(blake2b(str(text).encode(), digest_size=8).digest())


def _hash(row: RunRow, answers: Iterable[tuple[int, str]], calls: Any, columns: str) -> str:
    """Of all that is told of a run."""
    known = blake2b(calls if isinstance(calls, bytes) else b"", digest_size=16)
    known.update(repr((*run_values(row, row.written)[-2:], *answers)).encode())
    known.update(columns.encode())
    return known.hexdigest()
