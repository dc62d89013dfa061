"""How the file of a store is opened, and what is said where SQLite cannot."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from otherminds.errors import NotStored, StoreError

MEMORY = ":memory:"
PATIENCE = 120.0
"""Seconds to wait while another program writes; the longest change is a run of many items."""

ADVICE = {
    "disk is full": "free some space and run again, nothing that was answered is lost",
    "is locked": "another program is using it, try again when that has ended",
    "readonly": "it cannot be written there, choose another file",
    "unable to open": "it cannot be opened there, choose another folder or copy it to one with the files beside it",
    "not a database": "move it away, or choose another file",
    "malformed": "it is damaged, so restore a copy of it or choose another file",
    "is gone": "give its command again, or let `otherminds store verify --discard` forget it",
    "run ": "give its command again, which completes it from the store and asks only what is missing or damaged",
    "checksum": "`otherminds store verify` tells what else is damaged, and --discard lets it be asked again",
    "closed": "open the store again",
    "no such table": "an older otherminds wrote it, so copy it to where it can be written and open it there",
    "disk I/O error": "the disk failed, see whether it is full or gone",
}


def prepare(path: Path, *, create: bool) -> None:
    """See to it that there is a file, or a folder for it, or say what is in the way."""
    # os.path, because a name that no disk can have is simply not there.
    if os.path.isdir(path):
        raise StoreError(f"{path} is a folder; a store is a file, such as {path / 'otherminds.db'}")
    if os.path.exists(path):
        return
    if not create:
        raise NotStored(f"there is no store {path}; `otherminds run` makes one")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{path} cannot be made: {error.strerror}; choose another folder") from None


def _text(data: bytes) -> str | bytes:
    """A text out of a column; damage may have left one that is none, and one such row must not hide the others."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def at_rest(path: str) -> bool:
    """Whether the store lies where nobody can write."""
    return path != MEMORY and os.path.exists(path) and not os.access(Path(path).resolve().parent, os.W_OK)


def connect(path: str) -> sqlite3.Connection:
    """The database in this file."""
    if at_rest(path):
        # A reader would have to write SQLite's side files here; without them a store at rest can still be read. But
        # what a program that died has left in such a file, `immutable` would pass over in silence.
        whole = Path(path).resolve()
        log = whole.with_name(f"{whole.name}-wal")
        how = "mode=ro" if log.exists() and log.stat().st_size else "immutable=1"
        found = sqlite3.connect(f"{whole.as_uri()}?{how}", uri=True, isolation_level=None)
    else:
        # From its root on, or SQLite takes a name such as `file:x?mode=memory` for an order.
        name = path if path == MEMORY else os.path.abspath(path)
        # A server answers from several threads, one at a time; SQLite itself minds only use at the same time.
        found = sqlite3.connect(name, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    found.text_factory = _text
    return found
