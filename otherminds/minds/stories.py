"""Stories from files, and those that come with the package.

{"title": "Sally and Anne",
 "premises": {"clear": [], "distrust": [["Anne", "Sally"]], "fresh": false},
 "events": [{"do": "Enter", "person": "Sally", "room": "den"}, …]}

Only the events are needed; a bare list of them is a story too. `notation.py` says what an event looks like.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any

from otherminds.errors import BadFile, InvalidEvent, UsageError
from otherminds.files import BY_HAND, parse_json, read_text, read_words, write_text
from otherminds.minds.events import Event
from otherminds.minds.notation import read_events, write_for_file
from otherminds.minds.story import Premises, Story
from otherminds.minds.telling import listing

STORIES: dict[str, str] = read_words("stories")["stories"]
"""The stories in data/stories, each with what it shows."""


def load_story(source: str | Path) -> Story:
    """The built-in story of that name, or the one in that .json file."""
    return titled_story(source)[1]


def titled_story(source: str | Path) -> tuple[str, Story]:
    """The story and what it is called; a file without a title is called by its own name."""
    name, path = str(source), Path(source)
    if name in STORIES:
        text = files("otherminds").joinpath(f"data/stories/{name}.json").read_text(encoding="utf-8")
        return _parse(text, name)
    if os.path.exists(path) or path.suffix == ".json" or len(path.parts) > 1:
        title, story = _parse(read_text(path, most=BY_HAND), name)
        return title or path.stem, story
    near = get_close_matches(name, STORIES, n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise UsageError(f"there is no story {name!r}{hint}; there are {', '.join(STORIES)}; or give a .json file")


def story_file(story: Story, title: str = "") -> dict[str, Any]:
    """A story as its file has it, by the names of Python, without what is empty."""
    premises = {
        "clear": sorted(story.premises.clear),
        "distrust": sorted(map(list, story.premises.distrust)),
        "fresh": story.premises.fresh,
    }
    held = {name: value for name, value in premises.items() if value}
    named = ({"title": title} if title else {}) | ({"premises": held} if held else {})
    return named | {"events": [write_for_file(event) for event in story.events]}


def save_story(story: Story, path: str | Path, *, title: str = "") -> None:
    """Write a story file, an event a line; it is there whole or not at all."""
    data = story_file(story, title)
    events = ",\n".join(f"    {json.dumps(event, ensure_ascii=False)}" for event in data.pop("events"))
    head = "".join(f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)},\n" for name, value in data.items())
    write_text(path, f'{{\n{head}  "events": [\n{events}\n  ]\n}}\n')


def in_brief(event: Event, roles: Mapping[str, str]) -> str:
    """An event in a few words, whether or not it can happen: "Anne puts the marble into the box"."""
    words = event.brief(roles)
    apart = [f"{listing(sorted(event.peekers))} in secret"] if event.peekers else []
    apart += [f"missed by {listing(sorted(event.distracted))}"] if event.distracted else []
    return f"{words} ({'; '.join(apart)})" if apart else words


# ---- reading a file -------------------------------------------------------------------------------------------


def _parse(text: str, where: str) -> tuple[str, Story]:
    try:
        data = parse_json(text)
    except json.JSONDecodeError as error:
        raise BadFile(f"{where}, line {error.lineno}, column {error.colno} is not JSON: {error.msg}") from None
    except ValueError as error:
        raise BadFile(f"{where} is not JSON that can be read: {error}") from None
    if isinstance(data, list):
        data = {"events": data}
    if not isinstance(data, dict):
        raise BadFile(f"{where} should be a list of events, or an object with a field 'events'")
    _only(data, ("title", "events", "premises"), where)
    title = data.get("title", "")
    if not isinstance(title, str):
        raise BadFile(f"{where}: title should be text, not {title!r}")
    if not data.get("events"):
        raise BadFile(f"{where}: events are missing, so nothing happens in this story")
    try:
        events = read_events(data["events"])
    except BadFile as error:
        raise BadFile(f"{where}: {error}") from None
    story = _story(events, read_premises(data.get("premises", {}), f"{where}: premises"), where)
    _check_premises(story, where)
    return title, story


def _story(events: list[Event], premises: Premises, where: str) -> Story:
    story = Story(premises=premises)
    for number, event in enumerate(events, start=1):
        try:
            story = story.then(event)
        except InvalidEvent as error:
            words = in_brief(event, story.cast.roles)
            raise InvalidEvent(f"{where}: event {number}, {words!r}, cannot happen: {error}") from None
    return story


def read_premises(data: Any, where: str) -> Premises:
    """Premises from JSON; `where` begins the sentence if they cannot be used."""
    if not isinstance(data, dict):
        raise BadFile(f"{where} should be an object with clear, distrust and fresh, not {data!r}")
    _only(data, ("clear", "distrust", "fresh"), where)
    clear, distrust, fresh = data.get("clear", []), data.get("distrust", []), data.get("fresh", False)
    if not _are_names(clear):
        raise BadFile(f"{where}: clear should be a list of containers, not {clear!r}")
    if not isinstance(distrust, list) or not all(_are_names(pair) and len(pair) == 2 for pair in distrust):
        raise BadFile(f"{where}: distrust should be a list of pairs [hearer, speaker], not {distrust!r}")
    if not isinstance(fresh, bool):
        raise BadFile(f"{where}: fresh should be true or false, not {fresh!r}")
    return Premises(frozenset(clear), frozenset((hearer, speaker) for hearer, speaker in distrust), fresh)


def _check_premises(story: Story, where: str) -> None:
    """Refuse a premise about somebody or something that the story does not have: most likely a slip of the pen."""
    roles = story.cast.roles
    wanted = [(name, "container", "clear") for name in sorted(story.premises.clear)]
    wanted += [(name, "person", "distrust") for pair in sorted(story.premises.distrust) for name in pair]
    for name, role, field in wanted:
        if roles.get(name) != role:
            there = ", ".join(other for other, kind in roles.items() if kind == role) or "none"
            raise BadFile(f"{where}: premises: {field} names {name!r}, no {role} of this story; there are {there}")


def _only(data: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    unknown = sorted(set(data) - set(known))
    if unknown:
        raise BadFile(f"{where}: unknown field {unknown[0]!r}; there are {', '.join(known)}")


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) and name for name in value)
