"""One event loop for all calls to servers, in a thread of its own, and how other threads have it do something."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from functools import cache
from threading import Thread
from typing import Any, TypeVar

S = TypeVar("S")
T = TypeVar("T")


def start(work: Coroutine[Any, Any, T]) -> Future[T]:
    """Begin something in the background, in the context of whoever wants it."""
    return asyncio.run_coroutine_threadsafe(work, _loop())


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


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    # Whatever goes wrong is told to whoever waits for it; what nobody waits for any more is nobody's business.
    loop.set_exception_handler(lambda *_: None)
    Thread(target=loop.run_forever, name="connections", daemon=True).start()
    return loop
