"""Folders: what was found, as files.

A folder of findings holds

    stories.jsonl     every story found: its events, its words, who believed what after each event, how it was found
    questions.jsonl   a suite with all its questions, ready to run
    run.json          what was searched, against whom, with which seed and budget
    card.md           what is in it, in words and numbers

and, once its stories were retold,

    prose.jsonl       every story as it was told, or why it could not be, with all that was rejected on the way
    judges.json       how the judges did on planted errors before they were trusted
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from otherminds.errors import BadFile, OthermindsError, UsageError
from otherminds.files import write_text
from otherminds.heuristics.cards import card
from otherminds.items import read_lines, write_lines
from otherminds.minds.beliefs import chains, view
from otherminds.minds.story import Story
from otherminds.prose.judges import Checked
from otherminds.prose.retelling import Retelling
from otherminds.search.hunt import Found
from otherminds.studies.explore.material.build import suite

PROSE = "prose.jsonl"


def save(folder: str | Path, found: Sequence[Found], *, searched: Mapping[str, Any], order: int = 2) -> None:
    """Write a folder of findings."""
    place = Path(folder)
    write_lines(place / "stories.jsonl", [{**each.to_dict(), "trace": trace(each.story)} for each in found])
    write_text(place / "run.json", json.dumps(dict(searched), indent=2, ensure_ascii=False) + "\n")
    if found:
        questions = suite(found, order=order)
        questions.save(place / "questions.jsonl")
        write_text(place / "card.md", card(questions, made="stories found by search; answers proved by their events"))


def trace(story: Story, *, order: int = 2) -> list[dict[str, Any]]:
    """Who believes what after each event: only the views that the event changed."""
    known: dict[str, Any] = {}
    lines = []
    for part in story.prefixes():
        changed = {}
        for minds in chains(story.people, order=order):
            seen = view(part, minds)
            now: dict[str, Any] = {"facts": [list(fact) for fact in seen.facts()], "heard": sorted(seen.topics)}
            now["in the open"] = sorted(thing for thing in story.things if seen.in_the_open(thing))
            name = " > ".join(minds)
            if known.get(name, {"facts": [], "heard": [], "in the open": []}) != now:
                known[name] = changed[name] = now
        lines.append({"after": part.length, "views": changed})
    return lines


def load(folder: str | Path) -> list[Found]:
    """The stories of a folder of findings, each replayed from its events."""
    path = Path(folder) / "stories.jsonl" if os.path.isdir(folder) else Path(folder)
    found = []
    for number, data in read_lines(path):
        try:
            found.append(Found.from_dict(data))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadFile(f"{path}, line {number} is not a story found by explore: {error!r}") from None
        except OthermindsError as error:
            raise BadFile(f"{path}, line {number}: {error}") from None
    return found


def save_prose(folder: Path, found: Sequence[Found], told: Sequence[Retelling], judges: Sequence[Checked]) -> None:
    """Write what was told of the stories of a folder, and how the judges were checked."""
    lines = [{"id": each.id, **retelling.to_dict()} for each, retelling in zip(found, told, strict=True)]
    write_lines(folder / PROSE, lines)
    checked = [asdict(each) | {"distrust": each.distrust} for each in judges]
    write_text(folder / "judges.json", json.dumps(checked, indent=2, ensure_ascii=False) + "\n")


def load_prose(folder: Path) -> dict[str, str]:
    """By the id of the story, the prose of those that were told to their end."""
    path = folder / PROSE
    if not path.exists():
        raise UsageError(f"{folder} has no {PROSE} yet; `otherminds retell {folder}` writes it")
    texts: dict[str, str] = {}
    for number, data in read_lines(path):
        if not all(isinstance(data.get(name), str) for name in ("id", "text", "failed")):
            raise BadFile(
                f"{path}, line {number} should have the texts id, text and failed, as `otherminds retell` does"
            )
        if not data["failed"]:
            texts[data["id"]] = data["text"]
    return texts
