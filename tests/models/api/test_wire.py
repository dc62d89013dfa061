"""The limit on calls under way, by itself; the rest of `wire` is tried through a server in test_api."""

import asyncio
from collections.abc import Coroutine
from threading import Event
from typing import Any

import pytest

from otherminds.errors import EndpointError
from otherminds.models import BROKEN_OFF
from otherminds.models.api.background import DOUBLING, FIRST, Limit, wait_for
from otherminds.models.api.wire import Wire


def test_a_busy_server_halves_the_limit_once_a_round() -> None:
    async def calls() -> None:
        limit = Limit(16)
        began = [await limit.enter() for _ in range(16)]
        for call in began:
            limit.leave(call, busy=True, well=False)
        assert limit.now == 8, "sixteen calls that began together are one piece of news"
        limit.leave(await limit.enter(), busy=True, well=False)
        assert limit.now == 4

    asyncio.run(calls())


def test_the_limit_never_falls_below_one() -> None:
    async def calls() -> None:
        limit = Limit(2)
        for _ in range(5):
            limit.leave(await limit.enter(), busy=True, well=False)
        assert limit.now == 1

    asyncio.run(calls())


def test_the_limit_grows_back_slowly_and_no_further() -> None:
    async def calls() -> None:
        limit = Limit(4)
        limit.leave(await limit.enter(), busy=True, well=False)
        limit.leave(await limit.enter(), busy=False, well=True)
        assert limit.now == 2, "one good call is not yet a round"
        for _ in range(50):
            limit.leave(await limit.enter(), busy=False, well=True)
        assert limit.now == 4

    asyncio.run(calls())


def test_a_call_that_failed_otherwise_changes_nothing() -> None:
    async def calls() -> None:
        limit = Limit(4)
        limit.leave(await limit.enter(), busy=False, well=False)
        assert limit.now == 4

    asyncio.run(calls())


class Clock(asyncio.SelectorEventLoop):
    """An event loop in which whatever is waited for is there at once, and only the clock goes on."""

    def __init__(self) -> None:
        super().__init__()
        self._passed, select = 0.0, self._selector.select  # type: ignore[attr-defined]

        def pass_time(timeout: float | None = None) -> Any:
            self._passed += timeout or 0.0
            return select(0)

        self._selector.select = pass_time  # type: ignore[attr-defined]

    def time(self) -> float:
        return self._passed


def by_the_clock(calls: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=Clock) as runner:
        runner.run(calls)


def test_many_calls_begin_as_few_and_are_all_under_way_before_the_first_reply() -> None:
    async def calls() -> None:
        limit, loop, began = Limit(1000), asyncio.get_running_loop(), []

        async def call() -> None:
            place = await limit.enter()
            began.append(loop.time())
            await asyncio.sleep(0.5)
            limit.leave(place, busy=False, well=True)

        await asyncio.gather(*(call() for _ in range(1000)))
        assert began.count(0.0) == FIRST
        assert began[255] < 0.11
        assert began[999] < 0.21
        for number, when in enumerate(began, 1):
            assert number <= FIRST * 2 ** (when / DOUBLING) + 1e-6, "no leaps"

    by_the_clock(calls())


@pytest.mark.parametrize(("takes", "refused"), [(10, 240), (64, 40), (100, 60), (300, 120)])
def test_a_server_that_takes_few_is_not_overrun(takes: int, refused: int) -> None:
    """Its word that it is busy is 20 ms on the way, in which the number that it sees grows by a third."""

    async def calls() -> None:
        limit, there, seen, noes, done = Limit(1000), 0, 0, 0, 0

        async def call() -> None:
            nonlocal there, seen, noes, done
            while True:
                place = await limit.enter()
                there, busy = there + 1, there >= takes
                seen, noes = max(seen, there), noes + busy
                await asyncio.sleep(0.02 if busy else 0.5)
                there -= 1
                limit.leave(place, busy=busy, well=not busy)
                if not busy:
                    done += 1
                    return
                await asyncio.sleep(1.5)

        await asyncio.gather(*(call() for _ in range(6000)))
        assert done == 6000
        assert seen <= 1.4 * max(FIRST, takes)
        assert noes <= refused
        assert asyncio.get_running_loop().time() < 1.2 * 6000 / takes * 0.5, "nor is it left with little to do"

    by_the_clock(calls())


def test_after_a_fault_the_limit_grows_by_what_is_answered_only() -> None:
    async def calls() -> None:
        limit = Limit(1000)
        began = [await limit.enter() for _ in range(FIRST)]
        waiting = [asyncio.ensure_future(limit.enter()) for _ in range(1000)]
        await asyncio.sleep(0)
        limit.leave(began.pop(), busy=False, well=False)
        await asyncio.sleep(60)
        assert limit.now == FIRST
        for call in began:
            limit.leave(call, busy=False, well=True)
        assert FIRST < limit.now <= 5 * FIRST
        for call in waiting:
            call.cancel()

    by_the_clock(calls())


def test_the_limit_does_not_grow_while_nobody_waits() -> None:
    async def calls() -> None:
        limit = Limit(1000)
        for _ in range(FIRST):
            await limit.enter()
        await asyncio.sleep(60)
        assert limit.now == FIRST

    by_the_clock(calls())


def test_after_a_cut_a_round_brings_back_a_quarter_of_the_way_and_then_one() -> None:
    async def calls() -> None:
        limit, rounds = Limit(64), []
        limit.leave(await limit.enter(), busy=True, well=False)
        for _ in range(12):
            rounds.append(limit.now)
            for began in [await limit.enter() for _ in range(limit.now)]:
                limit.leave(began, busy=False, well=True)
        assert rounds[:4] == [32, 38, 43, 48]
        assert rounds[-3:] == [60, 61, 62]

    asyncio.run(calls())


def test_a_call_that_is_given_up_while_it_waits_takes_nobodys_place() -> None:
    async def calls() -> None:
        limit = Limit(1)
        first = await limit.enter()
        given_up, next_one = (asyncio.ensure_future(limit.enter()) for _ in range(2))
        await asyncio.sleep(0)
        given_up.cancel()
        limit.leave(first, busy=False, well=True)
        assert (await asyncio.wait_for(next_one, 5)).number == 1

    asyncio.run(calls())


def test_what_fails_is_not_tried_again_once_the_work_is_broken_off() -> None:
    # Nobody listens at this port.
    wire = Wire("http://127.0.0.1:9/v1", key="", key_env="KEY", parallel=1, retries=5, timeout=5)
    broken_off = Event()
    broken_off.set()
    before = BROKEN_OFF.set(broken_off)
    try:
        with pytest.raises(EndpointError, match="cannot be reached") as caught:
            wait_for(wire.post("/completions", {}, dict))
    finally:
        BROKEN_OFF.reset(before)
    assert "tried" not in str(caught.value)
