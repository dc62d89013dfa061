"""The tables of a store: how they are made, and what a row of each is.

They are plain, with JSON in the columns, so that any tool can read them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


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
class RunRow:
    """One run, without its records."""

    id: str
    suite: str
    digest: str
    model: str
    fingerprint: str
    prompt: str
    score: str
    manifest: Mapping[str, Any]
    created: str
    finished: str = ""
    """When the last item was answered; empty for a run that was stopped before."""

    @property
    def written(self) -> str:
        """When its records were last written."""
        return str(self.manifest.get("ended", self.created))


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


# Each is run once, in order; the file's user_version counts those that were. Add at the end, never change one.
MIGRATIONS: list[Callable[[sqlite3.Connection], None]] = [_first_tables, _annotations]

SELECT_CALL = "SELECT key, fingerprint, verb, prompt, rendered, result, seconds FROM calls"
SELECT_RUN = "SELECT id, suite, digest, model, fingerprint, prompt, score, manifest, created, finished FROM runs"
INTO_RUNS = "INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def read_call(row: Sequence[Any]) -> Call:
    """What SELECT_CALL found."""
    key, fingerprint, verb, prompt, rendered, result, seconds = row
    return Call(key, fingerprint, verb, read_json(prompt), rendered, read_json(result), seconds)


def run_values(row: RunRow) -> tuple[str, ...]:
    """What goes INTO_RUNS."""
    head = (row.id, row.suite, row.digest, row.model, row.fingerprint, row.prompt, row.score)
    return (*head, to_json(row.manifest), row.created, row.finished)


def read_run(row: Sequence[Any]) -> RunRow:
    """What SELECT_RUN found."""
    if not all(isinstance(part, str) for part in row):
        raise sqlite3.DatabaseError("malformed row among the runs")
    id, suite, digest, model, fingerprint, prompt, score, manifest, created, finished = row
    return RunRow(id, suite, digest, model, fingerprint, prompt, score, read_json(manifest), created, finished)


def read_json(text: Any, kind: type = dict) -> Any:
    """JSON out of a column; anything else there is damage, of which SQLite knows nothing."""
    try:
        value = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        value = None
    if not isinstance(value, kind):
        raise sqlite3.DatabaseError(f"malformed row with {str(text)[:40]!r} in it")
    return value


def to_json(value: object) -> str:
    """JSON for a column."""
    # Other tools read these columns, and NaN or Infinity is no JSON to them.
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
