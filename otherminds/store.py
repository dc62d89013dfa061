"""Store: one SQLite file that keeps every call that was answered, the runs made of them, and what people answered.

Readers are always welcome. One program writes at a time: it holds a lock on a file beside the store, which the
operating system takes back when the program ends, however it ends.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from otherminds.errors import StoreError
from otherminds.tables import (
    INTO_RUNS,
    MIGRATIONS,
    SELECT_CALL,
    SELECT_RUN,
    Annotation,
    Call,
    RunRow,
    read_call,
    read_json,
    read_run,
    run_values,
    to_json,
)

__all__ = ["MEMORY", "Annotation", "Call", "RunRow", "Store"]

MEMORY = ":memory:"
_OURS = 0x07EE14D5
"""Written into the file's header, so that we never take another program's SQLite file for a store."""


class Store:
    """A store of calls and runs; `:memory:` keeps them for as long as the object lives."""

    def __init__(self, path: str | Path, *, create: bool = True, read_only: bool = False) -> None:
        self.path = str(path)
        self._lock = -1
        self._depth = 0
        if self.path != MEMORY:
            self._prepare(create and not read_only)
        with self._sentences():
            self._db = _connect(self.path)
            try:
                if read_only:
                    self._version()
                    self._db.execute("PRAGMA query_only = ON")
                else:
                    self._migrate()
            except BaseException:
                self._db.close()
                raise

    def __repr__(self) -> str:
        return f"Store({self.path!r})"

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file; what was kept is on disk already."""
        self._db.close()
        self._unlock()

    # ── calls ──

    def calls(self, keys: Iterable[str]) -> dict[str, Call]:
        """Those of these calls that have been answered before, by key."""
        wanted = list(keys)
        found = {}
        with self._sentences():
            for start in range(0, len(wanted), 500):
                part = wanted[start : start + 500]
                rows = self._db.execute(f"{SELECT_CALL} WHERE key IN ({','.join('?' * len(part))})", part)
                found.update({row[0]: read_call(row) for row in rows})
        return found

    def recent_calls(self, fingerprint: str, verb: str, *, limit: int = 200) -> list[Call]:
        """The last calls of this kind to this model, newest first."""
        with self._sentences():
            where = "WHERE fingerprint = ? AND verb = ? ORDER BY created DESC LIMIT ?"
            return [read_call(row) for row in self._db.execute(f"{SELECT_CALL} {where}", (fingerprint, verb, limit))]

    def spent(self, model: str) -> tuple[int, float]:
        """How many calls to models of this name are kept, and how many seconds they took."""
        query = "SELECT count(*), total(seconds) FROM calls JOIN models USING (fingerprint) WHERE name = ?"
        with self._sentences():
            calls, seconds = self._db.execute(query, (model,)).fetchone()
        return int(calls), float(seconds)

    def keep_calls(self, calls: Sequence[Call]) -> None:
        """Write answered calls; they are on disk when this returns."""
        now = _now()
        rows = [
            (c.key, c.fingerprint, c.verb, to_json(c.prompt), c.rendered, to_json(c.result), c.seconds, now)
            for c in calls
        ]
        with self._transaction():
            self._db.executemany("INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    # ── models and runs ──

    def keep_model(self, fingerprint: str, name: str, identity: Mapping[str, Any]) -> None:
        """Remember what a fingerprint stands for."""
        with self._transaction():
            self._db.execute("INSERT OR IGNORE INTO models VALUES (?, ?, ?)", (fingerprint, name, to_json(identity)))

    def identity(self, fingerprint: str) -> Mapping[str, Any]:
        """All that is known of the model with this fingerprint."""
        with self._sentences():
            row = self._db.execute("SELECT identity FROM models WHERE fingerprint = ?", (fingerprint,)).fetchone()
            return read_json(row[0]) if row else {}

    def begin_run(self, row: RunRow) -> RunRow:
        """Note that a run has begun; one that was there before stays as it is, and is what comes back."""
        with self._transaction():
            self._note(row.id)
            self._db.execute(f"INSERT OR IGNORE {INTO_RUNS}", run_values(row))
        return self.run(row.id)

    def keep_run(self, row: RunRow, records: Iterable[Mapping[str, Any]] = ()) -> None:
        """Write a run and all its records, in place of what was there under its id."""
        lines = [(row.id, r["position"], to_json(r["item"]), to_json(r["calls"]), to_json(r["score"])) for r in records]
        values = run_values(row)
        with self._transaction():
            self._db.execute("DELETE FROM records WHERE run = ?", (row.id,))
            self._db.execute(f"INSERT OR REPLACE {INTO_RUNS}", values)
            self._db.executemany("INSERT INTO records VALUES (?, ?, ?, ?, ?)", lines)
            self._note("")

    def runs(self) -> list[RunRow]:
        """All runs, newest first."""
        with self._sentences():
            return [read_run(row) for row in self._db.execute(f"{SELECT_RUN} ORDER BY created DESC, id")]

    def last_run(self) -> RunRow | None:
        """Of the runs that have a record, the one that was written last: a run that is asked again is that one."""
        with self._sentences():
            rows = self._db.execute(f"{SELECT_RUN} WHERE id IN (SELECT run FROM records)")
            return max(map(read_run, rows), key=lambda row: row.written, default=None)

    def run(self, id: str) -> RunRow:
        """The run of this id, or of the only id that begins so."""
        with self._sentences():
            rows = self._db.execute(f"{SELECT_RUN} WHERE substr(id, 1, ?) = ?", (len(id), id)).fetchall()
            found = [read_run(row) for row in rows]
        if not found or not id:
            raise StoreError(f"{self.path} has no run {id!r}; `otherminds runs` lists those it has")
        if len(found) > 1:
            raise StoreError(f"{self.path} has {len(found)} runs whose id begins with {id!r}; write more of it")
        return found[0]

    def records(self, run: str) -> list[dict[str, Any]]:
        """The records of a run in the order of its items: item, call keys and score, as JSON."""
        query = "SELECT position, item, calls, score FROM records WHERE run = ? ORDER BY position"
        with self._sentences():
            return [
                {
                    "position": row[0],
                    "item": read_json(row[1]),
                    "calls": read_json(row[2], list),
                    "score": read_json(row[3]),
                }
                for row in self._db.execute(query, (run,))
            ]

    # ── what people answered ──

    def keep_annotations(self, annotations: Iterable[Annotation]) -> None:
        """Write answers of people; a later one of the same person to the same item takes the place of the first."""
        now = _now()
        rows = [(a.batch, a.item, a.annotator, a.answer, a.digest, now) for a in annotations]
        with self._transaction():
            self._db.executemany("INSERT OR REPLACE INTO annotations VALUES (?, ?, ?, ?, ?, ?)", rows)

    def annotations(self, batch: str) -> list[Annotation]:
        """All answers to the items of a batch, by annotator and item."""
        query = (
            "SELECT batch, item, annotator, answer, digest FROM annotations WHERE batch = ? ORDER BY annotator, item"
        )
        with self._sentences():
            return [Annotation(*row) for row in self._db.execute(query, (batch,))]

    # ── one writer at a time ──

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the store for writing; a second program that wants to is refused by name."""
        if self._depth == 0 and self.path != MEMORY:
            self._take_lock()
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                self._unlock()

    def running(self) -> str:
        """The id of the run that a program is at just now; empty if there is none."""
        try:
            lock = os.open(f"{self.path}.lock", os.O_RDONLY)
        except OSError:
            return ""
        try:
            _, run = _noted(lock)
            # Tried only where a run was noted, because for that moment it keeps writers out.
            if run:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return ""
        except BlockingIOError:
            return run
        finally:
            os.close(lock)

    def _note(self, run: str) -> None:
        """Tell who looks at the lock which run is under way."""
        if self._lock >= 0:
            os.ftruncate(self._lock, 0)
            os.pwrite(self._lock, f"{os.getpid()}\n{run}\n".encode(), 0)

    def _take_lock(self) -> None:
        try:
            lock = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise StoreError(f"{self.path} cannot be written: {error.strerror}; choose another folder") from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = _noted(lock)[0] or "unknown"
            os.close(lock)
            raise StoreError(
                f"{self.path} is being written by process {owner}; wait until that ends, or use another store"
            ) from None
        except OSError as error:
            os.close(lock)
            raise StoreError(f"{self.path} cannot be locked: {error.strerror}; put it on a local disk") from None
        self._lock = lock
        self._note("")

    def _unlock(self) -> None:
        # The lock file stays: were it removed, a third program could lock a new one while a second holds the old.
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self.writing(), self._sentences():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                # A full disk has rolled back by itself.
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    # ── opening ──

    def _prepare(self, create: bool) -> None:
        path = Path(self.path)
        # os.path, because a name that no disk can have is simply not there.
        if os.path.isdir(path):
            raise StoreError(f"{path} is a folder; a store is a file, such as {path / 'otherminds.db'}")
        if os.path.exists(path):
            return
        if not create:
            raise StoreError(f"there is no store {path}; `otherminds run` makes one")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{path} cannot be made: {error.strerror}; choose another folder") from None

    def _migrate(self) -> None:
        # Survives the death of the program; only a power cut can take the last moments.
        self._db.execute("PRAGMA synchronous = NORMAL")
        if self._version() < len(MIGRATIONS) and not _at_rest(self.path):
            self._db.execute("PRAGMA journal_mode = WAL")
            with self._transaction():
                # Read once more, now that nobody else can write: two programs may have met a new file together.
                for step in MIGRATIONS[self._version() :]:
                    step(self._db)
                self._db.execute(f"PRAGMA application_id = {_OURS}")
                self._db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")

    def _version(self) -> int:
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        (owner,) = self._db.execute("PRAGMA application_id").fetchone()
        (tables,) = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if owner != _OURS and (owner or version or tables):
            raise StoreError(f"{self.path} is a database of another program; choose another file")
        if version > len(MIGRATIONS):
            raise StoreError(
                f"{self.path} was written by a newer otherminds (store version {version}, this one reads up to"
                f" {len(MIGRATIONS)}); update otherminds, or use another store"
            )
        return int(version)

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        """SQLite's own errors as sentences."""
        try:
            yield
        except sqlite3.Error as error:
            reason = str(error)
            advice = next((advice for part, advice in _ADVICE.items() if part in reason), "see whether it can be read")
            raise StoreError(f"{self.path}: {reason}; {advice}") from error


_ADVICE = {
    "disk is full": "free some space and run again, nothing that was answered is lost",
    "is locked": "another program is using it, try again when that has ended",
    "readonly": "it cannot be written there, choose another file",
    "unable to open": "it cannot be opened there, choose another folder or copy it to one with the files beside it",
    "not a database": "move it away, or choose another file",
    "malformed": "it is damaged, so restore a copy of it or choose another file",
    "closed": "open the store again",
    "no such table": "an older otherminds wrote it, so copy it to where it can be written and open it there",
    "disk I/O error": "the disk failed, see whether it is full or gone",
}


def _noted(lock: int) -> tuple[str, str]:
    """Who holds the lock, and the run that is under way."""
    owner, run, *_ = [*os.pread(lock, 200, 0).decode(errors="replace").split("\n"), "", ""]
    return owner.strip(), run.strip()


def _at_rest(path: str) -> bool:
    """Whether the store lies where nobody can write."""
    return path != MEMORY and os.path.exists(path) and not os.access(Path(path).resolve().parent, os.W_OK)


def _connect(path: str) -> sqlite3.Connection:
    if _at_rest(path):
        # A reader would have to write SQLite's side files here; without them a store at rest can still be read. But
        # what a program that died has left in such a file, `immutable` would pass over in silence.
        whole = Path(path).resolve()
        log = whole.with_name(f"{whole.name}-wal")
        how = "mode=ro" if log.exists() and log.stat().st_size else "immutable=1"
        return sqlite3.connect(f"{whole.as_uri()}?{how}", uri=True, isolation_level=None)
    # A server answers from several threads, one at a time; SQLite itself minds only use at the same time.
    return sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
