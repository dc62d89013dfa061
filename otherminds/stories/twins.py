"""Twins and mutants: stories with one event changed.

A mutant is like a story that was found, with something else happening at one point; in a twin, the same question has
the other answer.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from otherminds.minds.events import Event
from otherminds.minds.questions import Question
from otherminds.minds.setting import Setting, kind_of
from otherminds.minds.story import Story
from otherminds.stories.goals import Goal
from otherminds.stories.grow import Grower, Node
from otherminds.stories.structure import asked, is_false, is_unknown

ENOUGH = 100
"""Twins that are looked at before one that is not quite a control will do."""


@dataclass(frozen=True, slots=True)
class Twin:
    """A control: the story as it might have gone, and the question whose answer it turns."""

    story: Story
    question: str
    minds: tuple[str, ...]
    about: str
    property: str
    answer: str
    """In the story that was found."""
    other: str
    """In the twin."""
    change: str
    """left out, put in or replaced."""
    at: int
    """The number of the event, from 1 on."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON; premises are those of the story."""
        plain = {name: getattr(self, name) for name in (*_TEXTS, "at")}
        return plain | {"minds": list(self.minds), "text": self.story.text, "events": self.story.to_dicts()}

    @classmethod
    def from_dict(cls, data: dict[str, Any], of: Story) -> Twin:
        """The same from JSON; the story is replayed, so an impossible one is refused."""
        story = Story.from_dicts(data["events"], premises=of.premises)
        texts = {name: str(data[name]) for name in _TEXTS}
        return cls(story=story, minds=tuple(map(str, data["minds"])), at=int(data["at"]), **texts)


_TEXTS = ("question", "about", "property", "answer", "other", "change")


def find_twin(story: Story, setting: Setting, *, order: int) -> Twin | None:
    """The nearest twin: best one that sets right who was wrong, then one that tells who did not know, then any."""
    questions = sorted(asked(story, order), key=lambda each: (not is_false(each), not is_unknown(each)))
    if not questions:
        return None
    best: tuple[int, Twin] | None = None
    for number, (change, at, other) in enumerate(_near(story, setting)):
        answers = {each.text: each for each in asked(other, order)}
        for rank, twin in _turned(questions, answers, other, change, at):
            if best is None or rank < best[0]:
                best = rank, twin
            break  # questions are in order, so the first that turns is the best of this twin
        if best is not None and (best[0] == 0 or number >= ENOUGH):
            break
    return best[1] if best else None


def _turned(
    questions: Sequence[Question], others: dict[str, Question], story: Story, change: str, at: int
) -> Iterator[tuple[int, Twin]]:
    """Questions with another answer among the same choices; 0 for a control in which who was wrong is right."""
    for question in questions:
        other = others.get(question.text)
        if other is None or other.answer == question.answer or set(other.choices) != set(question.choices):
            continue
        control = not is_false(other) and not is_unknown(other)
        rank = (0 if control else 1) if is_false(question) else (2 if is_unknown(question) else 3)
        about = question.text, question.minds, question.about, question.property
        yield rank, Twin(story, *about, question.answer, other.answer, change, at)


def _near(story: Story, setting: Setting) -> Iterator[tuple[str, int, Story]]:
    """Every story that differs in one event, the smallest changes first and the latest events first."""
    events, most, before = story.events, padding(story), parts(story)
    for change in ("left out", "put in", "replaced"):
        for at in range(len(events) - 1, -1, -1):
            for new in [[]] if change == "left out" else ([each] for each in _others(before[at], events[at], setting)):
                changed = [*events[:at], *new, *events[at + (change != "put in") :]]
                other = replayed(changed, before[at], at, setting)
                if other is not None and padding(other) <= most:
                    yield change, at + 1, other


def _others(before: Story, event: Event, setting: Setting) -> list[Event]:
    return [each for each in setting.next(before) if each != event]


# ---- mutants --------------------------------------------------------------------------------------------------------


def mutants(story: Story, grower: Grower, number: int) -> Iterator[Story]:
    """Complete stories that begin like this one; so many are tried, and fewer come of it."""
    events, rng = story.events, grower.rng
    for _ in range(number):
        at = rng.randrange(len(events))
        if rng.random() < 0.5:
            node = grower.ending(_node(story, at, grower.goal))
            mutant = node.story if grower.goal.met(node.story, node.tally) else None
        else:
            mutant = _edited(story, at, grower.setting, rng)
        if mutant is not None and mutant != story and not padding(mutant) and is_complete(mutant, grower.goal):
            yield mutant


def is_complete(story: Story, goal: Goal) -> bool:
    """Whether a story meets the goal."""
    return goal.met(story, goal.tally(story))


def _node(story: Story, length: int, goal: Goal) -> Node:
    beginning = parts(story)[length]
    return Node(beginning, goal.tally(beginning))


def _edited(story: Story, at: int, setting: Setting, rng: random.Random) -> Story | None:
    """The story with one event left out, another in its place or before it, or changing places with the next."""
    events = list(story.events)
    before = parts(story)[at]
    match rng.randrange(4):
        case 0:
            changed = events[:at] + events[at + 1 :]
        case 1 if at + 1 < len(events):
            changed = [*events[:at], events[at + 1], events[at], *events[at + 2 :]]
        case way:
            new = setting.step(before, rng)
            if new is None:
                return None
            changed = [*events[:at], new, *events[at + (way == 2) :]]
    return replayed(changed, before, at, setting)


def replayed(events: Sequence[Event], beginning: Story, start: int, setting: Setting) -> Story | None:
    """The story of these events from a beginning on; None if one cannot happen, or is of no kind of the setting."""
    story = beginning
    for event in events[start:]:
        # What was honest can become a lie when it is said at another time, and not every setting has lies.
        if not story.can(event) or kind_of(event, story) not in setting.kinds:
            return None
        story = story.after(event)
    return story


def padding(story: Story) -> int:
    """How many events lead nowhere: somebody comes straight back, or tells what is no news (`Event.is_idle`)."""
    return sum(event.is_idle(before) for before, event in zip(parts(story), story.events, strict=False))


def parts(story: Story) -> list[Story]:
    """The story before each of its events, and the whole."""
    return [Story(premises=story.premises), *story.prefixes()]
