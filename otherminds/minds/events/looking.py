"""Looking into containers: alone, or so that everybody there sees it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, final

from otherminds.minds.events.event import Deed, Order, Outcome, Shape, known, shared
from otherminds.minds.sightings import Looking, look_into
from otherminds.minds.telling import Forms
from otherminds.minds.wording import WORDING
from otherminds.minds.world import View

if TYPE_CHECKING:
    from otherminds.minds.setting import Setting
    from otherminds.minds.story import Story

LOOK = WORDING["look"]
OPEN_UP = WORDING["open_up"]


@dataclass(frozen=True, slots=True)
class Inspection(Deed):
    """A person sees to what is in a container."""

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

    @classmethod
    def ways(cls, kind: str, setting: Setting, story: Story, order: Order) -> Iterator[Self]:
        where = story.world._room
        for person in order(setting.people):
            for container in order(setting.containers):
                if person in where and where.get(container) == where[person]:
                    yield shared(cls, person, container)


@final
@dataclass(frozen=True, slots=True)
class Look(Inspection):
    """A person looks into a container, alone; the others there see that they look, not what is in it."""

    def happen(self, story: Story) -> Outcome:
        room = story.world._room[self.person]
        present = story.present(room)
        seen_by = (present | self.peekers) - self.distracted
        return story.world, (Looking(seen_by, present, self.person, self.container),), ()

    def forms(self, before: Story | None) -> tuple[Forms, Mapping[str, str]]:
        return LOOK, {"person": self.person, "container": self.container}

    def brief(self, roles: Mapping[str, str]) -> str:
        return f"{self.person} looks into the {self.container}"

    @classmethod
    def shapes(cls) -> tuple[Shape, ...]:
        return (Shape("look_inside", {"person": "person", "container": "container"}),)


@final
@dataclass(frozen=True, slots=True)
class Open(Inspection):
    """A person opens a container and shuts it again; everybody there sees what is in it."""

    def happen(self, story: Story) -> Outcome:
        world = story.world
        room = world._room[self.person]

        def learn(view: View) -> View:
            return look_into(view, self.container, world, story, certain=True)

        return world, (self.sighting(story.present(room), learn),), ()

    def forms(self, before: Story | None) -> tuple[Forms, Mapping[str, str]]:
        slots = {"person": self.person, "container": self.container}
        return OPEN_UP, slots | {"room": known(before, self.person, "room") or ""}

    def brief(self, roles: Mapping[str, str]) -> str:
        return f"{self.person} opens the {self.container}"

    @classmethod
    def shapes(cls) -> tuple[Shape, ...]:
        return (Shape("open", {"person": "person", "container": "container"}),)
