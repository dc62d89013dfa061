"""Coming and going: who and what is in which room."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, final

from otherminds.minds.events.event import Deed, Event, Order, Outcome, Shape, arrive, depart, known, shared
from otherminds.minds.sightings import NOBODY
from otherminds.minds.telling import Forms
from otherminds.minds.wording import WORDING, WORDING_TABLES
from otherminds.minds.world import OPEN

if TYPE_CHECKING:
    from otherminds.minds.setting import Setting
    from otherminds.minds.story import Story

ENTER = WORDING["enter"]
ENTER_FROM = WORDING["enter_from"]
ENTER_AGAIN = WORDING["enter_again"]
ENTER_FROM_AGAIN = WORDING["enter_from_again"]
LEAVE = WORDING["leave"]
PLACE = WORDING_TABLES["place"]


@final
@dataclass(frozen=True, slots=True)
class Enter(Deed):
    """A person comes into a room; whoever was in another room leaves it in sight of those there."""

    only_goes: ClassVar[bool] = True

    room: str

    def scene(self, story: Story) -> frozenset[str]:
        return story.present(self.room)

    def names(self) -> tuple[tuple[str, str], ...]:
        return (self.person, "person"), (self.room, "room")

    def refusal(self, story: Story) -> str | None:
        if story.world.get(self.person, "room") == self.room:
            return f"{self.person} is in the {self.room} already, so cannot enter it"
        return None

    def is_idle(self, story: Story) -> bool:
        return story.quiet(self.person, self.room) or story.quiet(self.person)

    def happen(self, story: Story) -> Outcome:
        person, room = self.person, self.room
        sightings = depart(self, story, person) + arrive(self, story, room)
        return story.world.placed(person, room), sightings, (room,)

    def forms(self, before: Story | None) -> tuple[Forms, Mapping[str, str]]:
        room = known(before, self.person, "room")
        slots = {"person": self.person, "room": self.room}
        back = before is not None and any(known(part, self.person, "room") == self.room for part in before.prefixes())
        if room is None:
            return (ENTER_AGAIN if back else ENTER), slots
        return (ENTER_FROM_AGAIN if back else ENTER_FROM), slots | {"from": room}

    def brief(self, roles: Mapping[str, str]) -> str:
        return f"{self.person} enters the {self.room}"

    @classmethod
    def shapes(cls) -> tuple[Shape, ...]:
        return (Shape("enter_room", {"person": "person", "room": "room"}),)

    @classmethod
    def ways(cls, kind: str, setting: Setting, story: Story, order: Order) -> Iterator[Self]:
        where, quiet = story.world._room, story._quiet
        for person in order(setting.people):
            here = where.get(person, "")
            for room in order(setting.rooms) if person not in quiet.get(here, NOBODY) else ():
                if room != here and person not in quiet.get(room, NOBODY):
                    yield shared(cls, person, room)


@final
@dataclass(frozen=True, slots=True)
class Leave(Deed):
    """A person leaves a room; those there see it, but not where to."""

    only_goes: ClassVar[bool] = True

    room: str

    def names(self) -> tuple[tuple[str, str], ...]:
        return (self.person, "person"), (self.room, "room")

    def refusal(self, story: Story) -> str | None:
        if story.world.get(self.person, "room") != self.room:
            return f"{self.person} is not in the {self.room}, so cannot leave it"
        return None

    def is_idle(self, story: Story) -> bool:
        return story.quiet(self.person)

    def happen(self, story: Story) -> Outcome:
        return story.world.gone(self.person), depart(self, story, self.person), ()

    def forms(self, before: Story | None) -> tuple[Forms, Mapping[str, str]]:
        return LEAVE, {"person": self.person, "room": self.room}

    def brief(self, roles: Mapping[str, str]) -> str:
        return f"{self.person} leaves the {self.room}"

    @classmethod
    def shapes(cls) -> tuple[Shape, ...]:
        return (Shape("leave_room", {"person": "person", "room": "room"}),)

    @classmethod
    def ways(cls, kind: str, setting: Setting, story: Story, order: Order) -> Iterator[Self]:
        where, quiet = story.world._room, story._quiet
        for person in order(setting.people):
            room = where.get(person)
            if room is not None and person not in quiet.get(room, NOBODY):
                yield shared(cls, person, room)


@final
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
        here = self.sighting(present, lambda view: view.placed(name, room, place))
        return story.world.placed(name, room, place), (*depart(self, story, name), here), (room,)

    def forms(self, before: Story | None) -> tuple[Forms, Mapping[str, str]]:
        return PLACE[self.role], {"name": self.name, "room": self.room}

    def missed(self) -> str:
        return self.name if self.role == "person" else f"the {self.name}"

    def brief(self, roles: Mapping[str, str]) -> str:
        name = self.name if self.role == "person" else f"the {self.name}"
        return f"{name} is in the {self.room}"

    @classmethod
    def shapes(cls) -> tuple[Shape, ...]:
        fields, optional = {"entity": "name", "room": "room"}, {"is_person": bool, "is_container": bool}
        return (Shape("location_declaration", fields, optional),)

    def details(self) -> dict[str, Any]:
        return {"is_person": False} if self.role == "thing" else {f"is_{self.role}": True}

    @classmethod
    def read(cls, fields: dict[str, Any], where: str, containers: set[str]) -> Self:
        person, container = fields.pop("is_person", False), fields.pop("is_container", fields["name"] in containers)
        return cls(**fields, role="person" if person else "container" if container else "thing")

    @classmethod
    def kinds(cls) -> tuple[str, ...]:
        return ()  # scenes are set by whoever tells the story, not by chance

    @classmethod
    def ways(cls, kind: str, setting: Setting, story: Story, order: Order) -> Iterator[Self]:
        return iter(())
