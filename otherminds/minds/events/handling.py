"""Handling things: what people put away, carry and change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import TYPE_CHECKING, Any, Self, final

from otherminds.errors import BadFile
from otherminds.minds.events.event import Deed, Order, Outcome, Shape, arrive, depart, known, shared
from otherminds.minds.telling import Forms
from otherminds.minds.wording import WORDING
from otherminds.minds.world import OPEN, STATE, View

if TYPE_CHECKING:
    from otherminds.minds.setting import Setting
    from otherminds.minds.story import Story

MOVE = WORDING["move"]
MOVE_AGAIN = WORDING["move_again"]
CARRY = WORDING["carry"]
CARRY_OUT = WORDING["carry_out"]
CHANGE = WORDING["change"]


@final
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

        return learn(story.world), (self.sighting(story.present(room), learn),), ()

    def forms(self, before: Story | None) -> tuple[Forms, Mapping[str, str]]:
        # Not from where to where: what somebody knew before would stand in the last sentence.
        slots = {"person": self.person, "thing": self.thing, "container": self.container}
        slots["there"] = _there(self.person, before)
        return (MOVE_AGAIN if known(before, self.thing, "container") else MOVE), slots

    def brief(self, roles: Mapping[str, str]) -> str:
        return f"{self.person} puts the {self.thing} into the {self.container}"

    def moved(self) -> str | None:
        return f"{self.person} put the {self.thing} into the {self.container}"

    @classmethod
    def shapes(cls) -> tuple[Shape, ...]:
        return (Shape("move_to_container", {"person": "person", "object": "thing", "container": "container"}),)

    @classmethod
    def ways(cls, kind: str, setting: Setting, story: Story, order: Order) -> Iterator[Self]:
        where, held = story.world._room, story.world._held
        for person in order(setting.people):
            if (room := where.get(person)) is None:
                continue
            for thing in order(setting.things):
                if where.get(thing, room) != room:
                    continue
                for container in order(setting.containers):
                    if where.get(container, room) == room and held.get(thing) != container:
                        yield shared(cls, person, thing, container)


@final
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
        sightings = depart(self, story, person, thing) + arrive(self, story, room, thing)
        return story.world.placed(person, room).placed(thing, room, OPEN), sightings, (room,)

    def forms(self, before: Story | None) -> tuple[Forms, Mapping[str, str]]:
        slots = {"person": self.person, "thing": self.thing, "room": self.room}
        return (CARRY_OUT if known(before, self.thing, "container") else CARRY), slots

    def brief(self, roles: Mapping[str, str]) -> str:
        return f"{self.person} carries the {self.thing} to the {self.room}"

    def moved(self) -> str | None:
        return f"{self.person} carried the {self.thing} to the {self.room}"

    @classmethod
    def shapes(cls) -> tuple[Shape, ...]:
        return (Shape("move_to_room", {"person": "person", "object": "thing", "room": "room"}),)

    @classmethod
    def ways(cls, kind: str, setting: Setting, story: Story, order: Order) -> Iterator[Self]:
        where = story.world._room
        for person in order(setting.people):
            for thing in order(setting.things):
                if person in where and where.get(thing) == where[person]:
                    for room in order(setting.rooms):
                        if room != where[person]:
                            yield shared(cls, person, thing, room)


@final
@dataclass(frozen=True, slots=True)
class Change(Deed):
    """A person changes the state of a thing. A visible state is seen by whoever later sees the thing."""

    thing: str
    property: str
    value: str
    visible: bool = True
    words: str = ""
    """How it is told, with {person} and {thing}; empty: "{person} did something to the {thing}: now it VALUE."."""

    def names(self) -> tuple[tuple[str, str], ...]:
        return (self.person, "person"), (self.thing, "thing")

    def alters(self) -> tuple[str, bool] | None:
        return self.property, self.visible

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

        after, sighting = world.changed(thing, property, value), self.sighting(story.present(room), learn)
        if thing in world._room:
            return after, (sighting,), ()
        return after.placed(thing, room, OPEN), (sighting,), (room,)

    def forms(self, before: Story | None) -> tuple[Forms, Mapping[str, str]]:
        if self.words:
            return (self.words,), {"person": self.person, "thing": self.thing}
        return CHANGE, {"person": self.person, "thing": self.thing, "value": self.value}

    def brief(self, roles: Mapping[str, str]) -> str:
        return f"{self.person} sees to it that the {self.thing} {self.value}"

    @classmethod
    def shapes(cls) -> tuple[Shape, ...]:
        fields = {"person": "person", "object": "thing", "property": "property", "value": "value"}
        return (Shape("change_state", fields, {"visible": bool, "words": str}),)

    def details(self) -> dict[str, Any]:
        return {"visible": self.visible} | ({"words": self.words} if self.words else {})

    @classmethod
    def read(cls, fields: dict[str, Any], where: str, containers: set[str]) -> Self:
        if fields.get("words"):
            _check_slots(fields["words"], f"{where}: words")
        return cls(**fields)

    @classmethod
    def ways(cls, kind: str, setting: Setting, story: Story, order: Order) -> Iterator[Self]:
        world = story.world
        for person in order(setting.people):
            if (room := world._room.get(person)) is None:
                continue
            for thing in order(setting.things):
                if world._room.get(thing, room) != room:
                    continue
                for change in order(setting.changes):
                    if world.get(thing, STATE + change.property) != change.value:
                        yield shared(cls, person, thing, change.property, change.value, change.visible, change.words)


def _there(person: str, before: Story | None) -> str:
    """In which room somebody is, unless the story has named but one."""
    rooms = [name for name, role in before.cast.roles.items() if role == "room"] if before is not None else []
    return f" in the {known(before, person, 'room')}" if len(rooms) > 1 else ""


def _check_slots(words: str, where: str) -> None:
    try:
        slots = {slot for _, slot, _, _ in Formatter().parse(words) if slot is not None}
    except ValueError:
        slots = {words}
    if not slots <= {"person", "thing"}:
        raise BadFile(f"{where} may have the slots {{person}} and {{thing}} and no others: {words!r}")
