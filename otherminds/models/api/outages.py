"""Servers that are waited for just now, so that whoever shows progress can say why nothing moves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic

from otherminds.models import BROKEN_OFF
from otherminds.models.forks import Own

LOOKS = 0.25
"""Seconds after which whoever waits looks whether the work was broken off."""


class Outages(Own):
    """A board of sentences, written in the event loop alone; `tell` is called with each as it goes up, once."""

    def renew(self) -> None:
        """Nobody waits, and nobody listens."""
        self.tell: Callable[[str], None] = lambda _: None
        self._waiting: dict[object, str] = {}

    @property
    def now(self) -> str:
        """Why something waits at this moment; empty if nothing does."""
        return [*self._waiting.values(), ""][0]

    def begin(self, who: object, sentence: str) -> None:
        """Somebody waits."""
        if who not in self._waiting:
            self.tell(sentence)
        self._waiting[who] = sentence

    def end(self, who: object) -> None:
        """Somebody waits no more."""
        self._waiting.pop(who, None)


OUTAGES = Outages()


async def sleep(seconds: float) -> bool:
    """Let time pass, but no longer than somebody waits for the answer; true if nobody does."""
    broken_off, end = BROKEN_OFF.get(), monotonic() + seconds
    while not broken_off.is_set() and (left := end - monotonic()) > 0:
        await asyncio.sleep(min(left, LOOKS))
    return broken_off.is_set()
