"""People's answers as files: plain CSV, and the JSON that Label Studio writes and reads.

    id,annotator,answer,digest
    sally-1,Ada,basket,3f2a…

    [{"data": {"id": "sally-1", "context": "…", "question": "…", "choices": [{"value": "basket"}, …], …},
      "annotations": [{"completed_by": {"email": "Ada"}, "result": [{"value": {"choices": ["basket"]}, …}]}]}]

Neither says which answer is right. What comes in is checked row by row: a row about an unknown item, or about a text
that is not the item's, is refused and counted, and the others are kept.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from otherminds.annotations import Batch, shown
from otherminds.annotations import digest as digest_of
from otherminds.errors import BadFile, UsageError
from otherminds.files import parse_json, write_text

COLUMNS = ("id", "annotator", "answer", "digest")
LABEL_STUDIO = """<View>
  <Text name="context" value="$context"/>
  <Text name="question" value="$question"/>
  <Choices name="answer" toName="question" value="$choices" choice="single-radio" required="true"/>
</View>
"""
"""How Label Studio is to show an item; written beside the JSON."""


@dataclass(frozen=True, slots=True)
class Row:
    """One answer as a file has it."""

    where: str
    id: str
    annotator: str
    answer: str
    digest: str
    trouble: str = ""
    """Why the file itself has no answer here."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a file: how many answers were kept, and where the refused ones stood, by reason."""

    kept: int = 0
    refused: Mapping[str, list[str]] = field(default_factory=dict)


def save(batch: Batch, path: Path) -> list[Path]:
    """Write all answers; `.csv` or `.json` decides the form. The files written come back."""
    form = _form(path)
    answers = batch.answers()
    write_text(path, form.write(batch, answers))
    if form.config:
        write_text(path.with_suffix(".xml"), form.config)
        return [path, path.with_suffix(".xml")]
    return [path]


def take(batch: Batch, path: Path) -> Taken:
    """Keep the answers of a file that are about these items; the others are counted by reason."""
    form = _form(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise BadFile(f"there is no file {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadFile(f"{path} cannot be read: {error}") from None
    good, refused = [], dict[str, list[str]]()
    for row in form.read(text, path):
        if reason := _trouble(batch, row):
            refused.setdefault(reason, []).append(row.where)
            continue
        try:
            good.append(batch.annotation(row.annotator, row.id, row.answer))
        except UsageError:
            refused.setdefault("the annotator's name cannot be used", []).append(row.where)
    if good:
        batch.keep_all(good)
    return Taken(len(good), refused)


def _trouble(batch: Batch, row: Row) -> str:
    """Why an answer cannot be kept, or nothing."""
    if row.trouble:
        return row.trouble
    if row.id not in batch.items:
        return "unknown id"
    item = batch.items[row.id]
    if row.digest != shown(item):
        return "the text shown is not the item's"
    return "" if row.answer in item.choices else "the answer is not one of the choices"


# ---- CSV ----------------------------------------------------------------------------------------------------------


def _write_csv(batch: Batch, answers: Mapping[str, Mapping[str, str]]) -> str:
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(COLUMNS)
    for annotator, given in answers.items():
        lines.writerows([id, annotator, given[id], shown(item)] for id, item in batch.items.items() if id in given)
    return text.getvalue()


def _read_csv(text: str, path: Path) -> Iterator[Row]:
    # Strict: a quote that is never closed would otherwise swallow the rest of the file without a word.
    lines = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        missing = [name for name in COLUMNS if name not in (lines.fieldnames or ())]
        if missing:
            raise BadFile(f"{path}, line 1: column {missing[0]!r} is missing; there should be {', '.join(COLUMNS)}")
        for line in lines:
            whole = None not in line and None not in line.values()
            id, annotator, answer, digest = (line[name] or "" for name in COLUMNS)
            trouble = "" if whole else "not a whole row"
            yield Row(f"line {lines.line_num}", id, annotator, answer, digest, trouble)
    except csv.Error as error:
        raise BadFile(f"{path}, line {lines.line_num} is not CSV: {error}") from None


# ---- Label Studio -------------------------------------------------------------------------------------------------


def _write_label_studio(batch: Batch, answers: Mapping[str, Mapping[str, str]]) -> str:
    listed = []
    for item in batch.suite:
        data = {
            "id": item.id,
            "context": item.context,
            "question": item.question,
            "choices": [{"value": choice} for choice in item.choices],
            "digest": shown(item),
        }
        given = {annotator: said[item.id] for annotator, said in answers.items() if item.id in said}
        listed.append({"data": data, "annotations": [_annotation(*pair) for pair in given.items()]})
    return json.dumps(listed, ensure_ascii=False, indent=1) + "\n"


def _annotation(annotator: str, answer: str) -> dict[str, Any]:
    result = {"from_name": "answer", "to_name": "question", "type": "choices", "value": {"choices": [answer]}}
    return {"completed_by": {"email": annotator}, "result": [result]}


def _read_label_studio(text: str, path: Path) -> Iterator[Row]:
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
            yield Row(f"entry {number}", "", "", "", "", "no data or no list of annotations")
            continue
        for annotation in annotations:
            answer, trouble = _chosen(annotation)
            where = f"entry {number}"
            yield Row(where, str(data.get("id", "")), _annotator(annotation), answer, _seen(data), trouble)


def _seen(data: Mapping[str, Any]) -> str:
    """The digest of the texts that were shown, whatever digest is written beside them."""
    choices = _part(data, "choices", list)
    texts = [data.get("context", ""), data.get("question"), *(_part(choice, "value", str) for choice in choices or [])]
    if not choices or not all(isinstance(text, str) for text in texts):
        return ""
    return digest_of(texts[0], texts[1], texts[2:])


def _annotator(annotation: Any) -> str:
    """Label Studio names people by number, by address, or by an object with both."""
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


@dataclass(frozen=True, slots=True)
class _Form:
    write: Callable[[Batch, Mapping[str, Mapping[str, str]]], str]
    read: Callable[[str, Path], Iterator[Row]]
    config: str = ""


FORMS: dict[str, _Form] = {
    ".csv": _Form(_write_csv, _read_csv),
    ".json": _Form(_write_label_studio, _read_label_studio, LABEL_STUDIO),
}


def _form(path: Path) -> _Form:
    if path.suffix.lower() not in FORMS:
        raise UsageError(f"{path} should end in .csv, or in .json for Label Studio")
    return FORMS[path.suffix.lower()]
