"""Soundness: which rows of a store cannot be believed, and how to be rid of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from otherminds.errors import StoreError
from otherminds.models.gate import fault
from otherminds.store import tables
from otherminds.store.packing import key_of, unpack, unpack_prompt
from otherminds.store.run_seals import altered_calls, astray, check_file, compare, forget_run, seal_run
from otherminds.store.store import Store
from otherminds.store.tables import Altered, Damaged

Test = Callable[[tuple[Any, ...]], str]
"""Why a row, as it lies in its table, cannot be believed; nothing if it can."""
ALTERED = "the checksum is wrong"
UNREADABLE = "it cannot be read"
MISPLACED = "the key is not that of what was asked"
IMPOSSIBLE = "no model can have answered so"
GROUNDLESS = "the calls that it was scored by are damaged or gone"
OTHER = "a run was sealed with another answer to it"
ROWLESS = "its answers or its seal are there, but its row is gone"

DISCARDED = "answers that were damaged are discarded"
"""Why a run is unfinished from then on."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """A row that cannot be believed."""

    table: str
    key: tuple[Any, ...]
    why: str

    @property
    def id(self) -> str:
        """As a person would look it up."""
        return "/".join(str(part)[:16] for part in self.key)


@dataclass(frozen=True, slots=True)
class Examined:
    """What came of going through a store."""

    rows: Mapping[str, int]
    unmarked: Mapping[str, int]
    """Rows without a checksum, by table: an older otherminds wrote them."""
    flaws: tuple[Flaw, ...]
    unsealed: tuple[str, ...]
    """Runs that ended without a seal: an older otherminds wrote them."""


@dataclass(frozen=True, slots=True)
class Discarded:
    """What was removed, and the runs that are unfinished since."""

    calls: int
    records: int
    runs: int
    unfinished: tuple[str, ...]


def examine(store: Store) -> Examined:
    """Read every call, record and run, and tell which of them are not what was once written, or never could be."""
    rows, unmarked = (Counter(calls=0, records=0, runs=0) for _ in range(2))
    flaws: list[Flaw] = []
    sound: set[str] = set()
    with store.reading() as db:
        check_file(db)
        runs = [tables.read_run(row) for row in store.rows(tables.SELECT_RUN) if not _why(_of_run, row)]
        seals = {row.id: compare(db, row) for row in runs}
        others = {key for id, (seal, _) in seals.items() if seal for key in altered_calls(db, id, seal)}

        def look(table: str, select: str, key: int, mark: int, test: Test) -> None:
            for row in store.rows(select):
                rows[table] += 1
                unmarked[table] += not row[mark]
                if why := _why(test, row):
                    flaws.append(Flaw(table, row[:key], why))
                elif table == "calls":
                    sound.add(row[0])

        look("calls", tables.SELECT_CALL, 1, -1, lambda row: _of_call(row) or (OTHER if row[0] in others else ""))
        look("records", tables.SELECT_RECORD, 2, -1, lambda row: _of_record(row, sound))
        look("runs", tables.SELECT_RUN, 1, -2, lambda row: _of_run(row) or seals[row[0]][1])
        flaws += [Flaw("runs", (id,), ROWLESS) for id in astray(db) if id not in seals]
    unsealed = tuple(row.id for row in runs if row.finished and row.sealed is None)
    return Examined(rows, unmarked, tuple(flaws), unsealed)


def _why(test: Test, row: tuple[Any, ...]) -> str:
    """Why a row cannot be believed; nothing if it can."""
    try:
        return test(row)
    except Altered:
        return ALTERED
    except (AttributeError, Damaged, StoreError, TypeError, ValueError):
        return UNREADABLE


def _of_call(row: tuple[Any, ...]) -> str:
    call = tables.read_call(row)
    prompt = unpack_prompt(call.prompt)
    if call.key != key_of(call.fingerprint, call.verb, call.prompt):
        return MISPLACED
    return IMPOSSIBLE if fault(prompt, unpack(call)) else ""


def _of_record(row: tuple[Any, ...], sound: set[str]) -> str:
    record = tables.read_record(row)
    # A call that failed was not kept; but what was scored was answered.
    scored = record["score"].get("verdict") != "error"
    return GROUNDLESS if scored and not sound.issuperset(record["calls"]) else ""


def _of_run(row: tuple[Any, ...]) -> str:
    return "" if tables.read_run(row).sound else ALTERED


def discard(store: Store, found: Examined) -> Discarded:
    """Remove what cannot be believed, so that the same commands, given again, ask for just that."""
    keys = {table: [flaw.key for flaw in found.flaws if flaw.table == table] for table in ("calls", "records", "runs")}
    with store.changing() as db:
        db.executemany("DELETE FROM calls WHERE key = ?", keys["calls"])
        db.executemany("DELETE FROM records WHERE run = ? AND position = ?", keys["records"])
        # Its calls are there, so that the same command makes it anew without asking.
        for (id,) in keys["runs"]:
            forget_run(db, id)
        touched = {run for run, _ in keys["records"]} - {run for (run,) in keys["runs"]}
        rows = [row for id in sorted(touched) for row in db.execute(f"{tables.SELECT_RUN} WHERE id = ?", (id,))]
        for row in map(tables.read_run, rows):
            left = replace(row, finished="", manifest={**row.manifest, "stopped": DISCARDED})
            seal_run(db, left, "", written=row.written)
    counts = {table: len(some) for table, some in keys.items()}
    return Discarded(counts["calls"], counts["records"], counts["runs"], tuple(sorted(touched)))
