"""People's answers as files: plain CSV, and the JSON that Label Studio writes and reads.

    id,annotator,answer,digest,context,question,A,B
    sally-1,Ada,basket,3f2a…,Sally has left.,Where?,basket,box
    sally-2,,,90cc…,Anne has left.,Where?,basket,box

    [{"data": {"id": "sally-1", "context": "…", "question": "…", "choices": [{"value": "basket"}, …], …},
      "annotations": [{"result": [{"value": {"choices": ["basket"]}, "meta": {"annotator": "Ada"}, …}]}]}]

Neither says which answer is right, and both hold what nobody has answered yet, so that it can be answered there. What
comes in is checked row by row: a row about an unknown item, or about a text that is not the item's, or one that
contradicts a row further up, is refused and counted, and the others are kept.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import ascii_uppercase as LETTERS
from typing import Any

from otherminds.errors import BadFile, UsageError
from otherminds.files import package_file, parse_json, read_text, write_text
from otherminds.items import Item
from otherminds.pages.sheets import as_csv, text_of
from otherminds.results.annotations import AnnotationBatch, shown
from otherminds.store.store import Annotation

COLUMNS = ("id", "annotator", "answer", "digest")
TEXTS = ("context", "question")
"""Columns that may follow, and after them one for each choice, headed A, B, …"""
BOM = "\ufeff"
"""Without it, Excel takes UTF-8 for something else."""


@dataclass(frozen=True, slots=True)
class FileAnswer:
    """One answer as a file has it."""

    where: str
    id: str
    annotator: str
    answer: str
    digest: str = ""
    texts: tuple[str, ...] | None = None
    """Context, question and choices as the file has them, which says more than a digest; None if it has none."""
    trouble: str = ""
    """Why the file itself has no answer here."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a file: how many answers were kept, and where the refused ones stood, by reason."""

    kept: int = 0
    refused: Mapping[str, list[str]] = field(default_factory=dict)
    replaced: int = 0
    """How many of those kept took the place of another answer of the same annotator."""


def save(batch: AnnotationBatch, path: Path) -> list[Path]:
    """Write all answers; `.csv` or `.json` decides the form. The files written come back."""
    if _is_csv(path):
        write_text(path, _write_csv(batch, batch.answers()))
        return [path]
    write_text(path, _write_label_studio(batch, batch.answers()))
    # How Label Studio is to show an item.
    write_text(path.with_suffix(".xml"), package_file("export/label_studio.xml"))
    return [path, path.with_suffix(".xml")]


def take(batch: AnnotationBatch, path: Path) -> Taken:
    """Keep the answers of a file that are about these items; the others are counted by reason."""
    read_rows = _read_csv if _is_csv(path) else _read_label_studio
    good: dict[tuple[str, str], Annotation] = {}
    refused: dict[str, list[str]] = {}
    ids = {_as_read(id): id for id in batch.items}
    for row in read_rows(read_text(path), path):
        # The item's own id and choice, whatever became of their ends of lines on the way.
        item = batch.items.get(ids.get(_as_read(row.id), row.id))
        answers = {_as_read(choice): choice for choice in item.choices} if item else {}
        answer = answers.get(_as_read(row.answer), row.answer)
        if reason := _trouble(item, row, answer):
            refused.setdefault(reason, []).append(row.where)
            continue
        assert item, "an unknown item is trouble"
        try:
            one = batch.annotation(row.annotator, item.id, answer)
        except UsageError:
            refused.setdefault("the annotator's name cannot be used", []).append(row.where)
            continue
        if good.setdefault((one.annotator, one.item), one) != one:
            refused.setdefault("the same annotator gave another answer further up", []).append(row.where)
    before = batch.answers()
    replaced = sum(before.get(who, {}).get(id, one.answer) != one.answer for (who, id), one in good.items())
    if good:
        batch.keep_all(good.values())
    return Taken(len(good), refused, replaced)


def _trouble(item: Item | None, row: FileAnswer, answer: str) -> str:
    """Why an answer cannot be kept, or nothing."""
    if row.trouble:
        return row.trouble
    if item is None:
        return "unknown id"
    same = row.digest == shown(item) if row.texts is None else row.texts == tuple(map(_as_read, _texts(item)))
    if not same:
        return "the text shown is not the item's"
    return "" if answer in item.choices else "the answer is not one of the choices"


def _texts(item: Item) -> tuple[str, ...]:
    return (item.context, item.question, *item.choices)


