"""Servers that are waited for just now, so that whoever shows progress can say why nothing moves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import RLock
from time import monotonic

from otherminds.models import BROKEN_OFF
from otherminds.models.forks import Lock, Own

LOOKS = 0.25
"""Seconds after which whoever waits looks whether the work was broken off."""


class Outages(Own):
    """A board of sentences; `tell` is called with each as it goes up, once."""

    def __init__(self) -> None:
        self._lock = Lock(RLock)
        self.renew()

    def renew(self) -> None:
        """Nobody waits, and nobody listens."""
        self.tell: Callable[[str], None] = lambda _: None
        self._waiting: dict[object, str] = {}

    @property
    def now(self) -> str:
        """Why something waits at this moment; empty if nothing does."""
        with self._lock:
            return next(iter(self._waiting.values()), "")

    def begin(self, who: object, sentence: str) -> None:
        """Somebody waits."""
        with self._lock:
            known = who in self._waiting
            self._waiting[who] = sentence
        if not known:
            self.tell(sentence)

    def end(self, who: object) -> None:
        """Somebody waits no more."""
        with self._lock:
            self._waiting.pop(who, None)


OUTAGES = Outages()


async def sleep(seconds: float) -> bool:
    """Let time pass, but no longer than somebody waits for the answer; true if nobody does."""
    broken_off, end = BROKEN_OFF.get(), monotonic() + seconds
    while not broken_off.is_set() and (left := end - monotonic()) > 0:
        await asyncio.sleep(min(left, LOOKS))
    return broken_off.is_set()
