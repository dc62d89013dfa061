"""What a server can take: how many calls at once, and how long it wants to be left alone."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite

FIRST = 64
"""Calls under way before a server has shown that it takes more."""
GROWTH = 3
"""By how much a call that goes well lets their number grow, until the server has been busy once."""


class Limit:
    """How many calls may be under way: few at first, and four times as many with every round that goes well.

    When the server is busy the number is halved; from then on it grows by one a round.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._now = float(min(most, FIRST))
        self._under_way = 0
        self._cuts = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def enter(self) -> int:
        """Wait for a place; the number tells `leave` what the limit knew when the call began."""
        while self._under_way >= self.now:
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                self._call_next()
                raise
        self._under_way += 1
        return self._cuts

    def leave(self, began: int, *, busy: bool, well: bool) -> None:
        """Give the place back."""
        self._under_way -= 1
        # Calls that began before the last cut tell nothing about the limit that it set.
        if busy and began == self._cuts:
            self._now, self._cuts = max(1.0, self._now / 2), self._cuts + 1
        elif well:
            self._now = min(float(self._most), self._now + (1 / self._now if self._cuts else GROWTH))
        self._call_next()

    def _call_next(self) -> None:
        free = self.now - self._under_way
        while free > 0 and self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                free -= 1

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
