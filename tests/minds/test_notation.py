"""Stories as JSON: what is written can be read, and what cannot be read is refused with a sentence."""

from __future__ import annotations

import random
from dataclasses import fields
from typing import Any

import pytest

from otherminds.errors import BadFile, InvalidEvent, OthermindsError
from otherminds.minds.events import Carry, Change, Enter, Leave, Look, Move, Open, Place, Tell
from otherminds.minds.notation import EVENTS, read_events, write_event, write_for_file
from otherminds.minds.story import Story
from otherminds.minds.world import Fact

PAIRS = [
    (Enter("Mira", "shed"), {"do": "enter_room", "person": "Mira", "room": "shed"}),
    (
        Leave("Mira", "shed", peekers={"Theo", "Nils"}),
        {"do": "leave_room", "person": "Mira", "room": "shed", "peekers": ["Nils", "Theo"]},
    ),
    (
        Place("Mira", "shed", "person"),
        {"do": "location_declaration", "entity": "Mira", "room": "shed", "is_person": True},
    ),
    (Place("kite", "shed"), {"do": "location_declaration", "entity": "kite", "room": "shed", "is_person": False}),
    (
        Place("crate", "shed", "container"),
        {"do": "location_declaration", "entity": "crate", "room": "shed", "is_container": True},
    ),
    (
        Move("Mira", "kite", "crate", distracted={"Theo"}),
        {
            "do": "move_to_container",
            "person": "Mira",
            "object": "kite",
            "container": "crate",
            "distracted": ["Theo"],
        },
    ),
    (Carry("Mira", "kite", "yard"), {"do": "move_to_room", "person": "Mira", "object": "kite", "room": "yard"}),
    (
        Change("Mira", "kite", "colour", "is red", True, "{person} paints the {thing} red."),
        {
            "do": "change_state",
            "person": "Mira",
            "object": "kite",
            "property": "colour",
            "value": "is red",
            "visible": True,
            "words": "{person} paints the {thing} red.",
        },
    ),
    (Look("Mira", "crate"), {"do": "look_inside", "person": "Mira", "container": "crate"}),
    (Open("Mira", "crate"), {"do": "open", "person": "Mira", "container": "crate"}),
    (
        Tell("Mira", "Theo", topic="the flood"),
        {"do": "tell_privately", "speaker": "Mira", "listener": "Theo", "topic": "the flood"},
    ),
    (
        Tell("Mira", fact=Fact("kite", "state:colour", "is red")),
        {
            "do": "tell_publicly",
            "speaker": "Mira",
            "fact": {"entity": "kite", "property": "state:colour", "value": "is red"},
        },
    ),
]


@pytest.mark.parametrize(("event", "data"), PAIRS, ids=[f"{data['do']}-{n}" for n, (_, data) in enumerate(PAIRS)])
def test_each_event_is_written_and_read_back(event, data):
    assert write_event(event) == data
    assert read_events([data]) == [event]


def test_every_event_of_the_notation_is_tried_above():
    older = {name for name, (kind, _) in EVENTS.items() if name != kind.__name__}
    assert {data["do"] for _, data in PAIRS} == older


@pytest.mark.parametrize(("event", "older"), PAIRS, ids=lambda part: part["do"] if isinstance(part, dict) else "")
def test_story_files_have_the_names_of_python(event, older):
    data = write_for_file(event)
    assert data["do"] == type(event).__name__
    assert set(data) - {"do"} <= {field.name for field in fields(event)} | {"is_person", "is_container"}
    assert read_events([data]) == read_events([older])


def test_a_declared_name_is_a_container_where_the_story_uses_it_as_one():
    declared = {"do": "location_declaration", "entity": "crate", "room": "shed"}
    used = {"do": "move_to_container", "person": "Mira", "object": "kite", "container": "crate"}
    assert read_events([declared])[0] == Place("crate", "shed")
    assert read_events([declared, used])[0] == Place("crate", "shed", "container")


