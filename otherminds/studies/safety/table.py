"""Base against post-trained, as the paper's Table IV sets it: two rows a pair, and ours below them.

model                  TB          INT  …
Llama-2-7b-hf       0.537        0.506         the base model's mean
Llama-2-7b-chat-hf +0.046*      -0.001         how far post-training moved it, always with its sign
                   [+0.01, +0.08] …            95 %, paired; * where Holm's p is at most 0.05
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from otherminds.pages import sheets
from otherminds.pages.drawing import visible
from otherminds.pages.report import Table
from otherminds.results.trends import ALPHA
from otherminds.studies.safety.lineups import NINE, SHORT, Pairing

NOTE = (
    "Base: the mean score. Post-trained: the difference to it, from unrounded means over the same items; below it the"
    " paired 95 % interval, drawn by groups of twins. * marks a difference with an adjusted p (Holm, over all pairs and"
    " tasks of the table) of at most 0.05."
)


@dataclass(frozen=True, slots=True)
class Change:
    """One cell: where the base model stands, and how far post-training moved it."""

    base: float
    difference: float
    interval: tuple[float, float] | None = None
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One pair, with a cell for every task that both were asked."""

    base: str
    post: str
    changes: dict[str, Change]


def rows(pairings: Sequence[Pairing]) -> list[Row]:
    """The pairs in the order in which they come."""
    found: dict[tuple[str, str], dict[str, Change]] = {}
    for each in pairings:
        moved = each.difference
        change = Change(each.before.value, moved.value, (moved.low, moved.high), moved.p <= ALPHA)
        found.setdefault((each.base, each.post), {})[each.task] = change
    return [Row(base, post, changes) for (base, post), changes in found.items()]


def grid(table: Sequence[Row], *, intervals: bool = True) -> list[list[str]]:
    """The head, then the lines of every pair, as text."""
    tasks = _tasks(table)
    lines = [["model", *(SHORT[task] for task in tasks)]]
    for row in table:
        cells = [row.changes.get(task) for task in tasks]
        lines.append([visible(row.base), *(f"{cell.base:.3f}" if cell else "–" for cell in cells)])
        lines.append(
            [visible(row.post), *(f"{cell.difference:+z.3f}{'*' * cell.marked}" if cell else "–" for cell in cells)]
        )
        if intervals and any(cell and cell.interval for cell in cells):
            lines.append(["", *(_interval(cell) for cell in cells)])
    return lines


def as_text(table: Sequence[Row], *, intervals: bool = True) -> str:
    """For a terminal: columns of one width, numbers to the right."""
    lines = grid(table, intervals=intervals)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    shown = [
        "  ".join(
            [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]
        )
        for line in lines
    ]
    return "\n".join([shown[0], "-" * len(shown[0]), *shown[1:]]) + "\n"


def as_latex(table: Sequence[Row]) -> str:
    """A tabular that needs no package."""
    head, *lines = grid(table)
    out = [rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}", r"\hline", " & ".join(head) + r" \\", r"\hline"]
    for line in lines:
        name = line[0].replace("_", r"\_")
        cells = [
            f"${cell.replace('*', '^{*}')}$" if cell and cell != "–" else cell.replace("–", "--") for cell in line[1:]
        ]
        out.append(" & ".join([name, *cells]) + r" \\")
    return "\n".join([*out, r"\hline", r"\end{tabular}"]) + "\n"


def as_csv(table: Sequence[Row]) -> str:
    """A line for every pair and task, with all its numbers."""
    lines = [["base", "post_trained", "task", "base_mean", "difference", "low", "high", "marked"]]
    for row in table:
        for task, cell in row.changes.items():
            ends = [f"{end:.6f}" for end in cell.interval] if cell.interval else ["", ""]
            numbers = [f"{cell.base:.6f}", f"{cell.difference:+.6f}", *ends]
            lines.append([row.base, row.post, task, *numbers, "yes" if cell.marked else "no"])
    return sheets.as_csv(lines)


def as_table(table: Sequence[Row], caption: str) -> Table:
    """For the report."""
    head, *lines = grid(table)
    return Table(head, lines, caption, note=NOTE)


def _tasks(table: Sequence[Row]) -> list[str]:
    return [task for task in NINE if any(task in row.changes for row in table)]


def _interval(cell: Change | None) -> str:
    if cell is None or cell.interval is None:
        return ""
    low, high = cell.interval
    return f"[{low:+z.2f}, {high:+z.2f}]"
