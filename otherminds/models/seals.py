"""Whether a file still holds the bytes that it was known by: a digest, kept beside files that we made ourselves.

Reading gigabytes at every start would keep people waiting, so a file is read in full once, and again whenever the disk
says that it was written to or replaced. At every other start a block in every megabyte is read, which finds damage
that no program has done, if it is a megabyte or longer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from otherminds.errors import BadFile, MissingWeights, WeightsError
from otherminds.files import write_text

STEP, BLOCK = 1 << 20, 1 << 14
"""Of every so many bytes, how many are read at every start; the first step, where the head lies, is read in full."""
Stamp = tuple[int, int, int, int]
"""What changes when a file is written to or replaced: size, times in nanoseconds, and which file it is."""


@dataclass(frozen=True, slots=True)
class FileSeal:
    """What a file was when it was read in full."""

    sha256: str
    sample: str
    stamp: Stamp


def seal_of(path: Path) -> FileSeal:
    """The file, read in full."""
    # The stamp comes first: a change while the file is being read must not go unseen.
    stamp = _stamp(path)
    return FileSeal(digest(path), _sample(path, stamp[0]), stamp)


def digest(path: Path) -> str:
    """The sha256 of a file, read in full."""
    with _reading(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check(path: Path, seal: FileSeal) -> FileSeal | None:
    """The seal as it is by now if the file holds the same bytes; if its stamp is the same, a sample of them is read."""
    if _stamp(path) == seal.stamp:
        return seal if _sample(path, seal.stamp[0]) == seal.sample else None
    now = seal_of(path)
    return now if now.sha256 == seal.sha256 else None


def holds(path: Path, seal: FileSeal) -> bool:
    """Whether the file still holds the bytes of this seal, which is kept beside it as it is by now."""
    now = check(path, seal)
    if now and now != kept(path):
        keep(path, now)
    return now is not None


def demand(path: Path, seal: FileSeal) -> FileSeal:
    """The seal as it is by now; of a file in use nothing is read as long as the disk knows of no change."""
    # What is deleted keeps its bytes for whoever has it open.
    if not path.exists() or _stamp(path) == seal.stamp:
        return seal
    now = seal_of(path)
    if now.sha256 != seal.sha256:
        raise WeightsError(
            f"{path} was changed while it was in use, so what it says is no longer said by {seal.sha256[:12]}…; give"
            " the same command again to ask the file as it is now"
        )
    return now


def kept(path: Path) -> FileSeal | None:
    """The seal that lies beside a file; None if there is none that can be read."""
    with suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
        data = json.loads(_beside(path).read_text(encoding="utf-8"))
        size, written, changed, inode = map(int, data["stamp"])
        return FileSeal(str(data["sha256"]), str(data["sample"]), (size, written, changed, inode))
    return None


def latest(path: Path) -> FileSeal:
    """The seal beside a file that was just checked, or one made anew where none could be kept."""
    seal = kept(path)
    return seal if seal and seal.stamp == _stamp(path) else seal_of(path)


def keep(path: Path, seal: FileSeal) -> None:
    """Put a seal beside the file; where nothing can be written, the next start has to do without."""
    with suppress(BadFile):
        write_text(_beside(path), json.dumps(asdict(seal)) + "\n")


def _beside(path: Path) -> Path:
    return path.with_name(path.name + ".seal")


def _stamp(path: Path) -> Stamp:
    with _reading(path):
        found = path.stat()
        return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def _sample(path: Path, size: int) -> str:
    found = hashlib.sha256()
    with _reading(path), path.open("rb", buffering=0) as file:
        found.update(file.read(STEP))
        for start in [*range(STEP, size, STEP), max(0, size - BLOCK)]:
            file.seek(start)
            found.update(file.read(BLOCK))
    return found.hexdigest()


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise MissingWeights(f"there is no file {path}") from None
    except OSError as error:
        raise WeightsError(f"{path} cannot be read: {error.strerror or error}") from None
