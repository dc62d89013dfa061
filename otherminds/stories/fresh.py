"""Fresh: the same events with other people, places and things, told in other words.

Whatever a model answers about them has not decided which story was chosen.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from otherminds.minds.setting import Setting, StateChange
from otherminds.minds.story import Premises, Story
from otherminds.minds.world import STATE
from otherminds.stories.contexts import Context, setting
from otherminds.stories.sets import Cell

_SHUFFLED = ("people", "rooms", "containers", "topics", "changes")
_NAMED = ("people", "rooms", "things", "containers", "topics")


def other_settings(contexts: Sequence[Context], cell: Cell, *, besides: Context, seed: int) -> Iterator[Setting]:
    """Settings of the same cell without end, first each of the other contexts; people and places in a new order."""
    rng = random.Random(f"fresh:{seed}:{besides.id}:{cell.name}")
    others = [each for each in contexts if each.id != besides.id] or [besides]
    while True:
        for context in rng.sample(others, len(others)):
            yield setting(_shuffled(context, rng), cell, seed=rng.getrandbits(32))


def _shuffled(context: Context, rng: random.Random) -> Context:
    given = ((name, getattr(context, name)) for name in _SHUFFLED)
    parts: dict[str, Any] = {name: tuple(rng.sample(some, len(some))) for name, some in given}
    return replace(context, **parts)


def renamed(story: Story, old: Setting, new: Setting) -> Story:
    """The same events, with everything of one setting replaced by what has its place in the other."""
    names = {one: other for part in _NAMED for one, other in zip(getattr(old, part), getattr(new, part), strict=False)}
    changes = {(one.property, one.value): other for one, other in _paired(old.changes, new.changes)}
    events = [_renamed(event, names, changes) for event in story.to_dicts()]
    return Story.from_dicts(events, premises=_premises(story.premises, names))


def _paired(old: Sequence[StateChange], new: Sequence[StateChange]) -> Iterator[tuple[StateChange, StateChange]]:
    """What can be seen stands for what can be seen, and what cannot for what cannot."""
    for visible in (True, False):
        one, other = ([change for change in some if change.visible is visible] for some in (old, new))
        yield from zip(one, other, strict=False)


def _renamed(
    event: Mapping[str, Any], names: Mapping[str, str], changes: Mapping[tuple[str, str], StateChange]
) -> dict[str, Any]:
    data = {key: value if key == "do" else _mapped(value, names) for key, value in event.items()}
    if event["do"] == "change_state":
        new = changes[event["property"], event["value"]]
        data |= {"property": new.property, "value": new.value, "words": new.words}
    told = event.get("fact")
    if told and told["property"].startswith(STATE):
        new = changes[told["property"].removeprefix(STATE), told["value"]]
        data["fact"] = {"entity": names[told["entity"]], "property": STATE + new.property, "value": new.value}
    return data


def _mapped(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, list):
        return [_mapped(each, names) for each in value]
    if isinstance(value, dict):
        return {key: part if key == "property" else _mapped(part, names) for key, part in value.items()}
    if isinstance(value, tuple | frozenset):
        return type(value)(_mapped(each, names) for each in value)
    return value


def _premises(premises: Premises, names: Mapping[str, str]) -> Premises:
    return Premises(**{part.name: _mapped(getattr(premises, part.name), names) for part in fields(Premises)})
