"""Events: what can happen in a story, when it can, what it changes, and who sees it.

An event does two things to a story. It changes the world, and it brings facts to light as *sightings*. A sighting has
`seen_by` (who really saw it: those present and the secret peekers, less the distracted) and `assumed` (those present,
whom everybody takes to have seen it). It reaches `minds` (Anne, Bob, …: what Anne thinks Bob thinks …) when the first
of them is in `seen_by` and all the others are in `assumed`. That one rule is the whole of nested belief.

After every event, everybody looks round the room they are in; that is a sighting too, made by `story.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from otherminds.world import OPEN, STATE, Fact, View

if TYPE_CHECKING:
    from otherminds.story import Story

Minds = tuple[str, ...]
NOBODY: frozenset[str] = frozenset()


class Sighting:
    """Something brought to light: who saw it, who is taken to have seen it, and what it does to a mind's view."""

    __slots__ = ("_after", "_learn", "assumed", "seen_by")

    def __init__(self, seen_by: frozenset[str], assumed: frozenset[str], learn: Callable[[View], View]) -> None:
        self.seen_by = seen_by
        self.assumed = assumed
        self._learn = learn
        self._after: dict[int, tuple[View, View]] = {}

    def reaches(self, minds: Minds) -> bool:
        """Whether it is part of what these minds think: the first really saw it, the others are taken to have."""
        return minds[0] in self.seen_by and self.assumed.issuperset(minds[1:])

    def teach(self, view: View, minds: Minds, past: Story) -> View:
        """The view after it; minds that shared a view before go on sharing one."""
        known = self._after.get(id(view))
        if known is None:
            # The old view is kept beside the new one, so that its id cannot be given to another.
            known = self._after[id(view)] = (view, self._learn(view))
        return known[1]


class Saying(Sighting):
    """A fact put into words: what it does depends on whose mind it is, and on trust."""

    __slots__ = ("fact", "speaker")

    def __init__(self, seen_by: frozenset[str], assumed: frozenset[str], speaker: str, fact: Fact) -> None:
        super().__init__(seen_by, assumed, lambda view: view.told(fact))
        self.speaker = speaker
        self.fact = fact

    def teach(self, view: View, minds: Minds, past: Story) -> View:
        hearer, speaker, fact = minds[-1], self.speaker, self.fact
        if hearer == speaker:
            if len(minds) == 1:
                return view  # saying something does not make one believe it
            sincere = (minds[-2], speaker) not in past.premises.distrust
            return super().teach(view, minds, past) if sincere else view.without(fact.of, fact.property)
        if fact.of == hearer and fact.property == "room" and past.view(*minds[:-1]).get(hearer, "room") != fact.value:
            return view  # everybody knows best where they are, and others know that
        if (hearer, speaker) in past.premises.distrust:
            return view
        if past.premises.fresh and past.last_seen(fact, minds) > past.last_shown(fact, (*minds, speaker)):
            return view
        return super().teach(view, minds, past)


class Looking(Sighting):
    """Somebody looks into a container: others know that they looked, and think that they saw what should be there."""

    __slots__ = ("container", "looker")

    def __init__(self, seen_by: frozenset[str], assumed: frozenset[str], looker: str, container: str) -> None:
        super().__init__(seen_by, assumed, lambda view: view)
        self.looker = looker
        self.container = container

    def reaches(self, minds: Minds) -> bool:
        return minds[-1] == self.looker and super().reaches(minds)

    def teach(self, view: View, minds: Minds, past: Story) -> View:
        outside = past.view(*minds[:-1])
        return look_into(view, self.container, outside, past, certain=len(minds) == 1)


