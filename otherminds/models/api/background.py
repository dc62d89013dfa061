"""One event loop for all calls to servers, in a thread of its own, and how other threads have it do something."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from threading import RLock, Thread
from typing import Any, TypeVar

from otherminds.errors import EndpointError
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
