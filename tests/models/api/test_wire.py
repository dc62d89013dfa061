"""The limit on calls under way, by itself; the rest of `wire` is tried through a server in test_api."""

from threading import Event

import pytest

from otherminds.errors import EndpointError
from otherminds.models import BROKEN_OFF
from otherminds.models.api.limits import Limit
from otherminds.models.api.wire import Wire


def test_a_busy_server_halves_the_limit_once_a_round() -> None:
    limit = Limit(16)
    began = [limit.enter() for _ in range(16)]
    for call in began:
        limit.leave(call, busy=True, well=False)
    assert limit.now == 8, "sixteen calls that began together are one piece of news"
    limit.leave(limit.enter(), busy=True, well=False)
    assert limit.now == 4


def test_the_limit_never_falls_below_one() -> None:
    limit = Limit(2)
    for _ in range(5):
        limit.leave(limit.enter(), busy=True, well=False)
    assert limit.now == 1


def test_the_limit_grows_back_slowly_and_no_further() -> None:
    limit = Limit(4)
    limit.leave(limit.enter(), busy=True, well=False)
    limit.leave(limit.enter(), busy=False, well=True)
    assert limit.now == 2, "one good call is not yet a round"
    for _ in range(50):
        limit.leave(limit.enter(), busy=False, well=True)
    assert limit.now == 4


def test_a_call_that_failed_otherwise_changes_nothing() -> None:
    limit = Limit(4)
    limit.leave(limit.enter(), busy=False, well=False)
    assert limit.now == 4


def test_what_fails_is_not_tried_again_once_the_work_is_broken_off() -> None:
    # Nobody listens at this port.
    wire = Wire("http://127.0.0.1:9/v1", key="", key_env="KEY", parallel=1, retries=5, timeout=5)
    broken_off = Event()
    broken_off.set()
    before = BROKEN_OFF.set(broken_off)
    try:
        with pytest.raises(EndpointError, match="cannot be reached") as caught:
            wire.post("/completions", {}, dict)
    finally:
        BROKEN_OFF.reset(before)
    assert "tried" not in str(caught.value)
