"""The answer in words, by rules from the numbers."""

from collections.abc import Sequence

import pytest

from otherminds.baselines import realist
from otherminds.chapters import Chapter, Finding
from otherminds.profile_page import page
from otherminds.profiles import Profile, Told, answer
from otherminds.report import Report
from otherminds.runs import run
from otherminds.starter import starter
from otherminds.stats import Estimate, proportion


def told(findings: Sequence[Finding]) -> Profile:
    suite = starter()
    chapter = Chapter(Report("t", "l", []), findings, [run(suite, realist(suite))])
    return Profile(["realist"], [Told("starter", "Does it?", chapter)])


def score(what: str, right: int, *, chance: float | None = 0.5, first: bool = True, sentence: str = "") -> Finding:
    return Finding(what, "realist", proportion(right, 40), chance, first=first, sentence=sentence)


def test_scores_are_sorted_by_where_their_intervals_lie() -> None:
    findings = [score("Good", 39), score("Bad", 2), score("Even", 21), score("Not shown", 40, first=False)]
    said = answer(told([*findings, score("Found", 1, chance=None, sentence="A search found some.")]))
    assert said.startswith("**realist** cannot be told from guessing in 1 of 3 scores.")
    assert "It is clearly above chance in good." in said
    assert "It is clearly below chance in bad." in said
    assert "A search found some." in said
    assert "ot shown" not in said


@pytest.mark.parametrize(("right", "above"), [(26, False), (27, True)])
def test_clearly_means_that_the_interval_leaves_chance_out(right: int, above: bool) -> None:
    assert (proportion(right, 40).low > 0.5) is above
    assert ("clearly above" in answer(told([score("It", right)]))) is above


def test_many_names_are_cut() -> None:
    said = answer(told([score(f"Score {number}", 40) for number in range(7)]))
    assert "score 0, score 1, score 2, score 3 and 3 more." in said


def test_how_steady_letters_are_is_said() -> None:
    assert "keeps to its answer in every order of the options in 100% of items." in answer(told([]))


def test_it_never_says_that_a_model_has_a_theory_of_mind() -> None:
    words = page(told([score("Everything", 40)])).html()
    assert "has theory of mind" not in words
    assert "does not show that a model has a theory of mind" in words


def test_a_missing_model_leaves_a_gap() -> None:
    lone = Finding("Only one", "realist", Estimate(0.4, 0.1, 0.7, 5, 5, "by hand"), 0.5, first=True)
    found = told([lone])
    both = Profile(["realist", "absent"], found.told)
    assert "–" in page(both).html()
