"""Writes otherminds/data/story.schema.json from the kinds of event: `python docs/make_schema.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from otherminds.minds.events import EVENTS, Event
from otherminds.minds.events.event import Shape

PLACE = Path(__file__).parent.parent / "otherminds" / "data" / "story.schema.json"
NAME = {"type": "string", "pattern": r"\S"}
NAMES = {"type": "array", "items": NAME}
TYPES: dict[type, dict[str, Any]] = {bool: {"type": "boolean"}, str: {"type": "string"}, dict: {"$ref": "#/$defs/fact"}}
FACT = {
    "type": "object",
    "description": "What is said: a thing or person, a property of it, and the value.",
    "properties": {
        "of": NAME,
        "entity": {**NAME, "description": "The older name of `of`."},
        "property": {"pattern": "^(room|container|state:.+)$"},
        "value": NAME,
    },
    "required": ["property", "value"],
    "oneOf": [{"required": ["of"]}, {"required": ["entity"]}],
}
PREMISES = {
    "type": "object",
    "description": "What holds throughout the story and is known to all.",
    "properties": {
        "clear": {**NAMES, "description": "Containers that can be seen through."},
        "distrust": {
            "type": "array",
            "items": {**NAMES, "minItems": 2, "maxItems": 2},
            "description": "Pairs [hearer, speaker]: the hearer does not believe what this speaker says.",
        },
        "fresh": {"type": "boolean", "description": "Nobody is talked out of what they saw more lately."},
    },
    "additionalProperties": False,
}
TOLD_EVENT = {
    "type": "object",
    "properties": {
        "number": {"type": "integer", "minimum": 1},
        "event": {"$ref": "#/$defs/event"},
        "text": {"type": "string", "description": "The event in words."},
        "views": {"type": "array", "items": {"$ref": "#/$defs/view"}},
    },
    "required": ["number", "event", "text", "views"],
}
VIEW = {
    "type": "object",
    "description": "What a chain of minds takes to be so after an event; without minds, what is so.",
    "properties": {
        "minds": NAMES,
        "facts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"of": NAME, "property": NAME, "value": NAME, "false": {"type": "boolean"}},
                "required": ["of", "property", "value", "false"],
            },
        },
        "topics": NAMES,
    },
    "required": ["minds", "facts", "topics"],
}
TOLD = {
    "type": "object",
    "description": "What `otherminds tell STORY --json` prints: the story, and who believes what after each event.",
    "properties": {
        "title": {"type": "string"},
        "order": {"type": "integer", "minimum": 0},
        "events": {"type": "array", "items": {"$ref": "#/$defs/told_event"}},
    },
    "required": ["title", "order", "premises", "events"],
}


def schema() -> dict[str, Any]:
    """The whole schema: a story is an object with events, or a bare list of them."""
    events = {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/event"}}
    properties = {"title": {"type": "string"}, "premises": {"$ref": "#/$defs/premises"}, "events": events}
    story = {"type": "object", "properties": properties, "required": ["events"], "additionalProperties": False}
    ours = {do: pair for do, pair in EVENTS.items() if pair[0].__module__.startswith("otherminds.")}
    kinds = {do: event_schema(kind, shape) for do, (kind, shape) in ours.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A story of otherminds",
        "anyOf": [story, events],
        "$defs": {
            "event": {"oneOf": [{"$ref": f"#/$defs/{do}"} for do in kinds]},
            **kinds,
            "fact": FACT,
            "premises": PREMISES,
            "told": TOLD,
            "told_event": TOLD_EVENT,
            "view": VIEW,
        },
    }


def event_schema(kind: type[Event], shape: Shape) -> dict[str, Any]:
    """One kind of event as it stands in a file."""
    properties = {"do": {"const": shape.do}} | dict.fromkeys(shape.fields, NAME)
    properties |= {name: TYPES[wanted] for name, wanted in shape.optional.items()}
    found: dict[str, Any] = {
        "type": "object",
        "description": f"{kind.__name__}: {(kind.__doc__ or '').splitlines()[0]}",
        "properties": properties | {"peekers": NAMES, "distracted": NAMES},
        "required": ["do", *shape.fields],
        "additionalProperties": False,
    }
    if {"topic", "fact"} <= set(shape.optional):
        found["oneOf"] = [{"required": ["topic"]}, {"required": ["fact"]}]
    return found


def text() -> str:
    return json.dumps(schema(), indent=1) + "\n"


if __name__ == "__main__":
    PLACE.write_text(text(), encoding="utf-8")
