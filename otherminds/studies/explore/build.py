"""Build: what was found, as files and as a suite.

A folder of findings holds

    stories.jsonl     every story found: its events, its words, who believed what after each event, how it was found
    questions.jsonl   a suite with all its questions, ready to run
    run.json          what was searched, against whom, with which seed and budget
    card.md           what is in it, in words and numbers
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

from otherminds.errors import BadFile, OthermindsError, UsageError
from otherminds.files import write_text
from otherminds.items import Item, Suite, Tag, read_lines, write_lines
from otherminds.minds.beliefs import chains
from otherminds.minds.beliefs import view as view_of
from otherminds.minds.questions import quiz
from otherminds.minds.story import Story
from otherminds.studies.cards import card
from otherminds.studies.explore.search.hunt import Found

MOST, CLEARLY = 0.4, 0.08
"""No answer may be right in more than the one share of the questions, nor by the other above chance."""


def suite(
    found: Sequence[Found],
    *,
    order: int = 2,
    interesting: bool = False,
    paraphrase: int | None = None,
    name: str = "explore",
) -> Suite:
    """All questions about the stories found, up to an order; with `paraphrase`, told in the words of that seed."""
    items: dict[str, Item] = {}
    for each in found:
        about = {name: getattr(each, name) for name in ("set", "people", "moves", "context", "method")}
        for item in quiz(each.story, order=max(order, each.order), seed=paraphrase):
            if not interesting or item.tags.get("interesting") is True:
                meta = {**item.meta, "found": each.id}
                items.setdefault(item.id, replace(item, tags={**item.tags, **about}, meta=meta))
    if not items:
        raise UsageError("there is nothing to ask: no stories were found, or none with such questions")
    return Suite(name, tuple(items.values()), prompt="direct", score="text", study="explore")


def balanced(items: Sequence[Item], tag: str, *, seed: int = 0) -> tuple[Item, ...]:
    """As many items with each value of a tag as there are with the rarest, within every kind and order."""
    groups: dict[tuple[Tag, Tag], dict[Tag, list[Item]]] = {}
    for item in items:
        if tag in item.tags:
            values = groups.setdefault((item.tags["kind"], item.tags["order"]), {})
            values.setdefault(item.tags[tag], []).append(item)
    rng = random.Random(f"balance:{seed}")
    kept: set[str] = set()
    for values in groups.values():
        fewest = min(map(len, values.values())) if len(values) > 1 else 0
        kept.update(item.id for several in values.values() for item in rng.sample(several, fewest))
    if not kept:
        raise UsageError(f"nothing can be balanced by {tag!r}: no kind of question has items with two values of it")
    return tuple(item for item in items if item.id in kept)


def evened(items: Sequence[Item], *, seed: int = 0) -> tuple[Item, ...]:
    """The items with too many of the same answer left out, within every set, kind and order.

    No constant answer is right in more than 40 % of a group, nor clearly more often than chance, where the group has
    enough answers for that.
    """
    groups: dict[tuple[Tag | None, ...], dict[str, list[Item]]] = {}
    for item in items:
        group = groups.setdefault(tuple(item.tags.get(name) for name in ("set", "kind", "order")), {})
        group.setdefault(item.answer, []).append(item)
    rng = random.Random(f"evened:{seed}")
    kept = {item.id for group in groups.values() for item in _evened(group, rng)}
    return tuple(item for item in items if item.id in kept)


def _evened(group: Mapping[str, list[Item]], rng: random.Random) -> list[Item]:
    """Of the items by answer, as many as may stay; of a single answer, none."""
    if len(group) < 2:
        return []
    kept = {answer: rng.sample(several, len(several)) for answer, several in group.items()}
    chance = fmean(1 / len(item.choices) for several in group.values() for item in several)
    most = max(1 / len(group), min(MOST, chance + CLEARLY))
    while True:
        answer = max(kept, key=lambda each: len(kept[each]))
        others = sum(map(len, kept.values())) - len(kept[answer])
        if len(kept[answer]) <= most * (others + len(kept[answer])) + 1e-9:
            return [item for several in kept.values() for item in several]
        kept[answer].pop()


def trace(story: Story, *, order: int = 2) -> list[dict[str, Any]]:
    """Who believes what after each event: only the views that the event changed."""
    known: dict[str, Any] = {}
    lines = []
    for part in story.prefixes():
        changed = {}
        for minds in chains(story.people, order=order):
            view = view_of(part, minds)
            now: dict[str, Any] = {"facts": [list(fact) for fact in view.facts()], "heard": sorted(view.topics)}
            now["in the open"] = sorted(thing for thing in story.things if view.in_the_open(thing))
            name = " > ".join(minds)
            if known.get(name, {"facts": [], "heard": [], "in the open": []}) != now:
                known[name] = changed[name] = now
        lines.append({"after": part.length, "views": changed})
    return lines


def save(folder: str | Path, found: Sequence[Found], *, searched: Mapping[str, Any], order: int = 2) -> None:
    """Write a folder of findings."""
    place = Path(folder)
    write_lines(place / "stories.jsonl", [{**each.to_dict(), "trace": trace(each.story)} for each in found])
    write_text(place / "run.json", json.dumps(dict(searched), indent=2, ensure_ascii=False) + "\n")
    if found:
        questions = suite(found, order=order)
        questions.save(place / "questions.jsonl")
        write_text(place / "card.md", card(questions, made="stories found by search; answers proved by their events"))


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
