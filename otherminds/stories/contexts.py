"""Contexts: places with people, things, containers, topics and changes that go together, to set stories in."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from otherminds.errors import BadFile, UsageError
from otherminds.files import read_words
from otherminds.items import read_lines
from otherminds.minds.setting import Setting, StateChange
from otherminds.minds.story import Premises
from otherminds.stories.sets import Cell


@dataclass(frozen=True, slots=True)
class ContextPerson:
    """Somebody in a context, with a line about them."""

    name: str
    who: str


@dataclass(frozen=True, slots=True)
class Context:
    """One place and all that can occur in it."""

    id: str
    place: str
    scene: str
    rooms: tuple[str, ...]
    people: tuple[ContextPerson, ...]
    things: tuple[str, ...]
    containers: tuple[str, ...]
    topics: tuple[str, ...]
    changes: tuple[StateChange, ...]


SIZES = {"rooms": (2, 2), "people": (6, 6), "things": (1, 3), "containers": (6, 6), "topics": (6, 6), "changes": (8, 8)}


def read_contexts(path: str | Path) -> tuple[Context, ...]:
    """Contexts from a file of JSON Lines; a missing or odd part is refused by line and field."""
    found: dict[str, Context] = {}
    for number, data in read_lines(path):
        context = read_context(data, f"{path}, line {number}")
        if context.id in found:
            raise BadFile(f"{path}, line {number}: there are two contexts called {context.id!r}")
        found[context.id] = context
    if not found:
        raise BadFile(f"{path} has no contexts; write one JSON object a line")
    return tuple(found.values())


@cache
def bank() -> tuple[Context, ...]:
    """The contexts that come with the package."""
    with as_file(files("otherminds").joinpath("data/explore/contexts.jsonl")) as path:
        return read_contexts(path)


def read_context(data: Mapping[str, Any], where: str) -> Context:
    """One context from JSON, or a sentence that names the part at fault."""
    parts: dict[str, Any] = {}
    for name in ("id", "place", "scene"):
        parts[name] = _text(data.get(name), f"{where}: {name}")
    for name, (least, most) in SIZES.items():
        given = data.get(name)
        if not isinstance(given, list) or not least <= len(given) <= most:
            size = f"{least}" if least == most else f"{least} to {most}"
            raise BadFile(f"{where}: {name} should be a list of {size}, not {given!r}")
        parts[name] = tuple(_read(name, each, f"{where}: {name}") for each in given)
    names = [person.name for person in parts["people"]] + [*parts["rooms"], *parts["things"], *parts["containers"]]
    if doubles := sorted({name for name in names if names.count(name) > 1}):
        raise BadFile(f"{where}: {doubles[0]!r} is used twice; every name must mean one thing")
    visible = sum(change.visible for change in parts["changes"])
    if visible != 4:
        raise BadFile(f"{where}: changes should be 4 visible and 4 invisible ones, not {visible} visible")
    return Context(**parts)


def _read(name: str, value: Any, where: str) -> str | ContextPerson | StateChange:
    if name == "people":
        if not isinstance(value, dict):
            raise BadFile(f"{where} should be objects with name and who, not {value!r}")
        return ContextPerson(_text(value.get("name"), f"{where}, name"), _text(value.get("who"), f"{where}, who"))
    if name == "changes":
        if not isinstance(value, dict) or not isinstance(value.get("visible"), bool):
            raise BadFile(f"{where} should be objects with property, value, visible and sentence, not {value!r}")
        property, state, words = (
            _text(value.get(part), f"{where}, {part}") for part in ("property", "value", "sentence")
        )
        if "{person}" not in words or "{thing}" not in words or words.count("{") != 2:
            raise BadFile(
                f"{where}: the sentence {words!r} should have the slots {{person}} and {{thing}} and no others"
            )
        return StateChange(property, state, value["visible"], words)
    return _text(value, where)


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise BadFile(f"{where} should be text, not {value!r}")
    return value


OPAQUE = frozenset(read_words("explore/wording")["opaque"])
"""Words for what nobody would take to be see-through."""


def setting(context: Context, cell: Cell, *, seed: int = 0) -> Setting:
    """What stories of this cell may use of the context."""
    if cell.people > len(context.people) or cell.moves > len(context.containers):
        raise UsageError(
            f"{cell.name} needs {cell.people} people and {cell.moves} containers; "
            f"context {context.id!r} has {len(context.people)} and {len(context.containers)}"
        )
    rng = random.Random(f"{seed}:{context.id}:{cell.name}")
    people = tuple(person.name for person in context.people[: cell.people])
    containers = context.containers[: max(cell.moves, 2)]
    clear: frozenset[str] = frozenset()
    if cell.set.clear:
        # What cannot be made of glass or clear plastic comes last.
        by_look = sorted(context.containers, key=lambda each: not OPAQUE.isdisjoint(each.split()))
        containers = tuple(by_look[: len(containers)])
        clear = frozenset(containers[: len(containers) // 2])
    distrust: frozenset[tuple[str, str]] = frozenset()
    if cell.set.distrust and len(people) > 1:
        # Half of the people distrust one of the others, so that whom the words reach makes a difference.
        speaker, *others = rng.sample(people, len(people))
        distrust = frozenset((hearer, speaker) for hearer in others[: len(people) // 2])
    return Setting(
        people=people,
        rooms=context.rooms[: cell.set.rooms],
        things=context.things[:1],
        containers=containers,
        topics=context.topics[: cell.moves],
        changes=context.changes,
        kinds=cell.set.kinds,
        premises=Premises(clear=clear, distrust=distrust),
    )
