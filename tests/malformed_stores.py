"""Spoilt stores: files that are none, stores of others, stores from the future, and stores with nonsense inside."""

import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.malformed import PLACES, Case, Put, holding

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("runs",),
    ("show", "last"),
    ("show", "last", "marble-0"),
    ("show", "last", "--json"),
    ("report", "last", "-o", "page.html"),
    ("compare", "last", "last"),
    ("web", "--no-open"),
    ("run", "kept.jsonl", "-m", "baseline:oracle"),
    ("run", "kept.jsonl", "-m", "baseline:realist"),
    ("annotate", "kept.jsonl", "--agreement"),
)
REPORT = COMMANDS[4]
READERS = (*COMMANDS[:4], COMMANDS[5])
"""Those that read what a run holds, as a report does."""
COLUMNS = {
    "runs": ("manifest", "created", "finished", "prompt", "score", "digest"),
    "records": ("item", "calls", "score"),
    "calls": ("prompt", "result", "verb", "seconds"),
}
WRITTEN = ("manifest", "item", "calls", "score", "prompt", "result")
"""Columns that hold JSON."""
STRANGE = ("", "x", "null", "[]", "{}", "17", '"a"', "[[]]", '{"a": 1}', '{"id": 3}', b"\xff\xfe", 9e999, -1)


def _copy(spoil: Callable[[Path], None]) -> Put:
    """A copy of the valid store beside it, spoilt."""

    def put(path: Path) -> None:
        shutil.copy(path.with_name("otherminds.db"), path)
        spoil(path)

    return put


def _sql(*commands: str, values: tuple[object, ...] = ()) -> Callable[[Path], None]:
    def spoil(path: Path) -> None:
        with sqlite3.connect(path) as db:
            db.execute("PRAGMA synchronous = OFF")
            for command in commands:
                db.execute(command, values)
        db.close()

    return spoil


def _bytes(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(change(path.read_bytes()))


def _others(path: Path) -> None:
    _sql("CREATE TABLE runs (id TEXT)", "INSERT INTO runs VALUES ('a')")(path)


def _stores() -> Iterator[tuple[str, Put, bool]]:
    """A name, what to put there, and whether it is malformed for certain."""
    rng = random.Random("stores")
    for name, put in PLACES.items():
        if name != "missing":
            yield name, put, name != "a dangling link"
    yield "a text", holding(b"This is no database at all. " * 50), True
    yield "a short text", holding(b"hello"), True
    yield "noise", holding(rng.randbytes(5000)), True
    yield "JSON", holding(b'{"runs": []}' * 200), True
    yield "another program's", _others, True
    yield "another's id", _copy(_sql("PRAGMA application_id = 17")), True
    yield "newer", _copy(_sql("PRAGMA user_version = 99")), True
    yield "negative version", _copy(_sql("PRAGMA user_version = -3")), True
    yield "empty", holding(b""), False
    for size in (1, 99, 100, 1000, 4096, 4097, 9000, 20_000):
        yield f"cut at {size}", _copy(_bytes(lambda whole, size=size: whole[:size])), True  # type: ignore[misc]
    for table in ("runs", "records", "calls", "models", "annotations"):
        yield f"no {table}", _copy(_sql(f"DROP TABLE {table}")), False
        yield f"short {table}", _copy(_sql(f"DROP TABLE {table}", f"CREATE TABLE {table} (id TEXT)")), False
    for _ in range(12):
        place, byte = rng.randrange(0, 30_000), rng.randrange(256)
        yield f"byte {place}", _copy(_bytes(lambda w, p=place, b=byte: w[:p] + bytes([b]) + w[p + 1 :])), False  # type: ignore[misc]
    for place in range(0, 100, 9):
        yield f"header {place}", _copy(_bytes(lambda w, p=place: w[:p] + b"\xee" + w[p + 1 :])), False  # type: ignore[misc]


def _cases() -> Iterator[Case]:
    for number, (name, put, sure) in enumerate(_stores()):
        for command in (COMMANDS[number % len(COMMANDS)], COMMANDS[(3 * number + 5) % len(COMMANDS)]):
            args = (*command, "--store", "spoilt.db")
            yield Case(f"store: {name}", args, (("spoilt.db", put),), sure, lambda _: True)
    number = 0
    for table, columns in COLUMNS.items():
        for column in columns:
            for strange in STRANGE if column in WRITTEN else STRANGE[::3]:
                number += 1
                put = _copy(_sql(f"UPDATE {table} SET {column} = ?", values=(strange,)))
                for command in (REPORT, READERS[number % len(READERS)]):
                    args = (*command, "--store", "spoilt.db")
                    name = f"store: {table}.{column} = {strange!r}"
                    yield Case(name, args, (("spoilt.db", put),), False, lambda _: True)


STORES = list(_cases())
