"""Setting: the cast, rooms, things and kinds of event that a story may use, and every way in which it can go on.

The legal next events are read off the story; nothing is tried and thrown away.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from otherminds.errors import UsageError
from otherminds.minds.events import Carry, Change, Enter, Event, Leave, Look, Move, Open, Tell
from otherminds.minds.news import is_news_among, is_news_to
from otherminds.minds.sightings import NOBODY
from otherminds.minds.story import CREDULOUS, Premises, Story
from otherminds.minds.world import STATE, Fact, Words

PEOPLE = ("Amara", "Bruno", "Chiara", "Dmitri", "Esther", "Farid", "Greta", "Hugo", "Ingrid", "Jonas", "Kavya", "Luis")
ROOMS = ("kitchen", "garden", "attic", "cellar", "study", "porch")
THINGS = ("apple", "letter", "key", "ribbon", "compass", "whistle")
CONTAINERS = ("box", "drawer", "chest", "tin", "satchel", "cupboard", "hamper", "trunk")
TOPICS = ("the wedding", "the new bridge", "the school play", "the broken clock", "the boat trip", "the harvest")


@dataclass(frozen=True, slots=True)
class StateChange:
    """Something that can be done to a thing, and how it is told."""

    property: str
    value: str
    visible: bool
    words: str = ""


CHANGES = (
    StateChange("colour", "is painted blue", True, "{person} painted the {thing} blue."),
    StateChange("smell", "smells of lavender", False, "{person} put a drop of lavender oil on the {thing}."),
)


@dataclass(frozen=True, slots=True)
class Setting:
    """What a story may use."""

    people: tuple[str, ...]
    rooms: tuple[str, ...]
    things: tuple[str, ...] = ()
    containers: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    changes: tuple[StateChange, ...] = ()
    kinds: tuple[str, ...] = ("enter", "leave", "move")
    """Which events can happen: names from KINDS; with a "*", only with a secret peeker or somebody distracted."""
    premises: Premises = CREDULOUS

    def __post_init__(self) -> None:
        if not self.kinds:
            raise UsageError(f"a setting needs at least one kind of event; there are {', '.join(KINDS)}")
        for kind in self.kinds:
            if kind.removesuffix("*") not in KINDS:
                raise UsageError(f"there is no kind of event called {kind!r}; there are {', '.join(KINDS)}")
        names = [*self.people, *self.rooms, *self.things, *self.containers]
        if doubles := sorted({name for name in names if names.count(name) > 1}):
            raise UsageError(f"{doubles[0]!r} stands twice in this setting; every name must mean one thing")

    @classmethod
    def of(cls, *, kinds: tuple[str, ...], premises: Premises = CREDULOUS, **numbers: int) -> Setting:
        """A setting with so many people, rooms, things, containers, topics and changes, under names of our own."""
        for name, number in numbers.items():
            if name not in _STOCK:
                raise UsageError(f"a setting has no {name}; it has {', '.join(_STOCK)}")
            if not 0 <= number <= len(_STOCK[name]):
                raise UsageError(f"there are names for {len(_STOCK[name])} {name}, not for {number}; give your own")
        stock: dict[str, Any] = {name: names[: numbers.get(name, 2)] for name, names in _STOCK.items()}
        return cls(**stock, kinds=kinds, premises=premises)

    def next(self, story: Story) -> list[Event]:
        """Every event of this setting that can happen next."""
        return [event for kind in self.kinds for event in self._of_kind(kind, story, _in_order)]

    def step(self, story: Story, rng: random.Random) -> Event | None:
        """One event that can happen next, drawn by kind first; None if there is none."""
        drawn = self.draw(story, rng)
        return drawn[1] if drawn else None

    def draw(self, story: Story, rng: random.Random) -> tuple[str, Event] | None:
        """The same with its kind, as `kind_of` would name it, but at no cost."""
        order = _shuffler(rng)
        for kind in order(self.kinds):
            for event in self._of_kind(kind, story, order):
                return kind, event
        return None

    def story(self, length: int, *, seed: int = 0) -> Story:
        """A random story; shorter than asked for only if nothing can happen any more."""
        rng = random.Random(seed)
        story = Story(premises=self.premises)
        while story.length < length and (event := self.step(story, rng)) is not None:
            story = story.after(event)
        return story

    def _of_kind(self, kind: str, story: Story, order: Order) -> Iterator[Event]:
        name = kind.removesuffix("*")
        secret = name != kind
        if name in DEEDS:
            deeds = DEEDS[name](self, story, order)
            return (each for deed in deeds for each in _secretly(self, story, deed, order)) if secret else deeds
        said = SPEECH[name](self, story, order)
        if not secret:
            return _news(story, said)
        return (tell for each in said for tell in _secretly(self, story, _tell(*each), order) if tell.is_news(story))


T = TypeVar("T")
E = TypeVar("E", bound=Event)
Said = tuple[Words, str, str | None]
"""Words, who says them, and to whom; None for all in the room."""


class Order(Protocol):
    """How to go through names: in order, to list everything; cut at random, so that the first event is a random one."""

    def __call__(self, names: tuple[T, ...], /) -> tuple[T, ...]: ...


def _in_order(names: tuple[T, ...]) -> tuple[T, ...]:
    return names


def _shuffler(rng: random.Random) -> Order:
    # Cutting the pack is several times faster than shuffling it, and any name can still come first.
    def cut(names: tuple[T, ...]) -> tuple[T, ...]:
        at = int(draw() * len(names))
        return names[at:] + names[:at] if at else names

    draw = rng.random
    return cut


def _enter(setting: Setting, story: Story, order: Order) -> Iterator[Event]:
    where = story.world._room
    for person in order(setting.people):
        for room in order(setting.rooms):
            if where.get(person) != room:
                yield Enter(person, room)


def _leave(setting: Setting, story: Story, order: Order) -> Iterator[Event]:
    where = story.world._room
    for person in order(setting.people):
        if person in where:
            yield Leave(person, where[person])


def _move(setting: Setting, story: Story, order: Order) -> Iterator[Event]:
    where, held = story.world._room, story.world._held
    for person in order(setting.people):
        if (room := where.get(person)) is None:
            continue
        for thing in order(setting.things):
            if where.get(thing, room) != room:
                continue
            for container in order(setting.containers):
                if where.get(container, room) == room and held.get(thing) != container:
                    yield Move(person, thing, container)


def _carry(setting: Setting, story: Story, order: Order) -> Iterator[Event]:
    where = story.world._room
    for person in order(setting.people):
        for thing in order(setting.things):
            if person in where and where.get(thing) == where[person]:
                for room in order(setting.rooms):
                    if room != where[person]:
                        yield Carry(person, thing, room)


def _change(setting: Setting, story: Story, order: Order) -> Iterator[Event]:
    world = story.world
    for person in order(setting.people):
        if (room := world._room.get(person)) is None:
            continue
        for thing in order(setting.things):
            if world._room.get(thing, room) != room:
                continue
            for change in order(setting.changes):
                if world.get(thing, STATE + change.property) != change.value:
                    yield Change(person, thing, change.property, change.value, change.visible, change.words)


def _look(setting: Setting, story: Story, order: Order) -> Iterator[Event]:
    return _into_container(setting, story, order, Look)


def _open(setting: Setting, story: Story, order: Order) -> Iterator[Event]:
    return _into_container(setting, story, order, Open)


def _into_container(setting: Setting, story: Story, order: Order, event: type[Look]) -> Iterator[Event]:
    where = story.world._room
    for person in order(setting.people):
        for container in order(setting.containers):
            if person in where and where.get(container) == where[person]:
                yield event(person, container)


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


def _news(story: Story, said: Iterator[Said]) -> Iterator[Tell]:
    """What is news of all that can be said openly; made into an event only then, since most of it is none."""
    stale = set()  # what a room has in common is no news there, whoever says it
    for words, speaker, listener in said:
        if listener is not None:
            if is_news_to(listener, words, speaker, story):
                yield _tell(words, speaker, listener)
            continue
        hearers = story.present(story.world._room[speaker])
        if (hearers, words) in stale:
            continue
        if is_news_among(hearers, words, story):
            yield _tell(words, speaker, None)
        else:
            stale.add((hearers, words))


def _tell(words: Words, speaker: str, listener: str | None) -> Tell:
    return Tell(speaker, listener, topic=words) if isinstance(words, str) else Tell(speaker, listener, fact=words)


def _secretly(setting: Setting, story: Story, event: E, order: Order) -> Iterator[E]:
    """The event with one secret peeker, with one person distracted, and with both."""
    present, actor = event.scene(story), event.actor()
    people = [person for person in setting.people if person != actor]
    peekers = [frozenset((person,)) for person in people if person not in present]
    distracted = [frozenset((person,)) for person in people if person in present]
    ways = [(some, NOBODY) for some in peekers] + [(NOBODY, some) for some in distracted]
    ways += [(some, others) for some in peekers for others in distracted]
    for some, others in order(tuple(ways)) if ways else ():
        yield replace(event, peekers=some, distracted=others)


# The kinds of event, by the names that settings use: what is done, and what is said.
DEEDS: dict[str, Callable[[Setting, Story, Order], Iterator[Event]]] = {
    "enter": _enter,
    "leave": _leave,
    "move": _move,
    "carry": _carry,
    "change": _change,
    "look": _look,
    "open": _open,
}
SPEECH: dict[str, Callable[[Setting, Story, Order], Iterator[Said]]] = {
    "topic": lambda *given: _topic(*given, aloud=False),
    "topic aloud": lambda *given: _topic(*given, aloud=True),
    "container": lambda *given: _fact(*given, aloud=False, property="container"),
    "container aloud": lambda *given: _fact(*given, aloud=True, property="container"),
    "room": lambda *given: _fact(*given, aloud=False, property="room"),
    "room aloud": lambda *given: _fact(*given, aloud=True, property="room"),
    "lie": lambda *given: _fact(*given, aloud=False, property="container", lie=True),
    "lie aloud": lambda *given: _fact(*given, aloud=True, property="container", lie=True),
}
KINDS = (*DEEDS, *SPEECH)


def kind_of(event: Event, before: Story) -> str:
    """The kind of an event, as settings name it; "*" if somebody peeks or is distracted."""
    secret = "*" if event.peekers or event.distracted else ""
    if not isinstance(event, Tell):
        return type(event).__name__.lower() + secret
    aloud = " aloud" if event.listener is None else ""
    if event.fact is None:
        return f"topic{aloud}{secret}"
    honest = before.seen_by((event.speaker,)).get(event.fact.of, event.fact.property) == event.fact.value
    return f"{event.fact.property if honest else 'lie'}{aloud}{secret}"


_STOCK: dict[str, tuple[object, ...]] = {
    "people": PEOPLE,
    "rooms": ROOMS,
    "things": THINGS,
    "containers": CONTAINERS,
    "topics": TOPICS,
    "changes": CHANGES,
}
