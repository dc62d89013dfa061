"""Agreement between raters: published examples, hand computation, and a second, slow implementation."""

import random
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import permutations, product

import pytest

from otherminds.errors import UsageError
from otherminds.stats.raters import alpha, cohen, fleiss, majority, shared

Row = Sequence[Hashable | None]

# Krippendorff, "Computing Krippendorff's alpha-reliability" (2011), section C: twelve units, four observers, gaps.
KRIPPENDORFF = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
# Fleiss' layout, ten subjects by fourteen raters in five categories, as it is worked through in textbooks.
FLEISS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


def turned(columns: Sequence[Row]) -> list[list[Hashable | None]]:
    return [list(row) for row in zip(*columns, strict=True)]


def slow_alpha(table: Sequence[Row]) -> float | None:
    """By the definition: disagreeing pairs within units against disagreeing pairs among all pairable values."""
    units = [[label for label in row if label is not None] for row in table]
    units = [unit for unit in units if len(unit) > 1]
    pooled = [label for unit in units for label in unit]
    if len(set(pooled)) < 2:
        return None
    n = len(pooled)
    seen = sum(Fraction(sum(a != b for a, b in permutations(unit, 2)), len(unit) - 1) for unit in units) / n
    return float(1 - seen / Fraction(sum(a != b for a, b in permutations(pooled, 2)), n * (n - 1)))


def slow_fleiss(table: Sequence[Row]) -> float | None:
    """The chance that two raters of a unit agree, against that of two draws, each from a unit drawn at random."""
    units = [[label for label in row if label is not None] for row in table]
    units = [unit for unit in units if len(unit) > 1]
    if len({label for unit in units for label in unit}) < 2:
        return None
    pairs = [list(permutations(unit, 2)) for unit in units]
    agree = sum(Fraction(sum(a == b for a, b in some), len(some)) for some in pairs) / len(units)
    chance = sum(
        Fraction(sum(a == b for a, b in product(one, other)), len(one) * len(other))
        for one, other in product(units, units)
    ) / (len(units) ** 2)
    return float((agree - chance) / (1 - chance))


def slow_cohen(a: Row, b: Row) -> float | None:
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    if len({label for pair in pairs for label in pair}) < 2:
        return None
    agree = Fraction(sum(x == y for x, y in pairs), len(pairs))
    chance = Fraction(sum(x == y for (x, _), (_, y) in product(pairs, pairs)), len(pairs) ** 2)
    return float((agree - chance) / (1 - chance))


def test_majority_is_more_than_half_of_those_who_answered() -> None:
    assert majority(["a", "a", "b"]) == "a"
    assert majority(["a", "b"]) is None
    assert majority(["a", "a", "b", "c"]) is None
    assert majority([None, "a", None]) == "a"
    assert majority([False, False, True]) is False
    assert majority([None]) is None
    assert majority([]) is None


def test_alpha_on_krippendorffs_example() -> None:
    found = alpha(turned(KRIPPENDORFF))
    assert found is not None
    assert found.value == pytest.approx(0.743, abs=0.0005)
    assert found.n == 11, "the last unit has one value, and nothing to compare it with"
    assert found.low < found.value <= found.high


def test_alpha_by_hand() -> None:
    # Two raters, ten units, four of them different. Zeros: 14 of 20 labels. Expected: 2 * 14 * 6 / (20 * 19).
    a = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    b = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    found = alpha(turned([a, b]))
    assert found is not None
    assert found.value == pytest.approx(1 - (4 / 10) / (2 * 14 * 6 / (20 * 19)))
    assert found.value == pytest.approx(0.095, abs=0.0005)


def test_fleiss_on_the_textbook_example() -> None:
    table = [[category for category, times in enumerate(row) for _ in range(times)] for row in FLEISS]
    found = fleiss(table)
    assert found is not None
    assert found.value == pytest.approx(0.210, abs=0.0005)
    assert (found.n, found.clusters) == (10, 10)


def test_cohen_by_hand() -> None:
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: 0.7 agree, by chance 0.5 * 0.6 + 0.5 * 0.4 = 0.5.
    a = ["yes"] * 25 + ["no"] * 25
    b = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    found, same = cohen(a, b), shared(a, b)
    assert found is not None
    assert same is not None
    assert found.value == pytest.approx(0.4)
    assert same.value == pytest.approx(0.7)
    assert found.n == same.n == 50


