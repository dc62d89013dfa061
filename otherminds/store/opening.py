"""How the file of a store is opened and watched, and who asks for what just now.

Several programs may write one store. So that none asks what another is asking, each claims what it asks: a claim is a
lock on one byte of a file beside the store, which the operating system takes back when the program ends, however it
ends.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
import struct
import sys
from hashlib import blake2b
from pathlib import Path

from otherminds.errors import NotStored, StoreError

MEMORY = ":memory:"
PATIENCE = 120.0
"""Seconds to wait while another program writes; the longest change is a run of many items."""


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


class Claims:
    """What is claimed beside a store, each by a name."""

    def __init__(self, path: str) -> None:
        self._path, self._process = f"{path}.lock", os.getpid()
        self._file = -1

    def check_process(self) -> None:
        """Refuse to go on in a forked child: locks and SQLite's connections are the parent's."""
        if self._process != os.getpid():
            path = self._path.removesuffix(".lock")
            raise StoreError(f"{path} was opened before this process was forked; open it here with Store({path!r})")

    def take(self, name: str) -> bool:
        """Claim a name; false if somebody else has."""
        if self._file < 0:
            try:
                self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            except OSError as error:
                raise StoreError(f"{self._path} cannot be written: {error.strerror}; choose another folder") from None
        try:
            _lock(self._file, fcntl.F_WRLCK, name)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EAGAIN):
                return False
            raise StoreError(f"{self._path} cannot be locked: {error.strerror}; put it on a local disk") from None
        return True

    def release(self, name: str) -> None:
        """Let others have it."""
        if self._file >= 0:
            _lock(self._file, fcntl.F_UNLCK, name)

    def held(self, name: str) -> bool:
        """Whether somebody else has it."""
        try:
            file = os.open(self._path, os.O_RDONLY)
        except OSError:
            return False
        try:
            _lock(file, fcntl.F_RDLCK, name)
            return False
        except OSError:
            return True
        finally:
            os.close(file)

    def close(self) -> None:
        """Let go of all; the file stays, or a third program could lock a new one while a second has the old."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _lock(file: int, kind: int, name: str) -> None:
    """Lock or unlock the byte of a name, if that can be done at once."""
    place = int.from_bytes(blake2b(name.encode(), digest_size=7).digest()) + 1
    if sys.platform == "linux":
        # Of an open file and not of a program: two stores in one program are two, and closing one frees its own alone.
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", kind, os.SEEK_SET, place, 1, 0))
    else:
        how = {fcntl.F_WRLCK: fcntl.LOCK_EX, fcntl.F_RDLCK: fcntl.LOCK_SH}.get(kind, fcntl.LOCK_UN)
        fcntl.lockf(file, how | (fcntl.LOCK_NB if how != fcntl.LOCK_UN else 0), 1, place)


class FileWatch:
    """Sees whether the files of a store are still there: SQLite would go on writing into one that was deleted."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._seen = self._look()

    def check(self) -> None:
        """Refuse to go on if what is written can be found by nobody."""
        now = self._look()
        if any(there not in (None, then) for then, there in zip(now, self._seen, strict=True)):
            raise StoreError(
                f"{self._path} was deleted, moved or replaced while it was written, so its answers are lost; put a copy"
                " of it back if there is one, and give the same command again"
            )
        self._seen = now

    def _look(self) -> tuple[tuple[int, int] | None, ...]:
        """Which files lie there now: the store, and the log beside it that holds what was written last."""
        return tuple(_mark(path) for path in (self._path, f"{self._path}-wal"))


def _mark(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
