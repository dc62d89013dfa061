"""Events as JSON, and back.

{"do": "enter_room", "person": "Anne", "room": "kitchen", "peekers": ["Carl"], "distracted": []}
{"do": "tell_privately", "speaker": "Anne", "listener": "Bob",
 "fact": {"entity": "apple", "property": "container", "value": "box"}}
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
    moves = [data for data in events if isinstance(data, dict) and data.get("do") == "move_to_container"]
    containers = {name for data in moves if isinstance(name := data.get("container"), str)}
    return [_read(data, f"event {number}", containers) for number, data in enumerate(events, start=1)]


def _read(data: Any, where: str, containers: set[str]) -> Event:
    if not isinstance(data, Mapping):
        raise BadFile(f"{where} should be an object with a field 'do', not {data!r}")
    do = data.get("do")
    if not isinstance(do, str) or do not in EVENTS:
        raise BadFile(f"{where}: there is no event {do!r}; there are {', '.join(EVENTS)}")
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


def write_event(event: Event) -> dict[str, Any]:
    """An event as JSON, without what is empty."""
    data: dict[str, Any] = {}
    for shape in _shapes(type(event)):
        data = {"do": shape.do, **{given: getattr(event, name) for given, name in shape.fields.items()}}
        if None not in data.values():
            break
    data |= event.details()
    for given in ("peekers", "distracted"):
        if people := getattr(event, given):
            data[given] = sorted(people)
    return data


@cache
def _shapes(kind: type[Event]) -> tuple[Shape, ...]:
    return kind.shapes()
