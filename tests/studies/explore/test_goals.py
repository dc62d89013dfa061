"""Goals: what is counted, what is missing, and what no setting can give."""

import random
from dataclasses import replace

import pytest

from otherminds.minds.events import Enter, Leave, Move, Tell
from otherminds.minds.setting import Setting
from otherminds.minds.story import Story
from otherminds.stories.contexts import bank, setting
from otherminds.stories.goals import Goal, Tally
from otherminds.stories.grow import Grower
from otherminds.stories.sets import Cell, action_sets

GOAL = Goal(people=2, moves=2, differentiating=frozenset({"move"}))


def test_the_tally_of_a_story(sally_anne: Story) -> None:
    assert GOAL.tally(sally_anne) == Tally(moves=2, differentiating=2, secrets=0, sentences=5)
    spied = sally_anne.then(Move("Anne", "marble", "basket", peekers={"Sally"}))
    goal = replace(GOAL, differentiating=frozenset({"move*"}), secrets=(1, 1))
    assert goal.tally(spied) == Tally(moves=3, differentiating=1, secrets=1, sentences=7)


def test_only_what_counts_as_a_move_is_one() -> None:
    story = Story.of(Enter("Ann", "den"), Enter("Bob", "den"), Tell("Ann", "Bob", topic="rain"), Leave("Bob", "den"))
    assert Goal().tally(story).moves == 1


@pytest.mark.parametrize(
    ("goal", "lack"),
    [
        (GOAL, None),
        (replace(GOAL, people=3), "people: 2 of 3"),
        (replace(GOAL, moves=1), "moves: 2 instead of exactly 1"),
        (replace(GOAL, rooms=2), "rooms: 1 of 2"),
        (replace(GOAL, differentiating=frozenset({"carry"})), "an event of the kind carry"),
        (replace(GOAL, secrets=(1, 2)), "secrets: 0 instead of 1 to 2"),
        (replace(GOAL, sentences=4), "sentences: 5 instead of at most 4"),
        (replace(GOAL, also=lambda story: "Bob" in story.people), "your own condition"),
        (replace(GOAL, also=lambda story: "Anne" in story.people), None),
    ],
)
def test_what_is_missing_is_said(sally_anne: Story, goal: Goal, lack: str | None) -> None:
    tally = goal.tally(sally_anne)
    assert list(goal.missing(sally_anne, tally)) == ([lack] if lack else [])
    assert goal.met(sally_anne, tally) is (lack is None)


def test_what_is_too_much_is_hopeless() -> None:
    goal = Goal(moves=2, secrets=(0, 1), sentences=9)
    assert not goal.hopeless(Tally(2, 0, 1, 9))
    for tally in (Tally(3, 0, 0, 5), Tally(1, 0, 2, 5), Tally(1, 0, 0, 10)):
        assert goal.hopeless(tally)


@pytest.mark.parametrize("name", ["tomi", "all+asymmetric", "trust"])
def test_the_tally_kept_while_growing_is_that_of_the_story(name: str) -> None:
    cell = Cell(action_sets()[name], people=3, moves=3)
    goal = Goal.of(cell)
    grower = Grower(setting(bank()[1], cell), goal, random.Random(4))
    for _ in range(30):
        node = grower.ending(grower.start)
        assert node.tally == goal.tally(node.story)


SETTING = Setting.of(people=2, rooms=1, things=1, kinds=("enter", "leave", "move"))


@pytest.mark.parametrize(
    ("goal", "setting", "reason"),
    [
        (Goal(people=3), SETTING, "3 people are wanted, and the setting has 2"),
        (Goal(rooms=2), SETTING, "2 rooms are wanted, and the setting has 1"),
        (Goal(differentiating=frozenset({"carry"})), SETTING, "kind carry is wanted"),
        (Goal(), replace(SETTING, kinds=("enter", "leave")), "no kind of event that counts as one"),
        (Goal(secrets=(2, 1)), SETTING, "at least 2 secrets and at most 1"),
        (Goal(secrets=(1, 1)), SETTING, "in secret, and the setting has no such kind"),
        (Goal(moves=9, sentences=8), SETTING, "take 9 sentences or more, not 8"),
        (Goal(), SETTING, None),
    ],
)
def test_the_impossible_is_told_beforehand(goal: Goal, setting: Setting, reason: str | None) -> None:
    said = goal.impossible(setting)
    assert said is None if reason is None else reason in str(said)
