from math import nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy

from otherminds.errors import UsageError
from otherminds.stats.significance import binomial, correlation, fisher, holm, mcnemar, p_text, phi, student


@pytest.mark.parametrize(("b", "c"), [(0, 0), (1, 0), (5, 5), (9, 3), (3, 9), (700, 601)])
def test_mcnemar_is_the_binomial_test(b, c):
    expected = scipy.binomtest(b, b + c).pvalue if b + c else 1.0
    assert mcnemar(b, c) == pytest.approx(expected)


def test_mcnemar_bears_counts_beyond_any_float():
    assert mcnemar(5_000, 5_000) == 1.0
    assert mcnemar(3_000, 0) == 0.0


def test_holm_steps_down():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


@pytest.mark.parametrize("n", [3, 4, 10, 136, 544])
def test_a_correlation_is_scipys(n):
    random = np.random.default_rng(n)
    score, right = random.random(n), np.array([0.0, 1.0] * n)[:n]
    theirs = scipy.pointbiserialr(right, score)
    ours = correlation(score.tolist(), right.tolist())
    assert (ours.value, ours.p, ours.n) == pytest.approx((theirs.statistic, theirs.pvalue, n), rel=1e-9)


def test_the_tail_of_a_correlation_holds_far_out():
    x = np.arange(200.0)
    y = x + np.random.default_rng(0).normal(0, 5, 200)
    assert correlation(x, y).p == pytest.approx(scipy.pearsonr(x, y).pvalue, rel=1e-6)
    assert correlation([0, 1, 2], [0, 1, 2]).p == 0


@pytest.mark.parametrize(("x", "y"), [([1, 1, 1], [0, 1, 0]), ([0, 1, 0], [1, 1, 1]), ([0, 1], [0, 1]), ([], [])])
def test_what_never_varies_correlates_with_nothing(x, y):
    assert correlation(x, y) is None


@pytest.mark.parametrize("table", [(3, 1, 1, 3), (30, 10, 12, 40), (8, 0, 76, 52), (1, 9, 11, 3), (68, 0, 39, 29)])
def test_phi_is_pearsons_r_with_scipys_p(table):
    both, first, second, neither = table
    square = [[both, first], [second, neither]]
    ours = phi(*table)
    chi = scipy.chi2_contingency(square, correction=False)
    assert ours.value**2 == pytest.approx(chi.statistic / sum(table))
    assert ours.p == pytest.approx(chi.pvalue)
    assert ours.fisher == pytest.approx(scipy.fisher_exact(square).pvalue)
    x, y = [1.0] * (both + first) + [0.0] * (second + neither), [1.0] * both + [0.0] * first
    y += [1.0] * second + [0.0] * neither
    assert ours.value == pytest.approx(correlation(x, y).value)


@pytest.mark.parametrize("table", [(5, 0, 3, 0), (0, 5, 0, 3), (4, 4, 0, 0), (0, 0, 2, 2), (0, 0, 0, 0)])
def test_phi_says_nothing_where_a_margin_is_empty(table):
    assert phi(*table) is None


@settings(max_examples=100, deadline=None)
@given(st.tuples(*[st.integers(0, 30)] * 4))
def test_fisher_is_scipys(table):
    a, b, c, d = table
    assert fisher(a, b, c, d) == pytest.approx(scipy.fisher_exact([[a, b], [c, d]]).pvalue, rel=1e-6)


def test_how_many_right_are_more_than_half_beyond_chance():
    for least, n in [(7, 8), (9, 10), (10, 12), (11, 14)]:
        assert binomial(least, n) <= 0.05 < binomial(least - 1, n)
    assert binomial(5, 9, chance=1 / 3) == pytest.approx(scipy.binomtest(5, 9, 1 / 3, alternative="greater").pvalue)


@pytest.mark.parametrize(
    ("right", "n", "chance"), [(600, 1_100, 0.5), (0, 9, 0.2), (9, 9, 0.2), (51_000, 100_000, 0.5), (340, 1_000, 1 / 3)]
)
def test_more_answers_than_any_power_of_chance_can_bear(right, n, chance):
    expected = scipy.binomtest(right, n, chance, alternative="greater").pvalue
    assert binomial(right, n, chance=chance) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 10, 30, 500, 100_000])
def test_students_t_is_scipys(freedom):
    assert student(freedom) == pytest.approx(scipy.t.ppf(0.975, freedom), rel=1e-9)


def test_what_was_not_tested_counts_for_no_other_test():
    assert holm([0.01, nan, 0.04]) == pytest.approx([0.02, nan, 0.04], nan_ok=True)
    assert [p_text(p) for p in (nan, 0.0004, 0.5)] == ["no test", "p < 0.001", "p = 0.500"]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: correlation([1.0], [1.0, 2.0]),
        lambda: phi(1, 2, -1, 3),
        lambda: binomial(3, 2),
        lambda: binomial(1, 2, chance=1.0),
        lambda: mcnemar(-1, 2),
    ],
)
def test_nonsense_is_refused(wrong):
    with pytest.raises(UsageError):
        wrong()
