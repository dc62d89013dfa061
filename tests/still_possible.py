"""What is still possible for minds, by the section of that name in docs/semantics.md: what cannot be asked of them.

Part of the second opinion: it reads off possible worlds, and nothing is imported from the package.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from tests.possible_worlds import OPEN, World

Spot = tuple[str | None, str]
"""A room, and a place in it."""


class Happened(NamedTuple):
    """An event, with the world before it and the world after all had looked round."""

    event: Mapping[str, Any]
    before: World
    after: World


def turn(past: Sequence[Happened], minds: Sequence[str], name: str, key: str) -> Happened | None:
    """The last event that gave these minds another value, or took theirs; None if they never had any."""

    def has(world: World) -> object:
        facts = world.through(minds).facts
        return name in facts.topics if key == "topic" else facts.value(name, key)

    return next((each for each in reversed(past) if has(each.before) != has(each.after)), None)


# ------------------------------------------------------------------------------------------------- a change found out


def may_know_too(past: Sequence[Happened], minds: Sequence[str], name: str, key: str) -> bool:
    """Whether one of these minds found out what the next is taken not to know: who saw the change?"""
    state = key.startswith("state:")
    values = [past[-1].after.through(minds[:end]).facts.value(name, key) for end in range(1, len(minds) + 1)]
    if key == "topic" or (state and values[0] is None):
        return False
    return any(
        values[end - 1] != values[end]
        and (state or values[end] is not None)
        and found_out(past, minds[:end], name, key)
        for end in range(1, len(minds))
    )


def found_out(past: Sequence[Happened], minds: Sequence[str], name: str, key: str) -> bool:
    """Whether their turn is an event that changed nothing in the world; words about a place do not count."""
    last = turn(past, minds, name, key)
    if last is None or (last.event["do"].startswith("tell_") and not key.startswith("state:")):
        return False
    return last.before.facts.value(name, key) == last.after.facts.value(name, key)


# ------------------------------------------------------------------------------------------ words that may not be heard


def unheeded(
    past: Sequence[Happened], minds: Sequence[str], name: str, key: str, distrust: Collection[Sequence[str]]
) -> bool:
    """Whether they have it from words to which one of them pays no attention."""
    last = turn(past, minds, name, key)
    return last is not None and any([mind, last.event.get("speaker")] in distrust for mind in minds)


# -------------------------------------------------------------------------------------------------- the only place left


def narrowed(
    past: Sequence[Happened], minds: Sequence[str], name: str, roles: Mapping[str, str], clear: Collection[str]
) -> set[str]:
    """Of room and container, what is down to one for these minds."""
    people = [each for each, role in roles.items() if role == "person"]
    everywhere, spots, found = all_spots(past, roles), set[Spot](), set[str]()
    for each in past:
        has, had = (_room_and_place(world.through(minds).facts, name) for world in (each.after, each.before))
        if None not in has:
            spots, found = set(), set()
            continue
        agreeing = {spot for spot in everywhere if has[0] in (None, spot[0]) and has[1] in (None, spot[1])}
        if has != had:
            spots = (spots & agreeing) or agreeing
        left = each.before.facts.rooms.get(name)
        moved = left is not None and each.after.facts.rooms.get(name) != left
        if moved and _reach(each, _people_in(each.before, left, people), minds):
            spots = {(room, OPEN) for room, place in everywhere if place == OPEN and room != left}
        if spots:
            looked_at = _looked_at(each, minds, people, clear)
            spots = (spots - looked_at) or (agreeing - looked_at)
        for kind, number in (("room", 0), ("container", 1)):
            if has[number] is not None:
                found.discard(kind)
            elif len({spot[number] for spot in spots}) == 1:
                found.add(kind)
    return found


def all_spots(past: Sequence[Happened], roles: Mapping[str, str]) -> set[Spot]:
    """The open in every room that is named, and every container, in the room where it stands at the end."""
    rooms = {each.event["room"] for each in past if "room" in each.event}
    told = [each.event["fact"] for each in past if each.event.get("fact")]
    rooms |= {fact["value"] for fact in told if fact["property"] == "room"}
    stands = past[-1].after.facts.rooms if past else {}
    return {(room, OPEN) for room in rooms} | {
        (stands.get(it), it) for it, role in roles.items() if role == "container"
    }


def _looked_at(happened: Happened, minds: Sequence[str], people: Sequence[str], clear: Collection[str]) -> set[Spot]:
    """The spots at which these minds looked during an event and after it."""
    event, rooms, spots = happened.event, happened.after.facts.rooms, set[Spot]()
    room = rooms.get(minds[0])
    together = room is not None and all(rooms.get(mind) == room for mind in minds)
    if together and minds[0] not in event.get("distracted", ()):
        spots = {(room, OPEN)} | {(room, container) for container in clear}
    inside = event["do"] == "open" or (event["do"] == "look_inside" and minds[-1] == event["person"])
    if inside and _reach(happened, _people_in(happened.before, rooms[event["person"]], people), minds):
        spots.add((rooms[event["container"]], event["container"]))
    return spots


def _room_and_place(facts: Any, name: str) -> tuple[str | None, str | None]:
    return facts.rooms.get(name), facts.places.get(name)


def _people_in(world: World, room: str | None, people: Sequence[str]) -> set[str]:
    return {each for each in people if world.facts.rooms.get(each) == room}


def _reach(happened: Happened, openly: set[str], minds: Sequence[str]) -> bool:
    """Whether what these people openly see of an event reaches a chain of minds."""
    peekers, distracted = (set(happened.event.get(key, ())) for key in ("peekers", "distracted"))
    return minds[0] in (openly | peekers) - distracted and set(minds[1:]) <= openly
