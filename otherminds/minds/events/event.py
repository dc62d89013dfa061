"""Event: all that a kind of event must say of itself, and the kinds that there are.

An event does two things to a story. It changes the world, and it brings facts to light as sightings. After every event
everybody looks round the room they are in, too; `happen` names the rooms in which that can tell anybody anything.
Elsewhere nothing in plain view has changed, or all who are there have just seen it change.

A new kind is a subclass with every abstract member; one that lacks some cannot be made, and Python and mypy name them.
To define it is enough: files and settings find it by the names that it gives itself in `shapes` and in `kinds`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self, TypeVar

from otherminds.errors import BadFile
from otherminds.minds.sightings import NOBODY, ShownPart, Sighting
from otherminds.minds.telling import PEEKED, Forms
from otherminds.minds.world import OPEN, View

if TYPE_CHECKING:
    from otherminds.minds.setting import Setting
    from otherminds.minds.story import Story

T = TypeVar("T")
E = TypeVar("E", bound="Event")

Outcome = tuple[View, tuple[Sighting, ...], tuple[str, ...]]
"""The world after an event, what it brings to light, and the rooms to look round."""


class Shape(NamedTuple):
    """What an event looks like in JSON."""

    do: str
    """What it is called there."""
    fields: Mapping[str, str]
    """The names that it must have there, each with the attribute that it is."""
    optional: Mapping[str, type] = {}
    """What it may have besides, under the same name: true or false (bool), text (str) or an object (dict)."""


class Order(Protocol):
    """How to go through names: in order, to list everything; cut at random, so that the first event is a random one."""

    def __call__(self, names: tuple[T, ...], /) -> tuple[T, ...]: ...


EVENTS: dict[str, tuple[type[Event], Shape]] = {}
"""Every kind of event by what it is called in JSON."""
KINDS: dict[str, type[Event]] = {}
"""Every kind of event that can be drawn, by the names that settings use; one class may have several."""


@dataclass(frozen=True, slots=True)
class Event(ABC):
    """One thing that happens. Peekers see it in secret; the distracted are there but miss it, unnoticed."""

    peeked: ClassVar[Forms] = PEEKED
    """How it is told that somebody peeks."""
    only_goes: ClassVar[bool] = False
    """Whether somebody comes or goes and nothing else is done."""

    peekers: frozenset[str] = field(default=NOBODY, kw_only=True)
    distracted: frozenset[str] = field(default=NOBODY, kw_only=True)

    def __init_subclass__(cls) -> None:
        members = (getattr(cls, name) for name in Event.__abstractmethods__)
        if any(getattr(member, "__isabstractmethod__", False) for member in members):
            return  # what several kinds share, or a kind that lacks something; neither can be made into an event
        for shape in (cls.shape(), *cls.shapes()):
            cls._claim(shape.do, EVENTS[shape.do][0] if shape.do in EVENTS else cls)
            EVENTS[shape.do] = cls, shape
        for kind in cls.kinds():
            cls._claim(kind, KINDS.get(kind, cls))
            KINDS[kind] = cls

    @classmethod
    def _claim(cls, name: str, other: type[Event]) -> None:
        # With slots, a dataclass is made twice under one name, and the second is the one that counts.
        if (other.__module__, other.__qualname__) != (cls.__module__, cls.__qualname__):
            raise TypeError(f"{cls.__name__} cannot go by {name!r}, since {other.__name__} does; give it another name")

    def __post_init__(self) -> None:
        if type(self.peekers) is type(self.distracted) is frozenset:
            return
        for name in ("peekers", "distracted"):
            people = getattr(self, name)
            object.__setattr__(self, name, frozenset((people,) if isinstance(people, str) else people))

    # ---- what it is about ---------------------------------------------------------------------------------------

    @abstractmethod
    def actor(self) -> str:
        """Who does it; they can neither peek nor miss it."""

    @abstractmethod
    def names(self) -> tuple[tuple[str, str], ...]:
        """Everything it mentions, each with its role: person, room, thing or container."""

    def scene(self, story: Story) -> frozenset[str]:
        """Who is openly there to see it, as far as that was so before it."""
        return story.present(story.world._room.get(self.actor(), ""))

    def alters(self) -> tuple[str, bool] | None:
        """The property of things that it changes, if any, and whether that can be seen."""
        return None

    def raises(self) -> str | None:
        """The topic that it brings up before all who see it, if any."""
        return None

    # ---- whether it can happen, and what comes of it ------------------------------------------------------------

    @abstractmethod
    def refusal(self, story: Story) -> str | None:
        """Why it cannot happen now, as a sentence; None if it can."""

    @abstractmethod
    def happen(self, story: Story) -> Outcome:
        """What comes of it."""

    def secrecy_refusal(self, story: Story) -> str | None:
        """Why these peekers or distracted people cannot be such."""
        if not self.peekers and not self.distracted:
            return None
        present, actor = self.scene(story), self.actor()
        for person in sorted(self.peekers):
            if person in present or person == actor:
                return f"{person} is openly part of it, so cannot peek"
        for person in sorted(self.distracted):
            if person not in present or person == actor:
                return f"{person} cannot be distracted from it" + ("" if person == actor else ", being elsewhere")
        return None

    def sighting(self, present: frozenset[str], learn: Callable[[View], View]) -> Sighting:
        """Something that those present and the peekers see, less the distracted."""
        seen_by = present
        if self.peekers or self.distracted:
            seen_by = (present | self.peekers) - self.distracted
        return ShownPart(seen_by, present, learn)

    # ---- in words -----------------------------------------------------------------------------------------------

    @abstractmethod
    def forms(self, before: Story | None) -> tuple[Forms, Mapping[str, str]]:
        """Sentences that tell it, of which the first is the canonical one, and what goes into their slots."""

    @abstractmethod
    def brief(self, roles: Mapping[str, str]) -> str:
        """It in a few words, whether or not it can happen: "Anne puts the marble into the box"."""

    def missed(self) -> str:
        """What the distracted missed, in words: "what Anne did"."""
        return f"what {self.actor()} did"

    def moved(self) -> str | None:
        """What it did to a thing's place, if anything, as a clause that does not say where the thing was before."""
        return None

    # ---- in JSON ------------------------------------------------------------------------------------------------

    @classmethod
    @abstractmethod
    def shapes(cls) -> tuple[Shape, ...]:
        """What it looks like in JSON; it is written in the first shape whose fields it all has."""

    @classmethod
    def shape(cls) -> Shape:
        """How it is written in story files: by the names that it has in Python."""
        older = cls.shapes()
        names = list(dict.fromkeys(name for each in older for name in each.fields.values()))
        must = [name for name in names if all(name in each.fields.values() for each in older)]
        may = dict.fromkeys((name for name in names if name not in must), str)
        return Shape(cls.__name__, {name: name for name in must}, {**may, **older[0].optional})

    def details(self) -> dict[str, Any]:
        """What stands in JSON besides the fields that it must have."""
        return {}

    @classmethod
    def read(cls, fields: dict[str, Any], where: str, containers: set[str]) -> Self:
        """The event with these fields, each of its type; `containers`: those that the story puts something into."""
        return cls(**fields)

    # ---- in settings --------------------------------------------------------------------------------------------

    @classmethod
    def kinds(cls) -> tuple[str, ...]:
        """What settings call it; nothing if it is only ever told, and never drawn."""
        return (cls.__name__.lower(),)

    @classmethod
    @abstractmethod
    def ways(cls, kind: str, setting: Setting, story: Story, order: Order) -> Iterator[Self]:
        """Every way in which this kind of it can happen next, but for those that lead nowhere."""

    @classmethod
    def secret_ways(cls, kind: str, setting: Setting, story: Story, order: Order) -> Iterator[Self]:
        """The same with a secret peeker or somebody distracted."""
        openly = cls.ways(kind, setting, story, order)
        return (each for event in openly for each in in_secret(event, setting, story, order))

    def is_idle(self, story: Story) -> bool:
        """Whether it leads nowhere: to come straight back, to tell what is no news. It may happen, and is not drawn."""
        return False

    def kind(self, before: Story) -> str:
        """Which of its kinds it is; what settings do not call anything goes by the name of its class."""
        return next(iter(self.kinds()), type(self).__name__.lower())


