"""A picture of beliefs over time: lanes across events, and a segment for as long as a lane holds one value.

The first lane is what the others are measured by, as a rule the world. Where a lane has another value, its segment is
hatched and marked with a cross; where it has none, the segment is open; where there is nothing to know, it is blank.
Many events are set in bands one under another, like music.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from math import ceil
from textwrap import wrap
from zlib import crc32

from otherminds.errors import UsageError
from otherminds.pages import drawing
from otherminds.pages.drawing import COLOURS, EM, INK, PAPER, QUIET, RULE, SIZE, WIDTH

Lane = tuple[str, Sequence[str | None]]
"""A label, and a value for every event; None: unknown; empty: nothing to know yet."""

FALSE, UNKNOWN = "✗", "?"
HEIGHT, GAP, SMALL, LEADING = 30, 7, SIZE - 1, 15
SMALL_EM = EM * SMALL / SIZE
LINES, MOST_LINES = 7, 9
"""How many lines a sentence should take, and how many it may."""


def timeline(
    lanes: Sequence[Lane], events: Sequence[str], *, title: str, values: Sequence[str] = (), unknown: str = UNKNOWN
) -> str:
    """What each lane holds after each event, as SVG; the first lane decides which segments of the others are false.

    Colours go by the order of `values`, else of first appearance; name them to have the same ones in several pictures.
    """
    _check(lanes, events)
    held = dict.fromkeys([*values, *(value for _, row in lanes for value in row if value)])
    colours = {value: COLOURS[index % len(COLOURS)] for index, value in enumerate(held)}
    # Patterns are found by id, and a page may hold many pictures.
    hatch = f"false-{crc32(repr((title, lanes, events, values)).encode()):08x}"
    left = min(170.0, max(len(label) for label, _ in lanes) * EM + 20)
    score = _Score(lanes, events, colours, hatch, unknown, left)
    inside, y = score.hatching(), 0.0
    for band in _bands(events, WIDTH - left):
        inside += score.band(band, y)
        y += score.height(band)
    return drawing.svg(title, score.said(), y + LEADING, inside + score.legend(y))


@dataclass(frozen=True, slots=True)
class _Slot:
    """An event with its place in a band."""

    index: int
    x: float
    width: float
    lines: Sequence[str]


def _bands(events: Sequence[str], room: float) -> Iterator[list[_Slot]]:
    """The events in as many bands as their sentences need, each band filled from edge to edge."""
    needs = [min(190.0, max(72.0, 14 + SMALL_EM * len(event) / LINES)) for event in events]
    middles = [end - need / 2 for end, need in zip(accumulate(needs), needs, strict=True)]
    share = sum(needs) / ceil(sum(needs) / room)
    for _, run in groupby(range(len(events)), key=lambda index: int(middles[index] / share)):
        band = list(run)
        stretch = room / sum(needs[index] for index in band)
        slots, x = [], WIDTH - room
        for index in band:
            width = needs[index] * stretch
            lines = wrap(events[index], int((width - 12) / SMALL_EM), max_lines=MOST_LINES, placeholder=" …")
            slots.append(_Slot(index, x, width, lines))
            x += width
        yield slots


def _check(lanes: Sequence[Lane], events: Sequence[str]) -> None:
    if not lanes or not events:
        raise UsageError("a timeline needs at least one lane and one event")
    for label, row in lanes:
        if len(row) != len(events):
            raise UsageError(f"lane {label!r} has {len(row)} values for {len(events)} events; use None for a gap")


@dataclass(frozen=True, slots=True)
class _Score:
    """Everything that the parts of one picture share."""

    lanes: Sequence[Lane]
    events: Sequence[str]
    colours: Mapping[str, str]
    hatch: str
    unknown: str
    left: float

    def band(self, slots: Sequence[_Slot], top: float) -> str:
        """Some of the events with all lanes below them."""
        y = top + _head(slots)
        bottom = y + len(self.lanes) * (HEIGHT + GAP)
        marks = ""
        for slot in slots:
            marks += drawing.line(slot.x, top + 4, slot.x, bottom, f"stroke:{RULE}") + self._event(slot, top + 15)
        for number, (label, row) in enumerate(self.lanes):
            weight = "font-weight:600" if number == 0 else ""
            name = drawing.text(0, y + HEIGHT / 2 + 4.5, drawing.fit(label, self.left), style=weight)
            marks += f"<g><title>{drawing.safe(label)}</title>{name}</g>"
            for run, value, false in self._segments(row, slots):
                marks += self._segment(run[0].x, y, run[-1].x + run[-1].width - run[0].x, value, false)
            y += HEIGHT + GAP
        return marks

    def height(self, slots: Sequence[_Slot]) -> float:
        """How much of the page a band takes."""
        return _head(slots) + len(self.lanes) * (HEIGHT + GAP) + 18

    def _event(self, slot: _Slot, y: float) -> str:
        marks = drawing.text(slot.x + 7, y, str(slot.index + 1), size=SMALL, style="font-weight:600")
        for number, line in enumerate(slot.lines, start=1):
            marks += drawing.text(slot.x + 7, y + number * LEADING, line, colour=QUIET, size=SMALL)
        return f"<g><title>{drawing.safe(self.events[slot.index])}</title>{marks}</g>"

    def _segments(
        self, row: Sequence[str | None], slots: Sequence[_Slot]
    ) -> Iterator[tuple[list[_Slot], str | None, bool]]:
        """Runs of one value, true or false; blanks are left out."""
        real = self.lanes[0][1]

        def look(slot: _Slot) -> tuple[str | None, bool]:
            value = row[slot.index]
            return value, bool(value) and value != real[slot.index]

        for (value, false), run in groupby(slots, key=look):
            if value != "":
                yield list(run), value, false

    def _segment(self, x: float, y: float, width: float, value: str | None, false: bool) -> str:
        x, width = x + 2, width - 4
        words = self.unknown if value is None else f"{FALSE} {value}" if false else value
        place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{HEIGHT}" rx="4"'
        # The broad outline keeps the hatching away from the letters.
        halo = f"stroke:{PAPER};stroke-width:4;stroke-linejoin:round;paint-order:stroke;font-weight:600"
        colour, style = (QUIET if value is None else INK), (halo if false else "")
        label = drawing.text(x + 9, y + HEIGHT / 2 + 4.5, drawing.fit(words, width), colour=colour, style=style)
        spoken = f"{words} (not as in the top lane, {self.lanes[0][0]})" if false else words
        return f'<g><title>{drawing.safe(spoken)}</title><rect {place} style="{self._look(value, false)}"/>{label}</g>'

    def _look(self, value: str | None, false: bool) -> str:
        if value is None:
            return f"fill:none;stroke:{QUIET};stroke-dasharray:2 3"
        edge = f"stroke:{self.colours[value]};stroke-width:1.5"
        return (
            f"fill:url(#{self._pattern(value)});{edge}"
            if false
            else f"fill:{self.colours[value]};fill-opacity:0.16;{edge}"
        )

    def _pattern(self, value: str) -> str:
        return f"{self.hatch}-{list(self.colours).index(value)}"

    def hatching(self) -> str:
        """One pattern a value, in its colour."""
        patterns = (
            f'<pattern id="{self._pattern(value)}" width="7" height="7" patternUnits="userSpaceOnUse" '
            f'patternTransform="rotate(45)"><rect width="7" height="7" style="fill:{PAPER}"/>'
            f'<rect width="2.5" height="7" style="fill:{colour};fill-opacity:0.55"/></pattern>'
            for value, colour in self.colours.items()
        )
        return f"<defs>{''.join(patterns)}</defs>"

    def legend(self, y: float) -> str:
        """What a hatched and an open segment mean, if there are any."""
        drawn = [part for _, row in self.lanes for part in self._segments(row, self._unplaced())]
        keys: list[tuple[str | None, str]] = []
        keys += [(value, f"{FALSE} not as in the top lane") for _, value, false in drawn if false][:1]
        if self.unknown == UNKNOWN:  # any other word speaks for itself
            keys += [(None, f"{UNKNOWN} unknown") for _, value, _ in drawn if value is None][:1]
        marks, x = "", self.left
        for value, words in keys:
            look = self._look(value, value is not None)
            marks += f'<rect x="{x + 2:.1f}" y="{y:.1f}" width="22" height="12" rx="3" style="{look}"/>'
            marks += drawing.text(x + 31, y + 10.5, words, colour=QUIET, size=SMALL)
            x += 31 + len(words) * EM + 20
        return marks

    def said(self) -> Iterator[str]:
        """The lanes in words."""
        for label, row in self.lanes:
            runs = (
                f"from {run[0].index + 1} {self.unknown if value is None else value}{' (false)' if false else ''}"
                for run, value, false in self._segments(row, self._unplaced())
            )
            yield f"{label}: {', '.join(runs) or 'nothing'}"

    def _unplaced(self) -> list[_Slot]:
        return [_Slot(index, 0, 0, ()) for index in range(len(self.events))]


def _head(slots: Sequence[_Slot]) -> float:
    return 26 + LEADING * max(len(slot.lines) for slot in slots)
