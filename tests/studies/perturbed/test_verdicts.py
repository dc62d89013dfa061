"""The lines of the published study, of shares and effects made by hand."""

import pytest

from otherminds import stats
from otherminds.stats import Difference
from otherminds.studies.perturbed.calculus import CLASSES
from otherminds.studies.perturbed.tasks.sentences import sentence
from otherminds.studies.perturbed.tasks.verdicts import (
    CountedShare,
    Effects,
    challenging,
    faithfulness,
    leniently,
    limited,
    ostensible,
    passed,
    robust,
    strictly,
)


def share(right: int, n: int) -> CountedShare:
    found = stats.proportion(right, n)
    return CountedShare(found.value, found.low, found.high, n, n, "", right)


def test_half_right_passes_the_lenient_line_alone() -> None:
    shares = dict.fromkeys(CLASSES, share(7, 14))
    assert (ostensible(shares, strictly), ostensible(shares, leniently)) == (False, True)
    assert (robust(shares, strictly), robust(shares, leniently)) == (False, True)
    assert (passed(shares, strictly), passed(shares, leniently)) == (0, 10)


def test_nothing_is_said_of_what_was_not_asked() -> None:
    shares = dict.fromkeys(CLASSES[1:6], share(14, 14))
    assert (ostensible(shares, strictly), robust(shares, strictly), limited(shares, strictly)) == (None, None, True)


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ((10, 0, 0, 0), "as faithful as can be told: all right"),
        ((0, 0, 10, 0), "cannot be told"),
        ((10, 0, 0, 1), "too few to tell"),
        ((20, 5, 5, 20), "faithful"),
        ((10, 10, 10, 10), "not faithful"),
    ],
)
def test_faithfulness(counts: tuple[int, int, int, int], said: str) -> None:
    assert faithfulness(*counts) == said


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("What is in the tin?", "The tin is full of"),
        ("Where will Ada look for the dice first?", "Ada will first look for the dice in the"),
        ("On what are the keys lying?", "The keys are lying on the"),
        ("Why?", ""),
    ],
)
def test_sentences_end_with_the_answer(question: str, begins: str) -> None:
    assert sentence(question) == begins


def effects(**values: float) -> Effects:
    return {name: Difference(value, value, value, 14, 7, "", 1.0) for name, value in values.items()}


ONE = effects(
    transparent_container=-0.5,
    preposition_replacement=-0.4,
    uninformative_label=-0.3,
    late_label=-0.2,
    non_protagonist_belief=-0.1,
    automatic_change_knowledge=-0.1,
    add_unrelated_information=-0.05,
    induction_from_baseline=0.2,
)
OTHER = effects(transparent_container=-0.1, late_label=-0.2, induction_from_baseline=-0.3)


def test_the_five_most_degrading_and_all_that_tie_with_the_fifth():
    assert challenging([ONE]) == CLASSES[1:7]


def test_a_class_must_be_hard_for_two_models_in_three():
    assert challenging([ONE, OTHER]) == ("transparent_container", "late_label")
    assert challenging([ONE, OTHER, OTHER]) == ("transparent_container", "late_label", "induction_from_baseline")
    assert challenging([ONE, ONE, OTHER]) == CLASSES[1:7]


def test_what_does_not_degrade_is_not_challenging():
    assert challenging([effects(late_label=0.0, transparent_container=0.3)]) == ()
    assert challenging([{"late_label": None}]) == ()
    assert challenging([]) == ()
