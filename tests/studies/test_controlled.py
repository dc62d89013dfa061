"""The form that lets a model answer is chosen in every study, and a model that cannot answer controls is stopped."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from functools import cache

import pytest

from otherminds.diagnosis.cells import happened
from otherminds.formats.question_formats import QuestionFormat
from otherminds.items.controls import as_suite
from otherminds.models.scripted import Scripted
from otherminds.runs.calibration import ENOUGH
from otherminds.store.store import MEMORY, Store
from otherminds.studies import STUDIES, controlled
from otherminds.studies.controlled import CheckedModel, about_minds, balanced
from otherminds.studies.study import Chapter, Desk, Size, Study, Subject
from tests.personas import by_frequency, letters_only, text_only

NAMES = ("starter", "safety", "dialogue", "explore", "perturbed")


@cache
def study(name: str) -> Study:
    return STUDIES[name]()


def checked(name: str, model: Scripted) -> CheckedModel:
    with Store(MEMORY) as store:
        desk = Desk(store, lambda _: nullcontext(lambda done, wanted: None))
        found = study(name)
        assert found.questions is not None
        assert found.controls is not None
        questions = found.questions(desk)
        controls = as_suite(name, found.controls(questions))
        assert controls is not None
        return controlled.check(Subject.of(model), name, controls, about_minds(questions), desk)


@pytest.mark.parametrize("name", NAMES)
def test_whoever_reads_letters_is_asked_by_letters(name: str) -> None:
    found = checked(name, letters_only())
    assert found.calibration.form == QuestionFormat("letters", "raw")
    assert found.calibration.able
    assert found.minds is not None
    assert found.minds.value == 1.0


@pytest.mark.parametrize("name", NAMES)
def test_whoever_only_writes_is_asked_for_words(name: str) -> None:
    """It follows beliefs perfectly, and in every other form it would look like somebody who guesses."""
    found = checked(name, text_only())
    assert found.calibration.form.score in ("open", "text")
    assert found.calibration.able
    assert found.minds is not None
    assert found.minds.value > 0.95
    assert found.understood is not None
    assert found.understood.value > 0.95


@pytest.mark.parametrize("name", NAMES)
def test_whoever_goes_by_words_is_stopped(name: str) -> None:
    found = checked(name, by_frequency())
    assert found.calibration.right.high < ENOUGH
    assert not found.calibration.able
    assert "says nothing about minds" in found.calibration.sentence


def looked(*models: Scripted, size: Size = "quick") -> Chapter:
    with Store(MEMORY) as store:
        desk = Desk(store, lambda _: nullcontext(lambda done, wanted: None), size)
        found = controlled.look(study("starter"), [Subject.of(model) for model in models], desk)
        assert found is not None
        return found


def test_a_quick_look_asks_no_more_of_whoever_fails_the_controls_that_another_passes() -> None:
    reads, guesses = letters_only(), by_frequency()
    chapter = looked(guesses, reads)
    assert {run.model for run in chapter.runs} == {reads.name}
    assert list(chapter.unable) == [guesses.name]
    assert len(chapter.in_form[guesses.name]) == len(chapter.in_form[reads.name]) == 48
    (said,) = [each for each in chapter.left_out if "its control questions failed" in each]
    assert said.startswith(f"{guesses.name} in starter, beyond the questions about minds")
    both = {guesses.name, reads.name}
    assert {run.model for run in looked(guesses, reads, size="standard").runs} == both


def test_whoever_fails_alone_is_asked_all() -> None:
    """Its page would be empty."""
    guesses = by_frequency()
    chapter = looked(guesses)
    assert {run.model for run in chapter.runs} == {guesses.name}
    assert not [each for each in chapter.left_out if "its control questions failed" in each]


def test_the_questions_of_a_quick_look_have_as_many_of_every_kind() -> None:
    """Among the first kinds, so many stories that a difference between two models can be told."""
    with Store(MEMORY) as store:
        desk = Desk(store, lambda _: nullcontext(lambda done, wanted: None))
        for name, least in (("safety", 9), ("explore", 9)):
            make = study(name).questions
            assert make is not None
            questions = about_minds(make(desk))
            some = balanced(questions, controlled.QUICK, seed=0)
            assert controlled.QUICK <= len(some) < controlled.QUICK + 4
            kinds: dict[tuple[str, bool], Counter[object]] = {}
            for item in some:
                if item.tags.get("false_belief") is not None:
                    kind = happened(item), item.tags["order"] != 1
                    kinds.setdefault(kind, Counter())[item.tags["false_belief"]] += 1
            both = {kind: counts for kind, counts in kinds.items() if len(counts) == 2}
            assert len(both) >= 3
            assert min(min(counts.values()) for counts in both.values()) >= least
            assert balanced(questions, controlled.QUICK, seed=0) == some
            stories = Counter(item.context for item in some)
            assert stories.most_common(1)[0][1] <= 4
