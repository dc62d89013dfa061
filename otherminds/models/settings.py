"""The settings that all backends have, checked and written alike.

They are part of a model's identity, and there 0 and 0.0 would be two models.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite, nan

from otherminds.errors import UsageError


def settings(*, optional: tuple[str, ...] = ("top_p", "max_tokens"), **given: object) -> dict[str, float | int]:
    """Of temperature, seed, top_p and max_tokens those that were given; None is one that was not, if it is optional."""
    return {
        name: _SETTINGS[name](name, value) for name, value in given.items() if value is not None or name not in optional
    }


def number(name: str, value: object, *, least: float = -inf, most: float = inf) -> float:
    """A setting as a number."""
    try:
        found = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else nan
    except OverflowError:
        found = inf
    if not isfinite(found):
        raise UsageError(f"{name} should be a number, not {str(value)[:40]!r}")
    if found < least:
        raise UsageError(f"{name} should be at least {least:g}, not {value}")
    if found > most:
        raise UsageError(f"{name} should be at most {most:g}, not {value}")
    return found


def whole(name: str, value: object, *, least: float = -inf) -> int:
    """A setting as a whole number."""
    if not number(name, value, least=least).is_integer():
        raise UsageError(f"{name} should be a whole number, not {value}")
    return int(value)  # type: ignore[call-overload, no-any-return]


def _share(name: str, value: object) -> float:
    share = number(name, value, least=0, most=1)
    if not share:
        raise UsageError(f"{name} should be above 0, or there is nothing to draw from")
    return share


_SETTINGS: dict[str, Callable[[str, object], float | int]] = {
    "temperature": lambda name, value: number(name, value, least=0),
    "seed": whole,
    "top_p": _share,
    "max_tokens": lambda name, value: whole(name, value, least=1),
}
NAMES = tuple(_SETTINGS)
