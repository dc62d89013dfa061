"""Store: one SQLite file that keeps every call that was answered, the runs made of them, and what people answered.

Several programs may read and write it at once: each change is short and made as a whole, and none asks a call that
another is asking. A program stops when the file is taken away under its hands.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from otherminds.errors import NotStored, StoreError
from otherminds.files import read_words
from otherminds.models import Usage
from otherminds.store import tables
from otherminds.store.opening import MEMORY, Claims, FileWatch, at_rest, connect, prepare
from otherminds.store.run_seals import RunSeal, astray, begin_run, seal_run
from otherminds.store.tables import Annotation, Call, Damaged, RunRow, Spent

__all__ = ["MEMORY", "Annotation", "Call", "RunRow", "Spent", "Store"]

_PAGE = 8192
"""Bytes of a page of a new store: most calls and records take less than a quarter of that."""
_OURS = 0x07EE14D5
"""Written into the file's header, so that we never take another program's SQLite file for a store."""


class Store:
    """A store of calls and runs; `:memory:` keeps them for as long as the object lives."""

    def __init__(self, path: str | Path, *, create: bool = True, read_only: bool = False) -> None:
        self.path = str(path)
        self._claims = Claims(self.path)
        self._watch: FileWatch | None = None
        self._wrote = False
        if self.path != MEMORY:
            prepare(Path(self.path), create=create and not read_only)
        with self._sentences():
            self._db = connect(self.path)
            try:
                if read_only or at_rest(self.path):
                    tables.stand_in(self._db, self._version())
                    self._db.execute("PRAGMA query_only = ON")
                else:
                    self._migrate()
            except BaseException:
                self._db.close()
                raise
        if self.path != MEMORY and not read_only:
            self._watch = FileWatch(self.path)

    def __repr__(self) -> str:
        return f"Store({self.path!r})"

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            # Whoever goes on from here will say that the answers are kept.
            if self._watch and self._wrote and not kind:
                self._watch.check()
        finally:
            self.close()

    def close(self) -> None:
        """Let go of the file; what was kept is on disk already."""
        self._db.close()
        self._claims.close()

    # ── calls ──

    def calls(
        self, keys: Iterable[str], *, damaged: set[str] | None = None, seal: RunSeal | None = None
    ) -> dict[str, Call]:
        """Those of these calls that have been answered before, by key; given a seal, those of its run.

        One that is damaged is refused; given a set for such keys, it is left out and its key put there.
        """
        found, wanted, checksums = {}, list(keys), {}
        with self._sentences():
            for row in self._call_rows(wanted):
                try:
                    found[row[0]], checksums[row[0]] = tables.read_call(row), tables.check_call(row)
                except Damaged:
                    if damaged is None:
                        raise
                    damaged.add(row[0])
            return {key: found[key] for key in seal.check(checksums, wanted)} if seal else found

    def sound_calls(self, keys: Iterable[str], seal: RunSeal | None = None) -> set[str] | None:
        """Which of these are there, sound, and of the run with this seal; None if neither seal nor checksum tells."""
        wanted = list(keys)
        with self._sentences():
            rows = list(self._call_rows(wanted))
            found = {row[0]: tables.check_call(row) for row in rows}
            return seal.check(found, wanted) if seal else set(found) if all(row[-1] for row in rows) else None

    def _call_rows(self, wanted: Sequence[str]) -> Iterator[Sequence[Any]]:
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            rows = self._db.execute(f"{tables.SELECT_CALL} WHERE key IN ({','.join('?' * len(part))})", part).fetchall()
            if {row[0] for row in rows}.difference(part):
                raise Damaged("malformed table of calls: a search for one finds another")
            yield from rows

    def recent_calls(self, fingerprint: str, verb: str, *, limit: int = 200) -> list[Call]:
        """The last calls of this kind to this model, newest first."""
        with self._sentences():
            where = "WHERE fingerprint = ? AND verb = ? ORDER BY created DESC LIMIT ?"
            rows = self._db.execute(f"{tables.SELECT_CALL} {where}", (fingerprint, verb, limit))
            found = []
            for row in rows:
                with suppress(Damaged):
                    found.append(tables.read_call(row))
            return found

    def spent(self, model: str) -> tuple[int, float]:
        """How many calls to models of this name are kept, and how many seconds they took."""
        query = "SELECT count(*), total(seconds) FROM calls JOIN models USING (fingerprint) WHERE name = ?"
        with self._sentences():
            found: tuple[int, float] = self._db.execute(query, (model,)).fetchone()
        return found

    def keep_calls(self, calls: Sequence[Call], *, sitting: tuple[int, Spent] | None = None) -> None:
        """Write answered calls, and what the sitting has taken so far; they are on disk when this returns."""
        now = tables.now()
        rows = [tables.call_values(call, now) for call in calls]
        with self.changing():
            self._db.executemany(f"INSERT OR REPLACE {tables.INTO_CALLS}", rows)
            if sitting and sitting[0]:
                number, spent = sitting
                tokens = (spent.usage.prompt, spent.usage.cached, spent.usage.written)
                self._db.execute(
                    "UPDATE sittings SET made = ?, errors = ?, retried = ?, waited = ?, prompt = ?, cached = ?,"
                    " written = ? WHERE id = ?",
                    (spent.made, spent.errors, spent.retried, spent.waited, *tokens, number),
                )

    def begin_sitting(self, work: str) -> int:
        """A number for what is spent on a piece of work, such as a run, until the program ends."""
        with self.changing():
            row = (work, tables.now())
            done = self._db.execute("INSERT INTO sittings VALUES (NULL, ?, ?, 0, 0, 0, 0, 0, 0, 0)", row)
            return int(done.lastrowid or 0)

    def sittings(self, work: str) -> tuple[int, Spent]:
        """How many sittings a piece of work took so far, and what was spent in all of them."""
        with self._sentences():
            times, made, errors, retried, waited, *tokens = self._db.execute(tables.SUM_SITTINGS, (work,)).fetchone()
        return times, Spent(int(made), int(errors), int(retried), waited, Usage(*map(int, tokens)))

    # ── models and runs ──

    def keep_model(self, fingerprint: str, name: str, identity: Mapping[str, Any]) -> None:
        """Remember what a fingerprint stands for."""
        with self.changing():
            self._db.execute(
                "INSERT OR IGNORE INTO models VALUES (?, ?, ?)", (fingerprint, name, tables.to_json(identity))
            )

    def identity(self, fingerprint: str) -> Mapping[str, Any]:
        """All that is known of the model with this fingerprint."""
        with self._sentences():
            row = self._db.execute("SELECT identity FROM models WHERE fingerprint = ?", (fingerprint,)).fetchone()
            return tables.read_json(row[0]) if row else {}

    def begin_run(self, row: RunRow) -> RunRow:
        """Note that a run has begun; one that was there stays, as far as it can be believed, and is what comes back."""
        if self.path != MEMORY:
            self._claims.take(f"run {row.id}")
        with self.changing() as db:
            begin_run(db, row, self.path)
        return self.run(row.id)

    def keep_run(self, row: RunRow, records: Iterable[Mapping[str, Any]] = ()) -> None:
        """Write a run and all its records, in place of what was there under its id."""
        with self.changing():
            self._db.execute("DELETE FROM records WHERE run = ?", (row.id,))
            # One by one, since a large run as JSON takes more room than all that is made of it.
            self._db.executemany(
                f"INSERT {tables.INTO_RECORDS}", (tables.record_values(row.id, record) for record in records)
            )
            self.keep_run_again(row, columns="")

    def keep_run_again(self, row: RunRow, *, columns: str | None = None) -> RunRow:
        """Write and seal a run whose records stay as they are, and what is told of them all, unless that stays too."""
        with self.changing():
            sealed = seal_run(self._db, row, columns)
        self._claims.release(f"run {row.id}")
        return sealed

    def runs(self) -> list[RunRow]:
        """All runs, the one that was written last first: a run that is asked again is that one."""
        return list(self._listing())

    def last_run(self) -> RunRow | None:
        """Of the runs that have a record, or had one when they were sealed, the one that was written last."""
        return next((run for run in self._listing() if run.sealed or self.count_records(run.id)), None)

    def _listing(self) -> Iterator[RunRow]:
        with self.reading() as db:
            for id in astray(db):
                raise Damaged(f"the row of run {id} is gone, or from before it was asked last")
            yield from map(
                tables.read_run, db.execute(f"{tables.SELECT_RUN} ORDER BY written DESC, created DESC, id").fetchall()
            )

    def run(self, id: str) -> RunRow:
        """The run of this id, or of the only id that begins so."""
        with self._sentences():
            rows = self._db.execute(f"{tables.SELECT_RUN} WHERE substr(id, 1, ?) = ?", (len(id), id)).fetchall()
            found = [tables.read_run(row) for row in rows]
        if not found or not id:
            raise NotStored(f"{self.path} has no run {id!r}; `otherminds runs` lists those it has")
        if len(found) > 1:
            raise StoreError(f"{self.path} has {len(found)} runs whose id begins with {id!r}; write more of it")
        return found[0]

    def records(self, run: str, *, most: int = -1) -> Iterator[dict[str, Any]]:
        """The records of a run in the order of its items, or the first of them: item, call keys and score, as JSON.

        They are read one after another, since a large run as JSON takes more room than all that is made of it.
        """
        with self._sentences():
            where = "WHERE run = ? ORDER BY position LIMIT ?"
            yield from map(tables.read_record, self._db.execute(f"{tables.SELECT_RECORD} {where}", (run, most)))

    def record_calls(self, run: str) -> Iterator[list[str]]:
        """Of every record of a run that is as it was written, the keys of its calls."""
        with self._sentences():
            yield from map(tables.read_record_calls, self._db.execute(f"{tables.SELECT_RECORD} WHERE run = ?", (run,)))

    def count_records(self, run: str) -> int:
        """How many there are."""
        with self._sentences():
            return int(self._db.execute("SELECT count(*) FROM records WHERE run = ?", (run,)).fetchone()[0])

    # ── what people answered ──

    def keep_annotations(self, annotations: Iterable[Annotation]) -> None:
        """Write answers of people; a later one of the same person to the same item takes the place of the first."""
        now = tables.now()
        rows = [(a.batch, a.item, a.annotator, a.answer, a.digest, now) for a in annotations]
        with self.changing():
            self._db.executemany("INSERT OR REPLACE INTO annotations VALUES (?, ?, ?, ?, ?, ?)", rows)

    def annotations(self, batch: str) -> list[Annotation]:
        """All answers to the items of a batch, by annotator and item."""
        select = "SELECT batch, item, annotator, answer, digest FROM annotations"
        with self._sentences():
            rows = self._db.execute(f"{select} WHERE batch = ? ORDER BY annotator, item", (batch,)).fetchall()
            if not all(isinstance(part, str) for row in rows for part in row):
                raise Damaged("malformed row among the annotations")
            return [Annotation(*row) for row in rows]

    # ── several writers ──

    def claim(self, keys: Iterable[str]) -> set[str]:
        """Those of these calls that nobody else is asking; `release` them when they are kept, or will not be asked."""
        return {key for key in keys if self.path == MEMORY or self._claims.take(key)}

    def release(self, keys: Iterable[str]) -> None:
        """Let others ask these."""
        for key in keys if self.path != MEMORY else ():
            self._claims.release(key)

    def version(self) -> int:
        """Another number whenever another program has written."""
        with self._sentences():
            return int(self._db.execute("PRAGMA data_version").fetchone()[0])

    def running(self) -> frozenset[str]:
        """The ids of the runs that programs are at just now."""
        return frozenset(row.id for row in self.runs() if self.path != MEMORY and self._claims.held(f"run {row.id}"))

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The database itself, as it is now, whatever others write meanwhile."""
        with self._sentences():
            if self._db.in_transaction:
                yield self._db
                return
            self._db.execute("BEGIN")
            try:
                yield self._db
            finally:
                if self._db.in_transaction:
                    self._db.execute("COMMIT")

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """The database itself, for changes that are made together or not at all."""
        if self._db.in_transaction:
            yield self._db
            return
        with self._sentences():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                # A full disk has rolled back by itself.
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")
            if self._watch:
                self._wrote = True
                self._watch.check()

    def rows(self, query: str, given: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """What lies in the tables, as it lies there."""
        with self._sentences():
            # A cursor itself would be closed when this is, and then complain that the store was closed before.
            yield from map(tuple, self._db.execute(query, given))

    # ── opening ──

    def _migrate(self) -> None:
        # Survives the death of the program; only a power cut can take the last moments.
        self._db.execute("PRAGMA synchronous = NORMAL")
        if self._version() < len(tables.MIGRATIONS) and not at_rest(self.path):
            # A row of a WITHOUT ROWID table that takes more than a quarter of a page has a page of its own beside it.
            self._db.execute(f"PRAGMA page_size = {_PAGE}")
            self._db.execute("PRAGMA journal_mode = WAL")
            with self.changing():
                # Read once more, now that nobody else can write: two programs may have met a new file together.
                for step in tables.MIGRATIONS[self._version() :]:
                    step(self._db)
                self._db.execute(f"PRAGMA application_id = {_OURS}")
                self._db.execute(f"PRAGMA user_version = {len(tables.MIGRATIONS)}")
        try:
            for table in tables.LATER.values():
                self._db.execute(f"CREATE TABLE IF NOT EXISTS {table}")
        except sqlite3.OperationalError as error:
            if "readonly" not in str(error):
                raise
            tables.stand_in(self._db, self._version())

    def _version(self) -> int:
        asked = ("PRAGMA user_version", "PRAGMA application_id", "SELECT count(*) FROM sqlite_master")
        version, owner, there = (self._db.execute(each).fetchone()[0] for each in asked)
        if owner != _OURS and (owner or version or there):
            raise StoreError(f"{self.path} is a database of another program; choose another file")
        if version > len(tables.MIGRATIONS):
            raise StoreError(
                f"{self.path} was written by a newer otherminds (store version {version}, this one reads up to"
                f" {len(tables.MIGRATIONS)}); update otherminds, or use another store"
            )
        return int(version)

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        """SQLite's own errors as sentences."""
        self._claims.check_process()
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            # Python cannot read SQLite's own words about a damaged schema if they quote what is no text.
            reason = "malformed schema" if isinstance(error, UnicodeDecodeError) else str(error)
            known: dict[str, str] = read_words("store")["advice"]
            advice = next((advice for part, advice in known.items() if part in reason), "see whether it can be read")
            raise StoreError(f"{self.path}: {reason}; {advice}") from error
