"""Events as JSON, and back.

{"do": "Enter", "person": "Anne", "room": "kitchen", "peekers": ["Carl"], "distracted": []}
{"do": "Tell", "speaker": "Anne", "listener": "Bob", "fact": {"of": "apple", "property": "container", "value": "box"}}

Story files go by the names that events have in Python. Items keep their stories under older names, which are read
everywhere: {"do": "enter_room", …}, {"do": "tell_privately", …, "fact": {"entity": "apple", …}}. A suite is known by
its characters, so what it holds is written as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from otherminds.errors import BadFile
from otherminds.minds.events import EVENTS, Event
from otherminds.minds.events.event import Shape, text


def read_events(events: Sequence[Any]) -> list[Event]:
    """Events from JSON; a malformed one is refused by its number."""
    if not isinstance(events, list | tuple):
        raise BadFile(f"a story should be a list of events, not {type(events).__name__}")
    moves = [data for data in events if isinstance(data, dict) and data.get("do") in ("Move", "move_to_container")]
    containers = {name for data in moves if isinstance(name := data.get("container"), str)}
    return [_read(data, f"event {number}", containers) for number, data in enumerate(events, start=1)]


def _read(data: Any, where: str, containers: set[str]) -> Event:
    if not isinstance(data, Mapping):
        raise BadFile(f"{where} should be an object with a field 'do', not {data!r}")
    do = data.get("do")
    if not isinstance(do, str) or do not in EVENTS:
        known = [name for name, (kind, _) in EVENTS.items() if name == kind.__name__]
        raise BadFile(f"{where}: there is no event {do!r}; there are {', '.join(known)}")
    kind, (_, names, optional) = EVENTS[do]
    where = f"{where} ({do})"
    fields: dict[str, Any] = {}
    for given, name in names.items():
        fields[name] = text(data.get(given), f"{where}: {given}")
    unknown = set(data) - set(names) - set(optional) - {"do", "peekers", "distracted"}
    if unknown:
        raise BadFile(f"{where}: unknown field {min(map(str, unknown))!r}")
    for given, wanted in optional.items():
        if given in data and data[given] is not None:
            if not isinstance(data[given], wanted):
                raise BadFile(f"{where}: {given} should be {_TYPES[wanted]}, not {data[given]!r}")
            fields[given] = data[given]
    for given in ("peekers", "distracted"):
        people = data.get(given, [])
        if not isinstance(people, list) or not all(isinstance(person, str) and person for person in people):
            raise BadFile(f"{where}: {given} should be a list of names, not {people!r}")
        fields[given] = frozenset(people)
    return kind.read(fields, where, containers)


_TYPES = {bool: "true or false", str: "text", dict: "an object"}


def write_for_file(event: Event) -> dict[str, Any]:
    """An event as story files have it, by the names of Python, without what is empty."""
    shape = type(event).shape()
    names = [*shape.fields, *(name for name in shape.optional if isinstance(getattr(event, name, None), str))]
    data = {"do": shape.do} | {name: getattr(event, name) for name in names if getattr(event, name) != ""}
    data |= event.details()
    if isinstance(fact := data.get("fact"), dict):
        data["fact"] = {"of": fact["entity"], "property": fact["property"], "value": fact["value"]}
    return data | _apart(event)


def write_event(event: Event) -> dict[str, Any]:
    """An event as items keep it, without what is empty."""
    data: dict[str, Any] = {}
    for shape in _shapes(type(event)):
        data = {"do": shape.do, **{given: getattr(event, name) for given, name in shape.fields.items()}}
        if None not in data.values():
            break
    return data | event.details() | _apart(event)


def _apart(event: Event) -> dict[str, Any]:
    """Who sees it in secret, and who misses it."""
    return {given: sorted(people) for given in ("peekers", "distracted") if (people := getattr(event, given))}


@cache
def _shapes(kind: type[Event]) -> tuple[Shape, ...]:
    return kind.shapes()
