"""Numbers to SVG: intervals on a common scale, and shares as stacked bars.

A plot is text: the same numbers give the same characters. Colours are CSS variables, so that the page decides
between light and dark, with a fallback for a plot that stands alone. Nothing is told by colour only: series differ
in shape, parts in hatching, and every number is printed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import floor, isfinite, log10
from typing import Protocol
from zlib import crc32

from otherminds.errors import UsageError

CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)
"""Characters that steer or hide text instead of being seen, and those that no file may hold."""

INK = "var(--ink, #1c2024)"
QUIET = "var(--quiet, #5d666f)"
RULE = "var(--rule, #dde1e5)"
PAPER = "var(--paper, #ffffff)"
COLOURS = tuple(
    f"var(--series-{number}, {colour})"
    for number, colour in enumerate(("#0b62a8", "#c2510c", "#0a7d5c", "#8a4a9e", "#806000", "#5d666f"), start=1)
)
"""After Okabe and Ito, darkened for white paper: told apart with any kind of colour vision."""

WIDTH, LINE, SIZE = 800, 24, 13
EM = 0.54 * SIZE  # the mean width of a character, since no font is at hand to measure with


class Spread(Protocol):
    """Whatever has a value with an interval and says how many items it rests on."""

    @property
    def value(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def n(self) -> int: ...


def intervals(
    rows: Sequence[tuple[str, Sequence[Spread | None]]],
    *,
    title: str,
    series: Sequence[str] = ("",),
    reference: tuple[float, str] | None = None,
    axis: tuple[float, float] = (0.0, 1.0),
) -> str:
    """A mark with its interval for every row and series; a row without estimates is a heading.

    `reference` is a value with its name, such as (0.5, "chance"). An interval that leaves the axis is cut there
    and loses its end stroke; the printed numbers stay whole.
    """
    _check_intervals(rows, series, axis)
    scale = _Scale(*axis, left=_label_width(label for label, _ in rows), right=WIDTH - 228)
    legend, top = _legend(series, _key_mark) if len(series) > 1 else ("", 0.0)
    top = y = top + (LINE if reference else 6)
    marks = []
    for label, spreads in rows:
        if spreads:
            marks.append(_text(0, y + LINE * len(spreads) / 2 + 5, _fit(label, scale.left)))
            for index, spread in enumerate(spreads):
                marks.append(_interval(spread, index, y + LINE * (index + 0.5), scale))
        else:
            marks.append(_text(0, y + 17, _fit(label, WIDTH), style="font-weight:600"))
        y += LINE * max(1, len(spreads)) + (8 if len(series) > 1 else 2)
    said = [
        f"{label}{name and ', ' + name}: {_printed(spread, axis[0] < 0)}{f', n = {spread.n:,}' if spread else ''}"
        for label, spreads in rows
        for name, spread in zip(series, spreads, strict=False)
    ]
    ground = _ticks(scale, top, y) + (_reference(*reference, scale, top, y) if reference else "")
    return _svg(title, said, y + 24, legend + ground + "".join(marks))


def bars(rows: Sequence[tuple[str, Mapping[str, int]]], *, title: str, parts: Sequence[str] = ()) -> str:
    """Counts as shares of one bar a row, in the order of `parts`, else as they first appear."""
    names = list(parts or dict.fromkeys(name for _, counts in rows for name in counts))
    _check_bars(rows, names)
    # Patterns are found by id, and a page may hold many plots.
    hatch = f"hatch-{crc32(repr((title, rows, names)).encode()):08x}"
    left, right = _label_width(label for label, _ in rows), WIDTH - 76
    legend, y = _legend(names, lambda index, x, y: _part(x - 6, y - 6, 12, 12, index, hatch))
    y += 4
    marks, said = [], []
    for label, counts in rows:
        total, x = sum(counts.values()), left
        marks.append(_text(0, y + 16, _fit(label, left)))
        marks.append(_text(WIDTH, y + 16, f"n = {total:,}", colour=QUIET, anchor="end"))
        for index, name in enumerate(names):
            if count := counts.get(name, 0):
                width = (right - left) * count / total
                marks.append(_part(x, y, width, LINE - 2, index, hatch, f"{name}: {count:,} of {total:,}"))
                if width > 8 * len(f"{count:,}") + 8:
                    marks.append(_inside(x + width / 2, y + 16, f"{count:,}", index))
                x += width
        said.append(f"{label}: {', '.join(f'{name} {counts.get(name, 0):,}' for name in names)}")
        y += LINE + 6
    return _svg(title, said, y, _hatching(hatch, len(names)) + legend + "".join(marks))


def spark(spread: Spread | None, *, reference: float | None = None, signed: bool = False, series: int = 0) -> str:
    """One estimate without words, small enough for a line of text; the numbers stand beside it."""
    scale = _Scale(-1.0 if signed else 0.0, 1.0, left=8, right=152)
    marks = _line(scale.left, 10, scale.right, 10, f"stroke:{RULE}")
    marks += "".join(_line(x, 7, x, 13, f"stroke:{RULE}") for x in (scale.left, scale.right))
    if reference is not None:
        x = scale.at(reference)
        marks += _line(x, 1, x, 19, f"stroke:{QUIET};stroke-width:1.5;stroke-dasharray:2 2")
    if spread is not None and isfinite(spread.value):
        index = series % len(_SHAPES)
        low, high = scale.at(spread.low), scale.at(spread.high)
        marks += _line(low, 10, high, 10, f"stroke:{COLOURS[index]};stroke-width:3;stroke-opacity:0.55")
        marks += _SHAPES[index](scale.at(spread.value), 10, COLOURS[index])
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 20" aria-hidden="true">{marks}</svg>'


def visible(text: str) -> str:
    """The text with every character that would steer or hide written as its number."""
    return CONTROLS.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


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
    rows: Sequence[tuple[str, Sequence[Spread | None]]], series: Sequence[str], axis: tuple[float, float]
) -> None:
    if len(series) > len(_SHAPES):
        raise UsageError(f"{len(series)} series do not fit into one plot; draw at most {len(_SHAPES)}")
    for label, spreads in rows:
        if len(spreads) not in (0, len(series)):
            raise UsageError(f"row {label!r} has {len(spreads)} estimates for {len(series)} series; use None for a gap")
    if not axis[0] < axis[1]:
        raise UsageError(f"an axis cannot go from {axis[0]} to {axis[1]}; the first should be the smaller")


def _check_bars(rows: Sequence[tuple[str, Mapping[str, int]]], names: Sequence[str]) -> None:
    if len(names) > len(COLOURS):
        raise UsageError(f"{len(names)} parts cannot be told apart in one bar; draw at most {len(COLOURS)}")
    for label, counts in rows:
        for name, count in counts.items():
            if name not in names:
                raise UsageError(f"row {label!r} has a part {name!r} that is not among {', '.join(names)}")
            if count < 0:
                raise UsageError(f"row {label!r} has {count} of {name!r}; a count is zero or more")


def _interval(spread: Spread | None, index: int, y: float, scale: _Scale) -> str:
    """One estimate: the stretch, its ends, the mark, and the numbers in print."""
    words = _text(scale.right + 16, y + 5, _printed(spread, scale.low < 0))
    if spread is None or not isfinite(spread.value):
        return words
    words += _text(WIDTH, y + 5, f"n = {spread.n:,}", colour=QUIET, anchor="end")
    colour, low, high = COLOURS[index], spread.low, spread.high
    marks = _line(scale.at(low), y, scale.at(high), y, f"stroke:{colour};stroke-width:2")
    for end in (low, high):
        if scale.holds(end):
            marks += _line(scale.at(end), y - 4, scale.at(end), y + 4, f"stroke:{colour};stroke-width:2")
    if scale.holds(spread.value):
        marks += _SHAPES[index](scale.at(spread.value), y, colour)
    return marks + words


def _printed(spread: Spread | None, signed: bool) -> str:
    """The numbers of an estimate; where they may be negative, the sign of a positive one is said too."""
    if spread is None or not isfinite(spread.value):
        return "no value"
    value, low, high = (
        f"{part:{'+' if signed else ''}z.2f}".replace("inf", "∞").replace("-", "−")
        for part in (spread.value, spread.low, spread.high)
    )
    return f"{value} [{low}, {high}]"


def _ticks(scale: _Scale, top: float, bottom: float) -> str:
    marks = ""
    for tick in scale.ticks():
        x = scale.at(tick)
        marks += _line(x, top, x, bottom, f"stroke:{RULE}")
        marks += _text(x, bottom + 16, f"{tick:zg}".replace("-", "−"), colour=QUIET, anchor="middle", size=SIZE - 1)
    return marks


def _reference(value: float, name: str, scale: _Scale, top: float, bottom: float) -> str:
    x = scale.at(value)
    line = _line(x, top - 4, x, bottom, f"stroke:{QUIET};stroke-width:1.5;stroke-dasharray:4 3")
    return line + _text(x, top - 9, name, colour=QUIET, anchor="middle", size=SIZE - 1)


def _dot(x: float, y: float, colour: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" style="fill:{colour}"/>'


def _square(x: float, y: float, colour: str) -> str:
    corners = ((x - 4.5, y - 4.5), (x + 4.5, y - 4.5), (x + 4.5, y + 4.5), (x - 4.5, y + 4.5))
    return _polygon(corners, f"fill:{PAPER};stroke:{colour};stroke-width:2")


def _triangle(x: float, y: float, colour: str) -> str:
    return _polygon(((x, y - 6.5), (x + 6, y + 4.5), (x - 6, y + 4.5)), f"fill:{colour}")


def _diamond(x: float, y: float, colour: str) -> str:
    corners = ((x, y - 6), (x + 6, y), (x, y + 6), (x - 6, y))
    return _polygon(corners, f"fill:{PAPER};stroke:{colour};stroke-width:2")


_SHAPES = (_dot, _square, _triangle, _diamond)


def _key_mark(index: int, x: float, y: float) -> str:
    return _SHAPES[index](x, y, COLOURS[index])


def _polygon(corners: Iterable[tuple[float, float]], style: str) -> str:
    return f'<polygon points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in corners)}" style="{style}"/>'


_HATCHES = (
    "",
    "M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4",
    "M2,2 h0.01 M6,6 h0.01",
    "M-2,6 l4,4 M0,0 l8,8 M6,-2 l4,4",
    "M0,4 h8",
    "M4,0 v8",
)


def _hatching(hatch: str, count: int) -> str:
    """One pattern a part, so that parts differ in grey print too; the first stays plain."""
    thin = f"stroke:{PAPER};stroke-width:1.8;stroke-linecap:round;stroke-opacity:0.5;fill:none"
    patterns = (
        f'<pattern id="{hatch}-{index}" width="8" height="8" patternUnits="userSpaceOnUse">'
        f'<rect width="8" height="8" style="fill:{COLOURS[index]}"/>'
        f'<path d="{_HATCHES[index]}" style="{thin}"/></pattern>'
        for index in range(count)
    )
    return f"<defs>{''.join(patterns)}</defs>"


def _part(x: float, y: float, width: float, height: float, index: int, hatch: str, name: str = "") -> str:
    """One part of a bar; its name shows under the pointer."""
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    inside = f"<title>{_safe(name)}</title>" if name else ""
    return f'<rect {place} style="fill:url(#{hatch}-{index});stroke:{PAPER};stroke-width:1.5">{inside}</rect>'


def _inside(x: float, y: float, words: str, index: int) -> str:
    # The broad outline in the part's own colour keeps the hatching away from the figures.
    outline = f"stroke:{COLOURS[index]};stroke-width:5;stroke-linejoin:round;paint-order:stroke;font-weight:600"
    return _text(x, y, words, colour=PAPER, anchor="middle", style=outline)


def _legend(names: Sequence[str], key: Callable[[int, float, float], str]) -> tuple[str, float]:
    """What each mark or colour stands for, and the height that saying so takes."""
    marks, x, y = "", 8.0, 10.0
    for index, name in enumerate(names):
        width = 16 + len(name) * EM + 22
        if x > 8 and x + width > WIDTH:
            x, y = 8.0, y + LINE
        marks += key(index, x, y) + _text(x + 14, y + 4.5, name)
        x += width
    return marks, y + LINE


def _label_width(labels: Iterable[str]) -> float:
    return min(248.0, max((len(label) * EM for label in labels), default=0) + 24)


def _fit(label: str, width: float) -> str:
    room = int((width - 12) / EM)
    return label if len(label) <= room else label[: room - 1].rstrip() + "…"


def _line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" style="{style}"/>'


def _text(
    x: float, y: float, words: str, *, colour: str = INK, anchor: str = "start", size: int = SIZE, style: str = ""
) -> str:
    look = f"fill:{colour};font-size:{size}px;{style}"
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" style="{look}">{_safe(words)}</text>'


def _safe(words: str) -> str:
    return escape(visible(words))


def _svg(title: str, said: Iterable[str], height: float, inside: str) -> str:
    """The whole picture; its title and numbers are there in words for those who do not see it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
        f'style="font-family:var(--sans, system-ui, sans-serif);font-variant-numeric:tabular-nums">'
        f"<title>{_safe(title)}</title><desc>{_safe('; '.join(said))}</desc>{inside}</svg>"
    )
