"""Stories from files: the built-in ones, and a sentence for everything that can be wrong with a file."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from otherminds.errors import BadFile, InvalidEvent, UsageError
from otherminds.minds.events import Carry, Change, Enter, Leave, Look, Move, Open, Place, Tell
from otherminds.minds.questions import quiz
from otherminds.minds.stories import STORIES, in_brief, load_story, titled_story
from otherminds.minds.world import Fact

ENTER = {"do": "enter_room", "person": "Ruth", "room": "shed"}

WET = {"do": "change_state", "person": "Ruth", "object": "seed", "property": "wet", "value": "is wet"}


def written(folder: Path, data: object) -> Path:
    path = folder / "mine.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", STORIES)
def test_built_in_stories_can_be_told_and_asked_about(name: str) -> None:
    title, story = titled_story(name)
    assert title
    assert len(quiz(story, order=2)) > 5


def test_every_story_in_the_package_is_listed() -> None:
    there = {path.name.removesuffix(".json") for path in files("otherminds").joinpath("data/stories").iterdir()}
    assert there == set(STORIES)


def test_the_built_in_stories_show_what_they_say() -> None:
    assert load_story("sally-anne").view("Sally").where("marble") == "basket"
    cream = load_story("ice-cream")
    assert {cream.view(*who).where("ice-cream tub") for who in [(), ("Milo",), ("Ada",)]} == {"square"}
    assert cream.view("Milo", "Ada").where("ice-cream tub") == "park"
    tin = load_story("biscuit-tin")
    assert (tin.view("Pip").where("cake"), tin.view("Ivo").where("cake")) == (None, "tin")
    lie = load_story("false-trail")
    assert (lie.view("Rhea").where("map"), lie.view("Tess").where("map")) == ("drawer", None)
    talk = load_story("overheard")
    assert (talk.view("Kit").where("letter"), talk.view("Hugo", "Kit").where("letter")) == ("globe", "desk")
    jar = load_story("glass-jar")
    assert list(jar.prefixes())[5].view("Juno").where("coin") == "jar"


def test_a_file_may_be_a_bare_list_of_events(tmp_path: Path) -> None:
    title, story = titled_story(written(tmp_path, [ENTER]))
    assert (title, story.people) == ("mine", ("Ruth",))


def test_a_file_may_have_title_and_premises(tmp_path: Path) -> None:
    events = [ENTER, {"do": "move_to_container", "person": "Ruth", "object": "seed", "container": "pot"}]
    events.append({"do": "enter_room", "person": "Saul", "room": "shed"})
    premises = {"clear": ["pot"], "distrust": [["Saul", "Ruth"]], "fresh": True}
    title, story = titled_story(written(tmp_path, {"title": "Seed", "events": events, "premises": premises}))
    assert title == "Seed"
    assert story.premises.clear == {"pot"}
    assert story.premises.distrust == {("Saul", "Ruth")}
    assert story.premises.fresh


def test_an_unknown_name_lists_what_there_is() -> None:
    with pytest.raises(UsageError, match=r"'sally-ann' \(did you mean sally-anne\?\); there are sally-anne, ice"):
        load_story("sally-ann")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"there is no file .*none\.json"):
        load_story(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[\n{"do": "enter_room",}\n]', r"line 2, column 2\d is not JSON"),
        ("[" * 100_000, "is not JSON that can be read"),
        ("3", "should be a list of events"),
        ({"events": [ENTER], "plot": 1}, "unknown field 'plot'"),
        ({"events": [ENTER], "title": 7}, "title should be text, not 7"),
        ({"events": []}, "events are missing"),
        ({"events": {"do": "enter_room"}}, "list of events, not dict"),
        ([{"do": "fly"}], "event 1: there is no event 'fly'; there are Enter"),
        ([ENTER, {"do": "leave_room", "person": "Ruth"}], r"event 2 \(leave_room\): room should be a name"),
        ([ENTER, WET | {"words": "{0}"}], r"event 2 \(change_state\): words may have"),
        ({"events": [ENTER], "premises": []}, "premises should be an object"),
        ({"events": [ENTER], "premises": {"trust": []}}, "premises: unknown field 'trust'"),
        ({"events": [ENTER], "premises": {"clear": "jar"}}, "clear should be a list of containers, not 'jar'"),
        ({"events": [ENTER], "premises": {"distrust": [["Ruth"]]}}, "distrust should be a list of pairs"),
        ({"events": [ENTER], "premises": {"fresh": 1}}, "fresh should be true or false, not 1"),
        ({"events": [ENTER], "premises": {"clear": ["jar"]}}, "clear names 'jar', no container .* there are none"),
        ({"events": [ENTER], "premises": {"distrust": [["Ruth", "Ruht"]]}}, "distrust names 'Ruht', .* there are Ruth"),
    ],
)
def test_a_malformed_file_is_refused_with_a_sentence(tmp_path: Path, content: object, said: str) -> None:
    with pytest.raises(BadFile, match=said) as refused:
        load_story(written(tmp_path, content))
    assert "mine.json" in str(refused.value)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_bytes(b'["\xff"]')
    with pytest.raises(BadFile, match="not text in UTF-8: byte 2"):
        load_story(path)


def test_a_folder_is_no_story(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot be read"):
        load_story(tmp_path)


def test_an_impossible_event_is_named_by_number_and_words(tmp_path: Path) -> None:
    events = [ENTER, {"do": "leave_room", "person": "Ruth", "room": "barn"}]
    with pytest.raises(InvalidEvent, match="event 2, 'Ruth leaves the barn', cannot happen: "):
        load_story(written(tmp_path, events))


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (Enter("Ruth", "shed"), "Ruth enters the shed"),
        (Leave("Ruth", "shed", distracted={"Saul"}), "Ruth leaves the shed (missed by Saul)"),
        (Place("Ruth", "shed", "person"), "Ruth is in the shed"),
        (Place("pot", "shed", "container"), "the pot is in the shed"),
        (
            Move("Ruth", "seed", "pot", peekers={"Saul", "Orla"}),
            "Ruth puts the seed into the pot (Orla and Saul in secret)",
        ),
        (Carry("Ruth", "seed", "barn"), "Ruth carries the seed to the barn"),
        (Change("Ruth", "seed", "wet", "is wet", visible=True), "Ruth sees to it that the seed is wet"),
        (Look("Ruth", "pot"), "Ruth looks into the pot"),
        (Open("Ruth", "pot"), "Ruth opens the pot"),
        (Tell("Ruth", "Saul", topic="rain"), "Ruth tells Saul about rain"),
        (Tell("Ruth", fact=Fact("Saul", "room", "barn")), "Ruth tells all that Saul is in the barn"),
    ],
)
def test_events_in_brief(event: object, words: str) -> None:
    assert in_brief(event, {"Saul": "person"}) == words
