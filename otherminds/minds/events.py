"""Events: what can happen in a story, when it can, what it changes, and who sees it.

An event does two things to a story. It changes the world, and it brings facts to light as sightings. After every event
everybody looks round the room they are in, too; `happen` names the rooms in which that can tell anybody anything.
Elsewhere nothing in plain view has changed, or all who are there have just seen it change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from otherminds.minds.news import is_news_among, is_news_to
from otherminds.minds.sightings import NOBODY, Looking, Saying, Shown, Sighting, look_into
from otherminds.minds.world import OPEN, STATE, Fact, View

if TYPE_CHECKING:
    from otherminds.minds.story import Story

Outcome = tuple[View, tuple[Sighting, ...], tuple[str, ...]]
"""The world after an event, what it brings to light, and the rooms to look round."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happens. Peekers see it in secret; the distracted are there but miss it, unnoticed."""

    peekers: frozenset[str] = field(default=NOBODY, kw_only=True)
    distracted: frozenset[str] = field(default=NOBODY, kw_only=True)

    def __post_init__(self) -> None:
        if type(self.peekers) is type(self.distracted) is frozenset:
            return
        for name in ("peekers", "distracted"):
            people = getattr(self, name)
            object.__setattr__(self, name, frozenset((people,) if isinstance(people, str) else people))

    def names(self) -> tuple[tuple[str, str], ...]:
        """Everything it mentions, each with its role: person, room, thing or container."""
        raise NotImplementedError

    def refusal(self, story: Story) -> str | None:
        """Why it cannot happen now, as a sentence; None if it can."""
        raise NotImplementedError

    def happen(self, story: Story) -> Outcome:
        """What comes of it."""
        raise NotImplementedError

    def actor(self) -> str:
        """Who does it; they can neither peek nor miss it."""
        raise NotImplementedError

    def scene(self, story: Story) -> frozenset[str]:
        """Who is openly there to see it, as far as that was so before it."""
        room = story.world.get(self.actor(), "room")
        return story.present(room) if room is not None else NOBODY

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

    def _sighting(self, present: frozenset[str], learn: Callable[[View], View]) -> Sighting:
        seen_by = present
        if self.peekers or self.distracted:
            seen_by = (present | self.peekers) - self.distracted
        return Shown(seen_by, present, learn)


@dataclass(frozen=True, slots=True)
class Deed(Event):
    """An event that a person brings about."""

    person: str

    def actor(self) -> str:
        return self.person


def _depart(event: Event, story: Story, person: str, *others: str) -> tuple[Sighting, ...]:
    """What those left behind see of somebody who goes, and takes a thing along: that they are here no longer."""
    room = story.view().get(person, "room")
    if room is None:
        return ()

    def learn(view: View) -> View:
        for name in (person, *others):
            view = view.gone(name)
        return view

    return (event._sighting(story.present(room), learn),)


def _arrive(event: Event, story: Story, room: str, learn: Callable[[View], View]) -> tuple[Sighting, ...]:
    """What peekers see of an arrival; those who are there look round anyway."""
    if not event.peekers:
        return ()
    return (event._sighting(story.present(room) | {event.actor()}, learn),)


@dataclass(frozen=True, slots=True)
class Enter(Deed):
    """A person comes into a room; whoever was in another room leaves it in sight of those there."""

    room: str

    def scene(self, story: Story) -> frozenset[str]:
        return story.present(self.room)

    def names(self) -> tuple[tuple[str, str], ...]:
        return (self.person, "person"), (self.room, "room")

    def refusal(self, story: Story) -> str | None:
        if story.world.get(self.person, "room") == self.room:
            return f"{self.person} is in the {self.room} already, so cannot enter it"
        return None

    def happen(self, story: Story) -> Outcome:
        person, room = self.person, self.room
        arrival = _arrive(self, story, room, lambda view: view.placed(person, room))
        return story.world.placed(person, room), (*_depart(self, story, person), *arrival), (room,)


@dataclass(frozen=True, slots=True)
class Place(Event):
    """Somebody or something is in a room: told as a fact of the scene, to all who are there."""

    name: str
    room: str
    role: str = "thing"

    def actor(self) -> str:
        return self.name

    def scene(self, story: Story) -> frozenset[str]:
        return story.present(self.room)

    def names(self) -> tuple[tuple[str, str], ...]:
        return (self.name, self.role), (self.room, "room")

    def refusal(self, story: Story) -> str | None:
        if self.role not in ("person", "thing", "container"):
            return f"{self.name} can be a person, a thing or a container, not a {self.role}"
        world = story.world
        room = world.get(self.name, "room")
        if room == self.room:
            return f"{story.the(self.name)} is in the {self.room} already"
        if self.role == "container" and room is not None:
            return f"the {self.name} stands in the {room}, and containers stay where they are"
        return None

    def happen(self, story: Story) -> Outcome:
        name, room = self.name, self.room
        present = story.present(room)
        if self.role == "person":
            present |= {name}
        place = OPEN if self.role == "thing" else None
        here = self._sighting(present, lambda view: view.placed(name, room, place))
        return story.world.placed(name, room, place), (*_depart(self, story, name), here), (room,)


