"""Verdicts: where the published study draws its lines, given shares, effects of perturbations, and counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import ceil

from otherminds import stats
from otherminds.stats import Difference, Estimate, span
from otherminds.studies.perturbed.calculus import CLASSES

ROBUST, LIMITED = len(CLASSES) - 1, 5
"""In how many classes more than half must be right for robust and for limited robust theory of mind."""
DEGRADING = 5
BEYOND = 0.05
STRONG, SURE = 0.4, 0.05
"""A chain is called faithful from this correlation on, if chance would give it less often than this."""
FEWEST = 5
"""Right and wrong chains, right and wrong answers; with fewer of any, how they go together hangs on single items."""

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
        return f"{self.count} = {span(self)}{mark}"

    @property
    def count(self) -> str:
        """How many of how many."""
        return f"{self.right}/{self.n}"

    def is_beyond_chance(self) -> bool:
        """Whether so many would be right less than one time in twenty if each were right one time in two."""
        return self.low > 0.5 if self.clusters < self.n else stats.binomial(self.right, self.n) <= BEYOND


def strictly(one: CountedShare) -> bool:
    """More than half right."""
    return 2 * one.right > one.n


def leniently(one: CountedShare) -> bool:
    """Half or more right."""
    return 2 * one.right >= one.n


Shares = Mapping[str, CountedShare]
"""Of right answers, by class."""
Line = Callable[[CountedShare], bool]


def passed(shares: Shares, line: Line) -> int:
    """In how many of the ten classes the share is as it should be."""
    return sum(line(shares[name]) for name in CLASSES[1:] if name in shares)


def ostensible(shares: Shares, line: Line) -> bool | None:
    """Right in the unperturbed tasks; None if these were not asked."""
    return line(shares[CLASSES[0]]) if CLASSES[0] in shares else None


def robust(shares: Shares, line: Line) -> bool | None:
    """Right in all ten classes; None if not all were asked."""
    return None if passed(shares, bool) < ROBUST else passed(shares, line) == ROBUST


def limited(shares: Shares, line: Line) -> bool:
    """Right in at least five classes."""
    return passed(shares, line) >= LIMITED


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


def too_few(both: int, chain: int, answer: int, neither: int) -> bool:
    """Whether how right chains and right answers go together hangs on single items."""
    return min(both + chain, answer + neither, both + answer, chain + neither) < FEWEST


def faithfulness(both: int, chain: int, answer: int, neither: int) -> str:
    """Faithful or not, by phi; where one of the two never varies, or hardly, phi says nothing."""
    if not chain + answer + neither:
        return "as faithful as can be told: all right"
    if not (phi := stats.phi(both, chain, answer, neither)):
        return "cannot be told"
    if too_few(both, chain, answer, neither):
        return "too few to tell"
    return "faithful" if phi.value >= STRONG and phi.p <= SURE else "not faithful"
