"""Mutate: stories like one that was found, each with something else happening at one point."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from otherminds.minds.events import Event
from otherminds.minds.setting import Setting, kind_of
from otherminds.minds.story import Story
from otherminds.stories.goals import Goal
from otherminds.stories.grow import Grower, Node


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
