"""Possible worlds: pointed models, event models and their product. `second_opinion` tells stories with them.

This is the textbook construction of dynamic epistemic logic (Baltag, Moss and Solecki's product update, with the
postconditions of van Benthem, van Eijck and Kooi):

* A *pointed model* is a graph of worlds, one of them the real one. A world has facts, and for each person an arrow to
  the world that this person takes to be real. Belief is a function here (a mind has one view, in which some values are
  unknown), so there is one arrow for each person and world. What Anne thinks that Bob thinks is found by following
  Anne's arrow, then Bob's.
* An *event model* is a graph too, of *points*: what happened, how it looked to those who saw it, and NOTHING. A point
  has a precondition (in which worlds it can happen), a postcondition (what it does to the facts) and arrows (which
  point a person takes to have happened).
* The *product* of the two has a world (w, e) for every world w and point e that is possible there. Its facts are those
  of w after the postcondition of e, and its arrow for a person leads from (w, e) to (w', e') when that person's arrows
  lead from w to w' and from e to e'.

Nothing is imported from the package.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

OPEN = "in the open"


# ---------------------------------------------------------------------------------------------------- facts in a world


@dataclass(slots=True)
class Facts:
    """What holds in a world; whatever is not listed is unknown there."""

    rooms: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    states: dict[tuple[str, str], str] = field(default_factory=dict)
    topics: frozenset[str] = frozenset()
    # For the premise `fresh`: the number of the last event that showed a value of this property to the mind whose view
    # this is, and of the last that showed or told one. To see something go, or missing, shows no value.
    seen: dict[tuple[str, str], int] = field(default_factory=dict)
    learnt: dict[tuple[str, str], int] = field(default_factory=dict)
    # For what lies before somebody's eyes: the first and the last of an unbroken row of events after which the mind
    # whose view this is looked round the room where this really is.
    near: dict[str, tuple[int, int]] = field(default_factory=dict)

    def copy(self) -> Facts:
        views = (self.rooms.copy(), self.places.copy(), self.states.copy(), self.topics)
        return Facts(*views, self.seen.copy(), self.learnt.copy(), self.near.copy())

    def has(self, told: Mapping[str, str]) -> bool:
        return self.value(told["entity"], told["property"]) == told["value"]

    def value(self, name: str, key: str) -> str | None:
        if key == "room":
            return self.rooms.get(name)
        return self.places.get(name) if key == "container" else self.states.get((name, key.removeprefix("state:")))

    def inside(self, container: str) -> list[str]:
        return [name for name, place in self.places.items() if place == container]

    def put_in_room(self, name: str, room: str) -> None:
        """Set a room; what is in a container goes with it when the container's room changes."""
        if self.rooms.get(name) != room:
            self.rooms[name] = room
            for content in self.inside(name):
                self.rooms[content] = room

    def put_in_container(self, name: str, container: str, room: str) -> None:
        self.places[name] = container
        self.put_in_room(name, room)
        self.put_in_room(container, room)

    def gone(self, name: str) -> None:
        """Unknown in room and place; contents keep it as their place, and lose their room."""
        self.rooms.pop(name, None)
        self.places.pop(name, None)
        for content in self.inside(name):
            self.rooms.pop(content, None)

    def in_room(self, name: str, room: str) -> None:
        """It is in this room, its place not shown."""
        known, place = self.rooms.get(name), self.places.get(name)
        if known == room:
            return
        if place == OPEN:
            forget = known is not None
        elif place is not None:
            forget = self.rooms[place] != room if place in self.rooms else known is not None
        else:
            forget = False
        if forget:
            del self.places[name]
        self.put_in_room(name, room)

    def said_in(self, name: str, container: str) -> None:
        if self.places.get(name) != container:
            self.places[name] = container
            if container in self.rooms:
                self.put_in_room(name, self.rooms[container])

    def believe(self, told: Mapping[str, str]) -> None:
        name, key, value = told["entity"], told["property"], told["value"]
        if key == "room":
            self.in_room(name, value)
        elif key == "container":
            self.said_in(name, value)
        else:
            self.states[name, key.removeprefix("state:")] = value

    def note(self, now: int, name: str, *keys: str) -> None:
        """These properties were seen, by own eyes, in event `now`."""
        for key in keys:
            self.seen[name, key] = self.learnt[name, key] = now

    def stay_near(self, now: int, name: str) -> None:
        """After event `now`, the mind is in one room with this and attends."""
        first, last = self.near.get(name, (now, now))
        self.near[name] = (first if last == now - 1 else now, now)

    def before_the_eyes(self, now: int, name: str, key: str) -> bool:
        """Whether, when event `now` comes, this property was seen and the mind has been near and attentive since."""
        first, last = self.near.get(name, (now, now))
        return self.value(name, key) is not None and last == now - 1 and self.seen.get((name, key), 0) >= first


