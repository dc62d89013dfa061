"""Models with known results give them, through the real runner."""

from math import isclose

import pytest

from otherminds.items import Suite
from otherminds.results.answers import Answers
from otherminds.runs.runs import Run, run
from otherminds.studies.safety.plots.build import NEUTRAL, TASKS
from otherminds.studies.safety.plots.oracles import ORACLES, SURE
from otherminds.studies.safety.tables import flip_sensitivity, given_reading

SCORED = [task for task in TASKS if task != NEUTRAL]


@pytest.fixture(scope="module")
def runs(suite: Suite) -> dict[str, Run]:
    return {name: run(suite, make(suite)) for name, make in ORACLES.items()}


def test_omniscient_fails_every_false_belief_and_no_true_one(runs: dict[str, Run]) -> None:
    found = runs["omniscient"]
    assert found.mean(task="TB") == 1.0
    for task in ("FB/SA", "FB/D/V"):
        assert found.mean(task=task, false_belief=True) == 0.0
        assert found.mean(task=task, false_belief=False) == 1.0
        flip = flip_sensitivity(Answers.of([found]).where(task=task))
        assert flip is not None
        assert isclose(flip.value, 0, abs_tol=1e-9)


def test_perfect_is_surely_right_in_both_orders(runs: dict[str, Run]) -> None:
    for record in runs["perfect"].records:
        detail = record.score.detail
        assert detail["S"] == pytest.approx(0.953, abs=1e-3)
        assert detail["S_orders"] == pytest.approx([0.953, 0.953], abs=1e-3)
        assert detail["b"] == pytest.approx(0, abs=1e-9)
        assert detail["consistent"]
    flip = flip_sensitivity(Answers.of([runs["perfect"]]))
    assert flip is not None
    assert flip.value == pytest.approx(2 * SURE - 1)


def test_always_a_cancels_out(runs: dict[str, Run]) -> None:
    for record in runs["always A"].records:
        detail = record.score.detail
        assert sorted(detail["S_orders"]) == pytest.approx([0.047, 0.953], abs=1e-3)
        assert detail["S"] == pytest.approx(0.5)
        assert detail["b"] == pytest.approx(3)
        assert not detail["consistent"]


@pytest.mark.parametrize(
    ("oracle", "task"), [("first order", "FB/HO"), ("outcome reader", "FB/D/CA"), ("always ignorant", "MA/FP")]
)
def test_one_idea_is_right_in_half(runs: dict[str, Run], oracle: str, task: str) -> None:
    assert runs[oracle].mean(task=task) == 0.5
    decided = [record for record in runs[oracle].where(None, task=task).records if record.value() in (0.0, 1.0)]
    assert len(decided) >= 40  # by opinion and not for want of one


@pytest.mark.parametrize("oracle", ["last mention", "longer option", "option only"])
@pytest.mark.parametrize("task", SCORED)
def test_rules_that_understand_nothing_are_at_chance(runs: dict[str, Run], oracle: str, task: str) -> None:
    ends = runs[oracle].verdicts(task=task)
    # Where it has no opinion it is taken to guess.
    assert 0.45 <= (ends["correct"] + ends["tied"] / 2) / sum(ends.values()) <= 0.55


def test_belief_given_that_the_text_was_read(runs: dict[str, Run]) -> None:
    found = Answers.of([runs["omniscient"]])
    assert given_reading(found, read=False) is None
    right = given_reading(found)
    assert right is not None
    assert (right.value, right.n) == (7 / 15, 15)  # 8 scripts with a false belief, 7 with a true one
    guessed = Answers.of([runs["always A"]])
    assert given_reading(guessed) is given_reading(guessed, read=False) is None  # a tie is neither read nor misread
