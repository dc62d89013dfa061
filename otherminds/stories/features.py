"""Features: what the engine knows of a question and of the story around it, as numbers and as words.

No feature looks at names or at wording, except for which choice a story names first and last.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
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


@lru_cache(maxsize=8192)
def rows(story: Story, order: int) -> Floats:
    """A row for every question about a story at this order; the first column is 1."""
    people, kinds, undone = _course(story)
    shared, text = _of_story(story, people, kinds, undone), story.text
    found = [
        [1, *_of_question(each, text), *_of_minds(each, people), *shared, len(each.choices)]
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


def _of_minds(question: Question, people: Mapping[str, set[str]]) -> list[bool]:
    first, last = question.minds[:-1][:1], question.minds[-1:]
    return [bool(people[name].intersection(some)) for some in (last, first) for name in OF_PERSON]


def _of_story(story: Story, people: Mapping[str, set[str]], kinds: Counter[str], undone: bool) -> list[float]:
    last = story.event
    return [
        bool(people["peeked"] or people["distracted"]),
        bool(people["told"]),
        kinds["lie"] > 0,
        undone,
        len(people["missed"]) < len(story.people),
        isinstance(last, Enter),
        isinstance(last, Leave),
        story.length,
        len(story.people),
        *(kinds[name] for name in NUMBERS[2:-1]),
    ]


def _course(story: Story) -> tuple[Mapping[str, set[str]], Counter[str], bool]:
    """What events did to people, by the names of OF_PERSON; how many there are of each kind; if one undid another."""
    people, kinds, undone = defaultdict[str, set[str]](set), Counter[str](), False
    been: dict[str, set[str]] = {}
    before = Story(premises=story.premises)
    places: dict[str, set[str | None]] = {}
    for part, event in zip(story.prefixes(), story.events, strict=True):
        actor, witnesses = event.actor(), (event.scene(before) | event.peekers | {event.actor()}) - event.distracted
        people["peeked"] |= event.peekers
        people["distracted"] |= event.distracted
        kind = kind_of(event, before).removesuffix("*")
        kinds[_family(kind)] += 1
        kinds["aloud"] += kind.endswith(" aloud")
        if isinstance(event, Enter):
            if event.room in been.setdefault(actor, set()):
                people["returned"].add(actor)
            been[actor].add(event.room)
        elif isinstance(event, Tell):
            people["told"] |= witnesses - {actor}
        elif not isinstance(event, Leave):
            people["did"] = {actor}
            people["missed"] |= set(story.people) - witnesses
            for thing in story.things:
                now = part.world.where(thing)
                undone |= now != before.world.where(thing) and now in places.setdefault(thing, set())
                places[thing].add(now)
        before = part
    people["gone"] = {person for person in story.people if story.world.get(person, "room") is None}
    return people, kinds, undone


def _family(kind: str) -> str:
    plain = kind.removesuffix(" aloud")
    return "fact" if plain in ("container", "room") else plain
