"""Numbers that are known to lie between two others, and what their bounds come to in means and differences.

A server that lists only its likeliest tokens leaves a score within bounds. What is made of such scores lies within
bounds too: the least favourable case and the most favourable one are each taken through the same arithmetic, with the
error of sampling on top, and the interval reaches from the lowest end to the highest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from otherminds.errors import UsageError

if TYPE_CHECKING:
    from otherminds.stats.means import Difference, Estimate


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
D = TypeVar("D", bound="Difference")


def carries_bounds(make: F) -> F:
    """A mean of values whose bounds reach its interval."""

    @wraps(make)
    def made(values: Sequence[float], **options: Any) -> Any:
        found = make(values, **options)
        if not (bounded := _count(values)):
            return found
        least = make([low_of(value) for value in values], **options)
        most = make([high_of(value) for value in values], **options)
        return replace(_reaching(found, least, most), method=_carried(found, bounded))

    return made  # type: ignore[return-value]


def carries_both_bounds(make: F) -> F:
    """A difference of two sides whose bounds reach its interval and its p."""

    @wraps(make)
    def made(a: Sequence[float], b: Sequence[float], **options: Any) -> Any:
        found = make(a, b, **options)
        if not (bounded := _count(a) + _count(b)):
            return found
        least = make([low_of(value) for value in a], [high_of(value) for value in b], **options)
        most = make([high_of(value) for value in a], [low_of(value) for value in b], **options)
        return replace(reaching_with_p(found, least, most), method=_carried(found, bounded))

    return made  # type: ignore[return-value]


def reaching_with_p(found: D, least: D, most: D) -> D:
    """A difference that reaches as far as any of three; where the truth may lie on either side of 0, p is 1."""
    p = 1.0 if least.value <= 0 <= most.value else max(found.p, least.p, most.p)
    return replace(_reaching(found, least, most), p=p)


def _reaching(found: E, least: Estimate, most: Estimate) -> E:
    low, high = min(found.low, least.low, most.low), max(found.high, least.high, most.high)
    return replace(found, low=low, high=high)


def _carried(found: Estimate, bounded: int) -> str:
    return f"{found.method}; bounds of {bounded} values carried"


def _count(values: Sequence[float]) -> int:
    if not any(issubclass(kind, Bounded) for kind in set(map(type, values))):  # as of nearly all runs, and soon seen
        return 0
    return sum(isinstance(value, Bounded) for value in values)
