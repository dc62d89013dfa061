"""Distributions side by side: a violin for each, with its extremes, median, mean and the interval of the mean.

The width is a Gaussian kernel density by Scott's rule, cut at the least and the greatest value, and every violin is as
wide as the others at its widest. Fewer than five values, or all the same, are drawn as the points that they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp
from statistics import median, stdev

from otherminds.errors import UsageError
from otherminds.pages import drawing, sheets
from otherminds.pages.drawing import COLOURS, INK, LINE, PAPER, QUIET, RULE, SIZE, WIDTH
from otherminds.stats import Estimate, span

FEWEST = 5
"""With fewer values there is no telling a shape."""
STEPS = 40
HEIGHT, SLOT, MARGIN = 150, 46, 34


@dataclass(frozen=True, slots=True)
class Violin:
    """The values of one thing, whose name and series the legend gives, and the mean with its interval."""

    name: str
    series: str
    values: Sequence[float]
    mean: Estimate


Panel = tuple[str, Sequence[Violin | None]]
"""A title, and a violin for every name; None where there is nothing to draw."""


def violins(panels: Sequence[Panel], *, title: str, reference: float = 0.5) -> str:
    """Panels of violins on an axis from 0 to 1, with a broken line at `reference`."""
    names = _names(panels)
    width = max(112.0, MARGIN + SLOT * len(names))
    rows = ceil(len(panels) / max(1, int(WIDTH // width)))
    columns = ceil(len(panels) / rows)
    colours = _colours(panels)
    keys = [f"{number} {name}" if len(names) > 1 else name for number, name in enumerate(names, start=1)]
    inks = [colours[series] for series in names.values()]
    legend, top = drawing.legend(keys, lambda index, x, y: _square(x, y, inks[index]))
    height = HEIGHT + 3 * LINE + 8
    marks = []
    for place, (label, drawn) in enumerate(panels):
        x, y = WIDTH / columns * (place % columns), top + height * (place // columns)
        marks.append(_panel(label, drawn, x, y + LINE, WIDTH / columns - 10, colours, reference, len(names) > 1))
    said = [f"{label}, {one.name}: mean {span(one.mean, 3)}, n = {len(one.values)}" for label, one in _all(panels)]
    return drawing.svg(title, said, top + height * rows, legend + "".join(marks))


def density(values: Sequence[float], steps: int = STEPS) -> list[tuple[float, float]]:
    """Values from the least to the greatest, each with the density there as a share of the highest."""
    width = bandwidth(values)
    low, high = min(values), max(values)
    at = [low + (high - low) * step / steps for step in range(steps + 1)]
    heights = [sum(exp(-(((place - value) / width) ** 2) / 2) for value in values) for place in at]
    return [(place, height / max(heights)) for place, height in zip(at, heights, strict=True)]


def bandwidth(values: Sequence[float]) -> float:
    """Scott's rule for one dimension."""
    return float(stdev(values) * len(values) ** -0.2)


def numbers(panels: Sequence[Panel]) -> str:
    """What the figure shows, as CSV."""
    lines: list[list[object]] = [
        ["panel", "name", "series", "n", "min", "median", "max", "mean", "low", "high", "drawn"]
    ]
    for label, one in _all(panels):
        figures = (min(one.values), median(one.values), max(one.values), one.mean.value, one.mean.low, one.mean.high)
        drawn = "points" if _degenerate(one.values) else "violin"
        lines.append([label, one.name, one.series, len(one.values), *(f"{each:.6f}" for each in figures), drawn])
    return sheets.as_csv(lines)


def _names(panels: Sequence[Panel]) -> dict[str, str]:
    """Every name with its series, in order; a panel must have a place for each."""
    names = {one.name: one.series for _, one in _all(panels)}
    if not names:
        raise UsageError("there is nothing to draw: every violin is empty")
    for label, drawn in panels:
        if len(drawn) != len(names):
            raise UsageError(f"panel {label!r} has {len(drawn)} places for {len(names)} names; use None for a gap")
        for one in drawn:
            if one is not None and not one.values:
                raise UsageError(f"panel {label!r} has no values for {one.name!r}; use None for a gap")
    return names


