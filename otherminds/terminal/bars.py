"""Bars with the time left: on a terminal, in a notebook, or as a line now and then where nobody watches."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

from otherminds.terminal.screen import harmless, in_line, note, seen_at_once

Show = Callable[[int, int], None]
"""To be called with what is done and what is wanted."""

WIDE = 110
"""Columns of a terminal from which on there is room for what was spent so far."""
OFTEN = 0.2
"""Seconds between two pictures of a bar in a notebook."""


def in_notebook() -> bool:
    """Whether whoever watches sees a notebook, or whatever else shows HTML for a kernel."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


def watched() -> bool:
    """Whether somebody sees a bar move."""
    return in_notebook() or seen_at_once()


@contextmanager
def quietly(title: str, also: Callable[[], object] = str) -> Iterator[Show]:
    """In place of a bar: nothing."""
    yield lambda done, total: None


class Pace:
    """How fast it goes, and how long the rest will take at that.

    Counted from the beginning: what comes in large batches stands still most of the time. What was known already is not
    counted as work.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known = self.done = self.total = 0
        self._began = self._last = clock()
        self._left: float | None = None

    def note(self, done: int, total: int) -> None:
        """So much is done now; another total, or less than before, is new work."""
        now = self._clock()
        if total != self.total or done < self.done:
            self._known, self._began, self._left = done, now, None
        elif done > self.done:
            self._left = (now - self._began) / (done - self._known) * (total - done)
            self._last = now
        self.done, self.total = done, total

    @property
    def new(self) -> int:
        """What was done since the beginning."""
        return self.done - self._known

    @property
    def spent(self) -> float:
        """Seconds since the beginning."""
        return self._clock() - self._began

    @property
    def left(self) -> float | None:
        """Seconds that the rest will take; None until something is done."""
        return None if self._left is None else max(0.0, self._left - (self._clock() - self._last))


def clock(seconds: float | None) -> str:
    """A time as 0:07, 12:34 or 1:02:03."""
    if seconds is None:
        return "-:--"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@contextmanager
def on_terminal(title: str, also: Callable[[], object]) -> Iterator[Show]:
    """A bar with the time left, and why nothing moves if a server is waited for."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TaskID, TextColumn
    from rich.text import Text

    from otherminds.models.api.background import OUTAGES

    pace = Pace()

    class Times(ProgressColumn):
        def render(self, _: Task) -> Text:
            return Text(f"{clock(pace.spent)} left {clock(pace.left)}")

    class Waiting(ProgressColumn):
        def render(self, _: Task) -> Text:
            return Text(harmless(OUTAGES.now), overflow="ellipsis")

    columns: list[ProgressColumn] = [TextColumn("{task.description}", markup=False), BarColumn(bar_width=20)]
    columns += [MofNCompleteColumn(), Times(), Waiting()]
    screen = Console(stderr=True)
    if screen.width >= WIDE:
        columns.append(TextColumn("{task.fields[also]}", markup=False))
    with Progress(*columns, console=screen, transient=True) as bars:
        begun: list[TaskID] = []

        def show(done: int, total: int) -> None:
            pace.note(done, total)
            if not begun:
                begun.append(bars.add_task(in_line(title), completed=done, total=total, also=""))
            bars.update(begun[0], completed=done, total=total, also=in_line(str(also())))

        yield show


@contextmanager
def in_cell(title: str, also: Callable[[], object]) -> Iterator[Show]:
    """A bar under the cell of a notebook; when all is done, a line that says how long it took."""
    from IPython.display import HTML, display

    pace, last = Pace(), 0.0
    shown: list[Any] = []

    def draw(ended: bool = False) -> None:
        picture = HTML(cell_html(title, pace, "" if ended else str(also()), ended=ended))  # type: ignore[no-untyped-call]
        if not shown:
            shown.append(display(picture, display_id=True))  # type: ignore[no-untyped-call]
        else:
            shown[0].update(picture)

    def show(done: int, total: int) -> None:
        nonlocal last
        pace.note(done, total)
        if time.monotonic() - last >= OFTEN:
            last = time.monotonic()
            draw()

    try:
        yield show
    finally:
        if shown:
            draw(ended=True)


def cell_html(title: str, pace: Pace, also: str, *, ended: bool) -> str:
    """What stands under the cell; it takes the colours of the notebook."""
    count = f"{pace.done:,} of {pace.total:,}"
    if ended:
        return f"<div>{escape(title)}: {count} in {clock(pace.spent)}</div>"
    times = f"{clock(pace.spent)}, about {clock(pace.left)} left"
    more = f" · {escape(also)}" if also else ""
    bar = f'<progress value="{pace.done}" max="{max(pace.total, 1)}" style="width:12em"></progress>'
    return f"<div>{escape(title)} {bar} {count} · {times}{more}</div>"


def in_lines(title: str, also: Callable[[], object], *, every: float = 10.0) -> Show:
    """A line now and then; nothing for what is done at once."""
    pace = Pace()
    last = time.monotonic()

    def show(done: int, total: int) -> None:
        nonlocal last
        pace.note(done, total)
        now = time.monotonic()
        if now - last < every or not pace.new or done == total or pace.left is None:
            return
        last = now
        more = f"; {said}" if (said := str(also())) else ""
        note(f"{title}: {done} of {total}, about {pace.left:.0f} s left{more}")

    return show
