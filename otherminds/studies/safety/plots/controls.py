"""Control questions of scripts: where a thing is and was, worked out of the events; and who makes a remark."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from otherminds.items import Item, Suite
from otherminds.items.controls import IS, WAS, WHO, control, in_pairs
from otherminds.items.tags import ABOUT, EVENTS
from otherminds.minds.story import Story

_REMARK = re.compile(r'\b([A-Z][a-z]+) says, "([^"]+)"$')
_NAME = re.compile(r"\b[A-Z][a-z]+\b")


def controls(suite: Suite) -> list[Item]:
    """Of every script that has events, where the thing is and was at first; of others, who makes the remark."""
    scripts = {item.context: item for item in suite}
    return in_pairs(
        each for item in scripts.values() for each in (_places(item) if EVENTS in item.meta else _remark(item))
    )


def _places(item: Item) -> Iterator[Item]:
    thing, events = str(item.meta.get(ABOUT, "")), item.meta[EVENTS]
    act: Mapping[str, Any] = item.meta.get("act") or {}
    # A deed at the end of a script may move the thing, and is not among the events.
    if f"the {thing}" not in item.context or not str(act.get("do", "tell")).startswith("tell"):
        return
    seen = [place for part in Story.from_dicts(events).prefixes() if (place := part.view().where(thing))]
    named = [str(event["entity"]) for event in events if event.get("is_container")]
    choices = tuple(sorted(f"the {place}" for place in {*seen, *named}))
    if not seen or len(choices) != 2 or not all(place in named for place in seen):
        return
    yield control(item, IS, f"Where is the {thing} now?", f"the {seen[-1]}", choices, f"The {thing} is now in")
    yield control(
        item, WAS, f"Where was the {thing} at first?", f"the {seen[0]}", choices, f"At first the {thing} was in"
    )


def _remark(item: Item) -> Iterator[Item]:
    found = _REMARK.search(item.context)
    if not found:
        return
    speaker, said = found.groups()
    # Only of those whom the question or its choices name is it sure that they are people.
    named = f"{item.question} {' '.join(item.choices)}"
    people = [name for name in dict.fromkeys(_NAME.findall(item.context)) if name in named.split()]
    others = [name for name in people if name != speaker]
    if others and speaker in named.split():
        choices = tuple(sorted((speaker, others[0])))
        yield control(item, WHO, f'Who says "{said}"?', speaker, choices, f'The one who says "{said}" is')
