"""The JSON Schema of story files: it takes what the package writes, and refuses what the package refuses."""

import json
import re
import runpy
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from jsonschema import Draft202012Validator, ValidationError

from otherminds.cli import cli
from otherminds.errors import BadFile
from otherminds.minds.events import EVENTS
from otherminds.minds.notation import read_events
from otherminds.minds.stories import STORIES, story_file
from otherminds.minds.story import Story
from tests.strategies import stories

DOCS = Path(__file__).parent.parent.parent / "docs"
SCHEMA = json.loads(files("otherminds").joinpath("data/story.schema.json").read_text(encoding="utf-8"))
STORY = Draft202012Validator(SCHEMA)
TOLD = Draft202012Validator({"$ref": "#/$defs/told", "$defs": SCHEMA["$defs"]})
ENTER = {"do": "enter_room", "person": "Ruth", "room": "shed"}
SAY = {"do": "tell_publicly", "speaker": "Ruth"}
FACT = {"entity": "seed", "property": "container", "value": "pot"}


def test_the_schema_is_that_of_the_events() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    made = runpy.run_path(str(DOCS / "make_schema.py"))
    assert made["schema"]() == SCHEMA, "run python docs/make_schema.py"


def test_every_kind_of_event_is_in_the_schema_and_on_its_page() -> None:
    page = (DOCS / "story_format.md").read_text(encoding="utf-8")
    rows = {row[0]: row[1:] for row in re.findall(r"^\| `([a-z]\w+)` \| `(\w+)` \| ([^|]*) \|", page, re.M)}
    rows |= {row[0]: (row[0], row[1]) for row in re.findall(r"^\| `([A-Z]\w+)` \| ([^|]*) \|", page, re.M)}
    ours = {do: pair for do, pair in EVENTS.items() if pair[0].__module__.startswith("otherminds.")}
    assert set(rows) == set(ours) <= set(SCHEMA["$defs"])
    for do, (kind, shape) in ours.items():
        name, fields = rows[do]
        assert name == kind.__name__
        assert set(re.findall(r"`(\w+)`", fields)) == {*shape.fields, *shape.optional}


@settings(max_examples=50)
@given(stories())
def test_story_files_keep_to_it_and_are_read_back(story: Story) -> None:
    data = json.loads(json.dumps(story_file(story)))
    if data["events"]:
        STORY.validate(data)
        assert Story.from_dicts(data["events"], premises=story.premises) == story
        assert {event["do"] for event in data["events"]} <= {kind.__name__ for kind, _ in EVENTS.values()}


@pytest.mark.parametrize("name", STORIES)
def test_stories_of_the_package_keep_to_it(name: str) -> None:
    STORY.validate(json.loads(files("otherminds").joinpath(f"data/stories/{name}.json").read_text(encoding="utf-8")))
    told = json.loads(CliRunner().invoke(cli, ["tell", name, "--json"]).output)
    TOLD.validate(told)
    STORY.validate([event["event"] for event in told["events"]])


@settings(max_examples=50)
@given(stories())
def test_written_stories_keep_to_it(story: Story) -> None:
    events = json.loads(json.dumps(story.to_dicts()))
    if events:
        STORY.validate(events)
        STORY.validate({"title": "a story", "events": events})


@pytest.mark.parametrize(
    "event",
    [
        {**ENTER, "do": "fly"},
        {"do": "enter_room", "person": "Ruth"},
        {**ENTER, "with": "a hat"},
        {**ENTER, "person": " "},
        {**ENTER, "peekers": "Tom"},
        {**ENTER, "distracted": [1]},
        {**SAY, "fact": {**FACT, "property": "colour"}},
        {**SAY, "fact": {"entity": "seed", "property": "room"}},
        {**SAY, "topic": 3},
        {"do": "change_state", "person": "A", "object": "b", "property": "c", "value": "d", "visible": "yes"},
        "enter",
    ],
    ids=str,
)
def test_what_the_package_refuses_is_refused(event: Any) -> None:
    with pytest.raises(BadFile):
        read_events([event])
    with pytest.raises(ValidationError):
        STORY.validate([event])


@pytest.mark.parametrize(
    "data",
    [{}, [], {"events": []}, {"events": [ENTER], "author": "me"}, {"events": [ENTER], "premises": {"opaque": []}}],
    ids=str,
)
def test_what_is_no_story_is_refused(data: Any) -> None:
    with pytest.raises(ValidationError):
        STORY.validate(data)
