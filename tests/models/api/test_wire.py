"""The limit on calls under way, by itself; the rest of `wire` is tried through a server in test_api."""

import asyncio
from threading import Event

import pytest

from otherminds.errors import EndpointError
from otherminds.models import BROKEN_OFF
from otherminds.models.api.background import wait_for
from otherminds.models.api.limits import FIRST, Limit
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


def test_many_calls_begin_as_few_and_four_times_as_many_a_round() -> None:
    async def calls() -> None:
        limit, rounds = Limit(1000), []
        while limit.now < 1000:
            rounds.append(limit.now)
            for began in [await limit.enter() for _ in range(limit.now)]:
                limit.leave(began, busy=False, well=True)
        assert rounds == [FIRST, 4 * FIRST]

    asyncio.run(calls())


def test_a_call_that_is_given_up_while_it_waits_takes_nobodys_place() -> None:
    async def calls() -> None:
        limit = Limit(1)
        first = await limit.enter()
        given_up, next_one = (asyncio.ensure_future(limit.enter()) for _ in range(2))
        await asyncio.sleep(0)
        given_up.cancel()
        limit.leave(first, busy=False, well=True)
        assert await asyncio.wait_for(next_one, 5) == 0

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
