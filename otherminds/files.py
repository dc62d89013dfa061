"""Files that are there whole or not at all, texts that fit into memory, and JSON and YAML without their traps."""

from __future__ import annotations

import fcntl
import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

from otherminds.errors import BadFile, MissingFile


def write_text(path: str | Path, text: str) -> None:
    """Write beside the target and move into place, so that no reader ever sees half a file."""
    write_parts(path, (text,))


def write_parts(path: str | Path, parts: Iterable[str]) -> None:
    """The same of a text that is made piece by piece, and may be larger than memory."""
    with replacing(path) as half, half.open("w", encoding="utf-8") as file:
        file.writelines(parts)


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A file to write beside the target, which takes its place at the end; two writers never share one."""
    target, lock = Path(path), -1
    # Cut, so that it is never too long, and with a part of its own.
    half = target.with_name(f"{target.name[:40]}.{os.urandom(8).hex()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(half)
        # Until it is locked, another may take it for a leftover.
        while lock < 0 or not os.fstat(lock).st_nlink:
            if lock >= 0:
                os.close(lock)
            lock = os.open(half, os.O_WRONLY | os.O_CREAT, 0o666)
            with suppress(OSError):  # some disks in a network have no locks
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield half
        os.replace(half, target)
    except (OSError, UnicodeEncodeError) as error:
        raise BadFile(f"{target} cannot be written: {getattr(error, 'strerror', '') or error}") from None
    finally:
        if lock >= 0:
            with suppress(OSError):
                half.unlink()
            os.close(lock)


def _remove_leftovers(half: Path) -> None:
    """Remove what programs left that were killed while they wrote the same: the system has taken their locks back."""
    leftover = re.compile(re.escape(half.name[:-21]) + r"[0-9a-f]{16}\.part")
    with suppress(OSError):
        for old in (path for path in half.parent.iterdir() if leftover.fullmatch(path.name)):
            with suppress(OSError), old.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                old.unlink()


LARGEST = 1 << 30
"""Bytes of a file of data: far beyond any suite, and still less than a machine has memory."""
BY_HAND = 1 << 20
"""Bytes of a file that a person writes, such as a story or a line-up."""


def read_text(path: str | Path, *, most: int = LARGEST, kind: str = "file") -> str:
    """The text of a user's file, with plain ends of lines; one that cannot be read is refused with a sentence."""
    try:
        with Path(path).open("rb") as file:
            # Not by its size, which a pipe or a device does not tell.
            content = file.read(most + 1)
        if len(content) > most:
            raise BadFile(
                f"{path} is larger than {most >> 20} MiB, the most that is read here; is it the right {kind}?"
            )
        return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except FileNotFoundError:
        raise MissingFile(f"there is no {kind} {path}") from None
    except UnicodeDecodeError as error:
        raise BadFile(f"{path} is not text in UTF-8: byte {error.start} cannot be read") from None
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror or error}") from None


def read_yaml(path: str | Path) -> Any:
    """A YAML file that a person wrote: one small tree, in which no part stands for another."""
    import yaml

    class Plain(yaml.SafeLoader):  # type: ignore[misc]
        def compose_node(self, parent: Any, index: Any) -> Any:
            event = self.peek_event()
            if getattr(event, "anchor", None) is not None:
                # A few of these in each other stand for gigabytes.
                line = event.start_mark.line + 1
                raise BadFile(f"{path}, line {line}: & and * are not read here; write {event.anchor} out in full")
            return super().compose_node(parent, index)

    text = read_text(path, most=BY_HAND)
    try:
        data = yaml.load(text, Plain)
        for token in yaml.scan(text):
            # Half a character, which an escape can write, could be neither stored nor shown.
            str(getattr(token, "value", "")).encode()
        return data
    except RecursionError:
        raise BadFile(f"{path} is not YAML that can be used: it is nested too deeply") from None
    except (yaml.YAMLError, ValueError) as error:
        raise BadFile(f"{path} is not YAML: {' '.join(str(error).split())}") from None


_HALF = re.compile(r"\\u[dD][89a-fA-F]")
DEEPEST = 200
"""Levels of nesting; honest files have ten."""
_OPEN = re.compile(rf'(?:[\[{{]\s*(?:"[^"\\]*"\s*:\s*)?){{{DEEPEST}}}')


def parse_json(text: str) -> Any:
    """JSON, or a ValueError that says what is wrong; what Python alone would let pass could never be written again."""
    # Seen beforehand, since Python runs out of stack over it in ways that depend on who else is on the stack.
    if text.count("[") + text.count("{") >= DEEPEST and _OPEN.search(text):
        raise ValueError("it is nested too deeply")
    try:
        data = json.loads(text, parse_float=_number, parse_constant=_refuse)
        if _HALF.search(text):
            json.dumps(data, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("it holds half of a character, written as \\ud800 to \\udfff") from None
    return data


def _number(digits: str) -> float:
    return value if isfinite(value := float(digits)) else _refuse(digits)


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number that JSON can hold")


def package_file(name: str) -> str:
    """Return the text of one of the package's own files, in data/."""
    return files("otherminds").joinpath("data", name).read_text(encoding="utf-8")


Wording = dict[str, tuple[str, ...]]
"""Sentences for each thing that happens, by its name."""


@cache
def read_words(name: str) -> dict[str, Any]:
    """Return one of the package's own files of words, in data/."""
    return tomllib.loads(package_file(f"{name}.toml"))


def read_wording(name: str) -> tuple[Wording, dict[str, Wording]]:
    """Return the lists of sentences in such a file, and its tables of such lists."""
    words = read_words(name)
    lists = {key: tuple(each) for key, each in words.items() if isinstance(each, list)}
    tables = {key: each for key, each in words.items() if isinstance(each, dict)}
    return lists, {key: {kind: tuple(each) for kind, each in table.items()} for key, table in tables.items()}
