"""Goals about minds: how they are written, and what they hold a story to."""

from dataclasses import replace

import pytest

from otherminds.errors import UsageError
from otherminds.minds.events import Enter, Leave, Move, Tell
from otherminds.minds.story import Story
from otherminds.stories.contexts import bank, setting
from otherminds.stories.goals import Goal
from otherminds.stories.sets import Cell, action_sets
from otherminds.stories.structure import Structure, read_structure


@pytest.mark.parametrize(
    ("words", "structure"),
    [
        ("", Structure()),
        ("none", Structure()),
        ("false-belief", Structure(false_belief=1)),
        ("false-belief:2, pair", Structure(false_belief=2, pair=True)),
        ("ignorance:3,asymmetric", Structure(ignorance=3, asymmetric=True)),
    ],
)
def test_goals_are_written_as_words(words: str, structure: Structure) -> None:
    assert read_structure(words, order=1) == structure
    assert read_structure(structure.name, order=5) == structure


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("true-belief", "there is no goal 'true-belief'; there are false-belief"),
        ("false-belief:0", "should be false-belief, or false-belief:1 to false-belief:6"),
        ("false-belief:two", "should be false-belief"),
        ("pair:2", "goal 'pair:2' should be pair"),
        ("none,pair", "asks for something and for nothing"),
    ],
)
def test_other_words_are_refused(words: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_structure(words, order=1)


def lacks(story: Story, words: str) -> list[str]:
    return list(read_structure(words, order=1).missing(story))


def test_a_false_belief_of_each_order(sally_anne: Story) -> None:
    # Sally thinks that the marble is in the basket, and that Anne thinks so.
    assert lacks(sally_anne, "false-belief") == lacks(sally_anne, "false-belief:2") == []
    seen = Story.of(*sally_anne.events[:3], Move("Anne", "marble", "box"))
    assert lacks(seen, "false-belief") == ["a false belief of order 1"]
    assert lacks(seen, "false-belief:2") == ["a false belief of order 2"]
    # With Sally peeking, she knows; and Anne is wrong about that.
    spied = Story.of(*sally_anne.events[:4], Move("Anne", "marble", "box", peekers={"Sally"}))
    assert lacks(spied, "false-belief") == ["a false belief of order 1"]
    assert lacks(spied, "false-belief:2,asymmetric") == []
    assert lacks(sally_anne, "asymmetric") == ["somebody who is wrong about one who secretly saw or missed something"]


def test_who_knows_something_can_be_wrong_about_who_else_does() -> None:
    begin = [Enter("Ann", "den"), Enter("Bob", "den"), Enter("Cem", "den"), Leave("Cem", "den")]
    heard = Story.of(*begin, Tell("Ann", topic="rain"))
    assert lacks(heard, "ignorance") == []
    assert lacks(heard, "false-belief") == ["a false belief of order 1"]
    assert lacks(heard, "false-belief:2") == ["a false belief of order 2"]
    assert lacks(heard.then(Tell("Bob", "Cem", topic="rain")), "false-belief:2") == []  # Ann does not know that he has


def test_what_no_setting_can_give_is_said() -> None:
    topics = Cell(action_sets()["fantom-private"], 3, 3)
    stage = setting(bank()[0], topics)
    for structure, reason in (
        (Structure(false_belief=1), "nothing is moved and nobody lies"),
        (Structure(asymmetric=True), "the setting has no such kind of event"),
        (Structure(ignorance=1), None),
    ):
        said = replace(Goal.of(topics), structure=structure).impossible(stage)
        assert said is None if reason is None else reason in str(said)
