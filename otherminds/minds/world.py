"""View: the world as it is, or as somebody takes it to be.

A view says where people, things and containers are, what state things are in, and which topics were talked about.
What it does not say is unknown: there is no entry for it. A thing whose room is known lies in the open, in a
container, or somewhere unknown in that room; these are three different things.

Views never change. A method that learns something returns a new view, or the same object if there is nothing new.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

from otherminds.showing.brief import cut, plain
from otherminds.showing.notebook import Shown

K = TypeVar("K")
V = TypeVar("V")

OPEN = "in the open"
"""Where a thing is that lies in no container."""

STATE = "state:"


class Fact(NamedTuple):
    """A property of a person or thing, and its value: Fact("marble", "container", "basket")."""

    of: str
    property: str
    value: str


Words = str | Fact
"""What can be said: a topic, which is only brought up, or a fact."""


_NONE: dict[Any, str] = {}  # never written to, as no view's facts are


class View(Shown):
    """Facts as some chain of minds has them; through no minds at all, the world itself."""

    __slots__ = ("_heard", "_held", "_room", "_state")

    def __init__(
        self,
        room: dict[str, str] = _NONE,
        held: dict[str, str] = _NONE,
        state: dict[tuple[str, str], str] = _NONE,
        heard: frozenset[str] = frozenset(),
    ) -> None:
        self._room = room
        self._held = held
        self._state = state
        self._heard = heard

    # ---- asking -----------------------------------------------------------------------------------------------

    def get(self, thing: str, property: str) -> str | None:
        """The "room", the "container" or the "state:TYPE" of a thing or person; None if unknown or if there is none."""
        if property == "room":
            return self._room.get(thing)
        if property == "container":
            container = self._held.get(thing)
            return None if container == OPEN else container
        return self._state.get((thing, property.removeprefix(STATE)))

    def value(self, thing: str, property: str) -> str | None:
        """The same, with OPEN for the container of a thing that lies in none."""
        return self._held.get(thing) if property == "container" else self.get(thing, property)

    def knows(self, thing: str, property: str) -> bool:
        """Whether there is anything to say about it; that a thing is in the open counts for its container."""
        return self.value(thing, property) is not None

    def where(self, thing: str) -> str | None:
        """The closest known place: the container, else the room, else None."""
        return self.get(thing, "container") or self._room.get(thing)

    def in_the_open(self, thing: str) -> bool | None:
        """Whether a thing lies in no container; None when that is unknown."""
        held = self._held.get(thing)
        return None if held is None else held == OPEN

    def heard(self, topic: str) -> bool:
        """Whether this topic was talked about."""
        return topic in self._heard

    def has(self, words: Words) -> bool:
        """Whether this fact is so, or this topic was talked about."""
        if isinstance(words, str):
            return words in self._heard
        return self.get(words.of, words.property) == words.value

    def facts(self) -> list[Fact]:
        """Everything known, in a fixed order; a thing in the open has no container."""
        rooms = [Fact(name, "room", room) for name, room in self._room.items()]
        held = [Fact(name, "container", place) for name, place in self._held.items() if place != OPEN]
        states = [Fact(name, STATE + kind, value) for (name, kind), value in self._state.items()]
        return sorted(rooms + held + states)

    @property
    def topics(self) -> frozenset[str]:
        """All topics that were talked about."""
        return self._heard

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, View):
            return NotImplemented
        return self is other or (
            self._room == other._room
            and self._held == other._held
            and self._state == other._state
            and self._heard == other._heard
        )

    def __hash__(self) -> int:
        return hash((frozenset(self._room.items()), frozenset(self._held.items()), self._heard))

    def __repr__(self) -> str:
        known = [f"{fact.of} {fact.property} {fact.value}" for fact in self.facts()]
        return plain(cut(f"View({', '.join([*known, *sorted(self._heard)])})", 1000))

    # ---- learning ---------------------------------------------------------------------------------------------

    def placed(self, name: str, room: str, container: str | None = None) -> View:
        """With this thing, person or container in this room; `container` is where a thing was seen to be."""
        rooms, held = self._room, self._held
        if rooms.get(name) != room:
            rooms = _moved(rooms, held, name, room)
        if container is not None:
            if container != OPEN and rooms.get(container) != room:
                rooms = _moved(rooms, held, container, room)
            if held.get(name) != container:
                held = held.copy()
                held[name] = container
        if rooms is self._room and held is self._held:
            return self
        return View(rooms, held, self._state, self._heard)

    def gone(self, name: str) -> View:
        """Without any idea where this is, and where that is which was thought to be in it."""
        rooms, held = self._room, self._held
        if name in held.values():
            for thing in [thing for thing, place in held.items() if place == name and thing in rooms]:
                rooms = without(rooms, thing)
        if name in rooms:
            rooms = without(rooms, name)
        if name in held:
            held = without(held, name)
        if rooms is self._room and held is self._held:
            return self
        return View(rooms, held, self._state, self._heard)

    def changed(self, thing: str, property: str, value: str) -> View:
        """With this thing in this state."""
        if self._state.get((thing, property)) == value:
            return self
        return View(self._room, self._held, {**self._state, (thing, property): value}, self._heard)

    def hearing(self, topic: str) -> View:
        """With this topic among those talked about."""
        if topic in self._heard:
            return self
        return View(self._room, self._held, self._state, self._heard | {topic})

    def told(self, fact: Fact) -> View:
        """With this fact taken at its word, and what no longer goes with it forgotten."""
        name, property, value = fact
        if property == "room":
            return self.in_room(name, value)
        if property != "container":
            return self.changed(name, property.removeprefix(STATE), value)
        if self._held.get(name) == value:
            return self
        rooms = self._room
        room = rooms.get(value)
        if room is not None and rooms.get(name) != room:
            rooms = {**rooms, name: room}
        return View(rooms, {**self._held, name: value}, self._state, self._heard)

    def in_room(self, name: str, room: str) -> View:
        """With this in that room; a container that is thought to be elsewhere can no longer be what holds it."""
        before = self._room.get(name)
        if before == room:
            return self
        held = self._held
        place = held.get(name)
        if place is not None:
            known = before is not None if place == OPEN else self._room.get(place, before or room) != room
            held = without(held, name) if known else held
        return View(_moved(self._room, held, name, room), held, self._state, self._heard)


NOTHING = View()
"""What those take to be so who have seen nothing yet."""


def without(known: dict[K, V], key: K) -> dict[K, V]:
    """All that is known but for this."""
    known = known.copy()
    del known[key]
    return known


def _moved(rooms: dict[str, str], held: dict[str, str], name: str, room: str) -> dict[str, str]:
    """The rooms, when this is in that room, and with it whatever is thought to be in it."""
    rooms = rooms.copy()
    rooms[name] = room
    if held and name in held.values():
        for thing, place in held.items():
            if place == name:
                rooms[thing] = room
    return rooms
