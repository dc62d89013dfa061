"""Of many lessons together: no thoughtless rule answers them, and no run of words of theirs stands in a suite."""

from collections import Counter
from collections.abc import Iterator

import pytest

from otherminds.heuristics.cues import cues
from otherminds.items import Suite
from otherminds.studies.dialogue.questions.build import build as dialogue
from otherminds.studies.perturbed.tasks.build import build as perturbed
from otherminds.studies.safety.plots.build import build as safety
from otherminds.studies.starter.study import starter
from otherminds.talks import bank
from otherminds.training.builds import sample
from otherminds.training.leaks import _runs
from otherminds.training.lessons import OWN, Lesson, Recipe, lesson
from otherminds.training.scene_wording import RETOLD, SCENES

LESSONS = 400


@pytest.fixture(scope="module")
def lessons() -> list[Lesson]:
    return [lesson(Recipe(seed=21), number) for number in range(LESSONS)]


def suites() -> Iterator[Suite]:
    yield starter()
    yield perturbed()
    yield safety(size="small")
    yield dialogue(bank.authored())


def test_no_lesson_shares_twelve_words_with_a_suite(lessons: list[Lesson]) -> None:
    known = {run for suite in suites() for item in suite for run in _runs(f"{item.context} {item.question}")}
    assert len(known) > 10_000
    retold = [lesson(Recipe(seed=22, grammars=(RETOLD, SCENES)), number) for number in range(LESSONS)]
    for made in (*lessons, *retold):
        for text in (made.story, *(branch.question for branch in made.branches)):
            assert known.isdisjoint(_runs(text)), text


def test_thoughtless_rules_are_little_better_than_chance() -> None:
    """The page on training has these figures; what is named last is right more often, since what is so is."""
    most = {"last mention": 0.15, "most mentions": 0.15, "first mention": 0.12}
    for cue in cues(sample(Recipe(seed=23), LESSONS)):
        assert cue.right - cue.chance < most.get(cue.name, 0.06), cue


def test_letters_are_even(lessons: list[Lesson]) -> None:
    found: dict[int, Counter[str]] = {2: Counter(), 3: Counter(), 4: Counter()}
    for branch in (branch for made in lessons for branch in made.branches):
        if branch.kind.endswith("/ letters") and len(branch.choices) in found:
            found[len(branch.choices)][str(branch.choices.index(branch.answer))] += 1
    for number, places in found.items():
        assert places.total() > 60
        assert max(places.values()) / places.total() < 1 / number + 0.1, found


def test_what_is_so_answers_no_more_than_half_of_the_questions_about_beliefs(lessons: list[Lesson]) -> None:
    beliefs = [
        branch.kind
        for made in lessons
        if made.grammar != OWN
        for branch in made.branches
        if " true" in branch.kind or " false" in branch.kind
    ]
    false = sum(" false" in kind for kind in beliefs)
    assert 0.45 < false / len(beliefs) < 0.62, (false, len(beliefs))


def test_no_view_and_unknown_are_taught() -> None:
    answers = Counter(
        branch.answer for number in range(80) for branch in lesson(Recipe(grammars=(OWN,)), number).branches
    )
    assert answers["has no view"] / answers.total() > 0.06
    assert answers["unknown"] / answers.total() > 0.06