@pytest.mark.parametrize("seed", range(40))
def test_random_tables_by_a_second_way(seed: int) -> None:
    dice = random.Random(seed)
    labels, raters, units = dice.randint(1, 4), dice.randint(2, 5), dice.randint(1, 9)
    options: list[int | None] = [None, *range(labels)]
    table = [[dice.choice(options) for _ in range(raters)] for _ in range(units)]
    columns = turned(table)
    for quick, slow in (
        (alpha(table, draws=20), slow_alpha(table)),
        (fleiss(table, draws=20), slow_fleiss(table)),
        (cohen(columns[0], columns[1], draws=20), slow_cohen(columns[0], columns[1])),
    ):
        if slow is None:
            assert quick is None
        else:
            assert quick is not None
            assert quick.value == pytest.approx(slow, abs=1e-12)
            assert quick.low <= quick.high


def test_nothing_to_compare_is_no_number() -> None:
    assert alpha([]) is None
    assert alpha([["a"], ["b", None]]) is None
    assert fleiss([["a", "a"], ["a", "a"]]) is None
    assert cohen(["a", None], [None, "b"]) is None
    assert shared([None], ["a"]) is None


def test_full_agreement_is_not_certainty() -> None:
    few, many = (alpha([["a", "a"], ["b", "b"]] * times) for times in (2, 50))
    assert few is not None
    assert many is not None
    assert few.value == few.high == many.value == 1
    assert few.low < many.low < 1


@pytest.mark.parametrize("groups", [None, [1, 1, 1], [1, 1, 2]])
def test_no_interval_leaves_what_the_measure_can_reach(groups: list[int] | None) -> None:
    tables: list[list[list[Hashable | None]]] = [
        [[1, 1], [0, 1], [1, 1]],
        [[1, 0], [0, 1], [1, 0]],
        [[1, 1], [0, 0], [1, 1]],
    ]
    for table in tables:
        for found in (alpha(table, groups=groups), fleiss(table, groups=groups), cohen(*turned(table), groups=groups)):
            assert found is not None
            assert -1 <= found.low <= found.value <= found.high <= 1
    (widest,) = [cohen([1, 0, 1], [1, 1, 1])]
    assert widest is not None
    assert widest.low == -1


def test_units_of_one_group_are_drawn_together() -> None:
    dice = random.Random(1)
    talks = [dice.choice("ab") for _ in range(12)]
    table = [[label, label if dice.random() < 0.8 else "c"] for label in talks for _ in range(8)]
    alone = alpha(table)
    together = alpha(table, groups=[number // 8 for number in range(len(table))])
    assert alone is not None
    assert together is not None
    assert alone.value == together.value
    assert (alone.clusters, together.clusters) == (96, 12)


def test_the_order_of_units_and_names_of_labels_do_not_matter() -> None:
    dice = random.Random(2)
    table = [[dice.choice("ab") for _ in range(3)] for _ in range(30)]
    other = [[{"a": "x", "b": "y"}[label] for label in row] for row in dice.sample(table, len(table))]
    assert alpha(table) == alpha(table)
    ours, theirs = alpha(table), alpha(other)
    assert ours is not None
    assert theirs is not None
    assert (theirs.value, theirs.low, theirs.high) == pytest.approx((ours.value, ours.low, ours.high), abs=0.02)


def test_labels_that_cannot_be_paired_are_refused() -> None:
    with pytest.raises(UsageError, match="2 and 1 labels cannot be paired"):
        cohen(["a", "b"], ["a"])
    with pytest.raises(UsageError, match="1 units have 2 groups"):
        alpha([["a", "b"]], groups=["x", "y"])


@pytest.mark.parametrize("measure", ["alpha", "kappa"])
def test_intervals_hold_the_truth_about_as_often_as_they_say(measure: str) -> None:
    """Raters who are right 85 times in 100 on two equally frequent labels: both measures tend to 0.49."""
    held = 0
    for seed in range(60):
        dice = random.Random(seed)
        truth = [dice.random() < 0.5 for _ in range(80)]
        a, b = ([label if dice.random() < 0.85 else not label for label in truth] for _ in range(2))
        found = alpha(turned([a, b]), draws=400) if measure == "alpha" else cohen(a, b, draws=400)
        assert found is not None
        held += found.low <= 0.49 <= found.high
    assert 52 <= held <= 60
