"""The tables of a store: how they are made, and what a row of each is.

They are plain, with JSON in the columns, so that any tool can read them. Calls, records and runs carry a checksum of
their other columns; rows that an older otherminds wrote have none.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

from otherminds.models import Usage


@dataclass(frozen=True, slots=True)
class Call:
    """One answered call, as it lies in the store."""

    key: str
    """sha256 of fingerprint, verb and prompt: who was asked what."""
    fingerprint: str
    verb: str
    prompt: Mapping[str, Any]
    rendered: str
    """What was really sent."""
    result: Mapping[str, Any]
    seconds: float
    """The call's share of the time its batch took."""


@dataclass(frozen=True, slots=True)
class RunHead:
    """Which suite was put to which model, and in which way."""

    id: str
    suite: str
    digest: str
    model: str
    fingerprint: str
    prompt: str
    score: str


@dataclass(frozen=True, slots=True)
class RunRow(RunHead):
    """One run, without its records."""

    manifest: Mapping[str, Any]
    created: str
    finished: str = ""
    """When the last item was answered; empty for a run that was stopped before."""
    written: int = field(default=0, compare=False)
    """Of two runs, the one that was written later has the greater number, whatever the clock said."""
    sound: bool = field(default=True, compare=False)
    """Whether it is as it was written."""
    sealed: int | None = field(default=None, compare=False)
    """How many answers it had when it was sealed; None while it is asked, and where an older otherminds wrote it."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a piece of work took: calls that were made, of these without an answer, calls made again, and waiting."""

    made: int = 0
    errors: int = 0
    retried: int = 0
    waited: float = 0.0
    """Seconds, for a server that was away."""
    usage: Usage = field(default_factory=Usage)

    def to_dict(self) -> dict[str, Any]:
        """As JSON, without the tokens."""
        return {"made": self.made, "errors": self.errors, "retried": self.retried, "waited": round(self.waited, 1)}


@dataclass(frozen=True, slots=True)
class Annotation:
    """What one person answered to one item."""

    batch: str
    """The name of the suite."""
    item: str
    annotator: str
    answer: str
    digest: str
    """Of the text that was shown, so that an answer to another text is not taken for one to this."""


def _first_tables(db: sqlite3.Connection) -> None:
    db.execute(
        "CREATE TABLE calls (key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, verb TEXT NOT NULL, prompt TEXT NOT NULL,"
        " rendered TEXT NOT NULL, result TEXT NOT NULL, seconds REAL NOT NULL, created TEXT NOT NULL) WITHOUT ROWID"
    )
    db.execute("CREATE TABLE models (fingerprint TEXT PRIMARY KEY, name TEXT NOT NULL, identity TEXT NOT NULL)")
    db.execute(
        "CREATE TABLE runs (id TEXT PRIMARY KEY, suite TEXT NOT NULL, digest TEXT NOT NULL, model TEXT NOT NULL,"
        " fingerprint TEXT NOT NULL, prompt TEXT NOT NULL, score TEXT NOT NULL, manifest TEXT NOT NULL,"
        " created TEXT NOT NULL, finished TEXT NOT NULL)"
    )
    db.execute(
        "CREATE TABLE records (run TEXT NOT NULL, position INTEGER NOT NULL, item TEXT NOT NULL, calls TEXT NOT NULL,"
        " score TEXT NOT NULL, PRIMARY KEY (run, position)) WITHOUT ROWID"
    )


def _annotations(db: sqlite3.Connection) -> None:
    db.execute(
        "CREATE TABLE annotations (batch TEXT NOT NULL, item TEXT NOT NULL, annotator TEXT NOT NULL,"
        " answer TEXT NOT NULL, digest TEXT NOT NULL, created TEXT NOT NULL, PRIMARY KEY (batch, item, annotator))"
        " WITHOUT ROWID"
    )