def _as_read(text: str) -> str:
    """With ends of lines as they are once a file has been read."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


# ---- CSV ----------------------------------------------------------------------------------------------------------


def _write_csv(batch: AnnotationBatch, answers: Mapping[str, Mapping[str, str]]) -> str:
    given = [(item, who, said[id]) for who, said in answers.items() for id, item in batch.items.items() if id in said]
    answered = {item.id for item, *_ in given}
    blank = [(item, "", "") for id, item in batch.items.items() if id not in answered]
    most = max((len(item.choices) for item in batch.suite), default=0)
    lines = [[*COLUMNS, *TEXTS, *LETTERS[:most]]]
    lines += [
        [item.id, who, answer, shown(item), *_texts(item), *[""] * (most - len(item.choices))]
        for item, who, answer in given + blank
    ]
    return BOM + as_csv(lines)


def _read_csv(text: str, path: Path) -> Iterator[FileAnswer]:
    # Strict: a quote that is never closed would otherwise swallow the rest of the file without a word.
    lines = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        missing = [name for name in COLUMNS if name not in (lines.fieldnames or ())]
        if missing:
            raise BadFile(f"{path}, line 1: column {missing[0]!r} is missing; there should be {', '.join(COLUMNS)}")
        for line in lines:
            where = f"line {lines.line_num}"
            id, annotator, answer, digest = (text_of(line[name] or "") for name in COLUMNS)
            # Behind the columns that count, Excel leaves out empty cells.
            if None in line or any(line[name] is None for name in COLUMNS):
                yield FileAnswer(where, id, annotator, answer, trouble="not a whole row")
            elif answer:
                yield FileAnswer(where, id, annotator, answer, digest, _read_texts(line))
            elif annotator:
                yield FileAnswer(where, id, annotator, answer, trouble="no answer")
    except csv.Error as error:
        raise BadFile(f"{path}, line {lines.line_num} is not CSV: {error}") from None


def _read_texts(line: Mapping[str, str | None]) -> tuple[str, ...] | None:
    """The texts of a row; None in a file that leaves them out."""
    if not {*TEXTS, *LETTERS[:2]} <= set(line):
        return None
    choices = [choice for letter in LETTERS if (choice := line.get(letter))]
    return tuple(map(text_of, [*(line[name] or "" for name in TEXTS), *choices]))


# ---- Label Studio -------------------------------------------------------------------------------------------------


def _write_label_studio(batch: AnnotationBatch, answers: Mapping[str, Mapping[str, str]]) -> str:
    listed: list[dict[str, Any]] = []
    result: dict[str, Any] = {"from_name": "answer", "to_name": "question", "type": "choices"}
    for item in batch.suite:
        choices = [{"value": choice} for choice in item.choices]
        data: dict[str, Any] = {"id": item.id, "context": item.context, "question": item.question, "choices": choices}
        given = [
            # Not in `completed_by`: Label Studio refuses the whole file if that is nobody's address there.
            {"result": [result | {"value": {"choices": [said[item.id]]}, "meta": {"annotator": annotator}}]}
            for annotator, said in answers.items()
            if item.id in said
        ]
        listed.append({"data": {**data, "digest": shown(item)}, "annotations": given})
    return json.dumps(listed, ensure_ascii=False, indent=1) + "\n"


def _read_label_studio(text: str, path: Path) -> Iterator[FileAnswer]:
    try:
        listed = parse_json(text)
    except ValueError as error:
        raise BadFile(f"{path} is not JSON: {error}") from None
    if not isinstance(listed, list):
        raise BadFile(f"{path} should be a list, as Label Studio's JSON export is, not {type(listed).__name__}")
    for number, entry in enumerate(listed, start=1):
        data = _part(entry, "data", dict)
        annotations = _part(entry, "annotations", list)
        if not data or annotations is None:
            yield FileAnswer(f"entry {number}", "", "", "", trouble="no data or no list of annotations")
            continue
        for annotation in annotations:
            answer, trouble = _chosen(annotation)
            id, by = str(data.get("id", "")), _annotator(annotation)
            yield FileAnswer(f"entry {number}", id, by, answer, texts=_seen(data), trouble=trouble)


def _seen(data: Mapping[str, Any]) -> tuple[str, ...]:
    """The texts that were shown; none if any is missing."""
    choices = _part(data, "choices", list) or []
    texts = [data.get("context", ""), data.get("question"), *(_part(choice, "value", str) for choice in choices)]
    return tuple(map(_as_read, texts)) if all(isinstance(text, str) for text in texts) else ()


def _annotator(annotation: Any) -> str:
    """Whom we have named ourselves; Label Studio names people by number, by address, or by an object with both."""
    for result in _part(annotation, "result", list) or []:
        if name := _part(_part(result, "meta", dict), "annotator", str):
            return str(name)
    by = _part(annotation, "completed_by", object)
    if isinstance(by, dict):
        by = by.get("email") or by.get("username") or by.get("id")
    return str(by) if isinstance(by, str | int) else ""


def _chosen(annotation: Any) -> tuple[str, str]:
    """The one choice of an annotation, or why there is none."""
    if _part(annotation, "was_cancelled", bool):
        return "", "skipped by the annotator"
    results = _part(annotation, "result", list) or []
    chosen = [_part(_part(result, "value", dict), "choices", list) for result in results]
    texts = [text for several in chosen for text in several or [] if isinstance(text, str)]
    return (texts[0], "") if len(texts) == 1 else ("", "no answer" if not texts else "more than one answer")


def _part(data: Any, name: str, kind: type) -> Any:
    """A part of an object, if it is there and of its kind."""
    value = data.get(name) if isinstance(data, dict) else None
    return value if isinstance(value, kind) else None


def _is_csv(path: Path) -> bool:
    """Whether a file is CSV by its name, or else what Label Studio writes."""
    if path.suffix.lower() not in (".csv", ".json"):
        raise UsageError(f"{path} should end in .csv, or in .json for Label Studio")
    return path.suffix.lower() == ".csv"
