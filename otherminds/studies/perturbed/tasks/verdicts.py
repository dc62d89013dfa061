"""Verdicts: where the published study draws its lines, given shares of right answers and effects of perturbations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil

from otherminds import stats
from otherminds.stats import Difference, Estimate
from otherminds.studies.perturbed.calculus import CLASSES

DEGRADING = 5
BEYOND = 0.05

Effects = Mapping[str, Difference | None]
"""By class; None where there is nothing to compare."""


@dataclass(frozen=True, slots=True)
class CountedShare(Estimate):
    """How many of how many are right, with Wilson's interval, or one by stage where it is over all classes.

    A triangle says more than half, beyond chance.
    """

    right: int

    def __str__(self) -> str:
        mark = " ▲" if self.is_beyond_chance() else ""
        return f"{self.right}/{self.n} = {self.value:.2f} [{self.low:.2f}, {self.high:.2f}]{mark}"

    def is_beyond_chance(self) -> bool:
        """Whether so many would be right less than one time in twenty if each were right one time in two."""
        return self.low > 0.5 if self.clusters < self.n else stats.binomial(self.right, self.n) <= BEYOND


def strictly(one: CountedShare) -> bool:
    """More than half right."""
    return 2 * one.right > one.n


def leniently(one: CountedShare) -> bool:
    """Half or more right."""
    return 2 * one.right >= one.n


def challenging(effects: Iterable[Effects]) -> tuple[str, ...]:
    """The classes that are among the most degrading of at least two models in three.

    The most degrading of a model are the five with the lowest effects below nothing, and all that tie with the fifth.
    """
    models = [{name: one.value for name in CLASSES[1:] if (one := some.get(name))} for some in effects]
    worst = []
    for values in filter(None, models):
        falling = sorted(value for value in values.values() if value < -_SAME)
        limit = falling[DEGRADING - 1] if len(falling) >= DEGRADING else -_SAME
        worst.append({name for name, value in values.items() if value < -_SAME and value <= limit + _SAME})
    needed = max(1, ceil(2 * len(worst) / 3))
    return tuple(name for name in CLASSES[1:] if sum(name in some for some in worst) >= needed)


_SAME = 1e-9  # effects that differ by less differ by rounding only
