import numpy as np
import pytest
from scipy.optimize import minimize  # type: ignore[import-untyped]

from otherminds.diagnosis.fitting import fit, intervals, log_likelihood, select

RANDOM = np.random.default_rng(4)
LIKELY = np.column_stack([RANDOM.choice([0.0, 0.5, 1.0], size=(300, 4)), np.full(300, 0.5)])
WEIGHTS = RANDOM.choice([0.5, 1.0], size=300)


def test_shares_are_those_of_scipys_optimiser() -> None:
    ours = fit(LIKELY, WEIGHTS[None])[0]

    def loss(free: np.ndarray) -> float:
        shares = np.exp(free) / np.exp(free).sum()
        return -float(WEIGHTS @ np.log(LIKELY @ shares + 1e-12))

    theirs = minimize(loss, np.zeros(5), method="BFGS").x
    expected = np.exp(theirs) / np.exp(theirs).sum()
    assert ours.sum() == pytest.approx(1)
    assert ours == pytest.approx(expected, abs=0.02)
    assert -loss(np.log(ours + 1e-9)) == pytest.approx(-loss(theirs), abs=0.05)


def test_many_sets_of_weights_are_fitted_as_each_alone() -> None:
    many = RANDOM.multinomial(300, np.full(300, 1 / 300), size=5).astype(float)
    together = fit(LIKELY, many)
    for row, weights in zip(together, many, strict=True):
        assert row == pytest.approx(fit(LIKELY, weights[None])[0], abs=0.01)


def test_only_what_is_needed_is_selected() -> None:
    first, second = RANDOM.integers(0, 2, size=(2, 400))
    said = np.where(RANDOM.random(400) < 0.8, first, RANDOM.integers(0, 2, 400))
    likely = np.column_stack([first == said, second == said, np.full(400, 0.5)]).astype(float)
    assert sorted(select(likely, np.ones(400), [2])) == [0, 2]
    nothing = np.column_stack([first == second, np.full(400, 0.5)]).astype(float)
    assert select(nothing, np.ones(400), [1]) == [1]


def test_intervals_do_not_shrink_to_nothing_at_the_ends() -> None:
    likely = np.column_stack([np.ones(60), np.full(60, 0.5)])
    shares = fit(likely, np.ones((1, 60)))[0]
    drawn = np.tile(shares, (50, 1))
    ends = intervals(shares, drawn, likely, np.ones(60), np.arange(60) // 3)
    assert ends[0, 1] == pytest.approx(1, abs=1e-3)
    assert 0.85 < ends[0, 0] < 0.99
    assert 0.01 < ends[1, 1] < 0.15


def test_the_likelihood_is_that_of_the_mixture() -> None:
    likely = np.array([[1.0, 0.5], [0.0, 0.5]])
    found = log_likelihood(likely, np.array([[2.0, 1.0]]), np.array([[0.6, 0.4]]))
    assert found[0] == pytest.approx(2 * np.log(0.8) + np.log(0.2))
