"""Files of one JSON object a line, of which each is read when it is looked at: a million of them need little memory."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from stat import S_ISREG
from tempfile import TemporaryFile
from threading import Lock
from typing import Any, BinaryIO, TypeVar, overload
from weakref import finalize

from otherminds.errors import BadFile, MissingFile
from otherminds.files import LARGEST, parse_json

LONGEST = 1 << 26
"""Bytes of a line: far beyond any item."""
BLOCK, BLOCKS = 500, 16
"""Lines that are read together, and how many such blocks are held: most suites are read once and then all there."""
_MARK = b"\xef\xbb\xbf"

Value = TypeVar("Value", covariant=True)


class JsonLines:
    """A user's file of lines, held open: what is put in its place later is another file."""

    def __init__(self, path: str | Path) -> None:
        self.path = path
        try:
            with Path(path).open("rb") as file:
                self._file = os.dup(file.fileno()) if _is_plain(file) else _copied(file)
        except FileNotFoundError:
            raise MissingFile(f"there is no file {path}") from None
        except OSError as error:
            raise BadFile(f"{path} cannot be read: {error.strerror or error}") from None
        finalize(self, os.close, self._file)
        self.size, self._time = self._state()

    def _state(self) -> tuple[int, int]:
        found = os.fstat(self._file)
        return found.st_size, found.st_mtime_ns

    def objects(self) -> Iterator[tuple[int, int, dict[str, Any]]]:
        """The number of every line that is not blank, where it starts, and the object that it holds."""
        for number, start, line in self._lines():
            try:
                text = line.decode()
            except UnicodeDecodeError as error:
                at = start + error.start
                raise BadFile(f"{self.path} is not text in UTF-8: byte {at} cannot be read") from None
            if not text.strip():
                continue
            try:
                data = parse_json(text)
            except ValueError as error:
                raise BadFile(f"{self.path}, line {number} is not JSON: {error}") from None
            if not isinstance(data, dict):
                raise BadFile(f"{self.path}, line {number} should be a JSON object, not {type(data).__name__}")
            yield number, start, data

    def _lines(self) -> Iterator[tuple[int, int, bytes]]:
        with open(self._file, "rb", closefd=False) as file:
            file.seek(0)
            start = len(_MARK) if file.read(len(_MARK)) == _MARK else 0
            file.seek(start)
            number = 0
            while raw := file.readline(LONGEST):
                if len(raw) == LONGEST:
                    most = f"{LONGEST >> 20} MiB, the most that is read here"
                    raise BadFile(f"{self.path}, line {number + 1} is longer than {most}; is it the right file?")
                at = start
                for line in raw.removesuffix(b"\n").removesuffix(b"\r").split(b"\r"):
                    number += 1
                    yield number, at, line
                    at += len(line) + 1
                start += len(raw)

    def read(self, start: int, end: int) -> bytes:
        """Some bytes, if the file is as it was."""
        if self._state() != (self.size, self._time):
            raise BadFile(f"{self.path} was changed while it was in use; give the same command again")
        return os.pread(self._file, end - start, start)


def _is_plain(file: BinaryIO) -> bool:
    return S_ISREG(os.fstat(file.fileno()).st_mode)


def _copied(file: BinaryIO) -> int:
    """A copy without a name of what comes through a pipe, which can be read only once."""
    with TemporaryFile() as copy:
        while some := file.read(1 << 20):
            copy.write(some)
            if copy.tell() > LARGEST:
                raise BadFile(
                    f"{file.name} goes on after {LARGEST >> 20} MiB, the most that is read of what is no file"
                )
        copy.flush()
        return os.dup(copy.fileno())


class OnDisk(Sequence[Value]):
    """The values that the lines of a file hold, each of which is read when it is looked at."""

    def __init__(self, source: JsonLines, read: Callable[[bytes], Value]) -> None:
        self.digest = ""
        """Changes when any value changes."""
        self._source, self._read = source, read
        self._starts = array("q")
        self._blocks: dict[int, list[Value]] = {}
        self._lock = Lock()

    def append(self, start: int, value: Value) -> None:  # type: ignore[misc]
        """One more, which is what the line that starts there holds."""
        number, place = divmod(len(self._starts), BLOCK)
        self._starts.append(start)
        if not place:
            self._hold(number, [])
        self._blocks[number].append(value)

    def _hold(self, number: int, block: list[Value]) -> None:
        with self._lock:
            self._blocks[number] = block
            if len(self._blocks) > BLOCKS:
                del self._blocks[next(iter(self._blocks))]

    def _block(self, number: int) -> list[Value]:
        found = self._blocks.get(number)
        if found is None:
            starts = self._starts[number * BLOCK : (number + 1) * BLOCK + 1]
            if len(starts) <= BLOCK:
                starts.append(self._source.size)
            raw, first = self._source.read(starts[0], starts[-1]), starts[0]
            found = [self._read(raw[start - first : end - first]) for start, end in pairwise(starts)]
            self._hold(number, found)
        return found

    def __len__(self) -> int:
        return len(self._starts)

    def __iter__(self) -> Iterator[Value]:
        for number in range(-(-len(self) // BLOCK)):
            yield from self._block(number)

    @overload
    def __getitem__(self, place: int) -> Value: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Value, ...]: ...
    def __getitem__(self, place: int | slice) -> Value | tuple[Value, ...]:
        places = range(len(self))[place]
        return self._at(places) if isinstance(places, int) else tuple(map(self._at, places))

    def _at(self, place: int) -> Value:
        return self._block(place // BLOCK)[place % BLOCK]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OnDisk | tuple) and len(self) == len(other) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __reduce__(self) -> tuple[type, tuple[tuple[Value, ...]]]:
        return tuple, (tuple(self),)  # an open file cannot be sent to another process
