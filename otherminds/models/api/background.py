"""One event loop for all calls to servers, in a thread of its own, and how other threads have it do something.

Also what a server can take: how many calls at once, and how long it wants to be left alone. Servers that are waited for
just now stand on a board, so that whoever shows progress can say why nothing moves.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from threading import RLock, Thread
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from otherminds.errors import EndpointError
from otherminds.models import BROKEN_OFF
from otherminds.models.forks import Own

S = TypeVar("S")
T = TypeVar("T")
REMEMBERED = 10.0
"""Seconds for which the addresses of a name are not looked up again."""


def start(work: Coroutine[Any, Any, T]) -> Future[T]:
    """Begin something in the background, in the context of whoever wants it."""
    return asyncio.run_coroutine_threadsafe(work, _background.loop())


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """What comes of it, for a thread that has nothing else to do; never from within the loop."""
    future = start(work)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


async def in_order(ask: Callable[[S], Coroutine[Any, Any, T]], questions: Sequence[S]) -> list[T]:
    """All questions at once, and their answers in order; if one fails, the others are not waited for."""
    if len(questions) == 1:
        return [await ask(questions[0])]
    tasks = [asyncio.ensure_future(ask(question)) for question in questions]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        raise


class _Background(Own):
    """The loop of this process; a forked child makes one of its own."""

    _loop: asyncio.AbstractEventLoop | None

    def renew(self) -> None:
        self._lock, self._loop = RLock(), None

    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop, begun when it is first needed."""
        with self._lock:
            if self._loop is None:
                try:
                    self._loop = asyncio.new_event_loop()
                except OSError as error:
                    raise EndpointError(f"no connection can be made: {error.strerror}; see ulimit -n") from None
                # Whatever goes wrong is told to whoever waits for it; what nobody waits for any more is nobody's
                # business.
                self._loop.set_exception_handler(lambda *_: None)
                self._loop.getaddrinfo = _remembering(self._loop)  # type: ignore[method-assign]
                Thread(target=self._loop.run_forever, name="connections", daemon=True).start()
            return self._loop


_background = _Background()


def _remembering(loop: asyncio.AbstractEventLoop) -> Callable[..., Coroutine[Any, Any, Any]]:
    """Looks up names, and no name again for a while: every request has a connection of its own."""
    look_up, known = loop.getaddrinfo, dict[Any, tuple[float, Any]]()

    async def getaddrinfo(host: Any, port: Any, **more: Any) -> Any:
        asked = (host, port, *sorted(more.items()))
        until, found = known.get(asked, (0.0, None))
        if loop.time() >= until:
            try:
                found = await look_up(host, port, **more)
            except OSError:
                if found is None:
                    raise
            known[asked] = (loop.time() + REMEMBERED, found)
        return found

    return getaddrinfo


FIRST = 64
"""Calls under way at the start."""
STEP, DOUBLING = 0.005, 0.05
"""Seconds between two steps of the start, and those in which the number of calls doubles."""


class Slot(NamedTuple):
    """Of a call under way: how many cuts the limit had seen when it began, and which number the call was."""

    cuts: int
    number: int


class Limit(Own):
    """How many calls may be under way: few at first, and twice as many every 50 ms while more wait for a place.

    That ends with the first call for which the server seems to have no strength. When it says that it is busy the
    number is halved; from then on a round brings it back a quarter of the way to where that was, and at least by one.
    """

    def __init__(self, most: int) -> None:
        self.most = float(most)
        self.renew()

    def __reduce__(self) -> Any:
        return Limit, (int(self.most),)

    def renew(self) -> None:
        """No call is under way."""
        self._now = min(self.most, float(FIRST))
        self._goal = self.most
        """What growth is quick up to."""
        self._rising = self._now < self.most
        self._step: asyncio.TimerHandle | None = None
        self._under_way = 0
        self._cuts = 0
        self._waiting: deque[asyncio.Future[Slot]] = deque()

    async def enter(self) -> Slot:
        """Wait for a place."""
        if self._under_way < self.now:
            self._under_way += 1
            return Slot(self._cuts, self._under_way)
        turn: asyncio.Future[Slot] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._go_on()
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self._under_way -= 1
                self._call_next()
            raise
        return turn.result()

    def leave(self, place: Slot, *, busy: bool, well: bool) -> None:
        """Give the place back; `busy` and `well` are what the server showed to be."""
        self._under_way -= 1
        # Calls that began before the last cut tell nothing about the limit that it set.
        if busy and place.cuts == self._cuts:
            # While the number rises, more have begun since than the server had when it said so.
            self._goal = min(self._now, float(max(FIRST, place.number))) if self._rising else self._now
            self._now, self._cuts = max(1.0, self._goal / 2), self._cuts + 1
        elif well:
            self._now = min(self.most, self._now + max(1.0, (self._goal - self._now) / 4) / self._now)
        self._rising &= well
        self._call_next()

    def lower(self, most: int) -> None:
        """Allow no more than this from now on, and at least one."""
        self.most = max(1.0, min(self.most, most))
        self._now, self._goal = min(self._now, self.most), min(self._goal, self.most)

    def _go_on(self) -> None:
        if self._rising and self._step is None and self._waiting:
            self._step = asyncio.get_running_loop().call_later(STEP, self._rise)

    def _rise(self) -> None:
        self._step = None
        if self._rising:
            self._now = min(self.most, self._now * 2 ** (STEP / DOUBLING))
            self._rising = self._now < self.most
            self._call_next()
            self._go_on()

    def _call_next(self) -> None:
        """Hand free places to those who wait longest."""
        while self._under_way < self.now and self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                self._under_way += 1
                turn.set_result(Slot(self._cuts, self._under_way))

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
        now = _read_date(headers.get("Date", "")) or datetime.now(UTC)
        seconds = ((_read_date(given) or now) - now).total_seconds()
    return max(0.0, seconds) if isfinite(seconds) else 0.0


def _read_date(text: str) -> datetime | None:
    """A moment, if it is one and says in which zone."""
    with suppress(ValueError, TypeError, IndexError):
        date = parsedate_to_datetime(text)
        return date if date.tzinfo else None
    return None


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
