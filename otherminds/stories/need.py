"""Need: whether a story needs theory of mind, and how many random stories do, without a model.

A story needs theory of mind if it has an *interesting* question: one to which another person, put in the place of one
of its minds, would give another answer. The published definition is narrower, so both are counted: there a matter is
interesting if two answers to questions about it differ, and whoever does not know has no answer. A random story goes on
until it meets the goal of its setting, or cannot any more; unfinished ones count too.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from otherminds import stats
from otherminds.errors import UsageError
from otherminds.minds.questions import UNKNOWN, AnswerKey, Matter, Question, matters, questions
from otherminds.minds.sightings import Minds
from otherminds.minds.story import Story
from otherminds.stats import Estimate
from otherminds.stories.contexts import Context, bank, setting
from otherminds.stories.goals import Goal
from otherminds.stories.grow import Grower
from otherminds.stories.sets import Cell, choose, grid

LENGTHS = (10, 15)
"""Sentences of the random stories of common settings."""


def needs_theory_of_mind(story: Story, *, order: int = 2) -> bool:
    """Whether a story has a question, up to this order, to which another person would give another answer."""
    asked, answers = matters(story), AnswerKey(story, order)
    return any(differs(answers, matter, depth) for depth in range(1, order + 1) for matter in asked)


def differs(answers: AnswerKey, matter: Matter, order: int) -> bool:
    """Whether an answer on this matter, at exactly this order, changes when one of the minds is another person."""
    given = {minds: reply for minds, reply in answers.replies(matter).items() if len(minds) == order}
    return len(set(given.values())) > 1 and any(_other(minds, given, answers.people) for minds in given)


def _other(minds: Minds, answers: Mapping[Minds, str], people: Iterable[str]) -> bool:
    swaps = ((*minds[:place], person, *minds[place + 1 :]) for place in range(len(minds)) for person in people)
    return any(answers.get(swap, answers[minds]) != answers[minds] for swap in swaps)


@dataclass(frozen=True, slots=True)
class Share:
    """What random stories of one setting need; questions are those about minds, up to the second order."""

    cell: Cell
    stories: Estimate
    """Stories that need theory of mind."""
    published: Estimate
    """The same by the published definition."""
    questions: Estimate
    """Questions that need it, with the interval by story."""


def random_shares(number: int, seed: int) -> list[Share]:
    """What so many random stories of each common setting need; nothing if none are wanted."""
    cells = [replace(cell, sentences=most) for most in LENGTHS for cell in grid(choose("tomi"))]
    return shares(cells, bank(), number=number, seed=seed) if number else []


def shares(cells: Iterable[Cell], contexts: Sequence[Context], *, number: int = 1000, seed: int = 0) -> list[Share]:
    """For each setting, what so many random stories need."""
    if number < 1 or not contexts:
        raise UsageError("give at least one context and one story to draw")
    return [_share(cell, contexts, number, seed) for cell in cells]


def _share(cell: Cell, contexts: Sequence[Context], number: int, seed: int) -> Share:
    rng = random.Random(f"shares:{seed}:{cell.name}:{cell.sentences}")
    goal = Goal.of(cell)
    interesting: list[float] = []
    story_of: list[int] = []
    needing = differing = 0
    for story in range(number):
        grower = Grower(setting(rng.choice(contexts), cell), goal, rng)
        end = grower.ending(grower.start)
        asked = [each for each in questions(end.story, order=2) if each.minds]
        marks = [float(each.tags["interesting"] is True) for each in asked]
        needing += any(marks)
        differing += _differ(asked)
        interesting += marks
        story_of += [story] * len(marks)
    return Share(
        cell,
        stats.proportion(needing, number),
        stats.proportion(differing, number),
        stats.mean(interesting or [0.0], groups=story_of or [0]),
    )


def _differ(asked: Sequence[Question]) -> bool:
    """Whether two of those who have an answer about the same matter have different ones."""
    answers: dict[tuple[str, str], set[str]] = {}
    for each in asked:
        if each.answer != UNKNOWN and each.tags.get("polarity") != "negative":
            answers.setdefault((each.about, each.property), set()).add(each.answer)
    return any(len(some) > 1 for some in answers.values())
