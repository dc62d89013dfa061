"""Hypothesis: settings and stories with every kind of event, and the chains of minds to ask them about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise, product

from hypothesis import strategies as st

from otherminds.minds.events import Event, Place, Tell
from otherminds.minds.setting import KINDS, Setting
from otherminds.minds.story import Premises, Story
from otherminds.minds.world import Fact

ALL_KINDS = (*KINDS, *(f"{kind}*" for kind in KINDS))


@st.composite
def settings(draw: st.DrawFn, *, kinds: tuple[str, ...] = ALL_KINDS, most: int = 3) -> Setting:
    """Small settings; people always come and go, so that something can happen."""
    chosen = draw(st.lists(st.sampled_from(kinds), unique=True, min_size=1, max_size=6))
    setting = Setting.of(
        people=draw(st.integers(2, most)),
        rooms=draw(st.integers(1, 2)),
        things=draw(st.integers(1, 2)),
        containers=draw(st.integers(1, 2)),
        topics=1,
        changes=2,
        kinds=tuple(dict.fromkeys(("enter", *chosen))),
    )
    return Setting(**{name: getattr(setting, name) for name in PARTS}, premises=draw(premises(setting)))


PARTS = ("people", "rooms", "things", "containers", "topics", "changes", "kinds")


@st.composite
def premises(draw: st.DrawFn, setting: Setting) -> Premises:
    """Mostly the usual ones: opaque containers, credulous listeners."""
    if draw(st.booleans()):
        return Premises()
    pairs = [(hearer, speaker) for hearer, speaker in product(setting.people, repeat=2) if hearer != speaker]
    return Premises(
        clear=draw(st.frozensets(st.sampled_from(setting.containers), max_size=1)),
        distrust=draw(st.frozensets(st.sampled_from(pairs), max_size=2)),
        fresh=draw(st.booleans()),
    )


@st.composite
def stories(draw: st.DrawFn, *, most: int = 8) -> Story:
    """Stories of up to so many events, with things put down beforehand and words about anything."""
    return draw(tales(draw(settings()), most=most))


@st.composite
def tales(draw: st.DrawFn, setting: Setting, *, most: int = 8) -> Story:
    """Stories in one setting."""
    story = Story(premises=setting.premises)
    for event in draw(st.lists(st.sampled_from(list(declarations(setting))), max_size=2)):
        story = story.then(event) if story.can(event) else story
    for wild in draw(st.lists(st.integers(0, 3), max_size=most)):
        events = setting.next(story) if wild else [event for event in remarks(setting) if story.can(event)]
        if events:
            story = story.then(draw(st.sampled_from(events)))
    return story


def declarations(setting: Setting) -> Iterator[Event]:
    """Everything that can be put down by fiat."""
    for room in setting.rooms:
        yield from (Place(name, room) for name in setting.things)
        yield from (Place(name, room, "container") for name in setting.containers)


def remarks(setting: Setting) -> Iterator[Event]:
    """Words that no setting makes of itself: about people and containers, about states, true or not."""
    facts = [Fact(name, "room", room) for name in (*setting.people, *setting.containers) for room in setting.rooms]
    facts += [Fact(thing, f"state:{c.property}", c.value) for thing in setting.things for c in setting.changes]
    speakers = setting.people[:2]
    for fact in facts:
        for speaker in speakers:
            yield Tell(speaker, fact=fact)
            yield from (Tell(speaker, listener, fact=fact) for listener in setting.people if listener != speaker)


def chains(people: Iterable[str], order: int) -> list[tuple[str, ...]]:
    """All chains of minds of one length; nobody comes twice in a row."""
    return [chain for chain in product(people, repeat=order) if all(a != b for a, b in pairwise(chain))]


def chains_up_to(people: Iterable[str], order: int) -> list[tuple[str, ...]]:
    """All chains of minds up to a length."""
    people = tuple(people)
    return [chain for length in range(1, order + 1) for chain in chains(people, length)]
