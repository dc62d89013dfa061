"""The rule of the earliest leaver, which reads the events of a story and asks nothing but who went first."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from otherminds.errors import OthermindsError
from otherminds.items import Item
from otherminds.items.swaps import cores, without_article
from otherminds.items.tags import ABOUT, EVENTS, MINDS, SEEN_EVENTS
from otherminds.minds.questions import NOWHERE, UNKNOWN
from otherminds.minds.story import Story
from otherminds.minds.world import OPEN

ROOM = "room "


def earliest_leaver(item: Item) -> Sequence[str]:
    """Answers with the place where the thing was when the first of those asked about left.

    Where the thing is, if nobody left it. Nobody knows, where one of them was never there with it and the item has
    that option.
    """
    thing, matter = item.meta.get(ABOUT), item.meta.get("property", "container")
    if not isinstance(thing, str) or matter not in ("container", "room"):
        return []
    events = item.meta.get(EVENTS)
    worlds = _moves(item.meta.get(SEEN_EVENTS, ())) if events is None else list(map(dict, _worlds(json.dumps(events))))
    minds = item.meta.get(MINDS, _asked_about(item.question, worlds))
    if not worlds or not isinstance(minds, list):
        return []
    if unknown := [choice for choice in item.choices if says_unknown(choice)]:
        rooms = [(world.get(ROOM + thing), world) for world in worlds]
        if not all(any(room and world.get(f"{ROOM}{mind}") == room for room, world in rooms) for mind in minds):
            return unknown
    left = (before for before, after in pairwise(worlds) if any(_leaves(mind, thing, before, after) for mind in minds))
    value = next(left, worlds[-1]).get(f"{matter} {thing}")
    said = (UNKNOWN if value is None else NOWHERE if value == OPEN else value).casefold()
    # "urn" is in "the urn", and where all options begin alike, in "go to the urn".
    short = cores(item.choices)
    return [choice for choice in item.choices if said in (without_article(choice).casefold(), short[choice].casefold())]


def says_unknown(choice: str) -> bool:
    """Whether an option says that somebody does not know."""
    return choice.casefold() == UNKNOWN or "did not know" in choice


def _asked_about(question: str, worlds: Sequence[Mapping[str, str]]) -> list[str] | None:
    """The people of the story that a question names, where the item does not say through whose minds it goes."""
    people = {key.removeprefix(ROOM) for world in worlds for key in world if key.startswith(ROOM)}
    things = {key.partition(" ")[2] for world in worlds for key in world if not key.startswith(ROOM)}
    return [word for word in dict.fromkeys(re.findall(r"\w+", question)) if word in people - things] or None


def _leaves(mind: object, thing: str, before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    """Whether somebody was in the room with the thing, and no longer is in that room."""
    room = before.get(f"{ROOM}{mind}")
    return room is not None and room == before.get(ROOM + thing) and room != after.get(f"{ROOM}{mind}")


@lru_cache(maxsize=128)  # many questions are about one story
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
        world, person = dict(worlds[-1]), f"{ROOM}{event['person']}"
        if event["do"] == "leave_room":
            world.pop(person, None)
        elif event["do"] == "enter_room":
            world[person] = event["room"]
        else:
            world |= {f"container {event['object']}": event["container"], ROOM + event["object"]: world[person]}
        worlds.append(world)
    return worlds[1:]
