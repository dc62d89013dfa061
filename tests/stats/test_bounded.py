"""Numbers within bounds, and what comes of them."""

import pickle
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds import stats
from otherminds.errors import UsageError
from otherminds.stats import Bounded, share_of_draws
from otherminds.stats.trends import ladder, page

ends = st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted)


@given(st.lists(ends, min_size=3, max_size=12), st.data())
def test_whatever_lies_within_the_bounds_lies_within_the_interval(
    pairs: list[list[float]], data: st.DataObject
) -> None:
    values = [Bounded(low, high) for low, high in pairs]
    truth = [data.draw(st.floats(low, high)) for low, high in pairs]
    found, exact = stats.mean(values, draws=200), stats.mean(truth, draws=200)
    assert found.low - 1e-9 <= exact.value <= found.high + 1e-9
    others = [0.5] * len(values)
    gap = stats.difference(values, others, draws=200)
    assert gap.low - 1e-9 <= exact.value - 0.5 <= gap.high + 1e-9


def test_exact_numbers_are_as_before() -> None:
    values = [0.1, 0.4, 0.9, 0.3]
    assert stats.mean([Bounded(value, value) for value in values]).low == stats.mean(values).low


def test_what_may_be_on_either_side_is_not_shown() -> None:
    values = [Bounded(0.3, 0.8)] * 20
    assert stats.difference(values, [0.5] * 20).p == 1.0
    sure = stats.difference([Bounded(0.85, 0.9)] * 20, [0.5] * 20)
    assert sure.p < 0.05
    assert "bounds of 20 values" in sure.method


def test_trends_carry_bounds() -> None:
    rows = [[Bounded(0.2, 0.3), Bounded(0.5, 0.6)] for _ in range(8)]
    slope = page(rows).slope
    assert slope.low <= 0.2
    assert slope.high >= 0.4
    steps = [0.0, 1.0] * 8
    flat = [value for row in rows for value in row]
    found = ladder(flat, steps, groups=[str(n) for n in range(16)])
    assert found.low <= 0.2
    assert found.high >= 0.4


def test_arithmetic_keeps_bounds() -> None:
    one, two = Bounded(0.2, 0.4), Bounded(0.1, 0.2)
    gap = one - two
    assert (gap.low, gap.high) == pytest.approx((0.0, 0.3))
    assert float(1 - one) == pytest.approx(0.7)
    assert pickle.loads(pickle.dumps(one)).high == 0.4
    with pytest.raises(UsageError, match="wrong way round"):
        Bounded(0.5, 0.2)


@pytest.mark.parametrize("even", [True, False])
def test_the_interval_of_a_share_holds_it(even: bool) -> None:
    """For any share, with draws that stop as soon as the first ones agree."""
    dice = random.Random(0)
    held = 0
    for _ in range(2000):
        share = dice.random() if even else dice.betavariate(0.3, 0.3)
        draws = [dice.random() < share for _ in range(2)]
        if len(set(draws)) == 2:
            draws += [dice.random() < share for _ in range(6)]
        low, high = share_of_draws(sum(draws), len(draws))
        held += low <= share <= high
    assert held / 2000 >= 0.95


def test_no_share() -> None:
    assert share_of_draws(0, 0) == (0.0, 1.0)
    with pytest.raises(UsageError, match="no share"):
        share_of_draws(3, 2)
