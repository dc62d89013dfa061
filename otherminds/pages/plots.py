"""Numbers to SVG: intervals on a common scale, and shares as stacked bars.

A plot is text: the same numbers give the same characters. Colours are CSS variables, so that the page decides
between light and dark, with a fallback for a plot that stands alone. Nothing is told by colour only: series differ
in shape, parts in hatching, and every number is printed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, isfinite, log10
from zlib import crc32

from otherminds.errors import UsageError
from otherminds.pages import drawing
from otherminds.pages.drawing import COLOURS, LINE, PAPER, QUIET, RULE, SIZE, WIDTH
from otherminds.stats import Estimate, signed, span


def intervals(
    rows: Sequence[tuple[str, Sequence[Estimate | None]]],
    *,
    title: str,
    series: Sequence[str] = ("",),
    reference: tuple[float, str] | None = None,
    axis: tuple[float, float] = (0.0, 1.0),
    measure: str = "",
    digits: int = 2,
) -> str:
    """A mark with its interval for every row and series; a row without estimates is a heading.

    `reference` is a value with its name, such as (0.5, "chance"); `measure` says what the axis counts. An interval that
    leaves the axis is cut there and loses its end stroke; the printed numbers stay whole, to so many `digits`.
    """
    _check_intervals(rows, series, axis)
    scale = _Scale(*axis, left=drawing.label_width(label for label, _ in rows), right=WIDTH - 228)
    legend, top = drawing.legend(series, _key_mark) if any(series) else ("", 0.0)
    top = y = top + (LINE if reference else 6)
    marks = []
    for label, spreads in rows:
        if spreads:
            marks.append(drawing.text(0, y + LINE * len(spreads) / 2 + 5, drawing.fit(label, scale.left)))
            for index, spread in enumerate(spreads):
                marks.append(_interval(spread, index, y + LINE * (index + 0.5), scale, digits))
        else:
            marks.append(drawing.text(0, y + 17, drawing.fit(label, WIDTH), style="font-weight:600"))
        y += LINE * max(1, len(spreads)) + (8 if len(series) > 1 else 2)
    said = [
        f"{label}{name and ', ' + name}: {_printed(spread, axis[0] < 0, digits)}"
        + (f", n = {spread.n:,}" if spread else "")
        for label, spreads in rows
        for name, spread in zip(series, spreads, strict=False)
    ]
    ground = _ticks(scale, top, y) + (_reference(*reference, scale, top, y) if reference else "")
    under = drawing.text((scale.left + scale.right) / 2, y + 35, measure, colour=QUIET, anchor="middle", size=SIZE - 1)
    height = y + (44 if measure else 24)
    return drawing.svg(title, said, height, legend + ground + "".join(marks) + (under if measure else ""))


def bars(rows: Sequence[tuple[str, Mapping[str, int]]], *, title: str, parts: Sequence[str] = ()) -> str:
    """Counts as shares of one bar a row, in the order of `parts`, else as they first appear."""
    names = list(parts or dict.fromkeys(name for _, counts in rows for name in counts))
    _check_bars(rows, names)
    # Patterns are found by id, and a page may hold many plots.
    hatch = f"hatch-{crc32(repr((title, rows, names)).encode()):08x}"
    left, right = drawing.label_width(label for label, _ in rows), WIDTH - 76
    legend, y = drawing.legend(names, lambda index, x, y: _part(x - 6, y - 6, 12, 12, index, hatch))
    y += 4
    marks, said = [], []
    for label, counts in rows:
        total, x = sum(counts.values()), left
        marks.append(drawing.text(0, y + 16, drawing.fit(label, left)))
        marks.append(drawing.text(WIDTH, y + 16, f"n = {total:,}", colour=QUIET, anchor="end"))
        for index, name in enumerate(names):
            if count := counts.get(name, 0):
                width = (right - left) * count / total
                marks.append(_part(x, y, width, LINE - 2, index, hatch, f"{name}: {count:,} of {total:,}"))
                if width > 8 * len(f"{count:,}") + 8:
                    marks.append(_inside(x + width / 2, y + 16, f"{count:,}", index))
                x += width
        said.append(f"{label}: {', '.join(f'{name} {counts.get(name, 0):,}' for name in names)}")
        y += LINE + 6
    return drawing.svg(title, said, y, _hatching(hatch, len(names)) + legend + "".join(marks))


def spark(
    spread: Estimate | None,
    *,
    reference: float | None = None,
    best: float | None = None,
    signed: bool = False,
    series: int = 0,
) -> str:
    """One estimate without words, small enough for a line of text; the numbers stand beside it.

    The broken line is the reference, such as chance; the short thick one is the best that something else gets.
    """
    scale = _Scale(-1.0 if signed else 0.0, 1.0, left=8, right=152)
    marks = drawing.line(scale.left, 10, scale.right, 10, f"stroke:{RULE}")
    marks += "".join(drawing.line(x, 7, x, 13, f"stroke:{RULE}") for x in (scale.left, scale.right))
    if reference is not None:
        x = scale.at(reference)
        marks += drawing.line(x, 1, x, 19, f"stroke:{QUIET};stroke-width:1.5;stroke-dasharray:2 2")
    if best is not None:
        x = scale.at(best)
        marks += drawing.line(x, 4, x, 16, f"stroke:{QUIET};stroke-width:3")
    if spread is not None and isfinite(spread.value):
        low, high = scale.at(spread.low), scale.at(spread.high)
        marks += drawing.line(low, 10, high, 10, f"stroke:{colour_of(series)};stroke-width:3;stroke-opacity:0.55")
        marks += _key_mark(series, scale.at(spread.value), 10)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 20" aria-hidden="true">{marks}</svg>'


@dataclass(frozen=True, slots=True)
class _Scale:
    """Where a value lies across the page."""

    low: float
    high: float
    left: float
    right: float

    def at(self, value: float) -> float:
        inside = min(max(value, self.low), self.high)
        return self.left + (self.right - self.left) * (inside - self.low) / (self.high - self.low)

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high

    def ticks(self) -> list[float]:
        """Four to eight round values."""
        rough = (self.high - self.low) / 4
        power = 10.0 ** floor(log10(rough))
        step = max(power * size for size in (1, 2, 2.5, 5) if power * size <= rough * 1.0001)
        first, last = -floor(-self.low / step + 1e-9), floor(self.high / step + 1e-9)
        return [count * step for count in range(first, last + 1)]


def _check_intervals(
    rows: Sequence[tuple[str, Sequence[Estimate | None]]], series: Sequence[str], axis: tuple[float, float]
) -> None:
    if len(series) > MOST_SERIES:
        raise UsageError(f"{len(series)} series do not fit into one plot; draw at most {MOST_SERIES}")
    for label, spreads in rows:
        if len(spreads) not in (0, len(series)):
            raise UsageError(f"row {label!r} has {len(spreads)} estimates for {len(series)} series; use None for a gap")
    if not axis[0] < axis[1]:
        raise UsageError(f"an axis cannot go from {axis[0]} to {axis[1]}; the first should be the smaller")


def _check_bars(rows: Sequence[tuple[str, Mapping[str, int]]], names: Sequence[str]) -> None:
    if len(names) > len(_HATCHES):
        raise UsageError(f"{len(names)} parts cannot be told apart in one bar; draw at most {len(_HATCHES)}")
    for label, counts in rows:
        for name, count in counts.items():
            if name not in names:
                raise UsageError(f"row {label!r} has a part {name!r} that is not among {', '.join(names)}")
            if count < 0:
                raise UsageError(f"row {label!r} has {count} of {name!r}; a count is zero or more")


def _interval(spread: Estimate | None, index: int, y: float, scale: _Scale, digits: int) -> str:
    """One estimate: the stretch, its ends, the mark, and the numbers in print."""
    words = drawing.text(scale.right + 16, y + 5, _printed(spread, scale.low < 0, digits))
    if spread is None or not isfinite(spread.value):
        return words
    words += drawing.text(WIDTH, y + 5, f"n = {spread.n:,}", colour=QUIET, anchor="end")
    colour, low, high = colour_of(index), spread.low, spread.high
    marks = drawing.line(scale.at(low), y, scale.at(high), y, f"stroke:{colour};stroke-width:2")
    for end in (low, high):
        if scale.holds(end):
            marks += drawing.line(scale.at(end), y - 4, scale.at(end), y + 4, f"stroke:{colour};stroke-width:2")
    if scale.holds(spread.value):
        marks += _key_mark(index, scale.at(spread.value), y)
    return marks + words


def _printed(spread: Estimate | None, below: bool, digits: int) -> str:
    """The numbers of an estimate; where they may lie below 0, the sign of a positive one is said too."""
    if spread is None or not isfinite(spread.value):
        return "no value"
    return (signed if below else span)(spread, digits).replace("-", "−")


def _ticks(scale: _Scale, top: float, bottom: float) -> str:
    marks = ""
    for tick in scale.ticks():
        x = scale.at(tick)
        marks += drawing.line(x, top, x, bottom, f"stroke:{RULE}")
        marks += drawing.text(
            x, bottom + 16, f"{tick:zg}".replace("-", "−"), colour=QUIET, anchor="middle", size=SIZE - 1
        )
    return marks


def _reference(value: float, name: str, scale: _Scale, top: float, bottom: float) -> str:
    x = scale.at(value)
    line = drawing.line(x, top - 4, x, bottom, f"stroke:{QUIET};stroke-width:1.5;stroke-dasharray:4 3")
    return line + drawing.text(x, top - 9, name, colour=QUIET, anchor="middle", size=SIZE - 1)


def _dot(x: float, y: float, colour: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" style="fill:{colour}"/>'


def _square(x: float, y: float, colour: str) -> str:
    corners = ((x - 4.5, y - 4.5), (x + 4.5, y - 4.5), (x + 4.5, y + 4.5), (x - 4.5, y + 4.5))
    return drawing.polygon(corners, f"fill:{PAPER};stroke:{colour};stroke-width:2")


def _triangle(x: float, y: float, colour: str) -> str:
    return drawing.polygon(((x, y - 6.5), (x + 6, y + 4.5), (x - 6, y + 4.5)), f"fill:{colour}")


def _diamond(x: float, y: float, colour: str) -> str:
    corners = ((x, y - 6), (x + 6, y), (x, y + 6), (x - 6, y))
    return drawing.polygon(corners, f"fill:{PAPER};stroke:{colour};stroke-width:2")


def _hanging(x: float, y: float, colour: str) -> str:
    corners = ((x, y + 6.5), (x + 6, y - 4.5), (x - 6, y - 4.5))
    return drawing.polygon(corners, f"fill:{PAPER};stroke:{colour};stroke-width:2")


_SHAPES = (_dot, _square, _triangle, _diamond, _hanging)
MOST_SERIES = len(_SHAPES) * len(COLOURS)
"""Five shapes in six colours: no pair comes twice before the thirty-first."""


def colour_of(series: int) -> str:
    """The colour of a series' mark."""
    return COLOURS[series % len(COLOURS)]


