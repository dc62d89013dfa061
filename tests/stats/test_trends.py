"""Trends against scipy, against counting all orders by hand, and against closed forms."""

from itertools import permutations, product
from math import comb

import numpy as np
import pytest
from scipy import stats as scipy_stats

from otherminds.errors import UsageError
from otherminds.stats.trends import ladder, page


def drawn(rows, columns, seed, drift=0.0):
    random = np.random.default_rng(seed)
    return (random.random((rows, columns)) + drift * np.arange(columns)).tolist()


@pytest.mark.parametrize(("rows", "columns", "seed"), [(4, 3, 0), (10, 4, 1), (12, 3, 2), (7, 5, 3)])
def test_page_agrees_with_scipy(rows, columns, seed):
    table = drawn(rows, columns, seed, drift=0.05)
    ours = page(table, draws=50)
    theirs = scipy_stats.page_trend_test(table, method="exact")
    assert ours.statistic == theirs.statistic
    other_way = scipy_stats.page_trend_test([row[::-1] for row in table], method="exact")
    assert ours.p == pytest.approx(min(1, 2 * min(theirs.pvalue, other_way.pvalue)), rel=1e-9)
    assert "exact" in ours.method


def test_page_for_many_blocks_agrees_with_scipy():
    table = drawn(400, 4, 5, drift=0.01)
    ours, theirs = page(table, draws=50), scipy_stats.page_trend_test(table, method="asymptotic")
    assert ours.statistic == theirs.statistic
    assert ours.p == pytest.approx(2 * min(theirs.pvalue, 1 - theirs.pvalue), rel=1e-6)
    assert "normal" in ours.method


def test_page_with_ties_counts_every_order():
    table = [[0.1, 0.1, 0.4], [0.2, 0.3, 0.3], [0.5, 0.5, 0.5], [0.1, 0.2, 0.3]]
    ranks = [[1.5, 1.5, 3], [1, 2.5, 2.5], [2, 2, 2], [1, 2, 3]]
    of = [[sum(place * rank for place, rank in enumerate(order, 1)) for order in permutations(row)] for row in ranks]
    seen = sum(place * rank for row in ranks for place, rank in enumerate(row, 1))
    totals = [sum(one) for one in product(*of)]
    middle = 4 * 3 * 16 / 4
    expected = sum(abs(total - middle) >= abs(seen - middle) for total in totals) / len(totals)
    found = page(table, draws=50)
    assert found.statistic == seen
    assert found.p == pytest.approx(expected)


def test_two_treatments_are_a_sign_test():
    table = [[0.1, 0.2]] * 9 + [[0.2, 0.1]]
    assert page(table, draws=50).p == pytest.approx(2 * (1 + comb(10, 1)) / 2**10)


def test_twins_are_one_block():
    table = drawn(6, 3, 7)
    groups = ["a", "a", "b", "b", "c", "c"]
    means = [np.mean(table[start : start + 2], axis=0).tolist() for start in (0, 2, 4)]
    assert page(table, groups=groups, draws=50).p == page(means, draws=50).p
    assert page(table, groups=groups, draws=50).blocks == 3


def test_slope_is_least_squares_at_the_places_given():
    found = page([[0.1, 0.3, 0.6], [0.2, 0.3, 0.8]], at=[1, 2, 4], draws=50)
    expected = np.mean([np.polyfit([1, 2, 4], row, 1)[0] for row in ([0.1, 0.3, 0.6], [0.2, 0.3, 0.8])])
    assert found.slope.value == pytest.approx(expected)


@pytest.mark.parametrize("table", [[], [[0.5]], [[0.1, float("nan")]]])
def test_page_refuses_what_is_no_table(table):
    with pytest.raises(UsageError):
        page(table)


def test_page_refuses_places_that_do_not_fit():
    with pytest.raises(UsageError, match="3 treatments"):
        page([[0.1, 0.2, 0.3]], at=[1, 2])


def test_ladder_slope_is_least_squares():
    random = np.random.default_rng(3)
    steps = random.integers(3, size=60).tolist()
    values = (random.random(60) - 0.1 * np.array(steps)).tolist()
    found = ladder(values, steps, groups=range(60), draws=500)
    assert found.value == pytest.approx(np.polyfit(steps, values, 1)[0])
    assert found.low < found.value < found.high


