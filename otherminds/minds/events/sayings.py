"""Sayings: what can be said, by whom and to whom, that tells somebody something."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from otherminds.minds.events.event import Order
from otherminds.minds.sightings import NOBODY, Minds, Saying
from otherminds.minds.world import NOTHING, OPEN, Fact, View, Words

if TYPE_CHECKING:
    from otherminds.minds.setting import Setting
    from otherminds.minds.story import Story

T = TypeVar("T")
Tells = Callable[[Words, str, str | None], T]
"""What makes an event of words, who says them, and to whom; None for all in the room."""


def is_news(words: Words, speaker: str, hearers: Iterable[str], story: Story) -> bool:
    """Whether one of these hearers would learn it."""
    return any(learns(hearer, words, speaker, story) for hearer in hearers if hearer != speaker)


def learns(hearer: str, words: Words, speaker: str, story: Story) -> bool:
    """Whether this hearer lacks it, as far as the speaker knows too, and would be persuaded.

    Of words that are not trusted, it is enough that they are heard for the first time.
    """
    if isinstance(words, str):
        lacks = hearer not in story.heard_by.get(words, NOBODY)
        return lacks and not _taken_to_have(hearer, words, speaker, story)
    known = story.seen_by((hearer,)).value(words.of, words.property)
    return known != words.value and _is_persuaded(hearer, words, speaker, story, known)


def _taken_to_have(hearer: str, words: Words, speaker: str, story: Story) -> bool:
    """Whether the speaker thinks that a hearer who lacks it has it: only where somebody was distracted can that be."""
    return story.missed and story.seen_by((speaker, hearer)).has(words)


def _is_persuaded(hearer: str, fact: Fact, speaker: str, story: Story, known: str | None) -> bool:
    """Whether a hearer who lacks this fact, and holds what is `known` instead, would take it from this speaker, who
    knows of no reason to say nothing."""
    if story.missed and _taken_to_have(hearer, fact, speaker, story):
        return False
    premises = story.premises
    doubts = premises.fresh or (hearer, speaker) in premises.distrust
    if doubts and _was_told((speaker, hearer), fact, speaker, story):
        return False
    return known is None or not story.before_the_eyes(fact.of, fact.property, (hearer,))


def _was_told(minds: Minds, fact: Fact, speaker: str, story: Story) -> bool:
    """Whether just this has reached these minds from this speaker before."""
    earlier = (each for each, _ in story.reached(minds) if isinstance(each, Saying))
    return any((each.speaker, each.fact) == (speaker, fact) for each in earlier)


def _topic(setting: Setting, story: Story, order: Order, tell: Tells[T]) -> Iterator[T]:
    for listener in order(setting.people):
        for topic in order(setting.topics):
            if listener not in story.heard_by.get(topic, NOBODY):
                for speaker in order(setting.people):
                    if speaker != listener and not _taken_to_have(listener, topic, speaker, story):
                        yield tell(topic, speaker, listener)


def _topic_aloud(setting: Setting, story: Story, order: Order, tell: Tells[T]) -> Iterator[T]:
    where, there, heard_by = story.world._room, story._there, story.heard_by
    for speaker in order(setting.people):
        others = there.get(where.get(speaker, ""), NOBODY)
        if len(others) > 1:
            for topic in order(setting.topics):
                lacking = others - heard_by.get(topic, NOBODY)
                if lacking and is_news(topic, speaker, lacking, story):
                    yield tell(topic, speaker, None)


def _fact(
    setting: Setting, story: Story, order: Order, tell: Tells[T], *, property: str, lie: bool = False
) -> Iterator[T]:
    things = _things(setting, story)
    if not things:
        return
    minds, places = story._caught_up(), PLACES[property]
    for speaker in order(setting.people):
        facts = _sayable(setting, order, places(minds.get(speaker, NOTHING)), order(things), property, lie)
        if not facts:
            continue
        agreed = not lie
        for listener in order(setting.people):
            believed = places(minds.get(listener, NOTHING))
            for fact in facts:
                thing, _, place = fact
                known = believed.get(thing)
                if known != place:
                    agreed = False
                    if listener != speaker and _is_persuaded(listener, fact, speaker, story, known):
                        yield tell(fact, speaker, listener)
        if agreed:  # If all are of one mind, so are the other speakers. Late in a story that is common.
            return


def _fact_aloud(
    setting: Setting, story: Story, order: Order, tell: Tells[T], *, property: str, lie: bool = False
) -> Iterator[T]:
    things = _things(setting, story)
    if not things:
        return
    minds, places, where, there = story._caught_up(), PLACES[property], story.world._room, story._there
    agreed: dict[frozenset[str], bool] = {}
    for speaker in order(setting.people):
        others = there.get(where.get(speaker, ""), NOBODY)
        if len(others) > 1:
            some = order(things)
            if not lie and others not in agreed:
                views = [places(minds.get(person, NOTHING)) for person in others]
                agreed[others] = _of_one_mind(views, things)
            if agreed.get(others):
                continue
            for fact in _sayable(setting, order, places(minds.get(speaker, NOTHING)), some, property, lie):
                if is_news(fact, speaker, others, story):
                    yield tell(fact, speaker, None)


def _things(setting: Setting, story: Story) -> tuple[str, ...]:
    """Those of which anything can be said yet."""
    known = story.cast.things
    return tuple(filter(known.__contains__, setting.things)) if known else ()


def _of_one_mind(views: list[dict[str, str]], things: tuple[str, ...]) -> bool:
    """Whether all have the same beliefs about the things, so that none can tell another anything."""
    first = views[0]
    for thing in things:
        place = first.get(thing)
        for view in views:
            if view.get(thing) != place:
                return False
    return True


def _sayable(
    setting: Setting, order: Order, believed: dict[str, str], things: tuple[str, ...], property: str, lie: bool
) -> list[Fact]:
    """What somebody who believes this can say about the things; or, to lie, anything else."""
    facts = []
    for thing in things:
        value = believed.get(thing, OPEN)
        if value != OPEN and not lie:
            facts.append(Fact(thing, property, value))
        elif value != OPEN:
            places = setting.rooms if property == "room" else setting.containers
            facts += [Fact(thing, property, place) for place in order(places) if place != value]
    return facts


# In which rooms, or in which containers, somebody with a view thinks that things are.
PLACES: dict[str, Callable[[View], dict[str, str]]] = {
    "room": attrgetter("_room"),
    "container": attrgetter("_held"),
}
# By the kinds of event that settings know.
SAYINGS: dict[str, Callable[[Setting, Story, Order, Tells[Any]], Iterator[Any]]] = {
    "topic": _topic,
    "topic aloud": _topic_aloud,
    "container": partial(_fact, property="container"),
    "container aloud": partial(_fact_aloud, property="container"),
    "room": partial(_fact, property="room"),
    "room aloud": partial(_fact_aloud, property="room"),
    "lie": partial(_fact, property="container", lie=True),
    "lie aloud": partial(_fact_aloud, property="container", lie=True),
}
