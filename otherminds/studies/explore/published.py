"""Published: the stories found, asked about as was published: an open question, no options, a short answer.

There an answer is right if it contains the expected words, so "not the tin" is right where "tin" is. The same texts are
therefore read a second time as everywhere else here: an answer counts if it names exactly one of the possible answers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from otherminds.formats.written_answers import read_choice
from otherminds.items import Item, Suite
from otherminds.items.tags import POSSIBLE
from otherminds.minds.questions import UNKNOWN
from otherminds.models import Response
from otherminds.results.grids import Line
from otherminds.results.measures import same_model
from otherminds.runs.runs import Record, Run
from otherminds.studies.explore import build
from otherminds.studies.explore.search.hunt import SEARCHES, Found
from otherminds.studies.explore.sittings import Answer, Sitting, story_mean

WAYS = ("with options", "open, one answer named", "open, as published")


@dataclass(frozen=True, slots=True)
class Published:
    """One model with options and without, on the questions that were put to it in both ways."""

    label: str
    lines: tuple[Line, ...]
    """Each set, then all: the mean accuracy of stories in the three ways of WAYS."""
    asked: int
    unread: int
    """Open answers that name none of the possible answers, or several."""


def open_suite(found: Sequence[Found], *, name: str = "open") -> Suite:
    """The questions that the search went by, without options; whoever does not know has no question, as published."""
    orders = {each.order for each in found}
    made = build.suite(found, order=max(orders, default=1), name=name)
    asked = made.where(lambda item: item.tags["order"] in orders and item.answer != UNKNOWN)
    return replace(asked, items=tuple(map(_without_options, asked)))


def _without_options(item: Item) -> Item:
    return replace(item, choices=(), meta={**item.meta, POSSIBLE: list(item.choices)})


def is_open(run: Run) -> bool:
    """Whether a run put the questions without options."""
    return any(POSSIBLE in record.item.meta for record in run.records)


def as_published(sitting: Sitting, runs: Sequence[Run]) -> Published | None:
    """What the open questions of these runs change for a model; None where it was not asked in both ways."""
    marks = {
        (record.item.context, record.item.question): marked(record)
        for run in runs
        if same_model(run) == same_model(sitting.run)
        for record in run.records
        if record.score.verdict not in ("error", "refused")
    }
    both = [
        (each, *marks[each.item.context, each.item.question])
        for each in sitting.answers
        if each.searched and each.found.method in SEARCHES and (each.item.context, each.item.question) in marks
    ]
    if not both:
        return None
    names = dict.fromkeys(answer.found.set for answer, *_ in both)
    lines = [_line(name, [row for row in both if row[0].found.set == name]) for name in names]
    unread = sum(named is None for _, named, _ in both)
    return Published(sitting.label, (*lines, _line("all", both)), len(both), unread)


def marked(record: Record) -> tuple[float | None, float]:
    """Whether an open answer names the right one of the possible answers and no other; and whether it contains it."""
    (response,), item = record.results, record.item
    text = response.text if isinstance(response, Response) else ""
    # In front of an answer nobody was shown letters for, "A" is an article.
    reading = read_choice(re.sub(r"^\s*an?\s", "", text, flags=re.IGNORECASE), item.meta[POSSIBLE])
    named = float(reading.answer == item.answer) if reading.answer else None
    return named, float(item.answer.lower() in text.lower())


def _line(name: str, rows: Sequence[tuple[Answer, float | None, float]]) -> Line:
    named = [replace(answer, value=value) for answer, value, _ in rows if value is not None]
    published = [replace(answer, value=value) for answer, _, value in rows]
    return name, tuple(story_mean(some) for some in ([answer for answer, *_ in rows], named, published))