GOOD = {"do": "enter_room", "person": "Mira", "room": "shed"}
BAD: dict[str, tuple[Any, str]] = {
    "not a list": ({"do": "enter_room"}, "a story should be a list of events, not dict"),
    "not an object": ([GOOD, "leave"], "event 2 should be an object with a field 'do', not 'leave'"),
    "no do": ([{"person": "Mira"}], "event 1: there is no event None; there are Enter, Leave"),
    "unknown do": ([GOOD, {"do": "fly"}], "event 2: there is no event 'fly'; there are"),
    "odd do": ([{"do": ["enter_room"]}], "event 1: there is no event"),
    "missing": ([{"do": "enter_room", "person": "Mira"}], r"event 1 \(enter_room\): room should be a name, not None"),
    "blank": ([GOOD | {"room": " "}], r"event 1 \(enter_room\): room should be a name, not ' '"),
    "extra": ([GOOD | {"colour": "red"}], r"event 1 \(enter_room\): unknown field 'colour'"),
    "peekers": ([GOOD | {"peekers": "Theo"}], "peekers should be a list of names, not 'Theo'"),
    "distracted": ([GOOD | {"distracted": [1]}], r"distracted should be a list of names, not \[1\]"),
    "visible": ([PAIRS[7][1] | {"visible": "yes"}], "visible should be true or false, not 'yes'"),
    "fact": ([PAIRS[11][1] | {"fact": ["kite"]}], r"fact should be an object, not \['kite'\]"),
    "fact part": ([PAIRS[11][1] | {"fact": {"entity": "kite"}}], "fact property should be a name, not None"),
    "fact property": (
        [PAIRS[11][1] | {"fact": {"entity": "kite", "property": "mood", "value": "x"}}],
        "fact property should be room, container or state:TYPE, not 'mood'",
    ),
    "container": ([PAIRS[5][1] | {"container": ["crate"]}], "container should be a name"),
}


@pytest.mark.parametrize(("events", "why"), BAD.values(), ids=BAD)
def test_a_bad_story_is_refused_by_event_and_field(events, why):
    with pytest.raises(BadFile, match=why):
        Story.from_dicts(events)


@pytest.mark.parametrize("words", ["{colour} paint", "{", "{person.__class__}", "{0}"])
def test_words_with_slots_of_their_own_are_refused(words):
    painted = PAIRS[7][1] | {"words": words}
    with pytest.raises(BadFile, match="event 2"):
        Story.from_dicts([GOOD, painted])


def test_a_story_that_reads_well_may_still_be_impossible():
    with pytest.raises(InvalidEvent, match=r"^event 2 cannot happen: Mira is not in the yard, so cannot leave it$"):
        Story.from_dicts([GOOD, {"do": "leave_room", "person": "Mira", "room": "yard"}])


JUNK: list[Any] = [
    None,
    True,
    0,
    -1,
    2.5,
    "",
    " ",
    "Mira",
    "shed",
    "\x00",
    [],
    ["Mira"],
    [[]],
    {},
    {"a": []},
    "{",
    "é" * 99,
]


def damaged(rng: random.Random) -> Any:
    """A good story with something wrong in it, or no story at all."""
    events: list[Any] = [dict(data) for _, data in rng.choices(PAIRS, k=rng.randint(1, 4))]
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(events))
        match rng.randrange(5):
            case 0:
                events[at] = rng.choice(JUNK)
            case 1 if isinstance(events[at], dict) and events[at]:
                events[at][rng.choice(list(events[at]))] = rng.choice(JUNK)
            case 2 if isinstance(events[at], dict) and events[at]:
                del events[at][rng.choice(list(events[at]))]
            case 3 if isinstance(events[at], dict):
                events[at][rng.choice(["fact", "peekers", "distracted", "topic", "odd"])] = rng.choice(JUNK)
            case 4 if isinstance(events[at], dict):
                events[at]["do"] = rng.choice([*EVENTS, *JUNK])
    return rng.choice([events] * 9 + [rng.choice(JUNK)])


def test_junk_is_refused_with_a_sentence():
    rng = random.Random(3)
    refused = 0
    for _ in range(500):
        data = damaged(rng)
        try:
            Story.from_dicts(data).tell(seed=1)
        except OthermindsError:
            refused += 1
    assert refused > 400
