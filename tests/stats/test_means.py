from itertools import product
from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy

from otherminds.errors import UsageError
from otherminds.stats import Difference, Estimate, contrast, difference, mean, proportion
from otherminds.stats.reach import _CORRELATIONS, share_interval
from otherminds.stats.significance import mcnemar, student

STORIES = ["a", "a", "b", "b", "c", "c", "d", "d", "e", "e", "f", "f"]
ANSWERS = [1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0]


def test_an_estimate_reads_as_people_write_it():
    assert str(Estimate(0.62, 0.51, 0.72, 48, 24, "Wilson")) == "0.62 [0.51, 0.72], n = 48 in 24 groups"
    assert str(Estimate(0.5, 0.0, 1.0, 3, 1, "Student's t")) == "0.50 [0.00, 1.00], n = 3 in 1 group"
    assert str(Estimate(0.5, 0.0, 1.0, 3, 3, "Student's t")) == "0.50 [0.00, 1.00], n = 3"
    assert str(Difference(-0.001, -0.1, 0.1, 48, 24, "", 0.9)) == "+0.00 [-0.10, +0.10], n = 48 in 24 groups, p = 0.900"
    assert str(Difference(0.5, 0.4, 0.6, 48, 24, "", 0.0001)).endswith("p < 0.001")


def test_the_interval_is_scipys_bootstrap_at_the_widened_level_or_students():
    values = np.random.default_rng(5).normal(0.5, 0.2, 12) ** 2
    level = 1 - 2 * scipy.norm.cdf(-scipy.t.ppf(0.975, 11) * np.sqrt(12 / 11))
    drawn = scipy.bootstrap(
        (values,), np.mean, method="percentile", confidence_level=level, n_resamples=50_000, rng=1
    ).confidence_interval
    plain = scipy.ttest_1samp(values, 0).confidence_interval(0.95)
    ours = mean(values.tolist(), draws=50_000)
    assert ours.value == pytest.approx(values.mean())
    # The values are skewed, so that each is the wider on one side.
    assert plain.low < drawn.low
    assert drawn.high > plain.high
    assert (ours.low, ours.high) == pytest.approx((plain.low, drawn.high), abs=0.004)


def test_groups_are_drawn_whole():
    # Six stories of two values: all 6^6 ways to draw them, weighed alike, are the bootstrap without chance.
    values = [0.1 + 0.8 * answer for answer in ANSWERS]
    sums = [sum(values[i : i + 2]) for i in range(0, 12, 2)]
    every = [sum(draw) / 12 for draw in product(sums, repeat=6)]
    tail = scipy.norm.cdf(-student(5) * np.sqrt(6 / 5))
    low, high = np.quantile(every, [tail, 1 - tail])
    plain = scipy.ttest_1samp(np.divide(sums, 2), 0).confidence_interval(0.95)
    estimate = mean(values, groups=STORIES, draws=40_000)
    # All means are steps of 0.8 / 12, so a quantile found by drawing is either the exact one or its neighbour.
    expected = max(0, min(low, plain.low)), min(1, max(high, plain.high))
    assert (estimate.low, estimate.high) == pytest.approx(expected, abs=0.8 / 12 + 1e-9)
    assert (estimate.n, estimate.clusters) == (12, 6)
    assert "cluster bootstrap of 6 groups" in estimate.method


def test_two_groups_are_too_few_for_resampling_so_students_t_decides():
    found = mean([12.0, 14.0, 15.0, 17.0], groups="aabb")
    assert (found.low, found.high) == pytest.approx((14.5 - 12.7062047 * 1.5, 14.5 + 12.7062047 * 1.5))
    assert str(mean([0.4, 0.6])) == "0.50 [0.00, 1.00], n = 2"


def test_groups_of_different_sizes_err_by_their_size():
    values, groups = [12.0, 14.0, 15.0, 17.0, 10.0, 30.0], "aaabbc"
    middle = np.mean(values)
    off = [sum(value - middle for value, name in zip(values, groups, strict=True) if name == one) for one in "abc"]
    reach = scipy.t.ppf(0.975, 2) * sqrt(3 / 2 * np.square(off).sum()) / 6
    found = mean(values, groups=groups)
    assert (found.low, found.high) == pytest.approx((middle - reach, middle + reach))