def _key_mark(index: int, x: float, y: float) -> str:
    return _SHAPES[index % len(_SHAPES)](x, y, colour_of(index))


_HATCHES = (
    "",
    "M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4",
    "M2,2 h0.01 M6,6 h0.01",
    "M-2,6 l4,4 M0,0 l8,8 M6,-2 l4,4",
    "M0,4 h8",
    "M4,0 v8",
    "M0,4 h8 M4,0 v8",
    "M0,8 l8,-8 M0,0 l8,8",
)
"""One for every verdict that there is; the last ones share their colours with the first."""


def _hatching(hatch: str, count: int) -> str:
    """One pattern a part, so that parts differ in grey print too; the first stays plain."""
    thin = f"stroke:{PAPER};stroke-width:1.8;stroke-linecap:round;stroke-opacity:0.5;fill:none"
    patterns = (
        f'<pattern id="{hatch}-{index}" width="8" height="8" patternUnits="userSpaceOnUse">'
        f'<rect width="8" height="8" style="fill:{COLOURS[index % len(COLOURS)]}"/>'
        f'<path d="{_HATCHES[index]}" style="{thin}"/></pattern>'
        for index in range(count)
    )
    return f"<defs>{''.join(patterns)}</defs>"


def _part(x: float, y: float, width: float, height: float, index: int, hatch: str, name: str = "") -> str:
    """One part of a bar; its name shows under the pointer."""
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    inside = f"<title>{drawing.safe(name)}</title>" if name else ""
    return f'<rect {place} style="fill:url(#{hatch}-{index});stroke:{PAPER};stroke-width:1.5">{inside}</rect>'


def _inside(x: float, y: float, words: str, index: int) -> str:
    # The broad outline in the part's own colour keeps the hatching away from the figures.
    colour = COLOURS[index % len(COLOURS)]
    outline = f"stroke:{colour};stroke-width:5;stroke-linejoin:round;paint-order:stroke;font-weight:600"
    return drawing.text(x, y, words, colour=PAPER, anchor="middle", style=outline)