def look_into(view: View, container: str, outside: View, past: Story, *, certain: bool) -> View:
    """The view of one who looks into a container, when what is in it is taken from another view.

    `certain`: that other view is the world, so what it does not place in the container is not there. A mere mind may
    not know; then it cannot say either what the looker now thinks.
    """
    room = outside._room.get(container)
    for thing in past.things:
        place = outside._held.get(thing)
        if place == container and room is not None:
            view = view.placed(thing, room, container)
        elif place is not None or certain or outside._room.get(thing, room) != room:
            if view._held.get(thing) == container:
                view = view.gone(thing)
        else:
            view = view.gone(thing)
    return view


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happens. Peekers see it in secret; the distracted are there but miss it, unnoticed."""

    peekers: frozenset[str] = field(default=NOBODY, kw_only=True)
    distracted: frozenset[str] = field(default=NOBODY, kw_only=True)

    def __post_init__(self) -> None:
        for name in ("peekers", "distracted"):
            people = getattr(self, name)
            if type(people) is not frozenset:
                object.__setattr__(self, name, frozenset((people,) if isinstance(people, str) else people))

    def names(self) -> tuple[tuple[str, str], ...]:
        """Everything it mentions, each with its role: person, room, thing or container."""
        raise NotImplementedError

    def refusal(self, story: Story) -> str | None:
        """Why it cannot happen now, as a sentence; None if it can."""
        raise NotImplementedError

    def happen(self, story: Story) -> tuple[View, tuple[Sighting, ...], tuple[str | None, ...]]:
        """The world after it, what it brings to light, and the rooms in which that can be seen."""
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
        return Sighting(seen_by, present, learn)


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


@dataclass(frozen=True, slots=True)
class Enter(Event):
    """A person comes into a room; whoever was in another room leaves it in sight of those there."""

    person: str
    room: str

    def actor(self) -> str:
        return self.person

    def scene(self, story: Story) -> frozenset[str]:
        return story.present(self.room)

    def names(self) -> tuple[tuple[str, str], ...]:
        return (self.person, "person"), (self.room, "room")

    def refusal(self, story: Story) -> str | None:
        if story.world.get(self.person, "room") == self.room:
            return f"{self.person} is in the {self.room} already, so cannot enter it"
        return None

    def happen(self, story: Story) -> tuple[View, tuple[Sighting, ...], tuple[str | None, ...]]:
        person, room = self.person, self.room
        world = story.world
        sightings = _depart(self, story, person)
        here = self._sighting(story.present(room) | {person}, lambda view: view.placed(person, room))
        return world.placed(person, room), (*sightings, here), (world.get(person, "room"), room)


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

    def happen(self, story: Story) -> tuple[View, tuple[Sighting, ...], tuple[str | None, ...]]:
        name, room = self.name, self.room
        present = story.present(room)
        if self.role == "person":
            present |= {name}
        place = OPEN if self.role == "thing" else None
        sightings = _depart(self, story, name)
        here = self._sighting(present, lambda view: view.placed(name, room, place))
        before = story.world.get(name, "room")
        return story.world.placed(name, room, place), (*sightings, here), (before, room)


@dataclass(frozen=True, slots=True)
class Leave(Event):
    """A person leaves a room; those there see it, but not where to."""

    person: str
    room: str

    def actor(self) -> str:
        return self.person

    def names(self) -> tuple[tuple[str, str], ...]:
        return (self.person, "person"), (self.room, "room")

    def refusal(self, story: Story) -> str | None:
        if story.world.get(self.person, "room") != self.room:
            return f"{self.person} is not in the {self.room}, so cannot leave it"
        return None

    def happen(self, story: Story) -> tuple[View, tuple[Sighting, ...], tuple[str | None, ...]]:
        return story.world.gone(self.person), _depart(self, story, self.person), (self.room,)


@dataclass(frozen=True, slots=True)
class Move(Event):
    """A person puts a thing into a container that stands in the same room."""

    person: str
    thing: str
    container: str

    def actor(self) -> str:
        return self.person

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

    def happen(self, story: Story) -> tuple[View, tuple[Sighting, ...], tuple[str | None, ...]]:
        thing, container = self.thing, self.container
        room = story.world._room[self.person]

        def learn(view: View) -> View:
            return view.placed(thing, room, container)

        return learn(story.world), (self._sighting(story.present(room), learn),), (room,)


@dataclass(frozen=True, slots=True)
class Carry(Event):
    """A person carries a thing into another room and stays there; its container, if any, is left behind."""

    person: str
    thing: str
    room: str

    def actor(self) -> str:
        return self.person

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

    def happen(self, story: Story) -> tuple[View, tuple[Sighting, ...], tuple[str | None, ...]]:
        person, thing, room = self.person, self.thing, self.room

        def learn(view: View) -> View:
            return view.placed(person, room).placed(thing, room, OPEN)

        world = story.world
        arrival = self._sighting(story.present(room) | {person}, learn)
        return learn(world), (*_depart(self, story, person, thing), arrival), (world._room[person], room)


@dataclass(frozen=True, slots=True)
class Change(Event):
    """A person changes the state of a thing. A visible state is seen by whoever later sees the thing."""

    person: str
    thing: str
    property: str
    value: str
    visible: bool = True
    words: str = ""
    """How it is told, with {person} and {thing}; empty: "{person} saw to it that the {thing} VALUE."."""

    def actor(self) -> str:
        return self.person

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

    def happen(self, story: Story) -> tuple[View, tuple[Sighting, ...], tuple[str | None, ...]]:
        thing, property, value = self.thing, self.property, self.value
        world = story.world
        room = world._room[self.person]

        def learn(view: View) -> View:
            return view.in_room(thing, room).changed(thing, property, value)

        after = world.changed(thing, property, value)
        if thing not in world._room:
            after = after.placed(thing, room, OPEN)
        return after, (self._sighting(story.present(room), learn),), (room,)


@dataclass(frozen=True, slots=True)
class Look(Event):
    """A person looks into a container, alone; the others there see that they look, not what is in it."""

    person: str
    container: str

    def actor(self) -> str:
        return self.person

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

    def happen(self, story: Story) -> tuple[View, tuple[Sighting, ...], tuple[str | None, ...]]:
        room = story.world._room[self.person]
        present = story.present(room)
        seen_by = (present | self.peekers) - self.distracted
        return story.world, (Looking(seen_by, present, self.person, self.container),), (room,)


@dataclass(frozen=True, slots=True)
class Open(Look):
    """A person opens a container and shuts it again; everybody there sees what is in it."""

    def happen(self, story: Story) -> tuple[View, tuple[Sighting, ...], tuple[str | None, ...]]:
        world = story.world
        room = world._room[self.person]

        def learn(view: View) -> View:
            return look_into(view, self.container, world, story, certain=True)

        return world, (self._sighting(story.present(room), learn),), (room,)


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
        roles = [(self.speaker, "person")]
        if self.listener is not None:
            roles.append((self.listener, "person"))
        if self.fact is not None and self.fact.property in ("room", "container"):
            roles.append((self.fact.value, self.fact.property))
        if self.fact is not None and self.fact.property != "room":
            roles.append((self.fact.of, "thing"))
        return tuple(roles)

    def scene(self, story: Story) -> frozenset[str]:
        if self.listener is not None:
            return frozenset((self.speaker, self.listener))
        room = story.world.get(self.speaker, "room")
        return story.present(room) if room is not None else NOBODY

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
        if not self.is_news(story):
            return f"{speaker} would tell nobody anything new"
        return None

    def is_news(self, story: Story) -> bool:
        """In private: the speaker does not think that the listener has it. Out loud: somebody there lacks it, or
        thinks that somebody there lacks it. Where a container stands can be remarked on at any time."""
        if self.fact is not None and story.cast.roles[self.fact.of] == "container":
            return True
        if self.listener is not None:
            return not self._held_by(story, (self.speaker, self.listener))
        hearers = self.scene(story)
        attentive = hearers - self.distracted
        if self.fact is not None:
            attentive |= self.peekers
        return any(
            not self._held_by(story, minds)
            for first in attentive
            for minds in [(first,), *((first, second) for second in hearers if second != first)]
        )

    def _held_by(self, story: Story, minds: Minds) -> bool:
        if not story.cast.roles.keys() >= set(minds):
            return False
        view = story.view(*minds)
        if self.fact is None:
            return view.heard(self.topic)
        return view.get(self.fact.of, self.fact.property) == self.fact.value

    def happen(self, story: Story) -> tuple[View, tuple[Sighting, ...], tuple[str | None, ...]]:
        hearers = self.scene(story)
        seen_by = (hearers | self.peekers) - self.distracted
        sighting: Sighting
        if self.fact is None:
            topic = self.topic
            sighting = Sighting(seen_by, hearers, lambda view: view.hearing(topic))
        else:
            sighting = Saying(seen_by, hearers, self.speaker, self.fact)
        # Words can be at odds with what lies before one's eyes, so all who heard look round again.
        rooms = {story.world.get(person, "room") for person in seen_by}
        return (
            story.world.hearing(self.topic) if self.topic else story.world,
            (sighting,),
            tuple(sorted(filter(None, rooms))),
        )
