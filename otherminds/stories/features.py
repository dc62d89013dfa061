"""Features: what the engine knows of a question and of the story around it, as numbers and as words.

No feature looks at names or at wording, except for which choice a story names first and last.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from otherminds.files import read_words
from otherminds.minds.events import Enter, Leave, Tell
from otherminds.minds.questions import Question
from otherminds.minds.setting import kind_of
from otherminds.minds.story import Story
from otherminds.stories.structure import asked, is_false

Floats = NDArray[np.float64]

_TEXTS = read_words("pages")["features"]
OF_QUESTION: dict[str, str] = _TEXTS["of_question"]
OF_PERSON: dict[str, str] = _TEXTS["of_person"]
OF_STORY: dict[str, str] = _TEXTS["of_story"]
"""Whether each is so; beside these there are numbers."""
NUMBERS = ("events", "people", "enter", "leave", "move", "carry", "change", "topic", "fact", "lie", "aloud", "choices")

FLAGS: dict[str, str] = {
    **OF_QUESTION,
    **{f"last_{name}": f"the person asked about {words}" for name, words in OF_PERSON.items()},
    **{f"first_{name}": f"the one who thinks about another {words}" for name, words in OF_PERSON.items()},
    **OF_STORY,
}
"""What can be so of a question, in words that follow "where"."""
WIDTH = 1 + len(FLAGS) + len(NUMBERS)


@dataclass(slots=True)
class _Course:
    """What the events of a story did to its people."""

    missed: set[str] = field(default_factory=set)
    returned: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)
    did: set[str] = field(default_factory=set)
    peeked: set[str] = field(default_factory=set)
    distracted: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    kinds: Counter[str] = field(default_factory=Counter)
    undone: bool = False


@lru_cache(maxsize=8192)
def rows(story: Story, order: int) -> Floats:
    """A row for every question about a story at this order; the first column is 1."""
    course, text = _course(story), story.text
    shared = _of_story(story, course)
    found = [
        [1, *_of_question(each, text), *_of_minds(each, course), *shared, len(each.choices)]
        for each in asked(story, order)
    ]
    return np.array(found, dtype=np.float64).reshape(-1, WIDTH)


def _of_question(question: Question, text: str) -> list[bool]:
    tags, answer = question.tags, question.answer
    # A place is named somewhere in the story; of "unknown", "yes" and "no" there is no mention.
    named = [choice for choice in question.choices if f" {choice}" in text]
    places = bool(named) and "polarity" not in tags
    return [
        is_false(question),
        tags.get("ignorance") is True,
        answer != question.reality,
        tags.get("like_last") is False,
        tags.get("like_first") is False,
        places and answer != max(named, key=lambda choice: text.rfind(f" {choice}")),
        places and answer != min(named, key=lambda choice: text.find(f" {choice}")),
        answer == "no",
        answer == "yes",
        tags.get("polarity") == "negative",
        tags["kind"] == "room",
        tags["kind"] == "topic",
        tags["kind"] == "state",
    ]


def _of_minds(question: Question, course: _Course) -> list[bool]:
    first, last = question.minds[:-1][:1], question.minds[-1:]
    return [bool(getattr(course, name).intersection(some)) for some in (last, first) for name in OF_PERSON]


def _of_story(story: Story, course: _Course) -> list[float]:
    kinds = course.kinds
    last = story.event
    return [
        bool(course.peeked or course.distracted),
        bool(course.told),
        kinds["lie"] > 0,
        course.undone,
        len(course.missed) < len(story.people),
        isinstance(last, Enter),
        isinstance(last, Leave),
        story.length,
        len(story.people),
        *(kinds[name] for name in NUMBERS[2:-1]),
    ]


def _course(story: Story) -> _Course:
    course = _Course()
    been: dict[str, set[str]] = {}
    before = Story(premises=story.premises)
    places: dict[str, set[str | None]] = {}
    for part, event in zip(story.prefixes(), story.events, strict=True):
        actor, witnesses = event.actor(), (event.scene(before) | event.peekers | {event.actor()}) - event.distracted
        course.peeked |= event.peekers
        course.distracted |= event.distracted
        kind = kind_of(event, before).removesuffix("*")
        course.kinds[_family(kind)] += 1
        course.kinds["aloud"] += kind.endswith(" aloud")
        if isinstance(event, Enter):
            if event.room in been.setdefault(actor, set()):
                course.returned.add(actor)
            been[actor].add(event.room)
        elif isinstance(event, Tell):
            course.told |= witnesses - {actor}
        elif not isinstance(event, Leave):
            course.did = {actor}
            course.missed |= set(story.people) - witnesses
            for thing in story.things:
                now = part.world.where(thing)
                course.undone |= now != before.world.where(thing) and now in places.setdefault(thing, set())
                places[thing].add(now)
        before = part
    course.gone = {person for person in story.people if story.world.get(person, "room") is None}
    return course


def _family(kind: str) -> str:
    plain = kind.removesuffix(" aloud")
    return "fact" if plain in ("container", "room") else plain