def _checksums_and_order(db: sqlite3.Connection) -> None:
    for table in ("calls", "records", "runs"):
        db.execute(f"ALTER TABLE {table} ADD COLUMN checksum TEXT NOT NULL DEFAULT ''")
    db.execute("ALTER TABLE runs ADD COLUMN written INTEGER NOT NULL DEFAULT 0")
    # All that tells in which order older runs were written is the clock.
    ended = "CASE WHEN json_valid(manifest) THEN json_extract(manifest, '$.ended') END"
    rows = db.execute(f"SELECT id FROM runs ORDER BY coalesce({ended}, created), id").fetchall()
    db.executemany("UPDATE runs SET written = ? WHERE id = ?", [(number, id) for number, (id,) in enumerate(rows, 1)])
    db.execute(
        "CREATE TABLE sittings (id INTEGER PRIMARY KEY, work TEXT NOT NULL, began TEXT NOT NULL, made INTEGER NOT NULL,"
        " errors INTEGER NOT NULL, retried INTEGER NOT NULL, waited REAL NOT NULL, prompt INTEGER NOT NULL,"
        " cached INTEGER NOT NULL, written INTEGER NOT NULL)"
    )
    # Older runs tell what their last sitting took, and nothing of those before.
    counts = ("calls.made", "usage.prompt", "usage.cached", "usage.written")
    made, *tokens = (f"CAST(coalesce(json_extract(manifest, '$.{name}'), 0) AS INTEGER)" for name in counts)
    db.execute(
        f"INSERT INTO sittings SELECT NULL, id, created, {made}, 0, 0, 0, {', '.join(tokens)} FROM runs"
        f" WHERE json_valid(manifest) AND {made} > 0"
    )


# Each is run once, in order; the file's user_version counts those that were. Add at the end, never change one.
MIGRATIONS: list[Callable[[sqlite3.Connection], None]] = [_first_tables, _annotations, _checksums_and_order]

# No migrations: a program that knows nothing of them reads and writes as before.
LATER = {
    "columns": "columns (run TEXT PRIMARY KEY, seal TEXT NOT NULL, data TEXT NOT NULL)",
    "seals": "seals (run TEXT PRIMARY KEY, written INTEGER NOT NULL, hash TEXT NOT NULL, calls BLOB NOT NULL)",
}
_LACKING = {"calls": "'' AS checksum", "records": "'' AS checksum", "runs": "'' AS checksum, 0 AS written"}


def stand_in(db: sqlite3.Connection, version: int) -> None:
    """Let an older store that cannot be written be read all the same, as if it had been migrated."""
    if 0 < version < 3:
        for table, lacking in _LACKING.items():
            db.execute(f"CREATE TEMP VIEW {table} AS SELECT *, {lacking} FROM main.{table}")
    there = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    for table in LATER.keys() - there:
        db.execute(f"CREATE TEMP TABLE {LATER[table]}")


SELECT_CALL = "SELECT key, fingerprint, verb, prompt, rendered, result, seconds, created, checksum FROM calls"
INTO_CALLS = "INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
SELECT_RECORD = "SELECT run, position, item, calls, score, checksum FROM records"
SELECT_POSITION = "SELECT position FROM records"
INTO_RECORDS = "INTO records VALUES (?, ?, ?, ?, ?, ?)"
SELECT_RUN = (
    "SELECT id, suite, digest, model, fingerprint, prompt, score, manifest, created, finished, checksum, written"
    " FROM runs"
)
INTO_RUNS = "INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
SELECT_COLUMNS = "SELECT data, seal, checksum FROM columns JOIN runs ON id = run WHERE run = ?"
INTO_SEALS = "INTO seals VALUES (?, ?, ?, ?)"
SEALED = "sealed"
"""In the manifest of a run, as its row has it: how many answers it had when it was sealed."""
SUM_USAGE = (
    "SELECT count(*), total(json_extract(result, '$.usage.prompt')), total(json_extract(result, '$.usage.cached')),"
    " total(json_extract(result, '$.usage.written'))"
    " FROM records JOIN json_each(records.calls) AS asked LEFT JOIN calls ON calls.key = asked.value WHERE run = ?"
)
COUNT_VERSIONS = (
    "SELECT json_extract(result, '$.origin.model'), json_extract(result, '$.origin.system_fingerprint'),"
    " json_extract(result, '$.origin.version'), count(DISTINCT calls.key)"
    " FROM records JOIN json_each(records.calls) AS asked JOIN calls ON calls.key = asked.value WHERE run = ?"
    " GROUP BY 1, 2, 3"
)
SUM_SITTINGS = (
    "SELECT count(*), total(made), total(errors), total(retried), total(waited), total(prompt), total(cached),"
    " total(written) FROM sittings WHERE work = ?"
)


