"""What a server can take: how many calls at once, and how long it wants to be left alone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from threading import Condition


class Limit:
    """How many calls may be under way: halved when the server is busy, one more for every round that goes well."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._now = float(most)
        self._under_way = 0
        self._cuts = 0
        self._changed = Condition()

    def enter(self) -> int:
        """Wait for a place; the number tells `leave` what the limit knew when the call began."""
        with self._changed:
            self._changed.wait_for(lambda: self._under_way < int(self._now))
            self._under_way += 1
            return self._cuts

    def leave(self, began: int, *, busy: bool, well: bool) -> None:
        """Give the place back."""
        with self._changed:
            self._under_way -= 1
            # Calls that began before the last cut tell nothing about the limit that it set.
            if busy and began == self._cuts:
                self._now, self._cuts = max(1.0, self._now / 2), self._cuts + 1
            elif well:
                self._now = min(float(self._most), self._now + 1 / self._now)
            self._changed.notify_all()

    @property
    def now(self) -> int:
        """How many may be under way at this moment."""
        return int(self._now)


def retry_after(headers: Mapping[str, str]) -> float:
    """The seconds that the server asks us to wait; a date counts from the server's own clock, which may be off."""
    given = headers.get("Retry-After", "")
    try:
        seconds = float(given)
    except ValueError:
        seconds = _until(given, headers.get("Date", ""))
    return max(0.0, seconds) if isfinite(seconds) else 0.0


def _until(date: str, now: str) -> float:
    try:
        then = parsedate_to_datetime(date)
    except (ValueError, TypeError, IndexError):
        return 0.0
    try:
        today = parsedate_to_datetime(now)
    except (ValueError, TypeError, IndexError):
        today = datetime.now(UTC)
    try:
        return (then - today).total_seconds()
    except TypeError:  # one of the two does not say in which zone it is
        return 0.0
