"""Events as JSON, and back.

{"do": "enter_room", "person": "Anne", "room": "kitchen", "peekers": ["Carl"], "distracted": []}
{"do": "tell_privately", "speaker": "Anne", "listener": "Bob",
 "fact": {"entity": "apple", "property": "container", "value": "box"}}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import Formatter
from typing import Any

from otherminds.errors import BadFile
from otherminds.minds.events import Carry, Change, Enter, Event, Leave, Look, Move, Open, Place, Tell
from otherminds.minds.world import Fact

# What each event is called in JSON, and the JSON names of its fields.
EVENTS: dict[str, tuple[type[Event], dict[str, str]]] = {
    "enter_room": (Enter, {"person": "person", "room": "room"}),
    "leave_room": (Leave, {"person": "person", "room": "room"}),
    "location_declaration": (Place, {"entity": "name", "room": "room"}),
    "move_to_container": (Move, {"person": "person", "object": "thing", "container": "container"}),
    "move_to_room": (Carry, {"person": "person", "object": "thing", "room": "room"}),
    "change_state": (Change, {"person": "person", "object": "thing", "property": "property", "value": "value"}),
    "look_inside": (Look, {"person": "person", "container": "container"}),
    "open": (Open, {"person": "person", "container": "container"}),
    "tell_privately": (Tell, {"speaker": "speaker", "listener": "listener"}),
    "tell_publicly": (Tell, {"speaker": "speaker"}),
}
_OPTIONAL: dict[str, dict[str, type]] = {
    "location_declaration": {"is_person": bool, "is_container": bool},
    "change_state": {"visible": bool, "words": str},
    "tell_privately": {"topic": str, "fact": dict},
    "tell_publicly": {"topic": str, "fact": dict},
}


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
    make, names = EVENTS[do]
    fields: dict[str, Any] = {}
    for given, name in names.items():
        fields[name] = _text(data.get(given), f"{where} ({do}): {given}")
    optional = _OPTIONAL.get(do, {})
    unknown = set(data) - set(names) - set(optional) - {"do", "peekers", "distracted"}
    if unknown:
        raise BadFile(f"{where} ({do}): unknown field {min(map(str, unknown))!r}")
    for given, kind in optional.items():
        if given in data and data[given] is not None:
            if not isinstance(data[given], kind):
                raise BadFile(f"{where} ({do}): {given} should be {_KINDS[kind]}, not {data[given]!r}")
            fields[given] = data[given]
    for given in ("peekers", "distracted"):
        people = data.get(given, [])
        if not isinstance(people, list) or not all(isinstance(person, str) and person for person in people):
            raise BadFile(f"{where} ({do}): {given} should be a list of names, not {people!r}")
        fields[given] = frozenset(people)
    if fields.get("words"):
        _check_slots(fields["words"], f"{where} ({do}): words")
    if make is Place:
        person, container = fields.pop("is_person", False), fields.pop("is_container", fields["name"] in containers)
        fields["role"] = "person" if person else "container" if container else "thing"
    if "fact" in fields:
        fact = fields["fact"]
        parts = [_text(fact.get(part), f"{where} ({do}): fact {part}") for part in ("entity", "property", "value")]
        if parts[1] not in ("room", "container") and not parts[1].startswith("state:"):
            raise BadFile(f"{where} ({do}): fact property should be room, container or state:TYPE, not {parts[1]!r}")
        fields["fact"] = Fact(*parts)
    return make(**fields)


def _check_slots(words: str, where: str) -> None:
    try:
        slots = {slot for _, slot, _, _ in Formatter().parse(words) if slot is not None}
    except ValueError:
        slots = {words}
    if not slots <= {"person", "thing"}:
        raise BadFile(f"{where} may have the slots {{person}} and {{thing}} and no others: {words!r}")


_KINDS = {bool: "true or false", str: "text", dict: "an object"}


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise BadFile(f"{where} should be a name, not {value!r}")
    return value


def write_event(event: Event) -> dict[str, Any]:
    """An event as JSON, without what is empty."""
    if isinstance(event, Tell):
        do = "tell_publicly" if event.listener is None else "tell_privately"
    else:
        do = next(name for name, (kind, _) in EVENTS.items() if kind is type(event))
    data: dict[str, Any] = {"do": do, **{given: getattr(event, name) for given, name in EVENTS[do][1].items()}}
    if isinstance(event, Place):
        data |= {f"is_{event.role}": True} if event.role != "thing" else {"is_person": False}
    if isinstance(event, Change):
        data["visible"] = event.visible
        data |= {"words": event.words} if event.words else {}
    if isinstance(event, Tell):
        told = event.fact
        data |= {"topic": event.topic} if told is None else {"fact": dict(zip(_FACT, told, strict=True))}
    for given in ("peekers", "distracted"):
        if people := getattr(event, given):
            data[given] = sorted(people)
    return data


_FACT = ("entity", "property", "value")