class Damaged(sqlite3.DatabaseError):
    """A row that cannot be read, of which SQLite knows nothing."""


class Altered(Damaged):
    """A row that is not as it was written."""


def now() -> str:
    """The time, as rows and manifests have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def checksum(*columns: Any) -> str:
    """Of a row's columns, as they lie in the store."""
    return blake2b("\x1f".join(map(str, columns)).encode(), digest_size=8).hexdigest()


def call_values(call: Call, created: str) -> tuple[Any, ...]:
    """What goes INTO_CALLS."""
    head = (call.key, call.fingerprint, call.verb, to_json(call.prompt), call.rendered, to_json(call.result))
    return _with_checksum(*head, float(call.seconds), created)


def read_call(row: Sequence[Any]) -> Call:
    """What SELECT_CALL found."""
    key, fingerprint, verb, prompt, rendered, result, seconds, *_ = row
    check_call(row)
    return Call(key, fingerprint, verb, read_json(prompt), rendered, read_json(result), seconds)


def check_call(row: Sequence[Any]) -> str:
    """The checksum of a row of SELECT_CALL that is, as far as that tells, as it was written."""
    *columns, kept = row
    _check(f"the call {str(columns[0])[:10]}", columns, kept)
    return str(kept or checksum(*columns))


def record_values(run: str, record: Mapping[str, Any]) -> tuple[Any, ...]:
    """What goes INTO_RECORDS."""
    parts = (to_json(record[name]) for name in ("item", "calls", "score"))
    return _with_checksum(run, record["position"], *parts)


def read_record(row: Sequence[Any]) -> dict[str, Any]:
    """What SELECT_RECORD found."""
    *columns, kept = row
    run, position, item, calls, score = columns
    _check(f"answer {position} of run {run}", columns, kept)
    return {
        "position": position,
        "item": read_json(item),
        "calls": read_json(calls, list),
        "score": read_json(score),
    }


def read_record_calls(row: Sequence[Any]) -> list[str]:
    """The keys of the calls behind a record that SELECT_RECORD found."""
    *columns, kept = row
    _check(f"answer {columns[1]} of run {columns[0]}", columns, kept)
    found: list[str] = read_json(columns[3], list)
    return found


def run_values(row: RunRow, written: int) -> tuple[Any, ...]:
    """What goes INTO_RUNS."""
    head = (row.id, row.suite, row.digest, row.model, row.fingerprint, row.prompt, row.score)
    manifest = row.manifest if row.sealed is None else {**row.manifest, SEALED: row.sealed}
    return (*_with_checksum(*head, to_json(manifest), row.created, row.finished), written)


def read_run(row: Sequence[Any]) -> RunRow:
    """What SELECT_RUN found; one that is damaged says so, since its answers may be as good as ever."""
    *columns, kept, written = row
    if not all(isinstance(part, str) for part in columns):
        raise Damaged("malformed row among the runs")
    id, suite, digest, model, fingerprint, prompt, score, manifest, created, finished = columns
    told = read_json(manifest)
    sealed = told.pop(SEALED, None)
    head = (id, suite, digest, model, fingerprint, prompt, score, told, created, finished)
    sound = (not kept or kept == checksum(*columns)) and isinstance(sealed, int | None)
    return RunRow(*head, written if isinstance(written, int) else 0, sound, sealed)


def _with_checksum(*columns: Any) -> tuple[Any, ...]:
    return (*columns, checksum(*columns))


def _check(what: str, columns: Sequence[Any], kept: object) -> None:
    if kept and kept != checksum(*columns):
        raise Altered(f"{what} is not as it was written: its checksum is wrong")


def read_json(text: Any, kind: type = dict) -> Any:
    """JSON out of a column; anything else there is damage, of which SQLite knows nothing."""
    try:
        value = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        value = None
    if not isinstance(value, kind):
        raise Damaged(f"malformed row with {str(text)[:40]!r} in it")
    return value


def to_json(value: object) -> str:
    """JSON for a column."""
    # Other tools read these columns, and NaN or Infinity is no JSON to them.
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
