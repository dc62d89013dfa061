"""The answer in words, by rules from the numbers."""

from collections.abc import Sequence

import pytest

from otherminds.heuristics.readers import oracle, realist
from otherminds.items import Suite
from otherminds.pages.report import Report
from otherminds.profiles.findings import Profile, ToldStudy, answer, as_data, contrasts
from otherminds.profiles.page import pages
from otherminds.runs.runs import run
from otherminds.stats import Estimate, contrast, proportion
from otherminds.studies.starter.study import starter
from otherminds.studies.study import Chapter, Finding


def told(findings: Sequence[Finding]) -> Profile:
    suite = starter()
    chapter = Chapter(Report("t", "l", []), findings, [run(suite, realist(suite))])
    return Profile(["realist"], [ToldStudy("starter", "Does it?", chapter)])


def score(what: str, right: int, *, chance: float | None = 0.5, first: bool = True, sentence: str = "") -> Finding:
    return Finding(what, "realist", proportion(right, 40), chance, first=first, sentence=sentence)


def test_scores_are_sorted_by_where_their_intervals_lie() -> None:
    findings = [score("Good", 39), score("Bad", 2), score("Even", 21), score("Not shown", 40, first=False)]
    said = answer(told([*findings, score("Found", 1, chance=None, sentence="A search found some.")]))
    assert said.startswith("**realist** answers like a realist")
    assert "**realist** cannot be told from guessing in 1 of 3 scores." in said
    assert "Its interval lies above chance in good." in said
    assert "Its interval lies below chance in bad. One in twenty such intervals misses by chance." in said
    assert "A search found some." in said
    assert "ot shown" not in said


@pytest.mark.parametrize(("right", "above"), [(26, False), (27, True)])
def test_above_means_that_the_interval_leaves_chance_out(right: int, above: bool) -> None:
    assert (proportion(right, 40).low > 0.5) is above
    said = answer(told([score("It", right)]))
    assert ("lies above" in said) is above
    assert ("misses by chance" in said) is above


def test_many_names_are_cut() -> None:
    said = answer(told([score(f"Score {number}", 40) for number in range(7)]))
    assert "score 0, score 1, score 2, score 3 and 3 more." in said


def test_how_steady_letters_are_is_said() -> None:
    assert "keeps to its answer in every order of the options in 100% of 48 items." in answer(told([]))


def test_it_never_says_that_a_model_has_a_theory_of_mind() -> None:
    words = pages(told([score("Everything", 40)])).report.html()
    assert "has theory of mind" not in words
    assert "does not show that a model has a theory of mind" in words


def test_a_missing_model_leaves_a_gap() -> None:
    lone = Finding("Only one", "realist", Estimate(0.4, 0.1, 0.7, 5, 5, "by hand"), 0.5, first=True)
    found = told([lone])
    both = Profile(["realist", "absent"], found.told)
    assert "–" in pages(both).report.html()


def test_differences_are_adjusted_within_a_study_and_without_lines_that_rest_on_too_few() -> None:
    suite = starter()
    few = Suite("few", suite.items[:8])
    runs = [run(suite, realist(suite)), run(suite, oracle(suite))]
    more = [run(few, realist(few)), run(few, oracle(few))]
    chapters = [Chapter(Report("t", "l", []), [], some, by="kind") for some in (runs, more)]
    both = Profile(["realist", "oracle"], [ToldStudy(name, "?", one) for name, one in zip("ab", chapters, strict=True)])
    alone = Profile(["realist", "oracle"], both.told[:1])
    found = contrasts(both)
    assert [each.row.holm for each in found if each.study == "a"] == [each.row.holm for each in contrasts(alone)]
    assert all(each.row.too_few for each in found if each.study == "b")
    assert {row["holm"] for row in as_data(both)["differences"] if row["study"] == "b"} == {None}
    assert "too few" in pages(both).report.html()


def test_what_was_not_tested_is_null_in_json() -> None:
    gap = contrast([1.0, 0.0], [0.0, 1.0], groups=("ab", "cd"))
    (found,) = as_data(told([Finding("Gap", "realist", gap)]))["studies"][0]["findings"]
    assert (found["p"], found["kind"], found["n"]) == (None, "difference", 4)


def test_a_number_is_printed_with_the_digits_that_it_is_worth() -> None:
    estimate = Estimate(0.5, 0.4996, 0.5004, 24, 6, "by hand")
    html = pages(told([Finding("S of reading", "realist", estimate, 0.5, first=True, digits=4)])).report.html()
    assert "0.4996 to 0.5004" in html
    assert "0.5000 [0.4996, 0.5004], n = 24 in 6 groups" in html


def test_the_order_of_the_options_says_of_how_many_items() -> None:
    assert "100% of 48" in pages(told([])).report.html()
