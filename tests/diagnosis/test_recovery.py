"""A sample of `benchmarks/recovery.py`: simulated models on the items of a quick profile."""

import pytest

from benchmarks.recovery import OUTSIDE, Questions, follow, models, questions, recovered, simulate
from otherminds.diagnosis.confusion import NONE
from otherminds.diagnosis.diagnosis import diagnose_answers


@pytest.fixture(scope="module")
def asked() -> Questions:
    return questions()


def test_who_dominates_is_named_and_shares_lie_within_their_intervals(asked: Questions) -> None:
    found = [
        recovered(diagnose_answers(simulate(asked, shares, seed), draws=100), shares)
        for seed, shares in enumerate(models(asked, 10))
    ]
    held = [each for _, within in found for each in within]
    assert sum(right for right, _ in found) >= 9
    assert sum(held) >= 0.85 * len(held)


@pytest.mark.parametrize("name", OUTSIDE)
def test_what_no_reader_does_is_none_of_these(asked: Questions, name: str) -> None:
    assert diagnose_answers(follow(asked, OUTSIDE[name], 0.1, 0), draws=50).dominant == NONE


def test_of_fifty_items_that_are_guessed_nothing_is_said() -> None:
    spoke = [diagnose_answers(simulate(questions(50, seed), {}, seed), draws=50).says for seed in range(10)]
    assert sum(spoke) <= 1
