"""Contexts: those of the package keep every rule that a program can check, and a broken one is refused by its part."""

import json
import re
from collections import Counter
from copy import deepcopy
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from otherminds.errors import BadFile, UsageError
from otherminds.stories.contexts import Context, bank, read_context, read_contexts, setting
from otherminds.stories.sets import Cell, action_sets

LINES = files("otherminds").joinpath("data/explore/contexts.jsonl").read_text(encoding="utf-8").splitlines()
GOOD: dict[str, Any] = json.loads(LINES[0])


def test_there_are_enough_and_all_differ() -> None:
    contexts = bank()
    assert len(contexts) >= 120
    assert len({context.id for context in contexts}) == len(contexts)
    assert len({context.scene for context in contexts}) == len(contexts)
    casts = Counter(frozenset(person.name for person in context.people) for context in contexts)
    assert max(casts.values()) == 1


@pytest.mark.parametrize("context", bank(), ids=lambda context: context.id)
def test_every_context_keeps_the_rules(context: Context) -> None:
    assert len(context.rooms) == 2
    assert len(context.people) == len({person.name for person in context.people}) == 6
    assert 1 <= len(context.things) <= 3
    assert len(set(context.containers)) == len(set(context.topics)) == 6
    assert Counter(change.visible for change in context.changes) == {True: 4, False: 4}
    # One property has one visibility, or the events would contradict each other.
    seen = {change.property: change.visible for change in context.changes}
    assert all(seen[change.property] == change.visible for change in context.changes)
    assert len({change.value for change in context.changes}) == 8
    # Scenes set the scene: about two sentences, which name nobody.
    assert 1 <= len(re.findall(r"[.!?](?:\s|$)", context.scene)) <= 3
    for person in context.people:
        assert person.name[0].isupper()
        assert not re.search(rf"\b{person.name}\b", context.scene)
    for name in (*context.rooms, *context.things, *context.containers):
        assert name == name.strip()
        assert not re.match(r"(the|an?) ", name), "articles are put in when the story is told"
    for name in (*context.things, *context.containers):
        assert not re.search(r"\b(vase|microphone|glass|transparent|see-through)\b", name), (
            "things fit and cannot be seen"
        )
    for change in context.changes:
        assert change.words.endswith(".")
        told = change.words.format(person="Ann", thing="thing")
        assert told.startswith("Ann ")


def test_no_thing_is_named_like_its_container_or_room() -> None:
    for context in bank():
        names = [*context.rooms, *context.things, *context.containers]
        assert len({name.casefold() for name in names}) == len(names), context.id


BROKEN = {
    "id": ("id", None),
    "place": ("place", "  "),
    "scene": ("scene", 7),
    "rooms": ("rooms", ["kitchen"]),
    "people": ("people", GOOD["people"][:5]),
    "people, name": ("people", [{"who": "a baker"}, *GOOD["people"][1:]]),
    "people, who": ("people", [{"name": "Ann"}, *GOOD["people"][1:]]),
    "things": ("things", []),
    "containers": ("containers", [*GOOD["containers"][:5], ""]),
    "topics": ("topics", "the wedding"),
    "changes, property": ("changes", [{**GOOD["changes"][0], "property": ""}, *GOOD["changes"][1:]]),
    "visible": ("changes", [{**GOOD["changes"][0], "visible": "yes"}, *GOOD["changes"][1:]]),
    "4 visible": ("changes", [{**GOOD["changes"][0], "visible": False}, *GOOD["changes"][1:]]),
    "slots": ("changes", [{**GOOD["changes"][0], "sentence": "{person} sang."}, *GOOD["changes"][1:]]),
    "used twice": ("things", [GOOD["containers"][0]]),
}


@pytest.mark.parametrize("words", BROKEN)
def test_a_broken_part_is_refused_by_line_and_field(tmp_path: Path, words: str) -> None:
    part, value = BROKEN[words]
    bad = deepcopy(GOOD) | {"id": "bad", part: value}
    path = tmp_path / "contexts.jsonl"
    path.write_text(json.dumps(GOOD) + "\n" + json.dumps(bad) + "\n", encoding="utf-8")
    with pytest.raises(BadFile, match=f"line 2: .*{words}"):
        read_contexts(path)


@pytest.mark.parametrize("part", list(GOOD))
def test_a_missing_part_is_refused(part: str) -> None:
    with pytest.raises(BadFile, match=f"here: {part}"):
        read_context({name: value for name, value in GOOD.items() if name != part}, "here")


def test_two_of_one_name_and_an_empty_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "contexts.jsonl"
    path.write_text(json.dumps(GOOD) + "\n" + json.dumps(GOOD), encoding="utf-8")
    with pytest.raises(BadFile, match="line 2: there are two contexts"):
        read_contexts(path)
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(BadFile, match="has no contexts"):
        read_contexts(path)
    with pytest.raises(BadFile, match="there is no file"):
        read_contexts(tmp_path / "none.jsonl")


def test_a_setting_takes_what_its_cell_needs() -> None:
    context = bank()[0]
    plain = setting(context, Cell(action_sets()["tomi"], people=2, moves=3))
    assert (len(plain.people), len(plain.rooms), len(plain.things), len(plain.containers)) == (2, 1, 1, 3)
    assert not plain.premises.clear
    assert not plain.premises.distrust
    clear = setting(context, Cell(action_sets()["clear"], people=3, moves=2), seed=1)
    assert clear.premises.clear < set(clear.containers)
    ((hearer, speaker),) = setting(context, Cell(action_sets()["trust"], people=3, moves=2)).premises.distrust
    assert {hearer, speaker} < set(clear.people)
    with pytest.raises(UsageError, match="needs 7 people"):
        setting(context, Cell(action_sets()["tomi"], people=7, moves=2))
