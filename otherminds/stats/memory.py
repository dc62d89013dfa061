"""Estimates are computed once for the same numbers: on a page, many of them stand in several places."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from functools import wraps
from typing import Any, TypeVar

from otherminds.stats.bounded import Bounded

E = TypeVar("E", bound=Callable[..., Any])
REMEMBERED = 4_096
"""Estimates; a profile has some hundred."""
LARGEST = 5_000
"""Numbers of an estimate that is remembered."""

_known: OrderedDict[Hashable, Any] = OrderedDict()


def remember(estimate: E) -> E:
    """Make an estimate of numbers by `groups` return what it returned before, for the same numbers and groups."""

    @wraps(estimate)
    def wrapper(*parts: Sequence[float], groups: Any = None, **options: Any) -> Any:
        # Two numbers within different bounds are equal if their middles are.
        if sum(map(len, parts)) > LARGEST or any(isinstance(number, Bounded) for part in parts for number in part):
            return estimate(*parts, groups=groups, **options)
        # Two sorts of item have their groups in two lists, or in one list if they come in pairs.
        by_side = groups is not None and len(parts) == len(groups) == 2 and not isinstance(groups[0], str | int)
        names = _numbered(groups if by_side else [groups or ()])
        key = (estimate.__qualname__, *map(tuple, parts), by_side, groups is None, names, *sorted(options.items()))
        if key in _known:
            _known.move_to_end(key)
        else:
            _known[key] = estimate(*parts, groups=groups, **options)
            if len(_known) > REMEMBERED:
                _known.popitem(last=False)
        return _known[key]

    return wrapper  # type: ignore[return-value]


def _numbered(sides: Sequence[Sequence[Hashable]]) -> Hashable:
    """The groups as numbers, in the order in which they come."""
    number: dict[Hashable, int] = {}
    return tuple(tuple(number.setdefault(group, len(number)) for group in side) for side in sides)
