"""Premise: whether what a set of stories is named after makes a difference to any answer.

A set is about a premise if its stories have clear containers, somebody who is not believed, or lies. The twin of such a
story has the same events without the premise: nothing can be seen through, everybody is believed, or one lie was never
told. Where all questions have the same answers in both, the premise is mere decoration.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from otherminds.errors import InvalidEvent
from otherminds.minds.events import Event
from otherminds.minds.questions import questions
from otherminds.minds.setting import kind_of
from otherminds.minds.sightings import NOBODY
from otherminds.minds.story import Story
from otherminds.stories.sets import ActionSet


def premise_twin(story: Story, about: ActionSet) -> tuple[Story, str] | None:
    """The story without the premise of its set, and the first question that then has another answer."""
    order = max(about.order, 2)
    asked = {each.text: each.answer for each in questions(story, order=order) if each.minds}
    for twin in _without(story, about):
        for each in questions(twin, order=order):
            if asked.get(each.text, each.answer) != each.answer:
                return twin, each.text
    return None


def premise_matters(story: Story, about: ActionSet) -> bool:
    """Whether some question has another answer without the premise; so also where the set has none."""
    return not about.premise or premise_twin(story, about) is not None


def _without(story: Story, about: ActionSet) -> Iterator[Story]:
    if about.premise == "lies":
        yield from _without_a_lie(story)
    elif about.premise:
        premises = story.premises
        left_out = replace(premises, clear=NOBODY) if about.clear else replace(premises, distrust=frozenset())
        yield Story.of(*story.events, premises=left_out)


def _without_a_lie(story: Story) -> Iterator[Story]:
    events, before = story.events, Story(premises=story.premises)
    for number, part in enumerate(story.prefixes()):
        if kind_of(events[number], before).startswith("lie"):
            with suppress(InvalidEvent):  # where what came later hangs on it
                yield _after(before, events[number + 1 :])
        before = part


def _after(story: Story, events: tuple[Event, ...]) -> Story:
    for event in events:
        story = story.then(event)
    return story
