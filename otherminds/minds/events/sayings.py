"""Sayings: what can be said, by whom and to whom, and whether it would tell anybody anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from otherminds.minds.events.event import Order
from otherminds.minds.sightings import NOBODY, Minds, Saying
from otherminds.minds.world import Fact, Words

if TYPE_CHECKING:
    from otherminds.minds.setting import Setting
    from otherminds.minds.story import Story

Said = tuple[Words, str, str | None]
"""Words, who says them, and to whom; None for all in the room."""


def is_news(words: Words, speaker: str, hearers: Iterable[str], story: Story) -> bool:
    """Whether one of these hearers would learn it, and the speaker thinks that they have yet to."""
    return any(
        _learns(words, speaker, (hearer,), story) and not story.seen_by((speaker, hearer)).has(words)
        for hearer in hearers
        if hearer != speaker
    )


def _learns(words: Words, speaker: str, minds: Minds, story: Story) -> bool:
    """Whether these minds lack it, and would be persuaded."""
    view = story.seen_by(minds)
    if view.has(words):
        return False
    return isinstance(words, str) or Saying(NOBODY, NOBODY, speaker, words).teach(view, minds, story).has(words)


def _in_company(story: Story, person: str) -> bool:
    room = story.world._room.get(person)
    return room is not None and len(story.present(room)) > 1


def _listeners(setting: Setting, story: Story, order: Order, speaker: str, *, aloud: bool) -> tuple[str | None, ...]:
    """Whom somebody can speak to; None for all in the room."""
    if aloud:
        return (None,) if _in_company(story, speaker) else ()
    return order(tuple([person for person in setting.people if person != speaker]))


def _topic(setting: Setting, story: Story, order: Order, *, aloud: bool) -> Iterator[Said]:
    for speaker in order(setting.people):
        for listener in _listeners(setting, story, order, speaker, aloud=aloud):
            for topic in order(setting.topics):
                yield topic, speaker, listener


def _fact(
    setting: Setting, story: Story, order: Order, *, aloud: bool, property: str, lie: bool = False
) -> Iterator[Said]:
    known = tuple([thing for thing in setting.things if thing in story.cast.things])
    for speaker in order(setting.people) if known else ():
        if speaker not in story.cast.roles:
            continue
        things = order(known)
        # Lies are drawn even if nobody is there to hear them, so what was drawn from a seed remains so.
        if aloud and not lie and not _in_company(story, speaker):
            continue
        facts = _sayable(setting, story, order, speaker, things, property, lie)
        for listener in _listeners(setting, story, order, speaker, aloud=aloud) if facts else ():
            for fact in facts:
                yield fact, speaker, listener


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
    "topic": lambda *given: _topic(*given, aloud=False),
    "topic aloud": lambda *given: _topic(*given, aloud=True),
    "container": lambda *given: _fact(*given, aloud=False, property="container"),
    "container aloud": lambda *given: _fact(*given, aloud=True, property="container"),
    "room": lambda *given: _fact(*given, aloud=False, property="room"),
    "room aloud": lambda *given: _fact(*given, aloud=True, property="room"),
    "lie": lambda *given: _fact(*given, aloud=False, property="container", lie=True),
    "lie aloud": lambda *given: _fact(*given, aloud=True, property="container", lie=True),
}
