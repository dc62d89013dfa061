"""An interval and its p are of one model: p is below 0.05 exactly where the 95 % interval excludes 0."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

import numpy as np
import pytest
from scipy import stats as scipy

from otherminds import stats
from otherminds.stats import Bounded, Difference, means, reach, trends
from otherminds.stats.trends import ladder, page

LEVELS = (0.001, 0.01, 0.05, 0.2)


def differences(random: np.random.Generator, trials: int) -> Iterator[Difference]:
    """Differences of every sort: scores, answers, constants and bounds, in few groups and in many."""
    for _ in range(trials):
        n = int(random.integers(2, 30))
        groups = random.integers(random.integers(1, n + 1), size=n).tolist()
        kinds = (
            (random.random(n), random.random(n) * 0.7),
            ((random.random(n) < 0.8).astype(float), (random.random(n) < 0.4).astype(float)),
            (np.full(n, 0.3), np.full(n, 0.3 - random.random() * 0.3)),
            (np.round(random.random(n), 1), np.round(random.random(n) * 0.6, 1)),
            (np.ones(n), np.zeros(n)),
        )
        a, b = (side.tolist() for side in kinds[random.integers(len(kinds))])
        wide = [Bounded(value, min(1.0, value + 0.1)) for value in a]
        steps = random.integers(3, size=n).tolist()
        for values in (a, wide):
            yield stats.difference(values, b, groups=groups, draws=200)
            yield stats.contrast(values, b, groups=(groups, groups), draws=200)
            yield page([list(pair) for pair in zip(b, values, strict=True)], groups=groups, draws=200).slope
            if len(set(steps)) > 1 and len(set(groups)) > 1:
                yield ladder(values, steps, groups=groups, draws=200)


@pytest.fixture
def forgetful() -> Iterator[None]:
    """The same numbers are asked about at every level, and nothing of it is known afterwards."""
    for end in (False, True):
        for estimate in (means.mean, means.difference, means.contrast, trends.ladder):
            estimate.known.cache_clear()  # type: ignore[attr-defined]
        if not end:
            yield


@pytest.mark.usefixtures("forgetful")
@pytest.mark.parametrize("level", LEVELS)
def test_p_and_interval_agree_at_every_level(level: float, monkeypatch: pytest.MonkeyPatch) -> None:
    if level != 0.05:  # the interval of another level
        for module in (means, trends):
            monkeypatch.setattr(module, "TAIL", level / 2)
        for module in (means, reach):
            monkeypatch.setattr(module, "student", lambda n: float(scipy.t.ppf(1 - level / 2, n)) if n else np.inf)
    found = list(differences(np.random.default_rng(7), 25))
    assert [str(one) for one in found if (one.low > 0 or one.high < 0) != (one.p < level)] == []
    assert 0.03 < fmean(one.p < level for one in found) < 0.8


def test_eight_seeds_that_agree_have_one_verdict() -> None:
    found = stats.difference([0.42] * 8, [0.5] * 8)
    assert found.value == pytest.approx(-0.08)
    assert found.high < 0
    assert found.p == pytest.approx(2 / 2**8)
    five = stats.difference([0.42] * 5, [0.5] * 5)
    assert five.high > 0
    assert five.p == pytest.approx(2 / 2**5)


@pytest.mark.parametrize("groups", [2, 3, 5, 6, 8, 20])
@pytest.mark.parametrize("kind", ["scores", "two values", "answers", "clusters"])
def test_chance_alone_is_rarely_significant(kind: str, groups: int) -> None:
    random = np.random.default_rng(groups)
    by = np.repeat(np.arange(groups), 4).tolist() if kind == "clusters" else None
    made = {
        "scores": lambda: random.normal(0, 0.2, groups).clip(-1, 1),
        "two values": lambda: random.choice([-0.1, 0.1], groups) + random.normal(0, 0.005, groups),
        "answers": lambda: random.choice([-1.0, 0, 1], groups, p=[0.2, 0.6, 0.2]),
        "clusters": lambda: np.repeat(random.normal(0, 0.1, groups), 4) + random.normal(0, 0.1, 4 * groups),
    }[kind]
    trials = [made() for _ in range(150)]
    found = [stats.difference(values.tolist(), [0.0] * len(values), groups=by, draws=100) for values in trials]
    assert fmean(one.p < 0.05 for one in found) <= 0.105  # 150 trials at 0.05 stay below with three standard errors
