"""Learner: which questions a model gets wrong, by ridge regression over what the engine knows of them.

It learns from every answer about a complete story, across searches, and predicts the accuracy on stories that nobody
has asked about yet. Since it is linear, a story's prediction is that of the mean of its questions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RIDGE = 4.0
"""How many questions' worth of doubt there is about every weight."""
NOISE = 0.02
"""The variance between two tellings of one story that is supposed until some have been told twice, and for how many."""
SUPPOSED = 2.0


class Prediction:
    """Accuracies that are to be expected, and how uncertain each is."""

    __slots__ = ("mean", "spread")

    def __init__(self, mean: Floats, spread: Floats) -> None:
        self.mean = mean
        self.spread = spread


@dataclass(slots=True)
class Learner:
    """Sums over all answers so far; the first column is always 1, and is not shrunk."""

    width: int
    products: Floats = field(init=False)
    totals: Floats = field(init=False)
    squares: float = field(default=0.0, init=False)
    rows: int = field(default=0, init=False)
    within: list[tuple[float, int]] = field(default_factory=list, init=False)
    """For plots told more than once: the sum of squares about their mean, and its degrees of freedom."""
    between: list[float] = field(default_factory=list, init=False)
    """How far the first accuracy on each story lay from what had been predicted."""
    _solved: tuple[Floats, Floats, float] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.products, self.totals = np.zeros((self.width, self.width)), np.zeros(self.width)

    def learn(self, rows: Floats, right: Floats) -> None:
        """The features of some questions, and how right the answers were."""
        self.products += rows.T @ rows
        self.totals += rows.T @ right
        self.squares += float(right @ right)
        self.rows += len(rows)
        self._solved = None

    def predict(self, means: Floats) -> Prediction:
        """What is to be expected of stories with these mean features."""
        weights, inverse, variance = self._solve()
        spread = np.sqrt(np.maximum(variance * np.einsum("ij,jk,ik->i", means, inverse, means), 0.0))
        return Prediction(np.clip(means @ weights, 0.0, 1.0), spread)

    def _solve(self) -> tuple[Floats, Floats, float]:
        if self._solved is None:
            count = max(self.rows, 1)
            scale = np.sqrt(np.maximum(np.diag(self.products) / count, 1e-4))
            penalty = RIDGE * scale**2
            penalty[0] = 1e-3
            inverse: Floats = np.linalg.inv(self.products + np.diag(penalty)).astype(np.float64)
            # With nothing learnt yet, a coin is the best guess.
            weights: Floats = inverse @ (self.totals + penalty * np.eye(self.width)[0] * 0.5)
            rest = self.squares - 2 * weights @ self.totals + weights @ self.products @ weights
            variance = (float(rest) + 0.25 * SUPPOSED) / (count + SUPPOSED)
            self._solved = weights, inverse, max(variance, 1e-4)
        return self._solved

    # ---- what an answer about one telling is worth --------------------------------------------------------------

    def compare(self, tellings: list[float]) -> None:
        """Accuracies on several tellings of the same events."""
        middle = fmean(tellings)
        self.within.append((sum((each - middle) ** 2 for each in tellings), len(tellings) - 1))

    @property
    def doubt(self) -> float:
        """How many tellings a prediction is worth: the variance between tellings over that between stories alike."""
        squares, freedom = (sum(part) for part in zip(*self.within, strict=True)) if self.within else (0.0, 0)
        within = (squares + NOISE * SUPPOSED) / (freedom + SUPPOSED)
        gaps = sum(gap * gap for gap in self.between)
        between = (gaps + 2 * NOISE * SUPPOSED) / (len(self.between) + SUPPOSED) - within
        return within / max(between, 0.1 * within, 1e-6)

    @property
    def noise(self) -> float:
        """The standard deviation between tellings of the same events."""
        squares, freedom = (sum(part) for part in zip(*self.within, strict=True)) if self.within else (0.0, 0)
        return sqrt((squares + NOISE * SUPPOSED) / (freedom + SUPPOSED))