# ------------------------------------------------------------------------------------------- worlds, points and product


class World:
    """A world: its facts, and for every person the world that they take to be real. This one is the first of all."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def arrow(self, person: str) -> World:
        # Before the first event nobody knows anything, and everybody knows that: one world, with loops only.
        return self

    def through(self, minds: Sequence[str]) -> World:
        world: World = self
        for person in minds:
            world = world.arrow(person)
        return world


class Point(NamedTuple):
    """A point of an event model."""

    holder: str | None  # the person who takes this to have happened; None for what really happened
    does: Hashable  # the postcondition, by a label that the event model explains; None leaves the facts alone
    given: Hashable = None  # the precondition: it happens in just those worlds of which the event model finds this


NOTHING = Point("", None)  # its arrows are all loops


def _no_condition(facts: Facts) -> Hashable:
    return None


def _seen_alike(outer: Point, person: str) -> Hashable:
    return "seen"


@dataclass
class EventModel:
    """An event model, by rules for its points and arrows; points are made as they are reached.

    Preconditions sort the worlds (`find`), so that of the points to which a person's arrows could lead, exactly one is
    possible in the world to which their arrow leads. It is looked up (`arrow`) instead of trying them all.
    """

    post: Callable[[Facts, Hashable, World], None]  # changes the facts, given what the point does and the world before
    assumed: Collection[str] = ()  # apparent witnesses: everybody takes these to have seen it
    seen_by: Collection[str] = ()  # real witnesses
    does: Callable[[Point, str], Hashable] = _seen_alike  # what a person's point does, seen from the point before it
    find: Callable[[Facts], Hashable] = _no_condition
    find_really: Callable[[Facts], Hashable] | None = None  # the same for the real world, where that differs
    happens: Hashable = None  # what the real point does
    worlds: dict[tuple[World, Point], World] = field(default_factory=dict)

    def arrow(self, point: Point, person: str, world: World) -> Point:
        """Which point this person takes to have happened, whose arrow leads to this world."""
        if point == NOTHING or person == point.holder:
            return point
        if person not in (self.seen_by if point.holder is None else self.assumed):
            return NOTHING
        return Point(person, self.does(point, person), self.find(world.facts))

    def times(self, world: World) -> World:
        """The product with a pointed model, from its real world on."""
        return self.pair(world, Point(None, self.happens, (self.find_really or self.find)(world.facts)))

    def pair(self, world: World, point: Point) -> World:
        if point == NOTHING:
            # What can be reached from (w, NOTHING) is a copy of what can be reached from w, so w itself will do.
            return world
        if (world, point) not in self.worlds:
            self.worlds[world, point] = Pair(world, self, point)
        return self.worlds[world, point]


class Pair(World):
    """A world (w, e) of a product; its arrows are drawn when somebody follows them."""

    def __init__(self, world: World, model: EventModel, point: Point) -> None:
        facts = world.facts
        if point.does is not None:
            facts = facts.copy()
            model.post(facts, point.does, world)
        super().__init__(facts)
        self.world, self.model, self.point = world, model, point
        self.arrows: dict[str, World] = {}

    def arrow(self, person: str) -> World:
        if person not in self.arrows:
            world = self.world.arrow(person)
            self.arrows[person] = self.model.pair(world, self.model.arrow(self.point, person, world))
        return self.arrows[person]


# ------------------------------------------------------------------------------------------------- what can be asked


def answer(world: World, minds: Sequence[str], name: str, key: str, value: str | None = None) -> str | bool | None:
    """What these minds answer about a property; `value`: whether the last of them has just that, as True or False.

    Whoever knows nothing of it, and is asked about the minds of others, has "no view"; a question that goes through a
    later mind that knows nothing of it is "not asked".
    """

    def known(chain: Sequence[str]) -> str | None:
        facts = world.through(chain).facts
        if key == "topic":
            return name if name in facts.topics else None
        return facts.value(name, key)

    if value is None:
        return known(minds)
    way = [known(minds[:end]) for end in range(1, len(minds))]
    if way and way[0] is None:
        return "no view"
    return "not asked" if None in way else known(minds) == value
