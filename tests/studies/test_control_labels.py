"""The answers to control questions, worked out a second time by code that shares nothing with the package."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from otherminds.items import Item, Suite
from otherminds.items.tags import CONTROL, TOLD, check_tags
from otherminds.studies import STUDIES
from otherminds.studies.dialogue.questions import controls as dialogue
from otherminds.studies.dialogue.questions import sample
from otherminds.studies.explore.material import controls as explore
from otherminds.studies.perturbed import controls as perturbed
from otherminds.studies.perturbed.tasks import build as perturbed_build
from otherminds.studies.safety.plots import build as safety_build
from otherminds.studies.safety.plots import controls as safety
from otherminds.studies.starter.study import controls as starter_controls
from otherminds.studies.starter.study import starter as starter_suite

SUITES: dict[str, Suite] = {}
MADE = {
    "starter": (starter_controls, starter_suite),
    "safety": (safety.controls, lambda: safety_build.build(size=24)),
    "dialogue": (dialogue.controls, lambda: sample.suite(sample.drawn(0))),
    "explore": (explore.controls, lambda: explore.stories(0, number=24)),
    "perturbed": (perturbed.controls, lambda: perturbed_build.build(focal=True)),
}


def made(name: str) -> tuple[Suite, list[Item]]:
    controls, build = MADE[name]
    suite = build()
    return suite, controls(suite)


def exchanged(item: Item) -> bool:
    return item.id.endswith("/exchanged")


def moves(events: Iterable[Mapping[str, Any]], thing: str) -> list[str]:
    return [event["container"] for event in events if event["do"] == "move_to_container" and event["object"] == thing]


def test_every_study_has_them() -> None:
    assert all(STUDIES[name]().controls and STUDIES[name]().questions for name in MADE)


@pytest.mark.parametrize("name", MADE)
def test_they_are_about_the_same_stories(name: str) -> None:
    suite, controls = made(name)
    stories = {item.context for item in suite}
    assert len({item.id for item in controls}) == len(controls) >= 24
    for item in controls:
        check_tags(item.tags, item.id)
        assert item.meta[TOLD] in stories
        assert item.tags[CONTROL] in ("is", "was", "who")
        assert item.answer in item.choices
        assert item.question.endswith("?")


@pytest.mark.parametrize("name", ["starter", "safety", "explore", "perturbed"])
def test_words_alone_get_half_of_each_pair(name: str) -> None:
    _, controls = made(name)
    pairs: dict[object, list[Item]] = {}
    for item in controls:
        pairs.setdefault(item.tags["twin"], []).append(item)
    whole = [pair for pair in pairs.values() if len(pair) == 2]
    assert len(whole) >= 0.7 * len(pairs)
    assert all(one.answer != other.answer for one, other in whole)


def test_where_things_are_in_scripts() -> None:
    suite, controls = made("safety")
    by_context = {item.context: item for item in suite}
    places = 0
    for item in controls:
        source = by_context[str(item.meta[TOLD])]
        if "events" not in source.meta:
            continue
        thing = source.meta["about"]
        path = moves(source.meta["events"], thing)
        right = path[-1] if item.tags[CONTROL] == "is" else path[0]
        if exchanged(item):
            (other,) = {choice.removeprefix("the ") for choice in item.choices} - {right}
            right = other
        assert item.answer == f"the {right}", item.id
        assert thing in item.question
        places += 1
    assert places > 300


def test_who_makes_remarks_in_scripts() -> None:
    _, controls = made("safety")
    remarks = [item for item in controls if item.tags[CONTROL] == "who"]
    assert remarks
    for item in remarks:
        said = item.question.split('"')[1]
        assert f'{item.answer} says, "{said}"' in item.context
        assert all(re.search(rf"\b{name}\b", item.context) for name in item.choices)


def test_who_says_what_in_conversations() -> None:
    _, controls = made("dialogue")
    for item in controls:
        if item.tags[CONTROL] == "who":
            said = item.question.removeprefix('Who says "').removesuffix('"?')
            assert f'{item.answer}: "{said}"' in item.context.split("\n")
            (other,) = set(item.choices) - {item.answer}
            assert f'{other}: "{said}"' not in item.context
        else:
            lines = [choice for choice in item.choices if f': "{choice}"' in item.context]
            assert lines == [item.answer]


def test_where_things_are_in_stories() -> None:
    suite, controls = made("explore")
    events = {item.context: item.meta["events"] for item in suite}
    about = {item.context: item.meta["about"] for item in suite if item.tags["order"] == 0}
    seen = 0
    for item in controls:
        if exchanged(item) or "container" not in item.question:
            continue
        path = moves(events[item.context], about[item.context])
        assert item.answer == (path[0] if item.tags[CONTROL] == "was" else path[-1])
        seen += 1
    assert seen >= 20


def test_what_is_so_in_perturbed_stories() -> None:
    """What a box holds, or where a thing was put last, in words of the story itself."""
    suite, controls = made("perturbed")
    reality = {item.context: item.meta["reality"] for item in suite}
    for item in controls:
        assert item.answer == reality.get(item.context, item.answer)
        assert item.answer in item.context
        assert item.cloze


@pytest.mark.parametrize("name", MADE)
def test_no_sentence_has_an_ending_that_could_not_be(name: str) -> None:
    """A sentence that ends in an article is ended by a bare noun, any other by words that bring their own."""
    _, controls = made(name)
    for item in controls:
        if item.cloze and item.cloze.endswith(" the"):
            assert not any(choice.startswith(("the ", "a ", "an ")) for choice in item.choices), item.id