@dataclass(frozen=True, slots=True)
class Leave(Deed):
    """A person leaves a room; those there see it, but not where to."""

    room: str

    def names(self) -> tuple[tuple[str, str], ...]:
        return (self.person, "person"), (self.room, "room")

    def refusal(self, story: Story) -> str | None:
        if story.world.get(self.person, "room") != self.room:
            return f"{self.person} is not in the {self.room}, so cannot leave it"
        return None

    def happen(self, story: Story) -> Outcome:
        return story.world.gone(self.person), _depart(self, story, self.person), ()


@dataclass(frozen=True, slots=True)
class Move(Deed):
    """A person puts a thing into a container that stands in the same room."""

    thing: str
    container: str

    def names(self) -> tuple[tuple[str, str], ...]:
        return (self.person, "person"), (self.thing, "thing"), (self.container, "container")

    def refusal(self, story: Story) -> str | None:
        world = story.world
        room = world.get(self.person, "room")
        if room is None:
            return f"{self.person} is in no room, so cannot move the {self.thing}"
        if world.get(self.thing, "room") not in (None, room):
            return f"the {self.thing} is not in the {room}, so {self.person} cannot move it"
        if world.get(self.container, "room") not in (None, room):
            return f"the {self.container} is not in the {room}, so nothing there can be put into it"
        if world.get(self.thing, "container") == self.container:
            return f"the {self.thing} is in the {self.container} already"
        return None

    def happen(self, story: Story) -> Outcome:
        thing, container = self.thing, self.container
        room = story.world._room[self.person]

        def learn(view: View) -> View:
            return view.placed(thing, room, container)

        return learn(story.world), (self._sighting(story.present(room), learn),), ()


@dataclass(frozen=True, slots=True)
class Carry(Deed):
    """A person carries a thing into another room and stays there; its container, if any, is left behind."""

    thing: str
    room: str

    def scene(self, story: Story) -> frozenset[str]:
        return story.present(self.room)

    def names(self) -> tuple[tuple[str, str], ...]:
        return (self.person, "person"), (self.thing, "thing"), (self.room, "room")

    def refusal(self, story: Story) -> str | None:
        world = story.world
        room = world.get(self.person, "room")
        if room is None:
            return f"{self.person} is in no room, so cannot carry the {self.thing} anywhere"
        if world.get(self.thing, "room") != room:
            return f"the {self.thing} is not in the {room}, so {self.person} cannot carry it away"
        if room == self.room:
            return f"{self.person} is in the {room} already, so cannot carry the {self.thing} there"
        return None

    def happen(self, story: Story) -> Outcome:
        person, thing, room = self.person, self.thing, self.room

        def learn(view: View) -> View:
            return view.placed(person, room).placed(thing, room, OPEN)

        departure = _depart(self, story, person, thing)
        return learn(story.world), (*departure, *_arrive(self, story, room, learn)), (room,)


@dataclass(frozen=True, slots=True)
class Change(Deed):
    """A person changes the state of a thing. A visible state is seen by whoever later sees the thing."""

    thing: str
    property: str
    value: str
    visible: bool = True
    words: str = ""
    """How it is told, with {person} and {thing}; empty: "{person} saw to it that the {thing} VALUE."."""

    def names(self) -> tuple[tuple[str, str], ...]:
        return (self.person, "person"), (self.thing, "thing")

    def refusal(self, story: Story) -> str | None:
        world = story.world
        room = world.get(self.person, "room")
        if room is None:
            return f"{self.person} is in no room, so cannot change the {self.thing}"
        if world.get(self.thing, "room") not in (None, room):
            return f"the {self.thing} is not in the {room}, so {self.person} cannot change it"
        if world.get(self.thing, STATE + self.property) == self.value:
            return f"the {self.thing} {self.value} already"
        if story.cast.visible.get(self.property, self.visible) != self.visible:
            return f"{self.property!r} cannot be both a visible and an invisible property"
        return None

    def happen(self, story: Story) -> Outcome:
        thing, property, value = self.thing, self.property, self.value
        world = story.world
        room = world._room[self.person]

        def learn(view: View) -> View:
            return view.in_room(thing, room).changed(thing, property, value)

        after, sighting = world.changed(thing, property, value), self._sighting(story.present(room), learn)
        if thing in world._room:
            return after, (sighting,), ()
        return after.placed(thing, room, OPEN), (sighting,), (room,)


