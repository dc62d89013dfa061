"""What every benchmark is to us: a file that is read into items, a way to ask them, and its own reading of an answer.

An item keeps the record as it was (`raw`), the gold label of the file (`published_gold`), and in sentences what was
repaired. Its answer is the repaired gold, so that every table of ours is by what is right; the two ways of scoring in
`asked` mark by either.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from otherminds.errors import BadFile, MissingFile
from otherminds.files import LARGEST, parse_json, read_text, read_words
from otherminds.items import Item
from otherminds.items.tags import BENCHMARK, PUBLISHED_GOLD, RAW, REPAIRS

WORDS: dict[str, Any] = read_words("benchmarks")


@dataclass(frozen=True, slots=True)
class Mark:
    """What a benchmark's own script makes of a text."""

    value: float | None
    """1 right, 0 wrong, or a share; none where the script leaves the answer out, or breaks."""
    answer: str = ""
    read: bool = True
    """Whether an answer was found; a script may count one that was not as wrong, or as its first option."""
    why: str = ""


Marker = Callable[[Item, Sequence[str], Sequence[Sequence[str]]], Mark]
"""From an item, the text of every try and the order of the choices in each, to a mark by the published gold."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One benchmark."""

    name: str
    title: str
    paper: str
    """Who, when, what it is called, where it appeared."""
    licence: str
    read: Callable[[Path], Iterable[Item]]
    mark: Marker
    scoring: str
    """How its own script scores, in a sentence or two, faults included."""
    ask: Callable[[Item], str]
    option: str = ""
    """How an option is shown, with {letter}, {lower} and {choice}; empty: the model is asked for words."""
    answer: str = "{choice}"
    """How an option is given as the answer, in the same words."""
    tries: int = 1
    """How often one item is asked, the options shuffled anew each time."""
    suffix: str = ""
    holds: Sequence[str] = ()
    """What a file of it ends in, and holds at its beginning."""
    inside: str = ""
    """The pattern of its files in a folder; empty: a folder is none of its."""
    looks: Callable[[Path], bool] | None = None

    def fits(self, path: Path) -> bool:
        """Whether a file or folder looks like one of its."""
        if self.looks:
            return self.looks(path)
        if path.is_dir():
            return bool(self.inside) and any(self.fits(file) for file in path.glob(self.inside))
        return path.suffix == self.suffix and all(word in beginning(path, 1 << 16) for word in self.holds)


def declared(name: str, **does: Any) -> Benchmark:
    """A benchmark by its words in data/benchmarks.toml and what it does; it asks in the same words for every item."""
    words = {"ask": WORDS["ask"], **WORDS[name]}
    given = {part.name: words[part.name] for part in fields(Benchmark) if part.name in words}
    return Benchmark(name, **{**given, "ask": lambda _: words["ask"], **does})


def keep(
    name: str,
    item: Item,
    raw: Mapping[str, Any],
    *,
    published: object = None,
    repairs: Sequence[str] = (),
    meta: Mapping[str, Any] | None = None,
) -> Item:
    """An item of a benchmark with what every one of them keeps; the published gold is the item's unless it is given."""
    gold = item.answer if published is None else published
    kept = {BENCHMARK: name, PUBLISHED_GOLD: gold, RAW: dict(raw), **(meta or {})}
    return replace(item, meta=kept | ({REPAIRS: list(repairs)} if repairs else {}))


# ---- files as their owners have them --------------------------------------------------------------------------------


def text_of(path: Path) -> str:
    """The text of a file, also of one packed with gzip."""
    if path.suffix != ".gz":
        return read_text(path)
    try:
        with gzip.open(path) as file:
            content = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise MissingFile(f"there is no file {path}") from None
    except (OSError, EOFError, zlib.error) as error:
        raise BadFile(f"{path} cannot be unpacked ({error}); is it whole? Fetch it again") from None
    if len(content) > LARGEST:
        raise BadFile(f"{path} unpacks to more than {LARGEST >> 20} MiB, the most that is read here")
    return decoded(content, path)