def _all(panels: Sequence[Panel]) -> list[tuple[str, Violin]]:
    return [(label, one) for label, drawn in panels for one in drawn if one is not None]


def _colours(panels: Sequence[Panel]) -> dict[str, str]:
    """A colour a series; names have numbers too, so a colour that comes again misleads nobody."""
    series = dict.fromkeys(one.series for _, one in _all(panels))
    return {name: COLOURS[index % len(COLOURS)] for index, name in enumerate(series)}


def _degenerate(values: Sequence[float]) -> bool:
    return len(values) < FEWEST or max(values) - min(values) < 1e-9


def _panel(
    label: str,
    drawn: Sequence[Violin | None],
    x: float,
    y: float,
    width: float,
    colours: dict[str, str],
    reference: float,
    numbered: bool,
) -> str:
    """One task: its axis, then a violin in every slot."""
    left, bottom = x + MARGIN - 8, y + HEIGHT
    marks = [drawing.text(left, y - 9, drawing.fit(label, width - MARGIN + 12), style="font-weight:600")]
    for tick in (0.0, 0.5, 1.0):
        height = bottom - HEIGHT * tick
        marks.append(drawing.line(left, height, x + width, height, f"stroke:{RULE}"))
        marks.append(drawing.text(left - 5, height + 4, f"{tick:g}", colour=QUIET, anchor="end", size=SIZE - 2))
    level = bottom - HEIGHT * reference
    marks.append(drawing.line(left, level, x + width, level, f"stroke:{QUIET};stroke-width:1.2;stroke-dasharray:4 3"))
    slot = (x + width - left) / len(drawn)
    for number, one in enumerate(drawn, start=1):
        centre = left + slot * (number - 0.5)
        if numbered:
            marks.append(drawing.text(centre, bottom + 16, str(number), anchor="middle", size=SIZE - 1))
        if one is not None:
            marks.append(_violin(one, centre, bottom, min(slot * 0.42, 24), colours[one.series]))
            under = bottom + (32 if numbered else 16)
            marks.append(
                drawing.text(centre, under, f"n {len(one.values)}", colour=QUIET, anchor="middle", size=SIZE - 2)
            )
    return "".join(marks)


def _violin(one: Violin, x: float, bottom: float, half: float, colour: str) -> str:
    def at(value: float) -> float:
        return bottom - HEIGHT * min(max(value, 0.0), 1.0)

    stretch = drawing.line(x, at(one.mean.low), x, at(one.mean.high), f"stroke:{INK};stroke-width:3")
    if _degenerate(one.values):
        points = "".join(_ring(x, at(value), 2.5, colour, PAPER) for value in one.values)
        return stretch + points + _ring(x, at(one.mean.value), 4, INK, colour)
    shape = density(one.values)
    outline = [(x + half * share, at(value)) for value, share in shape]
    outline += [(x - half * share, at(value)) for value, share in reversed(shape)]
    marks = drawing.polygon(outline, f"fill:{colour};fill-opacity:0.28;stroke:{colour};stroke-width:1")
    low, middle, high = min(one.values), median(one.values), max(one.values)
    marks += drawing.line(x, at(low), x, at(high), f"stroke:{colour};stroke-width:1")
    for value, reach in ((low, 0.4), (middle, 0.7), (high, 0.4)):
        marks += drawing.line(
            x - half * reach, at(value), x + half * reach, at(value), f"stroke:{colour};stroke-width:1.6"
        )
    return marks + stretch + _ring(x, at(one.mean.value), 4, INK, PAPER)


def _ring(x: float, y: float, radius: float, stroke: str, fill: str) -> str:
    look = f"fill:{fill};stroke:{stroke};stroke-width:1.4"
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" style="{look}"/>'


def _square(x: float, y: float, colour: str) -> str:
    return f'<rect x="{x - 5:.1f}" y="{y - 5:.1f}" width="10" height="10" style="fill:{colour}"/>'
