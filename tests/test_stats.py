from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy

from otherminds.errors import UsageError
from otherminds.stats import (
    Difference,
    Estimate,
    _student,
    binomial,
    contrast,
    correlation,
    difference,
    fisher,
    holm,
    mcnemar,
    mean,
    phi,
    proportion,
)

STORIES = ["a", "a", "b", "b", "c", "c", "d", "d", "e", "e", "f", "f"]
ANSWERS = [1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0]


def test_an_estimate_reads_as_people_write_it():
    assert str(Estimate(0.62, 0.51, 0.72, 48, 24, "Wilson")) == "0.62 [0.51, 0.72], n = 48"
    assert str(Difference(-0.001, -0.1, 0.1, 48, 24, "", 0.9)) == "+0.00 [-0.10, +0.10], n = 48, p = 0.900"
    assert str(Difference(0.5, 0.4, 0.6, 48, 24, "", 0.0001)).endswith("p < 0.001")


def test_the_interval_is_scipys_bootstrap_at_the_widened_level():
    values = np.random.default_rng(5).normal(0.5, 0.2, 12)
    level = 1 - 2 * scipy.norm.cdf(-scipy.t.ppf(0.975, 11) * np.sqrt(12 / 11))
    theirs = scipy.bootstrap(
        (values,), np.mean, method="percentile", confidence_level=level, n_resamples=50_000, rng=1
    ).confidence_interval
    ours = mean(values.tolist(), draws=50_000)
    assert ours.value == pytest.approx(values.mean())
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.004)


@pytest.mark.parametrize("freedom", [4, 5, 10, 30, 500])
def test_the_widening_follows_students_t(freedom):
    assert _student(freedom) == pytest.approx(scipy.t.ppf(0.975, freedom), abs=0.01)


def test_groups_are_drawn_whole():
    # Six stories of two items: all 6^6 ways to draw them, weighed alike, are the bootstrap without chance.
    sums = [sum(ANSWERS[i : i + 2]) for i in range(0, 12, 2)]
    every = [sum(draw) / 12 for draw in product(sums, repeat=6)]
    tail = scipy.norm.cdf(-_student(5) * np.sqrt(6 / 5))
    estimate = mean(ANSWERS, groups=STORIES, draws=40_000)
    # All means are twelfths, so a quantile found by drawing is either the exact one or its neighbour.
    assert (estimate.low, estimate.high) == pytest.approx(np.quantile(every, [tail, 1 - tail]), abs=1 / 12 + 1e-9)
    assert (estimate.n, estimate.clusters) == (12, 6)
    assert "cluster bootstrap of 6 groups" in estimate.method