def test_items_of_one_story_say_less_than_items_of_many():
    values = [1.0] * 20 + [0.0] * 20
    apart, together = mean(values), mean(values, groups=[index // 5 for index in range(40)])
    assert together.high - together.low > 1.5 * (apart.high - apart.low)


def test_unequal_groups_count_by_their_size():
    assert mean([1, 1, 1, 0], groups=["long", "long", "long", "short"]).value == 0.75


@pytest.mark.parametrize(("right", "n"), [(24, 24), (23, 24), (12, 24), (0, 24), (97, 100), (9_990, 10_000)])
def test_of_independent_answers_it_is_jeffreys(right, n):
    exact = scipy.beta.ppf([0.025, 0.975], right + 0.5, n - right + 0.5)
    expected = 0 if right == 0 else exact[0], 1 if right == n else exact[1]
    estimate = mean([1.0] * right + [0.0] * (n - right))
    assert (estimate.low, estimate.high) == pytest.approx(expected, abs=0.002)
    assert estimate.method.startswith("Jeffreys'")


def test_a_share_has_the_interval_of_the_model_worked_out_by_scipy():
    right, sizes = np.array([3.0, 1, 4, 4, 2]), np.full(5, 4.0)
    share, alike = np.linspace(0.0005, 0.9995, 1000)[:, None, None], _CORRELATIONS[None, :, None]
    a, b = share * (1 - alike) / alike, (1 - share) * (1 - alike) / alike
    mass = scipy.beta.pdf(share, 0.5, 0.5)[..., 0] * scipy.betabinom.pmf(right, sizes, a, b).prod(axis=2)
    below = np.cumsum(mass.sum(axis=1)) / mass.sum()
    expected = np.interp([0.025, 0.975], below, share.ravel())
    assert share_interval(right, sizes) == pytest.approx(expected, abs=0.005)


def test_one_wrong_answer_does_not_make_an_interval_better():
    # 136 of 136 right once had [0.59, 1.00] beside [0.97, 1.00] of 135.
    for groups in (3, 5, 7, 25, 136):
        by = [index * groups // 136 for index in range(136)]
        lows = [mean([0.0] * wrong + [1.0] * (136 - wrong), groups=by).low for wrong in range(4)]
        assert lows[0] > lows[1] > lows[2] - 0.02
        assert lows[0] - lows[1] < 0.1
        assert groups < 5 or lows[0] > 0.8


def test_groups_count_by_their_size_in_the_interval_too():
    # Nine groups of one wrong answer beside one of a hundred right ones: the share is 0.92.
    estimate = mean([1.0] * 100 + [0.0] * 9, groups=[0] * 100 + list(range(1, 10)))
    assert estimate.low < estimate.value < estimate.high
    assert estimate.high > 0.95


def test_stories_that_are_all_half_right_still_leave_doubt():
    estimate = mean([1.0, 0.0] * 12, groups=[index // 2 for index in range(24)])
    assert estimate.low < 0.4
    assert estimate.high > 0.6


def test_one_story_says_next_to_nothing():
    estimate = mean([1, 0, 1], groups=["only"] * 3)
    assert estimate.low < 0.02
    assert estimate.high > 0.98


def test_numbers_without_bounds_get_no_made_up_interval():
    assert str(mean([12.0, 12.0])) == "12.00 [–], n = 2"


@given(st.permutations(range(12)), st.integers(0, 3))
@settings(max_examples=20, deadline=None)
def test_neither_order_nor_names_of_groups_matter(order, seed):
    shuffled = mean([ANSWERS[i] for i in order], groups=[ord(STORIES[i]) for i in order], draws=200, seed=seed)
    assert shuffled == mean(ANSWERS, groups=STORIES, draws=200, seed=seed)


def test_many_groups_are_drawn_in_parts(monkeypatch):
    values = np.random.default_rng(2).random(60).tolist()
    whole = difference(values, [0.5] * 60, draws=500)
    monkeypatch.setattr("otherminds.stats.means._CELLS", 1_000)
    parts = difference(values, [0.5] * 60, draws=500)
    assert (parts.low, parts.high) == pytest.approx((whole.low, whole.high))
    assert 0 < parts.p <= 1


@pytest.mark.parametrize(("right", "n"), [(0, 8), (7, 14), (30, 48), (8, 8)])
def test_wilsons_interval(right, n):
    theirs = scipy.binomtest(right, n).proportion_ci(0.95, method="wilson")
    ours = proportion(right, n)
    assert (ours.value, ours.low, ours.high) == pytest.approx((right / n, theirs.low, theirs.high))


def test_p_is_that_of_the_interval_by_students_t():
    a, b = [0.9, 0.8, 0.4, 0.7, 0.6, 0.9, 0.3, 0.8], [0.5, 0.6, 0.5, 0.1, 0.2, 0.4, 0.4, 0.2]
    ours = difference(a, b)
    assert ours.p == pytest.approx(scipy.ttest_1samp(np.subtract(a, b), 0).pvalue, abs=0.003)
    assert ours.value == pytest.approx(np.mean(a) - np.mean(b))
    flipped = scipy.permutation_test((np.subtract(a, b),), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert ours.p == pytest.approx(flipped.pvalue, abs=0.025)


def test_signs_are_flipped_by_group():
    # Three stories, each with both items better under a: the least p that three coins can give is 2/8.
    found = difference([1.0] * 6, [0.0] * 6, groups=["x", "x", "y", "y", "z", "z"])
    assert (found.value, found.p) == (1.0, 0.25)
    assert (found.low, found.high) == pytest.approx((2 / (1 + 1.3 * student(2) ** 2 / 6) - 1, 1.0))


def test_on_single_right_and_wrong_answers_p_is_close_to_mcnemars():
    a, b = [1.0] * 9 + [0.0] * 3 + [1.0] * 50, [0.0] * 9 + [1.0] * 3 + [1.0] * 50
    assert difference(a, b).p == pytest.approx(mcnemar(9, 3), abs=0.05)
    few = difference([1.0] * 5 + [0.0] * 15, [0.0] * 20)  # the fifteen ties toss no coin
    assert few.p == pytest.approx(mcnemar(5, 0))
    assert few.low < 0 < few.high


def test_many_groups_are_tested_by_drawing():
    a, b = [1.0] * 40 + [0.0] * 20, [0.0] * 40 + [1.0] * 20
    found = difference(a, b, draws=20_000)
    assert found.p == pytest.approx(mcnemar(40, 20), abs=0.003)
    assert found == difference(a, b, draws=20_000)


def test_no_difference_is_no_evidence():
    found = difference(ANSWERS, ANSWERS, groups=STORIES)
    assert (found.value, found.p) == (0.0, 1.0)
    assert found.low < 0 < found.high


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mean([]), "no values"),
        (lambda: mean([1.0, float("nan")]), "not scored"),
        (lambda: mean([1.0, 0.0], groups=["a"]), "one group for each value"),
        (lambda: mean([0.4, 0.6], draws=0), "at least one"),
        (lambda: difference([1.0], [1.0, 0.0]), "cannot be paired"),
        (lambda: proportion(3, 2), "not a share"),
        (lambda: proportion(0, 0), "not a share"),
    ],
)
def test_nonsense_is_refused_with_a_sentence(call, words):
    with pytest.raises(UsageError, match=words):
        call()


# ---- different items of the same groups ---------------------------------------------------------------------------


def test_a_contrast_of_pairs_is_their_difference():
    random = np.random.default_rng(3)
    a, b = (random.integers(0, 2, 24).astype(float).tolist() for _ in range(2))
    groups = [index // 4 for index in range(24)]
    ours, theirs = contrast(a, b, groups=(groups, groups)), difference(a, b, groups=groups)
    assert ours.value == pytest.approx(theirs.value)
    assert (ours.low, ours.high, ours.p) == pytest.approx((theirs.low, theirs.high, theirs.p), abs=0.02)


def test_a_contrast_is_over_all_that_either_holds():
    found = contrast([1, 1, 0, 1], [0, 0, 0, 1, 1, 1], groups=("aabb", "aabbcc"))
    assert found.value == pytest.approx(3 / 4 - 3 / 6)
    assert (found.n, found.clusters) == (10, 2)  # both sides are what it rests on


def test_a_contrast_without_exception_says_no_more_than_its_groups():
    """Four groups that all lean one way do so by chance in one case of eight."""
    found = contrast([1.0] * 4, [0.2, 0.3, 0.2, 0.3], groups=("abcd", "abcd"))
    assert found.p == pytest.approx(2 / 2**4)
    assert found.low < 0 < found.value


def test_a_contrast_does_not_mind_the_order_of_values():
    a, b = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]
    groups = list("xxyyzz")
    turned = contrast(a[::-1], b[::-1], groups=(groups[::-1], groups[::-1]))
    assert turned == contrast(a, b, groups=(groups, groups))


def test_a_contrast_without_exception_still_leaves_doubt():
    found = contrast([0.0] * 14, [1.0] * 14, groups=(list("aabbccddeeffgg"),) * 2)
    assert (found.value, found.low) == (-1, -1)
    assert found.high == pytest.approx(1 - 2 * 0.025 ** (1 / 7))  # less than Wilson's
    assert found.p == pytest.approx(0.0168, abs=0.0001)  # a little more than that of seven coins


def test_a_contrast_of_many_groups_is_close_to_the_coins():
    found = contrast([1.0] * 16, [0.0] * 16, groups=(range(16), range(16)), draws=200)
    assert 2 / 2**16 < found.p < 0.005


def test_groups_that_hold_one_sort_only_are_welchs():
    a, b = [11.0, 14.0, 19.0], [2.0, 8.0, 3.0, 9.0, 4.0]
    found = contrast(a, b, groups=("abc", "defgh"))
    error = sqrt(np.var(a, ddof=1) / 3 + np.var(b, ddof=1) / 5)
    assert (found.low, found.high) == pytest.approx((9.4666667 - student(2) * error, 9.4666667 + student(2) * error))


def test_without_a_group_that_holds_both_there_is_no_test():
    found = contrast([1.0, 0.0, 1.0], [0.0, 0.0, 1.0], groups=("abc", "def"))
    assert isnan(found.p)
    assert str(found).endswith("n = 6 in 3 groups, no test")
    assert found.method.endswith("no test, since no group holds both")
    assert contrast([1.0, 0.0], [1.0, 0.0], groups=("ab", "ab")).p == 1  # tested, and nothing differs


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: contrast([], [1.0], groups=([], ["a"])),
        lambda: contrast([1.0], [1.0], groups=(["a", "b"], ["a"])),
    ],
)
def test_a_contrast_of_nonsense_is_refused(wrong):
    with pytest.raises(UsageError):
        wrong()


# ---- how often intervals hold the truth ---------------------------------------------------------------------------

TRIALS = 1_000


def clustered(random, groups, each, share, alike=2.0):
    """Answers, right or wrong, that lean the same way within a group."""
    chances = random.beta(share * alike, (1 - share) * alike, groups)
    return (random.random((groups, each)) < chances[:, None]).astype(float)


def shares(random, groups, by):
    return mean(clustered(random, groups, 4, 0.7).ravel().tolist(), groups=by, draws=200), 0.7


def scores(random, groups, by):
    values = random.normal(0.5, 0.1, groups)[:, None] + random.normal(0, 0.1, (groups, 4))
    return mean(values.clip(0, 1).ravel().tolist(), groups=by, draws=200), 0.5


def rare(random, groups, by):
    a, b = ((random.random((groups, 4)) < share).astype(float).ravel().tolist() for share in (0.98, 0.96))
    return difference(a, b, groups=by, draws=200), 0.02


def two_sorts(random, groups, by):
    a, b = ((random.random((groups, each)) < share).astype(float).ravel() for each, share in ((4, 0.8), (2, 0.6)))
    return contrast(a.tolist(), b.tolist(), groups=(by, by[::2]), draws=200), 0.2


@pytest.mark.parametrize("groups", [2, 3, 4, 6, 12])
@pytest.mark.parametrize("made", [shares, scores, rare, two_sorts])
def test_about_nineteen_of_twenty_intervals_hold_the_truth(made, groups):
    random = np.random.default_rng(groups)
    by = [number // 4 for number in range(groups * 4)]
    found = [made(random, groups, by) for _ in range(TRIALS)]
    held = sum(one.low - 1e-9 <= truth <= one.high + 1e-9 for one, truth in found)
    assert held / TRIALS > 0.91
