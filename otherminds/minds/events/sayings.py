"""Sayings: what can be said, by whom and to whom, that tells somebody something."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from otherminds.minds.events.event import Order
from otherminds.minds.sightings import Minds, Saying
from otherminds.minds.world import Fact, Words

if TYPE_CHECKING:
    from otherminds.minds.setting import Setting
    from otherminds.minds.story import Story

Said = tuple[Words, str, str | None]
"""Words, who says them, and to whom; None for all in the room."""


def is_news(words: Words, speaker: str, hearers: Iterable[str], story: Story) -> bool:
    """Whether one of these hearers would learn it."""
    return any(learns(hearer, words, speaker, story) for hearer in hearers if hearer != speaker)


def learns(hearer: str, words: Words, speaker: str, story: Story) -> bool:
    """Whether this hearer lacks it, as far as the speaker knows too, and would be persuaded.

    Of words that are not trusted, it is enough that they are heard for the first time.
    """
    # Of what was never talked about nobody has heard: no need to look into a mind.
    if isinstance(words, str) and words not in story.world._heard:
        return True
    minds = (hearer,)
    view = story.seen_by(minds)
    # Only where somebody was distracted can the speaker think so wrongly of what was told before.
    if view.has(words) or (story.missed and story.seen_by((speaker, hearer)).has(words)):
        return False
    if isinstance(words, str):
        return True
    premises = story.premises
    doubts = premises.fresh or (hearer, speaker) in premises.distrust
    if doubts and _was_told((speaker, hearer), words, speaker, story):
        return False
    known = view.value(words.of, words.property)
    return known is None or not story.before_the_eyes(words.of, words.property, minds)


def _was_told(minds: Minds, fact: Fact, speaker: str, story: Story) -> bool:
    """Whether just this has reached these minds from this speaker before."""
    earlier = (each for each, _ in story.reached(minds) if isinstance(each, Saying))
    return any((each.speaker, each.fact) == (speaker, fact) for each in earlier)


def _topic(setting: Setting, story: Story, order: Order) -> Iterator[Said]:
    for listener in order(setting.people):
        for topic in order(setting.topics):
            if learns(listener, topic, "", story):  # soon told, and no need then to try all speakers
                for speaker in order(setting.people):
                    if speaker != listener and learns(listener, topic, speaker, story):
                        yield topic, speaker, listener


def _topic_aloud(setting: Setting, story: Story, order: Order) -> Iterator[Said]:
    for speaker in order(setting.people):
        others = story.present(story.world._room.get(speaker, ""))
        if len(others) > 1:
            for topic in order(setting.topics):
                if is_news(topic, speaker, others, story):
                    yield topic, speaker, None


def _fact(setting: Setting, story: Story, order: Order, *, property: str, lie: bool = False) -> Iterator[Said]:
    things = tuple([thing for thing in setting.things if thing in story.cast.things])
    for speaker in order(setting.people) if things else ():
        facts = _sayable(setting, story, order, speaker, order(things), property, lie)
        if not facts:
            continue
        for listener in order(setting.people):
            for fact in facts:
                if listener != speaker and learns(listener, fact, speaker, story):
                    yield fact, speaker, listener
        # If all are of one mind, so are the other speakers. Late in a story that is common.
        if not lie and all(story.seen_by((person,)).has(fact) for person in setting.people for fact in facts):
            return


def _fact_aloud(setting: Setting, story: Story, order: Order, *, property: str, lie: bool = False) -> Iterator[Said]:
    things = tuple([thing for thing in setting.things if thing in story.cast.things])
    for speaker in order(setting.people) if things else ():
        others = story.present(story.world._room.get(speaker, ""))
        if len(others) > 1:
            for fact in _sayable(setting, story, order, speaker, order(things), property, lie):
                if is_news(fact, speaker, others, story):
                    yield fact, speaker, None


def _sayable(
    setting: Setting, story: Story, order: Order, speaker: str, things: tuple[str, ...], property: str, lie: bool
) -> list[Fact]:
    """What somebody believes about the things; or, to lie, anything else."""
    believed = story.seen_by((speaker,))
    facts = []
    for thing in things:
        value = believed.get(thing, property)
        if value is not None and not lie:
            facts.append(Fact(thing, property, value))
        elif value is not None:
            places = setting.rooms if property == "room" else setting.containers
            facts += [Fact(thing, property, place) for place in order(places) if place != value]
    return facts


# By the kinds of event that settings know.
SAYINGS: dict[str, Callable[[Setting, Story, Order], Iterator[Said]]] = {
    "topic": _topic,
    "topic aloud": _topic_aloud,
    "container": partial(_fact, property="container"),
    "container aloud": partial(_fact_aloud, property="container"),
    "room": partial(_fact, property="room"),
    "room aloud": partial(_fact_aloud, property="room"),
    "lie": partial(_fact, property="container", lie=True),
    "lie aloud": partial(_fact_aloud, property="container", lie=True),
}
