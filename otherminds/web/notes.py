"""Tags and notes that people give runs, in a file beside the store: the store itself stays as it was written."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from otherminds.errors import BadFile, MissingFile, UsageError
from otherminds.files import parse_json, read_text, replacing, write_text

LONGEST_NOTE, LONGEST_TAG, MOST_TAGS = 2_000, 40, 20


@dataclass(frozen=True, slots=True)
class Note:
    """What somebody wants to remember of a run."""

    tags: tuple[str, ...] = ()
    note: str = ""


NOTHING = Note()


def words_of(note: Note) -> str:
    """Both as one line."""
    return " ".join([*(f"#{tag}" for tag in note.tags), note.note])


class Notes:
    """The notes of one store."""

    def __init__(self, store: str | Path) -> None:
        self.path = Path(f"{store}.notes.json")

    def read(self) -> dict[str, Note]:
        """By run."""
        try:
            data = parse_json(read_text(self.path))
            return {str(run): Note(tuple(map(str, one["tags"])), str(one["note"])) for run, one in data.items()}
        except MissingFile:
            return {}
        except (AttributeError, KeyError, TypeError, ValueError):
            raise BadFile(f"{self.path} is damaged; mend it or take it away, the runs are not in it") from None

    def seen(self) -> tuple[dict[str, Note], str]:
        """The notes for a page: by run, or none of them and why."""
        try:
            return self.read(), ""
        except BadFile as error:
            return {}, f" No tags and notes are shown: {error}."

    def keep(self, run: str, given: Mapping[str, Any]) -> Note:
        """Write what is given for a run; nothing at all takes it away."""
        note = _checked(given)
        known, trouble = self.seen()
        if trouble:  # what it holds may still be mended by hand
            with replacing(f"{self.path}.damaged-{os.urandom(4).hex()}") as half:
                os.replace(self.path, half)
        known[run] = note
        data = {id: {"tags": one.tags, "note": one.note} for id, one in known.items() if one != NOTHING}
        write_text(self.path, json.dumps(data, ensure_ascii=False, indent=1) + "\n")
        return note


def _checked(given: Mapping[str, Any]) -> Note:
    tags, note = given.get("tags", []), given.get("note", "")
    if not isinstance(note, str) or len(note) > LONGEST_NOTE:
        raise UsageError(f"a note is a text of at most {LONGEST_NOTE} characters")
    words = isinstance(tags, list) and len(tags) <= MOST_TAGS and all(isinstance(tag, str) for tag in tags)
    if not words or any(len(tag) > LONGEST_TAG or len(tag.split()) != 1 for tag in tags):
        raise UsageError(f"tags are at most {MOST_TAGS} words of at most {LONGEST_TAG} letters")
    return Note(tuple(dict.fromkeys(tags)), note.strip())
