"""Twins, mutations and fresh names: stories that are nearly, or exactly, like another."""

import random
from collections import Counter
from itertools import islice

import pytest

from otherminds.minds.events import Enter, Leave, Move, Tell
from otherminds.minds.questions import questions
from otherminds.minds.setting import Setting, kind_of
from otherminds.minds.story import Story
from otherminds.stories.contexts import bank, setting
from otherminds.stories.fresh import other_settings, renamed
from otherminds.stories.goals import Goal
from otherminds.stories.grow import Grower
from otherminds.stories.sets import Cell, action_sets
from otherminds.stories.twins import Twin, find_twin, is_complete, mutants, padding
from otherminds.studies.explore.material.build import pairs
from tests.studies.explore.made_up import found

DEN = Setting(("Sally", "Anne"), ("den",), ("marble",), ("basket", "box"))


def grower(name: str, seed: int = 0) -> Grower:
    cell = Cell(action_sets()[name], 3, 3)
    return Grower(setting(bank()[seed], cell), Goal.of(cell), random.Random(seed))


def stories(from_: Grower, number: int) -> list[Story]:
    drawn = (from_.complete() for _ in range(5000))
    return list(islice((story for story in drawn if story is not None), number))


def test_the_control_of_sally_and_anne_is_that_she_stays(sally_anne: Story) -> None:
    twin = find_twin(sally_anne, DEN, order=1)
    assert twin is not None
    assert twin.question == "In which container does Sally think the marble is?"
    assert (twin.answer, twin.other) == ("basket", "box")
    assert (twin.change, twin.at) == ("left out", 4)
    assert twin.story.events == sally_anne.events[:3] + sally_anne.events[4:]
    assert Twin.from_dict(twin.to_dict(), of=sally_anne) == twin


def test_a_pair_is_a_suite_of_twins(sally_anne: Story) -> None:
    twin = find_twin(sally_anne, DEN, order=1)
    suite = pairs([found(sally_anne, twin=twin), found(sally_anne, "no twin")])
    assert suite is not None
    assert [item.answer for item in suite] == ["basket", "box"]
    assert {item.tags["twin"] for item in suite} == {"one"}
    assert len({item.choices for item in suite}) == 1
    assert pairs([found(sally_anne)]) is None


def test_a_story_that_tells_nothing_has_no_twin() -> None:
    alone = Setting(("Ann",), ("den",), ("key",), ("box",))
    assert find_twin(Story.of(Enter("Ann", "den"), Move("Ann", "key", "box")), alone, order=2) is None


@pytest.mark.parametrize("name", ["tomi", "all+asymmetric", "trust", "clear"])
def test_mutations_are_complete_stories_of_the_setting(name: str) -> None:
    growing = grower(name, 3)
    made = [(parent, child) for parent in stories(growing, 4) for child in mutants(parent, growing, 60)]
    assert len(made) > 8
    for parent, child in made:
        assert child != parent
        assert is_complete(child, growing.goal)
        assert padding(child) == 0
        again = Story.of(*child.events, premises=child.premises)  # every event can happen
        before = Story(premises=again.premises)
        for part, event in zip(again.prefixes(), again.events, strict=True):
            assert kind_of(event, before) in growing.setting.kinds
            before = part


def test_padding_is_counted() -> None:
    begin = (Enter("Ann", "den"), Enter("Bob", "den"), Move("Ann", "key", "box"))
    assert padding(Story.of(*begin)) == 0
    assert padding(Story.of(*begin, Leave("Bob", "den"), Enter("Bob", "den"))) == 1
    assert padding(Story.of(*begin, Leave("Bob", "den"), Move("Ann", "key", "tin"), Enter("Bob", "den"))) == 0
    assert padding(Story.of(Enter("Ann", "den"), Leave("Ann", "den"))) == 1
    said = Tell("Ann", "Bob", topic="rain")
    assert padding(Story.of(*begin, said)) == 0
    assert padding(Story.of(*begin, said, said)) == 1


@pytest.mark.parametrize(
    "name", ["tomi+object-state", "all+asymmetric", "trust", "clear", "tomi-object-state+asymmetric"]
)
def test_the_same_events_under_other_names_have_the_same_answers(name: str) -> None:
    cell = Cell(action_sets()[name], 3, 3)
    growing = grower(name)
    others = other_settings(bank(), cell, besides=bank()[0], seed=1)
    for story, other in zip(stories(growing, 6), others, strict=False):
        fresh = renamed(story, growing.setting, other)
        assert fresh.length == story.length
        assert not set(fresh.cast.roles) & set(story.people)
        assert [type(event) for event in fresh.events] == [type(event) for event in story.events]
        names = dict(zip(story.cast.roles, fresh.cast.roles, strict=True))
        shape = [
            (tuple(map(names.get, each.minds)), _sort(each.tags), names.get(each.answer, each.answer))
            for each in _asked(story)
        ]
        assert Counter(shape) == Counter((each.minds, _sort(each.tags), each.answer) for each in _asked(fresh))


def test_with_one_context_names_change_places() -> None:
    cell = Cell(action_sets()["tomi"], 3, 3)
    some = list(islice(other_settings(bank()[:1], cell, besides=bank()[0], seed=1), 5))
    assert len({each.people for each in some}) == 5


def _asked(story: Story) -> list:  # type: ignore[type-arg]
    return [each for each in questions(story, order=2) if each.minds]


def _sort(tags: object) -> str:
    return str(sorted(dict(tags).items()))  # type: ignore[call-overload]
