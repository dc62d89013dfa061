"""Ways of reading, each with the options that it finds equally good for any item; none where it has no opinion.

Most look at what an item keeps beside its words (`meta`): where these are missing, a reader has no opinion, and whoever
follows it guesses.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from otherminds.errors import OthermindsError
from otherminds.files import read_words
from otherminds.items import Item
from otherminds.items.lint import CUES
from otherminds.items.tags import ABOUT, EVENTS, FIRST_ORDER, MINDS, ORDER, REALITY, SEEN_EVENTS
from otherminds.minds.questions import NOWHERE, UNKNOWN
from otherminds.minds.story import Story
from otherminds.minds.world import OPEN

Rule = Callable[[Item], Sequence[str]]
"""The options of an item that a reader finds equally good."""
ByPlace = Callable[[Sequence[str]], Sequence[str]]
"""The same of options in the order in which they were shown."""

GUESS = "guess"
NONE = "none of these"


def _oracle(item: Item) -> Sequence[str]:
    return [item.answer]


def _realist(item: Item) -> Sequence[str]:
    return _kept(item, REALITY)


def _decoy(item: Item) -> Sequence[str]:
    """Anything but the world, and never that nobody knows."""
    real = _kept(item, REALITY)
    return [choice for choice in item.choices if choice not in real and not _says_unknown(choice)] if real else []


def _first_order(item: Item) -> Sequence[str]:
    return [item.answer] if item.tags.get(ORDER) in (0, 1) else _kept(item, FIRST_ORDER)


def _outcome(item: Item) -> Sequence[str]:
    return _kept(item, "outcome")


def _ignorant(item: Item) -> Sequence[str]:
    return [choice for choice in item.choices if _says_unknown(choice)]


def _says_unknown(choice: str) -> bool:
    return choice.casefold() == UNKNOWN or "did not know" in choice


def earliest_leaver(item: Item) -> Sequence[str]:
    """Where the thing was when the first of the minds asked about left it; if nobody did, where it is.

    Nobody knows, where one of them was never there with it and the item has that option.
    """
    minds, thing, matter = item.meta.get(MINDS), item.meta.get(ABOUT), item.meta.get("property", "container")
    if not isinstance(minds, list) or not isinstance(thing, str) or matter not in ("container", "room"):
        return []
    events = item.meta.get(EVENTS)
    worlds = _moves(item.meta.get(SEEN_EVENTS, ())) if events is None else list(map(dict, _worlds(json.dumps(events))))
    if not worlds:
        return []
    if unknown := [choice for choice in item.choices if _says_unknown(choice)]:
        rooms = [(world.get(f"room {thing}"), world) for world in worlds]
        if not all(any(room and world.get(f"room {mind}") == room for room, world in rooms) for mind in minds):
            return unknown
    left = (before for before, after in pairwise(worlds) if any(_leaves(mind, thing, before, after) for mind in minds))
    before = next(left, worlds[-1])
    value = before.get(f"{matter} {thing}")
    said = UNKNOWN if value is None else NOWHERE if value == OPEN else value
    return [choice for choice in item.choices if choice.casefold() in (said.casefold(), f"the {said.casefold()}")]


def _leaves(mind: object, thing: str, before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    """Whether somebody was in the room with the thing, and no longer is in that room."""
    room = before.get(f"room {mind}")
    return room is not None and room == before.get(f"room {thing}") and room != after.get(f"room {mind}")


@lru_cache(maxsize=4096)  # many questions are about one story
def _worlds(events: str) -> tuple[tuple[tuple[str, str], ...], ...]:
    """After every event, where everybody and everything is; nothing, where these are no events that we know."""
    try:
        story = Story.from_dicts(json.loads(events))
    except (OthermindsError, AttributeError, KeyError, TypeError, ValueError):
        return ()
    return tuple(
        tuple((f"{fact.property} {fact.of}", fact.value) for fact in part.world.facts()) for part in story.prefixes()
    )


def _moves(events: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """The same of people and things that come, go and are moved, whether or not it fits together."""
    worlds: list[dict[str, str]] = [{}]
    for event in events:
        world, person = dict(worlds[-1]), f"room {event['person']}"
        if event["do"] == "leave_room":
            world.pop(person, None)
        elif event["do"] == "enter_room":
            world[person] = event["room"]
        else:
            world |= {f"container {event['object']}": event["container"], f"room {event['object']}": world[person]}
        worlds.append(world)
    return worlds[1:]


def _kept(item: Item, key: str) -> Sequence[str]:
    value = item.meta.get(key)
    return [value] if isinstance(value, str) and value in item.choices else []


def _shortest(item: Item) -> Sequence[str]:
    least = min(map(len, item.choices))
    best = [choice for choice in item.choices if len(choice) == least]
    return best if len(best) < len(item.choices) else []


READERS: dict[str, Rule] = {
    "oracle": _oracle,
    "realist": _realist,
    "first order": _first_order,
    "earliest leaver": earliest_leaver,
    "decoy": _decoy,
    "outcome": _outcome,
    "nobody knows": _ignorant,
    "last mention": CUES["named last"],
    "first mention": CUES["named first"],
    "longest option": CUES["longest choice"],
    "shortest option": _shortest,
}
BY_PLACE: dict[str, ByPlace] = {
    "first letter": lambda shown: shown[:1],
    "last letter": lambda shown: shown[-1:],
}
NAMES = (*READERS, *BY_PLACE)
DOES: dict[str, str] = read_words("pages")["readers"]
"""What each does, in words."""