@dataclass(frozen=True, slots=True)
class Deed(Event):
    """An event that a person brings about."""

    person: str

    def actor(self) -> str:
        return self.person


@lru_cache(maxsize=1 << 14)
def shared(kind: type[E], *values: Any) -> E:
    """The event of this kind with these values: one object does for all stories that draw it."""
    return kind(*values)


def known(story: Story | None, name: str, property: str) -> str | None:
    """What is so at a point of a story; before its beginning, nothing."""
    return story.world.get(name, property) if story is not None else None


def text(value: Any, where: str) -> str:
    """A name that was given in JSON; `where` begins the sentence if it is none."""
    if not isinstance(value, str) or not value.strip():
        raise BadFile(f"{where} should be a name, not {value!r}")
    return value


def depart(event: Event, story: Story, person: str, *others: str) -> tuple[Sighting, ...]:
    """What those left behind see of somebody who goes, and takes a thing along: that they are here no longer."""
    room = story.world._room.get(person)
    if room is None:
        return ()

    def learn(view: View) -> View:
        view = view.gone(person)
        for name in others:
            view = view.gone(name)
        return view

    return (event.sighting(story.present(room), learn),)


def arrive(event: Event, story: Story, room: str, *things: str) -> tuple[Sighting, ...]:
    """What peekers see of somebody who comes, and puts a thing down; those who are there look round anyway."""
    if not event.peekers:
        return ()
    person = event.actor()

    def learn(view: View) -> View:
        view = view.placed(person, room)
        for thing in things:
            view = view.placed(thing, room, OPEN)
        return view

    return (event.sighting(story.present(room) | {person}, learn),)


def in_secret(event: E, setting: Setting, story: Story, order: Order) -> Iterator[E]:
    """The event with one secret peeker, with one person distracted, and with both."""
    present, actor = event.scene(story), event.actor()
    people = [person for person in setting.people if person != actor]
    peekers = [frozenset((person,)) for person in people if person not in present]
    distracted = [frozenset((person,)) for person in people if person in present]
    ways = [(some, NOBODY) for some in peekers] + [(NOBODY, some) for some in distracted]
    ways += [(some, others) for some in peekers for others in distracted]
    for some, others in order(tuple(ways)) if ways else ():
        yield replace(event, peekers=some, distracted=others)
