"""A great many groups: those that are alike are drawn together, and nothing but the random numbers changes."""

import numpy as np
import pytest

from otherminds import stats
from otherminds.stats import means, reach
from otherminds.stats.reach import share_interval

GROUPS = 3_000


def answers(seed: int) -> tuple[list[float], list[float], list[int]]:
    """Two answers a group, right or wrong, to two runs that differ a little."""
    random = np.random.default_rng(seed)
    groups = np.repeat(np.arange(GROUPS), 2)
    ease = np.repeat(random.uniform(0.2, 0.9, GROUPS), 2)
    one, two = ((random.random(2 * GROUPS) < ease + more).astype(float) for more in (0.012, 0.0))
    return one.tolist(), two.tolist(), groups.tolist()


@pytest.mark.parametrize("seed", [0, 1])
def test_kinds_are_drawn_as_their_groups_would_be(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two, groups = answers(seed)
    half = len(one) // 2
    sides = (groups[:half], groups[half // 2 : half // 2 + half])

    def numbers() -> list[float]:
        gap = stats.difference(one, two, groups=groups, draws=2_000)
        apart = stats.contrast(one[:half], two[:half], groups=sides, draws=2_000)
        return [gap.value, gap.low, gap.high, gap.p, apart.value, apart.low, apart.high, apart.p]

    sooner = numbers()
    monkeypatch.setattr(reach, "MANY", 10**9)
    assert numbers() == pytest.approx(sooner, abs=0.02)
    assert numbers() != sooner, "both ways were the same way"
    drawn = [means._resampled(np.array([0.0, 1.0, 2.0] * 1_000), np.full(3_000, 2.0), 2_000, seed)]
    monkeypatch.setattr(reach, "MANY", 2_000)
    drawn.append(means._resampled(np.array([0.0, 1.0, 2.0] * 1_000), np.full(3_000, 2.0), 2_000, seed))
    assert np.std(drawn[0]) == pytest.approx(np.std(drawn[1]), rel=0.1)


def test_numbers_on_a_scale_are_drawn_one_by_one() -> None:
    random = np.random.default_rng(0)
    assert reach.few_kinds(random.random(5_000)) is None
    assert reach.few_kinds(np.ones(10)) is None, "few groups have the very draws that they always had"


def test_a_share_of_many_groups_has_the_interval_of_each_group_counted_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    sizes = random.integers(1, 5, size=3000).astype(float)
    right = random.binomial(sizes.astype(int), 0.7).astype(float)
    together = share_interval(right, sizes)
    monkeypatch.setattr("otherminds.stats.reach.MANY", 10**9)
    assert together == pytest.approx(share_interval(right, sizes), abs=1e-9)
