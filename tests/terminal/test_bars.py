"""Bars that tell the time left, also where answers come in large batches, and in notebooks."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from otherminds.terminal import bars
from otherminds.terminal.bars import Pace
from otherminds.terminal.screen import progress


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_time_left_goes_by_what_was_done_so_far() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.note(10, 110)  # known already, and no work
    assert pace.left is None
    clock.now = 60.0  # one batch that takes a minute, longer than any window of a few seconds
    pace.note(60, 110)
    assert pace.left == pytest.approx(60.0)
    clock.now = 80.0
    assert pace.left == pytest.approx(40.0), "it counts down while nothing comes"
    clock.now = 500.0
    assert pace.left == 0.0


def test_another_round_is_new_work() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.note(0, 10)
    clock.now = 10.0
    pace.note(10, 10)
    pace.note(0, 5)
    assert pace.left is None
    clock.now = 12.0
    pace.note(1, 5)
    assert pace.left == pytest.approx(8.0)


def test_times_are_written_short() -> None:
    assert [bars.clock(seconds) for seconds in (None, 7, 754, 3723)] == ["-:--", "0:07", "12:34", "1:02:03"]


def test_a_notebook_gets_a_bar_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    import IPython
    import IPython.display

    drawn: list[str] = []
    handle = SimpleNamespace(update=lambda html: drawn.append(html.data))

    def display(html: Any, display_id: bool) -> SimpleNamespace:
        drawn.append(html.data)
        return handle

    monkeypatch.setattr(IPython, "get_ipython", lambda: SimpleNamespace(kernel=object()))
    monkeypatch.setattr(IPython.display, "display", display)
    assert bars.in_notebook()
    with progress("<starter>") as show:
        show(0, 4)
        show(4, 4)
    assert "&lt;starter&gt; <progress" in drawn[0]
    assert drawn[-1] == "<div>&lt;starter&gt;: 4 of 4 in 0:00</div>"


def test_where_nobody_watches_a_line_comes_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    show = bars.in_lines("starter", lambda: "3 calls", every=0.0)
    for done in (0, 1, 4):
        show(done, 4)
    assert capsys.readouterr().err.splitlines() == ["starter: 1 of 4, about 0 s left; 3 calls"]


def test_on_a_terminal_the_time_left_stands_beside_the_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    with bars.on_terminal("starter", lambda: "3 calls") as show:
        show(0, 4)
        show(2, 4)
    assert "left 0:00" in capsys.readouterr().err


def test_without_ipython_there_is_no_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert not bars.in_notebook()
