"""Lint rules for suites of twins, and cues that need more than one word."""

import pytest

from otherminds.heuristics.cues import cues
from otherminds.heuristics.rules import named
from otherminds.items import Item
from otherminds.items.lint import lopsided, near_doubles, one_sided, quoted, uneven, word_runs
from otherminds.minds.story import Story
from otherminds.minds.telling import last_sentence

TEXT = "Ann put the key into the tin, left it there and went to the market for bread and a little cheese"


def item(id: str, *, context: str = TEXT, answer: str = "tin", choices: tuple[str, ...] = ("tin", "box"), **tags: str):
    return Item(id, "Where?", answer, context, choices, tags=tags, meta={"reality": "tin"})


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        (("the tin", "the box"), {"the tin": 1, "the box": 0}),
        (("look in the tin", "look in the box"), {"look in the tin": 1, "look in the box": 0}),
        (("Ann buys bread today", "Ben sells fish today"), {"Ann buys bread today": 1, "Ben sells fish today": 0}),
    ],
)
def test_choices_are_found_in_full_by_their_ending_or_by_their_own_words(choices, expected) -> None:
    found = named(item("a", answer=choices[0], choices=choices))
    assert {choice: len(hits) for choice, hits in found.items()} == expected


def word_cue(items: list[Item]) -> list[float]:
    return [cue.right for cue in cues(items) if cue.name == "words of options"]


def test_words_that_are_right_elsewhere_give_an_answer_away() -> None:
    assert word_cue([item(f"{n}", choices=("tin", f"box {n}")) for n in range(4)]) == [1.0]


def test_words_say_nothing_where_twins_exchange_them() -> None:
    pairs = [item(f"{n}-{answer}", answer=answer, twin=f"{n}") for n in range(4) for answer in ("tin", "box")]
    assert word_cue(pairs) == []


def test_twins_are_to_be_as_long_as_each_other() -> None:
    short = item("a", twin="t")
    assert uneven([short, item("b", context=TEXT + " too", twin="t")]) == set()
    assert uneven([short, item("b", context=TEXT + " and so on and on", twin="t")]) == {"a", "b"}
    assert uneven([short, item("b", context="And so on", twin="other")]) == set()


def test_a_reading_must_be_right_in_half_of_the_twins() -> None:
    right, wrong = item("a", twin="t"), item("b", answer="box", twin="t")
    assert one_sided([right, wrong], "reality") == set()
    assert one_sided([right, item("c", twin="t")], "reality") == {"a", "c"}
    assert one_sided([right, wrong], "no such reading") == set()


def test_the_same_text_in_two_stories_is_found_and_in_one_story_is_not() -> None:
    assert near_doubles([item("a", story="s"), item("b", context=f"So {TEXT}", story="s")]) == set()
    assert near_doubles([item("a", story="s"), item("b", context=f"So {TEXT}", story="r")]) == {"a", "b"}
    assert near_doubles([item("a", story="s"), item("b", story="r")]) == {"a", "b"}
    assert near_doubles([item("a", story="s"), item("b", context="Ben ate the last of the bread", story="r")]) == set()


def test_runs_of_words_go_by_words_alone() -> None:
    assert word_runs("The key, the KEY!", 2) == {"the key", "key the"}
    assert word_runs("one", 2) == set()


def test_options_are_to_be_alike() -> None:
    assert lopsided([item("a", choices=("tin", "a very roomy box"))]) == {"a"}
    assert quoted([item("a", choices=("went to the market", "stayed in the house"))]) == {"a"}
    assert quoted([item("a", choices=("went to the market", "left it there and"))]) == set()


def test_one_event_is_told_alike_whatever_came_before(sally_anne: Story) -> None:
    assert last_sentence(sally_anne, seed="x") == last_sentence(sally_anne, seed="x")
    assert len({last_sentence(sally_anne, seed=str(n)) for n in range(60)}) == 6
    assert last_sentence(Story(), seed="x") == ""