def test_ladder_p_counts_the_deals():
    """Four items on two steps: of the six ways to deal, the two extreme ones are as steep as what was seen."""
    found = ladder([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1], groups="abcd", draws=20_000)
    assert found.p == pytest.approx(2 / 6, abs=0.02)


def test_ladder_of_two_steps_is_a_permutation_test():
    random = np.random.default_rng(4)
    one, two = random.random(12), random.random(15) + 0.25
    found = ladder([*one, *two], [0] * 12 + [1] * 15, groups=range(27), draws=5_000)
    theirs = scipy_stats.permutation_test(
        (two, one), lambda a, b: a.mean() - b.mean(), n_resamples=5_000, random_state=np.random.default_rng(0)
    )
    assert found.value == pytest.approx(two.mean() - one.mean())
    assert found.p == pytest.approx(theirs.pvalue, abs=0.02)


def test_twins_do_not_count_twice():
    values, steps = [0.4, 0.5, 0.6, 0.7, 0.5, 0.8], [0, 0, 0, 1, 1, 1]
    alone = ladder(values, steps, groups=range(6), draws=4_000)
    doubled = ladder(values * 4, steps * 4, groups=[*range(6)] * 4, draws=4_000)
    assert doubled.value == pytest.approx(alone.value)
    assert doubled.p == pytest.approx(alone.p, abs=0.03)
    assert ladder(values * 4, steps * 4, groups=range(24), draws=4_000).p < alone.p / 4


def test_the_order_of_the_items_does_not_matter():
    values, steps, groups = [0.1, 0.5, 0.4, 0.9], [0, 1, 1, 2], ["a", "b", "b", "c"]
    one = ladder(values, steps, groups=groups, draws=200)
    other = ladder(values[::-1], steps[::-1], groups=groups[::-1], draws=200)
    assert (one.low, one.high, one.p) == pytest.approx((other.low, other.high, other.p), abs=1e-15)


def test_the_order_of_many_items_does_not_matter_either():
    random = np.random.default_rng(8)
    values, steps, groups = random.random(24).tolist(), [0, 1, 2] * 8, [number // 4 for number in range(24)]
    one = ladder(values, steps, groups=groups, draws=200)
    other = ladder(values[::-1], steps[::-1], groups=groups[::-1], draws=200)
    assert (one.low, one.high, one.p) == pytest.approx((other.low, other.high, other.p))


def test_a_step_with_few_groups_makes_the_interval_wide():
    """Two groups on the first step, however many on the second: Student's t has one degree of freedom."""
    random = np.random.default_rng(9)
    low, high = (random.normal(middle, 10, count) for middle, count in ((100, 2), (120, 60)))
    found = ladder([*low, *high], [0] * 2 + [1] * 60, groups=range(62), draws=2_000)
    error = np.sqrt(62 / 61 * (((low - low.mean()) ** 2).sum() / 4 + ((high - high.mean()) ** 2).sum() / 3600))
    reach = scipy_stats.t.ppf(0.975, 1) * error
    assert (found.low, found.high) == pytest.approx((found.value - reach, found.value + reach))
    assert found.clusters == 2


@pytest.mark.parametrize(("steps", "most"), [([0, 1, 1, 1], 1.0), ([0, 0.5, 0.5, 2], 2.0)])
def test_a_step_with_a_single_group_says_next_to_nothing(steps, most):
    found = ladder([0.2, 0.4, 0.5, 0.6], steps, groups="abcd", draws=200)
    assert found.clusters == 1
    assert (found.low, found.high) == pytest.approx(
        (0.025 * found.value - 0.975 * most, 0.025 * found.value + 0.975 * most)
    )


def test_a_ladder_without_any_slope_still_leaves_doubt():
    found = ladder([0.95] * 12, [0, 1] * 6, groups=[number // 2 for number in range(12)], draws=200)
    assert (found.value, found.high) == pytest.approx((0, 1 - 0.025 ** (1 / 6)))


@pytest.mark.parametrize(
    ("values", "steps", "groups"),
    [([0.1, 0.2], [1, 1], "ab"), ([0.1, 0.2], [0, 1], "a"), ([0.1, 0.2], [0, 1], "aa")],
)
def test_ladder_refuses_what_is_no_ladder(values, steps, groups):
    with pytest.raises(UsageError):
        ladder(values, steps, groups=groups)
