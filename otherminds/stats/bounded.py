"""Numbers that are known to lie between two others, and what their bounds come to in means and differences.

A server that lists only its likeliest tokens leaves a score within bounds. What is made of such scores lies within
bounds too: the least favourable case and the most favourable one are each taken through the same arithmetic, with the
error of sampling on top, and the interval reaches from the lowest end to the highest. An estimate of the same exact
numbers is computed once: on a page, many of them stand in several places.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, TypeVar

from otherminds.errors import UsageError

if TYPE_CHECKING:
    from otherminds.stats.means import Estimate


class Bounded(float):
    """A number between `low` and `high`; whatever takes it for a float takes their middle."""

    __slots__ = ("high", "low")
    low: float
    high: float

    def __new__(cls, low: float, high: float) -> Bounded:
        if not low <= high:
            raise UsageError(f"bounds of {low} and {high} are the wrong way round")
        made = super().__new__(cls, (low + high) / 2)
        made.low, made.high = float(low), float(high)
        return made

    def __getnewargs__(self) -> tuple[float, float]:  # type: ignore[override]
        return self.low, self.high

    @property
    def width(self) -> float:
        """How far the bounds lie apart."""
        return self.high - self.low

    def __add__(self, other: float) -> Bounded:
        return Bounded(self.low + low_of(other), self.high + high_of(other))

    def __sub__(self, other: float) -> Bounded:
        return Bounded(self.low - high_of(other), self.high - low_of(other))

    def __rsub__(self, other: float) -> Bounded:
        return Bounded(other - self.high, other - self.low)

    def __neg__(self) -> Bounded:
        return Bounded(-self.high, -self.low)

    __radd__ = __add__


def low_of(value: float) -> float:
    """The least that a number can be."""
    return value.low if isinstance(value, Bounded) else value


def high_of(value: float) -> float:
    """The most that a number can be."""
    return value.high if isinstance(value, Bounded) else value


def weighted(values: Sequence[float], weights: Sequence[float]) -> float:
    """A sum of numbers, each times its weight; bounded if one of them is."""
    pairs = list(zip(values, weights, strict=True))
    if not any(isinstance(value, Bounded) for value in values):
        return float(sum(value * weight for value, weight in pairs))
    least = sum((low_of(value) if weight > 0 else high_of(value)) * weight for value, weight in pairs)
    most = sum((high_of(value) if weight > 0 else low_of(value)) * weight for value, weight in pairs)
    return Bounded(least, most)


F = TypeVar("F", bound=Callable[..., Any])
E = TypeVar("E", bound="Estimate")


def carries_bounds(make: F) -> F:
    """An estimate of one or two sides whose bounds reach its interval, and its p where it has one."""

    @wraps(make)
    def made(*sides: Sequence[float], **options: Any) -> Any:
        found = make(*sides, **options)
        if not (bounded := sum(map(_count, sides))):
            return found
        ends = (low_of, high_of)  # the least that one side can be, with the most that the other can be
        least, most = (
            make(*(list(map(end, side)) for side, end in zip(sides, order, strict=False)), **options)
            for order in (ends, ends[::-1])
        )
        return replace(reaching(found, least, most), method=f"{found.method}; bounds of {bounded} values carried")

    return made  # type: ignore[return-value]


def reaching(found: E, least: E, most: E) -> E:
    """An estimate that reaches as far as any of three; where the truth may lie on either side of 0, p is 1."""
    three = (found, least, most)
    reach: dict[str, Any] = {"low": min(one.low for one in three), "high": max(one.high for one in three)}
    if hasattr(found, "p"):
        reach["p"] = 1.0 if least.value <= 0 <= most.value else max(one.p for one in three)  # type: ignore[attr-defined]
    return replace(found, **reach)


def _count(values: Sequence[float]) -> int:
    if not any(issubclass(kind, Bounded) for kind in set(map(type, values))):  # as of nearly all runs, and soon seen
        return 0
    return sum(isinstance(value, Bounded) for value in values)


REMEMBERED = 4_096
"""Estimates; a profile has some hundred."""
LARGEST = 5_000
"""Numbers of an estimate that is remembered."""


def remember(estimate: F) -> F:
    """Make an estimate of numbers by `groups` return what it returned before, for the same numbers and groups."""

    by_side = estimate.__name__ == "contrast"

    @lru_cache(maxsize=REMEMBERED)
    def known(parts: Any, groups: Any, options: Any) -> Any:
        return estimate(*parts, groups=groups, **dict(options))

    @wraps(estimate)
    def wrapper(*parts: Sequence[float], groups: Any = None, **options: Any) -> Any:
        # Two numbers within different bounds are equal if their middles are.
        if sum(map(len, parts)) > LARGEST or any(isinstance(number, Bounded) for part in parts for number in part):
            return estimate(*parts, groups=groups, **options)
        # Groups count by the order in which they come. Two sorts of item have theirs in two lists.
        number: dict[Hashable, int] = {}
        sides = [
            tuple(number.setdefault(group, len(number)) for group in side)
            for side in (groups if by_side else [groups or ()])
        ]
        names = None if groups is None else tuple(sides) if by_side else sides[0]
        return known(tuple(map(tuple, parts)), names, tuple(sorted(options.items())))

    wrapper.known = known  # type: ignore[attr-defined]
    return wrapper  # type: ignore[return-value]
