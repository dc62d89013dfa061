"""Setting: the cast, rooms, things and kinds of event that a story may use, and every way in which it can go on.

The legal next events are read off the story; nothing is tried and thrown away.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from otherminds.errors import UsageError
from otherminds.minds.events import KINDS, Event
from otherminds.minds.events.event import Order
from otherminds.minds.story import CREDULOUS, Premises, Story
from otherminds.showing.brief import Brief

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


@dataclass(frozen=True, slots=True, repr=False)
class Setting(Brief):
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
        """Every event of this setting that can happen next and leads anywhere (`Event.is_idle`)."""
        return [event for _, name, ways in _ways(self.kinds) for event in ways(name, self, story, _in_order)]

    def step(self, story: Story, rng: random.Random) -> Event | None:
        """One event that can happen next, drawn by kind first; None if there is none."""
        order = _shuffler(rng)
        for _, name, ways in order(_ways(self.kinds)):
            for event in ways(name, self, story, order):
                return event
        return None

    def draw(self, story: Story, rng: random.Random) -> tuple[str, Event] | None:
        """The same with its kind, as `kind_of` would name it, but at no cost."""
        order = _shuffler(rng)
        for kind, name, ways in order(_ways(self.kinds)):
            for event in ways(name, self, story, order):
                return kind, event
        return None

    def story(self, length: int, *, seed: int = 0) -> Story:
        """A random story; shorter than asked for only if nothing can happen any more."""
        rng = random.Random(seed)
        story = Story(premises=self.premises)
        while story.length < length and (event := self.step(story, rng)) is not None:
            story = story.after(event)
        return story


T = TypeVar("T")
Ways = Callable[[str, Setting, Story, Order], Iterator[Event]]


@lru_cache(maxsize=256)
def _ways(kinds: tuple[str, ...]) -> tuple[tuple[str, str, Ways], ...]:
    """Kinds of event, each with its name without the star and what draws it up."""
    found = []
    for kind in kinds:
        name = kind.removesuffix("*")
        found.append((kind, name, KINDS[name].secret_ways if name != kind else KINDS[name].ways))
    return tuple(found)


def _in_order(names: tuple[T, ...]) -> tuple[T, ...]:
    return names


@lru_cache(maxsize=4)
def _shuffler(rng: random.Random) -> Order:
    # Cutting the pack is several times faster than shuffling it, and any name can still come first.
    def cut(names: tuple[T, ...]) -> tuple[T, ...]:
        at = int(draw() * len(names))
        return names[at:] + names[:at] if at else names

    draw = rng.random
    return cut


def kind_of(event: Event, before: Story) -> str:
    """The kind of an event, as settings name it; "*" if somebody peeks or is distracted."""
    secret = "*" if event.peekers or event.distracted else ""
    return event.kind(before) + secret


_STOCK: dict[str, tuple[object, ...]] = {
    "people": PEOPLE,
    "rooms": ROOMS,
    "things": THINGS,
    "containers": CONTAINERS,
    "topics": TOPICS,
    "changes": CHANGES,
}
