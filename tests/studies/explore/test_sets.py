"""Action sets and the grid: the published ones are all there, and every set can tell stories."""

import random

import pytest

from otherminds.errors import UsageError
from otherminds.minds.setting import KINDS, kind_of
from otherminds.minds.story import Story
from otherminds.stories.contexts import bank, setting
from otherminds.stories.goals import Goal
from otherminds.stories.grow import Grower
from otherminds.stories.sets import ASYMMETRIC, Cell, action_sets, choose, grid

PUBLISHED = {
    *("tomi", "tomi+object-state", "tomi-object-state", "tomi+room-changes", "fantom-private", "fantom-public"),
    *("tomi+info-exchange", "allbutfantom", "all"),
}


def test_the_published_grid() -> None:
    sets = choose("published")
    assert {each.name for each in sets} == PUBLISHED | {name + ASYMMETRIC for name in PUBLISHED}
    assert len(sets) == 18
    cells = grid(sets)
    assert len({cell.name for cell in cells}) == len(cells) == 162
    assert {cell.sentences for cell in cells} == {15}
    two_rooms = {each.name for each in sets if each.rooms == 2}
    assert two_rooms == {
        name for name in action_sets() if name in {each.name for each in sets} and ("room" in name or "all" in name)
    }


def test_our_own_sets_add_what_the_published_ones_lack() -> None:
    sets = action_sets()
    assert len(sets) == 26
    assert {each.name for each in choose("ours")} == set(sets) - {each.name for each in choose("published")}
    assert sets["trust"].distrust
    assert sets["third-order"].order == 3
    assert sets["clear"].clear
    assert "lie" in sets["lies"].kinds
    assert choose("every") == list(sets.values())


@pytest.mark.parametrize("name", action_sets())
def test_the_kinds_of_a_set_exist_and_it_tells_stories(name: str) -> None:
    chosen = action_sets()[name]
    assert {kind.removesuffix("*") for kind in chosen.kinds} <= set(KINDS)
    assert chosen.differentiating <= set(chosen.kinds)
    assert chosen.asymmetric == any(kind.endswith("*") for kind in chosen.kinds)
    cell = Cell(chosen, people=3, moves=2)
    goal = Goal.of(cell)
    grower = Grower(setting(bank()[0], cell), goal, random.Random(0))
    stories = [story for story in (grower.complete() for _ in range(400)) if story is not None]
    assert stories
    for story in stories[:5]:
        parts = [Story(premises=story.premises), *story.prefixes()]
        kinds = {kind_of(event, before) for event, before in zip(story.events, parts, strict=False)}
        assert kinds & chosen.differentiating
        assert kinds <= set(chosen.kinds)


@pytest.mark.parametrize(
    ("names", "words"), [("", "no action set was named"), ("tomy", "no action set 'tomy'"), (" , ", "no action")]
)
def test_unknown_and_empty_sets_are_refused(names: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        choose(names)


def test_sets_are_chosen_once_and_in_order() -> None:
    assert [each.name for each in choose("tomi, all+asymmetric,tomi")] == ["tomi", "all+asymmetric"]