def test_items_of_one_story_say_less_than_items_of_many():
    values = [1.0] * 20 + [0.0] * 20
    apart, together = mean(values), mean(values, groups=[index // 5 for index in range(40)])
    assert together.high - together.low > 1.5 * (apart.high - apart.low)


def test_unequal_groups_count_by_their_size():
    assert mean([1, 1, 1, 0], groups=["long", "long", "long", "short"]).value == 0.75


def test_all_right_is_clopper_and_pearsons():
    for right, n in [(24, 24), (0, 24), (1, 1)]:
        exact = scipy.binomtest(right, n).proportion_ci(0.95, method="exact")
        estimate = mean([1.0] * right + [0.0] * (n - right))
        assert (estimate.low, estimate.high) == pytest.approx((exact.low, exact.high))
        assert "Clopper-Pearson" in estimate.method


def test_all_right_in_few_stories_rests_on_the_stories():
    estimate = mean([1.0] * 40, groups=[index // 10 for index in range(40)])
    assert estimate.low == pytest.approx(0.025 ** (1 / 4))
    assert estimate.method == "Clopper-Pearson on 4 groups, all alike"


def test_stories_that_are_all_half_right_still_leave_doubt():
    estimate = mean([1.0, 0.0] * 12, groups=[index // 2 for index in range(24)])
    assert estimate.low < 0.5 < estimate.high
    assert estimate.high - estimate.low == pytest.approx(1 - 0.025 ** (1 / 12))


def test_one_story_says_next_to_nothing():
    estimate = mean([1, 0, 1], groups=["only"] * 3)
    assert estimate.low < 0.02
    assert estimate.high > 0.98


def test_numbers_without_bounds_get_no_made_up_interval():
    assert str(mean([12.0, 12.0])) == "12.00 [-inf, inf], n = 2"


@given(st.permutations(range(12)), st.integers(0, 3))
@settings(max_examples=20, deadline=None)
def test_neither_order_nor_names_of_groups_matter(order, seed):
    shuffled = mean([ANSWERS[i] for i in order], groups=[ord(STORIES[i]) for i in order], draws=200, seed=seed)
    assert shuffled == mean(ANSWERS, groups=STORIES, draws=200, seed=seed)


def test_many_groups_are_drawn_in_parts(monkeypatch):
    values = np.random.default_rng(2).random(60).tolist()
    whole = difference(values, [0.5] * 60, draws=500)
    monkeypatch.setattr("otherminds.stats._CELLS", 1_000)
    parts = difference(values, [0.5] * 60, draws=500)
    assert (parts.low, parts.high) == pytest.approx((whole.low, whole.high))
    assert 0 < parts.p <= 1


@pytest.mark.parametrize(("right", "n"), [(0, 8), (7, 14), (30, 48), (8, 8)])
def test_wilsons_interval(right, n):
    theirs = scipy.binomtest(right, n).proportion_ci(0.95, method="wilson")
    ours = proportion(right, n)
    assert (ours.value, ours.low, ours.high) == pytest.approx((right / n, theirs.low, theirs.high))


def test_few_groups_are_tested_exactly():
    a, b = [0.9, 0.8, 0.4, 0.7, 0.6, 0.9, 0.3, 0.8], [0.5, 0.6, 0.5, 0.1, 0.2, 0.4, 0.4, 0.2]
    theirs = scipy.permutation_test((np.subtract(a, b),), np.mean, permutation_type="samples", n_resamples=np.inf)
    ours = difference(a, b)
    assert ours.p == pytest.approx(theirs.pvalue)
    assert ours.value == pytest.approx(np.mean(a) - np.mean(b))
    assert "exact sign-flip" in ours.method


def test_signs_are_flipped_by_group():
    # Three stories, each with both items better under a: the least p that three coins can give is 2/8.
    found = difference([1.0] * 6, [0.0] * 6, groups=["x", "x", "y", "y", "z", "z"])
    assert (found.value, found.p) == (1.0, 0.25)
    assert (found.low, found.high) == pytest.approx((2 * 0.025 ** (1 / 3) - 1, 1.0))


def test_on_single_right_and_wrong_answers_sign_flips_are_mcnemar():
    a, b = [1.0] * 9 + [0.0] * 3 + [1.0] * 50, [0.0] * 9 + [1.0] * 3 + [1.0] * 50
    found = difference(a, b)
    assert found.p == pytest.approx(mcnemar(9, 3))
    assert found.method.endswith("exact sign-flip test")  # the fifty ties need no coin


def test_many_groups_are_tested_by_drawing():
    a, b = [1.0] * 40 + [0.0] * 20, [0.0] * 40 + [1.0] * 20
    found = difference(a, b, draws=20_000)
    assert found.p == pytest.approx(mcnemar(40, 20), abs=0.003)
    assert found == difference(a, b, draws=20_000)


def test_no_difference_is_no_evidence():
    found = difference(ANSWERS, ANSWERS, groups=STORIES)
    assert (found.value, found.p) == (0.0, 1.0)
    assert found.low < 0 < found.high


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


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mean([]), "no values"),
        (lambda: mean([1.0, float("nan")]), "not scored"),
        (lambda: mean([1.0, 0.0], groups=["a"]), "one group for each value"),
        (lambda: mean([1.0, 0.0], draws=0), "at least one"),
        (lambda: difference([1.0], [1.0, 0.0]), "cannot be paired"),
        (lambda: proportion(3, 2), "not a share"),
        (lambda: proportion(0, 0), "not a share"),
        (lambda: mcnemar(-1, 2), "zero or more"),
    ],
)
def test_nonsense_is_refused_with_a_sentence(call, words):
    with pytest.raises(UsageError, match=words):
        call()


# ---- what goes together -------------------------------------------------------------------------------------------


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
    "wrong",
    [
        lambda: correlation([1.0], [1.0, 2.0]),
        lambda: phi(1, 2, -1, 3),
        lambda: binomial(3, 2),
        lambda: binomial(1, 2, chance=1.0),
        lambda: contrast([], [1.0], groups=([], ["a"])),
        lambda: contrast([1.0], [1.0], groups=(["a", "b"], ["a"])),
    ],
)
def test_nonsense_is_refused(wrong):
    with pytest.raises(UsageError):
        wrong()


# ---- different items of the same groups ---------------------------------------------------------------------------


def test_a_contrast_of_pairs_is_their_difference():
    random = np.random.default_rng(3)
    a, b = (random.integers(0, 2, 24).astype(float).tolist() for _ in range(2))
    groups = [index // 4 for index in range(24)]
    ours, theirs = contrast(a, b, groups=(groups, groups)), difference(a, b, groups=groups)
    assert ours.value == pytest.approx(theirs.value)
    assert ours.p == pytest.approx(theirs.p)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.03)


def test_a_contrast_is_over_all_that_either_holds():
    found = contrast([1, 1, 0, 1], [0, 0, 0, 1, 1, 1], groups=("aabb", "aabbcc"))
    assert found.value == pytest.approx(3 / 4 - 3 / 6)
    assert (found.n, found.clusters) == (4, 2)


def test_a_contrast_tries_every_exchange_of_groups():
    ours, theirs = {"a": [1, 1, 0], "b": [1], "c": [1, 0]}, {"a": [0, 0], "b": [0, 1], "c": [0, 0, 0, 1], "d": [1]}
    gaps = []
    for turned in product([False, True], repeat=3):
        one, other = [], list(theirs["d"])
        for name, turn in zip("abc", turned, strict=True):
            one += theirs[name] if turn else ours[name]
            other += ours[name] if turn else theirs[name]
        gaps.append(np.mean(one) - np.mean(other))
    values = [[value for some in held.values() for value in some] for held in (ours, theirs)]
    groups = tuple([name for name, some in held.items() for _ in some] for held in (ours, theirs))
    found = contrast(*values, groups=groups)
    assert found.value == pytest.approx(gaps[0])
    assert found.p == pytest.approx(np.mean([abs(gap) >= abs(gaps[0]) - 1e-9 for gap in gaps]))
    assert found.p < 1


def test_a_contrast_does_not_mind_the_order_of_values():
    a, b = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]
    groups = list("xxyyzz")
    turned = contrast(a[::-1], b[::-1], groups=(groups[::-1], groups[::-1]))
    assert turned == contrast(a, b, groups=(groups, groups))


def test_a_contrast_without_exception_still_leaves_doubt():
    found = contrast([0.0] * 14, [1.0] * 14, groups=(list("aabbccddeeffgg"),) * 2)
    assert (found.value, found.low) == (-1, -1)
    assert found.high == pytest.approx(-(0.025 ** (1 / 7)) + (1 - 0.025 ** (1 / 7)))
    assert found.p == 2 / 2**7


def test_a_contrast_of_many_groups_is_drawn():
    a, b = [1.0] * 16, [0.0] * 16
    found = contrast(a, b, groups=(range(16), range(16)), draws=200)
    assert found.p == pytest.approx(1 / 200)
