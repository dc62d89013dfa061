"""The form that lets a model answer is chosen in every study, and a model that cannot answer controls is stopped."""

from __future__ import annotations

from contextlib import nullcontext
from functools import cache

import pytest

from otherminds.asking.calibration import ENOUGH
from otherminds.asking.forms import Form
from otherminds.asking.store import MEMORY, Store
from otherminds.items.controls import as_suite
from otherminds.models.scripted import Scripted
from otherminds.studies import STUDIES, controlled
from otherminds.studies.controlled import Checked, about_minds
from otherminds.studies.study import Desk, Study, Subject
from tests.personas import by_frequency, letters_only, text_only

NAMES = ("starter", "safety", "dialogue", "explore", "perturbed")


@cache
def study(name: str) -> Study:
    return STUDIES[name]()


def checked(name: str, model: Scripted) -> Checked:
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
    assert found.calibration.form == Form("letters", "raw")
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
