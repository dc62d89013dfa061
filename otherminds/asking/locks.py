"""Who may write a store, and whether its files are still those that were opened.

A lock is on a file beside the store; the operating system takes it back when the program ends, however it ends.
"""

from __future__ import annotations

import fcntl
import os

from otherminds.errors import StoreError


class Lock:
    """The right to write a store, for one program at a time; it also tells others which run is under way."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file = -1

    def take(self) -> None:
        """Take it, or say who has it."""
        try:
            file = os.open(f"{self._path}.lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise StoreError(f"{self._path} cannot be written: {error.strerror}; choose another folder") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = _noted(file)[0] or "unknown"
            os.close(file)
            raise StoreError(
                f"{self._path} is being written by process {owner}; wait until that ends, or use another store"
            ) from None
        except OSError as error:
            os.close(file)
            raise StoreError(f"{self._path} cannot be locked: {error.strerror}; put it on a local disk") from None
        self._file = file
        self.note("")

    def note(self, run: str) -> None:
        """Tell who looks at the lock which run is under way."""
        if self._file >= 0:
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, f"{os.getpid()}\n{run}\n".encode(), 0)

    def release(self) -> None:
        """Let others write; the file stays, or a third program could lock a new one while a second holds the old."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def running(self) -> str:
        """The id of the run that a program is at just now; empty if there is none."""
        try:
            file = os.open(f"{self._path}.lock", os.O_RDONLY)
        except OSError:
            return ""
        try:
            _, run = _noted(file)
            # Tried only where a run was noted, because for that moment it keeps writers out.
            if run:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return ""
        except BlockingIOError:
            return run
        finally:
            os.close(file)


def _noted(file: int) -> tuple[str, str]:
    """Who holds the lock, and the run that is under way."""
    owner, run, *_ = [*os.pread(file, 200, 0).decode(errors="replace").split("\n"), "", ""]
    return owner.strip(), run.strip()


class Watch:
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