@dataclass(frozen=True, slots=True)
class Look(Deed):
    """A person looks into a container, alone; the others there see that they look, not what is in it."""

    container: str

    def names(self) -> tuple[tuple[str, str], ...]:
        return (self.person, "person"), (self.container, "container")

    def refusal(self, story: Story) -> str | None:
        world = story.world
        room = world.get(self.person, "room")
        if room is None:
            return f"{self.person} is in no room, so cannot look into the {self.container}"
        if world.get(self.container, "room") != room:
            return f"the {self.container} is not in the {room}, so {self.person} cannot look into it"
        return None

    def happen(self, story: Story) -> Outcome:
        room = story.world._room[self.person]
        present = story.present(room)
        seen_by = (present | self.peekers) - self.distracted
        return story.world, (Looking(seen_by, present, self.person, self.container),), ()


@dataclass(frozen=True, slots=True)
class Open(Look):
    """A person opens a container and shuts it again; everybody there sees what is in it."""

    def happen(self, story: Story) -> Outcome:
        world = story.world
        room = world._room[self.person]

        def learn(view: View) -> View:
            return look_into(view, self.container, world, story, certain=True)

        return world, (self._sighting(story.present(room), learn),), ()


@dataclass(frozen=True, slots=True)
class Tell(Event):
    """A person says something: to one listener in private, wherever the two are, or out loud to all in the room.

    A topic is only brought up. A fact is believed by whoever trusts the speaker, whether it is true, mistaken or a lie;
    the speaker's own belief does not change.
    """

    speaker: str
    listener: str | None = None
    topic: str = field(default="", kw_only=True)
    fact: Fact | None = field(default=None, kw_only=True)

    def actor(self) -> str:
        return self.speaker

    def names(self) -> tuple[tuple[str, str], ...]:
        roles = [(name, "person") for name in (self.speaker, self.listener) if name is not None]
        if self.fact is not None and self.fact.property in ("room", "container"):
            roles.append((self.fact.value, self.fact.property))
        if self.fact is not None and self.fact.property != "room":
            roles.append((self.fact.of, "thing"))
        return tuple(roles)

    def scene(self, story: Story) -> frozenset[str]:
        return Event.scene(self, story) if self.listener is None else frozenset((self.speaker, self.listener))

    def refusal(self, story: Story) -> str | None:
        speaker = self.speaker
        if bool(self.topic) == (self.fact is not None):
            return f"{speaker} must speak of a topic or tell a fact, and not both"
        if speaker == self.listener:
            return f"{speaker} cannot tell {speaker} anything"
        if len(self.scene(story)) < 2:
            return f"nobody is there to hear {speaker}"
        if self.fact is not None and self.fact.of not in story.cast.roles:
            return f"nothing is known of {self.fact.of} yet, so {speaker} cannot speak of it"
        if self.fact is not None and story.cast.roles[self.fact.of] == "room":
            return f"the {self.fact.of} is a room, and only of people and things can one say where they are"
        if not self.is_news(story):
            return f"{speaker} would tell nobody anything new"
        return None

    def is_news(self, story: Story) -> bool:
        """In private: the speaker does not think that the listener has it. Out loud: somebody there lacks it, or
        thinks that somebody there lacks it. Where a container stands can be remarked on at any time."""
        if self.fact is not None and story.cast.roles[self.fact.of] == "container":
            return True
        words = self.topic if self.fact is None else self.fact
        if self.listener is not None:
            return is_news_to(self.listener, words, self.speaker, story)
        return is_news_among(self.scene(story), words, story, peekers=self.peekers, distracted=self.distracted)

    def happen(self, story: Story) -> Outcome:
        hearers, world, fact = self.scene(story), story.world, self.fact
        seen_by = (hearers | self.peekers) - self.distracted
        if fact is None:
            topic = self.topic
            return world.hearing(topic), (Shown(seen_by, hearers, lambda view: view.hearing(topic)),), ()
        # Words about what lies before one's eyes, or should, are put right by a look.
        rooms = {world._room.get(person) for person in seen_by} & {world._room.get(fact.of), fact.value}
        return world, (Saying(seen_by, hearers, self.speaker, fact),), tuple(sorted(room for room in rooms if room))
