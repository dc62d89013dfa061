"""Beliefs as tables for the terminal: a row for every event, a column for every chain of minds with something new."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from otherminds.minds.beliefs import WORLD, Trace, agreement, chain_name
from otherminds.minds.sightings import Minds
from otherminds.terminal.screen import harmless

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

FALSE, MISJUDGED, NOTHING, SAME = "✗", "≠", "–", "·"
SIGNS = {
    FALSE: "not so in the world",
    MISJUDGED: "not what the next mind thinks",
    "?": "not known",
    NOTHING: "nothing to know yet",
    SAME: "as before",
    "›": "what the one thinks that the other thinks",
}
GAP = 2
"""Between columns: one space is ours, one the line's."""
SHORT = 28
"""The least width for the words of an event, which the numbers lead to in full."""
QUIET = 3
"""So many events in a row that change nothing are told in one line."""


@dataclass(frozen=True, slots=True)
class BeliefColumn:
    """Chains that hold the same all along, and what they hold after each event."""

    header: str
    cells: Sequence[str]

    @property
    def width(self) -> int:
        return GAP + max(map(len, [*self.header.split("\n"), *self.cells]))

    def shown(self, index: int) -> str:
        """The cell, if it is new or false; a dot stands for what has not changed."""
        cell = self.cells[index]
        return cell if self.new(index) or FALSE in cell else SAME

    def new(self, index: int) -> bool:
        """Whether this event changed it."""
        return index == 0 or self.cells[index] != self.cells[index - 1]


def belief_tables(trace: Trace, briefs: Sequence[str], *, width: int) -> Iterator[RenderableType]:
    """One matter as one or more tables no wider than `width`, then how many chains need no column."""
    from rich.text import Text

    world, *columns = _columns(trace)
    free = width - len(f"{len(briefs)}–{len(briefs)}") - world.width  # the last column needs no gap
    label = min(max(map(len, briefs)) + GAP, max(SHORT, free - sum(column.width for column in columns)))
    for number, some in enumerate(_packed(columns, free - label)):
        heading = f"{trace.heading}{' (continued)' if number else ''}"
        yield Text(f"\n{harmless(heading)}", style="bold")
        yield _table([world, *some], briefs, label)
    if left_out := agreement(trace):
        yield Text(harmless(left_out), style="dim")


def legend(found: Sequence[Trace], *, width: int) -> str:
    """What the signs in these tables mean; no meaning is broken over two lines."""
    columns = [column for trace in found for column in _columns(trace)]
    used = {word for column in columns for cell in (column.header, *column.cells) for word in cell.split()} | {SAME}
    lines = [""]
    for meaning in [f"{sign} {words}" for sign, words in SIGNS.items() if sign in used]:
        if lines[-1] and len(lines[-1]) + 3 + len(meaning) > width:
            lines.append("")
        lines[-1] += f"   {meaning}" if lines[-1] else meaning
    return "\n".join(lines)


def _columns(trace: Trace) -> list[BeliefColumn]:
    found = [BeliefColumn(chain_name(WORLD), _cells(trace, WORLD))]
    for group in trace.alike(trace.of_order(1)):
        found.append(_shared(group, _cells(trace, group[0])))
    for order in range(2, max(map(len, trace.values)) + 1):
        groups: dict[tuple[str, ...], list[Minds]] = {}
        for minds in trace.telling(order):
            # Not by value alone: of two chains that hold the same, one may be wrong about the next mind.
            groups.setdefault(_cells(trace, minds), []).append(minds)
        found += [_shared(group, cells) for cells, group in groups.items()]
    return found


def _shared(group: Sequence[Minds], cells: Sequence[str]) -> BeliefColumn:
    names = [harmless(chain_name(minds)) for minds in group]
    shown = names if len(names) <= 4 else [*names[:3], f"and {len(names) - 3} more"]
    return BeliefColumn(",\n".join(shown), cells)


def _cells(trace: Trace, minds: Minds) -> tuple[str, ...]:
    cells = []
    for index, (value, real) in enumerate(zip(trace.values[minds], trace.values[WORLD], strict=True)):
        if value is None:
            cells.append(NOTHING if real is None else trace.unknown)
        else:
            false = f"{FALSE} " if value != real else ""
            misjudged = f" {MISJUDGED}" if len(minds) > 1 and trace.misjudged(minds, index) else ""
            cells.append(f"{false}{harmless(value)}{misjudged}")
    return tuple(cells)


def _packed(columns: Sequence[BeliefColumn], free: int) -> Iterator[list[BeliefColumn]]:
    """The columns in as many lots as the width asks for."""
    lot: list[BeliefColumn] = []
    for column in columns:
        if lot and sum(other.width for other in lot) + column.width > free:
            yield lot
            lot = []
        lot.append(column)
    yield lot


def _table(columns: Sequence[BeliefColumn], briefs: Sequence[str], label: int) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("after", width=label - GAP, no_wrap=True, overflow="ellipsis")
    for column in columns:
        table.add_column(Text(column.header), overflow="fold", vertical="bottom")
    for numbers, brief, cells in _rows(columns, briefs):
        table.add_row(numbers, Text(harmless(brief)), *map(_styled, cells))
    return table


def _rows(columns: Sequence[BeliefColumn], briefs: Sequence[str]) -> Iterator[tuple[str, str, list[str]]]:
    rows = [[column.shown(index) for column in columns] for index in range(len(briefs))]
    for quiet, run in groupby(range(len(rows)), key=lambda index: not any(column.new(index) for column in columns)):
        indices = list(run)
        if quiet and len(indices) >= QUIET:
            yield f"{indices[0] + 1}–{indices[-1] + 1}", "nothing changes here", rows[indices[0]]
        else:
            for index in indices:
                yield str(index + 1), briefs[index], rows[index]
    if SAME in rows[-1]:
        yield "", "in the end", [column.cells[-1] for column in columns]


def _styled(cell: str) -> Text:
    from rich.text import Text

    style = "bold red" if FALSE in cell else "yellow" if MISJUDGED in cell else "dim" if len(cell) == 1 else ""
    return Text(cell, style=style)
