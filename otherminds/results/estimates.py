"""Estimates of numbers by group, computed once for the same numbers: many stand on several pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from otherminds import stats
from otherminds.stats import Bounded, Difference, Estimate

REMEMBERED = 4_096
"""Estimates; a profile has some hundred."""
LARGEST = 5_000
"""Numbers of an estimate that is remembered."""
Numbers = Sequence[float]
Groups = Sequence[int]


def mean(values: Numbers, groups: Groups, bounds: tuple[float, float] = (0.0, 1.0)) -> Estimate:
    """The mean with its interval."""
    found: Estimate = _once(_mean, values, groups, bounds)
    return found


def difference(a: Numbers, b: Numbers, groups: Groups) -> Difference:
    """How far a lies above b, item by item."""
    found: Difference = _once(_difference, a, b, groups)
    return found


def contrast(a: Numbers, b: Numbers, groups: tuple[Groups, Groups]) -> Difference:
    """How far the mean of a lies above that of b, of different items in the same groups."""
    found: Difference = _once(_contrast, a, b, *groups)
    return found


def _once(estimate: Callable[..., Any], *given: Sequence[Any]) -> Any:
    parts = [tuple(each) for each in given]
    # Two numbers within different bounds are equal if their middles are.
    exact = not any(isinstance(number, Bounded) for part in parts for number in part)
    return (_remembered if exact and len(parts[0]) <= LARGEST else _computed)(estimate, *parts)


def _computed(estimate: Callable[..., Any], *given: Sequence[Any]) -> Any:
    return estimate(*given)


_remembered = lru_cache(REMEMBERED)(_computed)


def _mean(values: Numbers, groups: Groups, bounds: tuple[float, float]) -> Estimate:
    return stats.mean(values, groups=groups, bounds=bounds)


def _difference(a: Numbers, b: Numbers, groups: Groups) -> Difference:
    return stats.difference(a, b, groups=groups)


def _contrast(a: Numbers, b: Numbers, ours: Groups, theirs: Groups) -> Difference:
    return stats.contrast(a, b, groups=(ours, theirs))
