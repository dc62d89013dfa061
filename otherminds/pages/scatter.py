"""Many counted things as points: how often against what share, with the line beyond which a share is no chance.

How often is on a logarithmic axis, since most are rare. Points that are said to be beyond it are drawn full, and named
as far as there is room; the others are open and stay without a name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10, sqrt

from otherminds.errors import UsageError
from otherminds.pages import drawing
from otherminds.pages.drawing import COLOURS, EM, INK, LINE, QUIET, RULE, SIZE, WIDTH

HEIGHT, LEFT, RIGHT, STEPS = 320, 56, WIDTH - 110, 60
"""Of the field in which points lie; names need the room on its right."""
TOP = 2 * LINE + 6
"""Above the field, for what the marks mean and what is counted upwards."""
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
CURVE = f"stroke:{COLOURS[1]};stroke-width:1.5"
NAMED = 24
"""At most so many names, the farthest from chance first."""


@dataclass(frozen=True, slots=True)
class Point:
    """Something that was counted n times, a share of them as asked for; whether that is beyond chance."""

    name: str
    n: int
    share: float
    beyond: bool = False


def scatter(
    points: Sequence[Point], *, title: str, chance: float, z: float, counted: str = "n", shared: str = "share"
) -> str:
    """Points between 0 and 1 over their n, the line at `chance`, and where a share lies z standard errors off it.

    `counted` and `shared` say what n and the share are.
    """
    if not points:
        raise UsageError(f"there is nothing to draw in {title!r}: no point was given")
    if not 0 < chance < 1 or any(point.n < 1 for point in points):
        raise UsageError(f"in {title!r} every n should be 1 or more and chance lie between 0 and 1, not be {chance}")
    field = _Field(max(10, *(point.n for point in points)))
    beyond = [point for point in points if point.beyond]
    # Rare things share their places by the hundred, and one mark is enough for a place.
    common = {(point.n, point.share): point for point in points if not point.beyond}
    marks = "".join(_mark(point, field) for point in [*common.values(), *beyond])
    ranked = sorted(beyond, key=lambda point: -abs(point.share - chance) / _error(chance, point.n))
    said = [f"{len(points):,} points, {len(beyond):,} beyond the line"]
    said += [f"{point.name}: {point.share:.2f} of {point.n:,}" for point in ranked]
    ground = _ground(field, chance, counted, shared) + _curves(field, chance, z)
    return drawing.svg(title, said, TOP + HEIGHT + 2 * LINE, _legend(z) + ground + marks + _names(ranked, field))


@dataclass(frozen=True, slots=True)
class _Field:
    """Where a point lies on the page."""

    most: int

    def x(self, n: float) -> float:
        return LEFT + (RIGHT - LEFT) * log10(n) / log10(self.most)

    def y(self, share: float) -> float:
        return TOP + HEIGHT * (1 - min(max(share, 0.0), 1.0))


def _error(chance: float, n: float) -> float:
    return sqrt(chance * (1 - chance) / n)


def _legend(z: float) -> str:
    """What a full point, an open one and the curves are."""
    names = ["beyond chance", "not to be told from chance", f"the limit between them: {z:.2f} standard errors"]

    def key(index: int, x: float, y: float) -> str:
        return drawing.line(x - 8, y, x + 8, y, CURVE) if index == 2 else _circle(x, y, beyond=index == 0)

    return drawing.legend(names, key)[0]


def _ground(field: _Field, chance: float, counted: str, shared: str) -> str:
    marks = drawing.text(LEFT - 28, TOP - 12, shared, colour=QUIET, size=SIZE - 1)
    for tick in TICKS:
        y = field.y(tick)
        marks += drawing.line(LEFT, y, RIGHT, y, f"stroke:{RULE}")
        marks += drawing.text(LEFT - 8, y + 4, f"{tick:g}", colour=QUIET, anchor="end", size=SIZE - 1)
    for power in range(int(log10(field.most)) + 1):
        x = field.x(10**power)
        marks += drawing.line(x, field.y(1), x, field.y(0), f"stroke:{RULE}")
        marks += drawing.text(x, field.y(0) + 16, f"{10**power:,}", colour=QUIET, anchor="middle", size=SIZE - 1)
    y = field.y(chance)
    marks += drawing.line(LEFT, y, RIGHT, y, f"stroke:{QUIET};stroke-width:1.5;stroke-dasharray:4 3")
    marks += drawing.text(RIGHT + 6, y + 4, "chance", colour=QUIET, size=SIZE - 1)
    under = field.y(0) + 36
    return marks + drawing.text((LEFT + RIGHT) / 2, under, counted, colour=QUIET, anchor="middle", size=SIZE - 1)


def _curves(field: _Field, chance: float, z: float) -> str:
    drawn = ""
    for sign in (1, -1):
        steps = [field.most ** (step / STEPS) for step in range(STEPS + 1)]
        shares = [(n, chance + sign * z * _error(chance, n)) for n in steps]
        path = " ".join(f"{field.x(n):.1f},{field.y(share):.1f}" for n, share in shares if 0 <= share <= 1)
        if path:
            drawn += f'<polyline points="{path}" style="fill:none;{CURVE}"/>'
    return drawn


def _mark(point: Point, field: _Field) -> str:
    name = f"<title>{drawing.safe(f'{point.name}: {point.share:.2f} of {point.n:,}')}</title>" if point.beyond else ""
    return _circle(field.x(point.n), field.y(point.share), name, beyond=point.beyond)


def _circle(x: float, y: float, name: str = "", *, beyond: bool) -> str:
    look = f"fill:{COLOURS[1]}" if beyond else f"fill:none;stroke:{COLOURS[0]};stroke-opacity:0.55"
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{4 if beyond else 2.5}" style="{look}">{name}</circle>'


def _names(ranked: Sequence[Point], field: _Field) -> str:
    """Names beside their points, left out where another one stands."""
    drawn, taken = "", list[tuple[float, float, float]]()
    for point in ranked[:NAMED]:
        x, y, width = field.x(point.n) + 7, field.y(point.share) + 4, len(point.name) * EM
        if all(abs(y - other) > SIZE or x > end or x + width < start for start, end, other in taken):
            taken.append((x, x + width, y))
            drawn += drawing.text(x, y, point.name, colour=INK, size=SIZE - 1)
    return drawn
