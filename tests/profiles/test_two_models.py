"""The first sentence of a page of two models: what one can do that the other cannot, and nothing that is luck."""

import random
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from otherminds.heuristics.readers import BASELINES
from otherminds.items import Item, Suite
from otherminds.pages.report import Report
from otherminds.profiles.findings import Profile, ToldStudy, answer, what_they_do
from otherminds.profiles.page import pages
from otherminds.profiles.two_models import ModelComparison, adjusted, compared, comparison, gaps_between
from otherminds.results.answers import Answers
from otherminds.runs.runs import Run, run
from otherminds.studies.study import Chapter
from tests.integrity.pages import Items

NOTHING = Report("t", "l", [])
EACH = 12
"""Stories of a kind."""
WHERE = {"shed": "somebody leaves", "hall": "all stay"}


def item(what: str, order: int, number: int, false: bool) -> Item:
    """A question about where a thing is thought to be; whoever leaves misses a move, if it is moved."""
    left = [{"do": "leave"}] if what == "shed" else []
    reality, other = ("box", "basket") if number % 2 else ("basket", "box")
    answer = other if false else reality
    return Item(
        id=f"{what}-{order}-{number}-{'false' if false else 'true'}",
        context=f"Story {what} {number}, {false}: the coin is in the {reality}, and was in the {other}.",
        question=f"Where does Ann think{' that Ben thinks' * (order - 1)} that the coin is?",
        answer=answer,
        choices=("box", "basket"),
        tags={"order": order, "false_belief": false, "story": f"{what} {number}"},
        meta={"reality": reality, "first_order": reality, "events": [{"do": "enter"}, *left]},
    )


SUITE = Suite(
    "made-up",
    tuple(
        item(what, order, number, false)
        for what in WHERE
        for order in (1, 2)
        for number in range(EACH)
        for false in (True, False)
    ),
    score="letters",
    prompt="raw",
)
RUNS = {name: run(SUITE, BASELINES[name](SUITE)) for name in ("oracle", "realist", "first_order", "decoy", "random")}


def said(first: str, second: str, **more: object) -> str:
    two = [RUNS[first], RUNS[second]] if first != second else [RUNS[first], twin(RUNS[first])]
    names = (two[0].model, two[1].model)
    found = comparison(names, {"made-up": Chapter(NOTHING, (), two, by="order", **more)})  # type: ignore[arg-type]
    return compared(found, Answers.of(two))


def twin(one: Run) -> Run:
    return replace(one, id="again", model=f"{one.model} again")


def test_what_only_the_second_can_do_is_named_with_its_numbers() -> None:
    words = said("realist", "oracle")
    assert words.startswith("**oracle** tells false from true beliefs of the first order where ")
    assert words.count("**realist** does not (") == 2, "at most two are named"
    assert "It does so of the " in words
    assert "**realist** does not ([0.00](#items?" in words
    assert "The same holds for 2 more kinds of question." in words
    assert "Neither" not in words
    assert "No difference" not in words


def test_whoever_comes_first_may_be_the_one_who_can() -> None:
    assert "**oracle** tells false from true beliefs" in said("oracle", "realist")


def test_a_reader_of_the_first_order_falls_behind_at_the_second() -> None:
    words = said("first_order", "oracle")
    assert words.startswith("**oracle** tells false from true beliefs of the second order where ")
    assert "of the first order" not in words.split("Both do")[0]
    assert "Both do of the first order where " in words


def test_two_alike_do_not_differ() -> None:
    words = said("oracle", "oracle")
    assert words.startswith("No difference between **oracle** and **oracle again** can be told in 4 kinds of question")
    assert "Both tell false from true beliefs of the first order where somebody leaves (made-up)" in words


@pytest.mark.parametrize("other", ["random", "decoy"])
def test_who_answers_from_reality_is_no_better_than_who_guesses_or_never_does(other: str) -> None:
    """All false beliefs wrong and all true ones right, or the reverse, is worth no more than chance."""
    words = said(other, "realist")
    assert words.startswith("No difference between")
    assert "Neither tells false from true beliefs of the " in words
    assert words.count("tells false from true") == 1


def test_nothing_is_compared_where_control_questions_fail() -> None:
    words = said("realist", "oracle", unable=["realist"])
    assert words.startswith("Nothing is compared in made-up (**realist**), for want of right answers to [control ques")


def test_the_form_that_controls_chose_goes_before_the_study_s_own_runs() -> None:
    chosen = {"realist": RUNS["oracle"], "oracle": RUNS["oracle"]}
    assert said("realist", "oracle", in_form=chosen).startswith("No difference between")


def test_stories_searched_against_one_of_the_two_are_left_out() -> None:
    searched = Chapter(NOTHING, (), [RUNS["realist"], RUNS["oracle"]])  # by nothing: they are not compared item by item
    assert comparison(("realist", "oracle"), {"explore": searched}).gaps == []


def test_every_number_leads_to_exactly_its_items_and_data_have_no_links() -> None:
    chapter = Chapter(NOTHING, (), [RUNS["realist"], RUNS["oracle"]], by="order")
    profile = Profile(["realist", "oracle"], [ToldStudy("made-up", "Does it?", chapter)])
    first = what_they_do(profile)[0]
    html = pages(profile).report.html()
    items = Items(html)
    places = [part.split(")")[0] for part in first.split("](")[1:]]
    assert len(places) == 8, "both models, false and true beliefs, twice"
    for place in places:
        assert f'href="{place.replace("&", "&amp;")}"' in html
        assert len(items.of(place)) == EACH
    assert "](#" not in answer(profile)
    assert "accuracy 1.00 [" in answer(profile)


# ---- luck ---------------------------------------------------------------------------------------------------------

Guess = Callable[[Item], float]


def guessed(dice: random.Random, share: Mapping[bool, float]) -> Answers:
    rows = Answers.of([RUNS["oracle"]])
    return Answers(replace(row, value=float(dice.random() < share[bool(row.get("false_belief"))])) for row in rows)


@pytest.mark.parametrize("share", [{True: 0.5, False: 0.5}, {True: 0.2, False: 0.9}])
def test_two_that_answer_by_the_same_chances_are_hardly_ever_told_apart(share: Mapping[bool, float]) -> None:
    dice, profiles = random.Random(1), 40
    told = 0
    for _ in range(profiles):
        several = [gap for study in "ab" for gap in gaps_between(study, guessed(dice, share), guessed(dice, share))]
        words = compared(ModelComparison(("one", "two"), adjusted(several), {}), Answers())
        told += not words.startswith("No difference")
    assert told <= profiles * 0.05