def decoded(content: bytes, path: Path | str) -> str:
    """Bytes as text in UTF-8, with plain ends of lines."""
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise BadFile(f"{path} is not text in UTF-8: byte {error.start} cannot be read") from None


def unzipped(path: Path) -> dict[str, str]:
    """The texts in an archive, by name; one that is cut short is refused with a sentence."""
    try:
        with zipfile.ZipFile(path) as archive:
            inside = [entry for entry in archive.infolist() if not entry.is_dir()]
            if sum(entry.file_size for entry in inside) > LARGEST:
                raise BadFile(f"{path} unpacks to more than {LARGEST >> 20} MiB, the most that is read here")
            wanted = [entry for entry in inside if Path(entry.filename).suffix in (".txt", ".trace")]
            return {entry.filename: decoded(archive.read(entry), entry.filename) for entry in wanted}
    except FileNotFoundError:
        raise MissingFile(f"there is no file {path}") from None
    except (zipfile.BadZipFile, OSError, EOFError, zlib.error, NotImplementedError, RuntimeError) as error:
        raise BadFile(f"{path} is not a whole zip archive ({error}); fetch it again") from None


def json_of(path: Path) -> Any:
    """A JSON file."""
    try:
        return parse_json(text_of(path))
    except ValueError as error:
        raise BadFile(f"{path} is not JSON: {error}") from None


def objects(found: Any, path: Path, what: str, should: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Where each object of a list stands, and the object; a file that is no such list is told what it should be."""
    if not isinstance(found, list) or not found:
        raise BadFile(f"{path} should be {should}")
    for number, each in enumerate(found, start=1):
        where = f"{path}, {what} {number}"
        if not isinstance(each, dict):
            raise BadFile(f"{where} should be an object, not {str(each)[:80]}")
        yield where, each


def json_rows(path: Path) -> Iterator[tuple[str, dict[str, Any], int]]:
    """Where each line of a JSON Lines file stands, its object, and how many values in it are NaN, read as null."""
    for number, line in enumerate(text_of(path).split("\n"), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            row, lacking = _lenient(line, where)
            if not isinstance(row, dict):
                raise BadFile(f"{where} should be a JSON object, not {type(row).__name__}")
            yield where, row, lacking


def _lenient(line: str, where: str) -> tuple[Any, int]:
    # NaN is no JSON, but some published files have it where an option is missing.
    lacking: list[str] = []
    try:
        parse_json(json.dumps(found := json.loads(line, parse_constant=lacking.append)))
    except (ValueError, RecursionError) as error:
        raise BadFile(f"{where} is not JSON: {error}") from None
    return found, len(lacking)


def csv_rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Where each row of a table stands, and the row by the names of its columns."""
    reader = csv.DictReader(io.StringIO(text_of(path)), strict=True)
    try:
        for row in reader:
            if None in row or None in row.values():
                raise BadFile(f"{path}, line {reader.line_num} has not as many cells as the first line has names")
            yield f"{path}, line {reader.line_num}", row
    except csv.Error as error:
        raise BadFile(f"{path}, line {reader.line_num} is no row of a table: {error}") from None


def need(row: Mapping[str, Any], where: str, **kinds: type | tuple[type, ...]) -> None:
    """Refuse a record that lacks a field or has another kind of value in it."""
    for field, kind in kinds.items():
        if field not in row:
            raise BadFile(f"{where}: {field} is missing; is this the benchmark that --from says?")
        if not isinstance(row[field], kind) or (isinstance(row[field], bool) and kind is int):
            raise BadFile(f"{where}: {field} cannot be {row[field]!r}")


def filled(value: Any, where: str, what: str) -> str:
    """A text that says something."""
    if not isinstance(value, str) or not value.strip():
        raise BadFile(f"{where}: {what} should be text, not {value!r}")
    return value


def beginning(path: Path, most: int = 4096) -> str:
    """The first characters of a file; nothing if it cannot be read as text."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            return file.read(most).decode("utf-8-sig", errors="ignore")
    except (OSError, EOFError, zlib.error):
        return ""
