"""Splits, measured and drawn: a number for every kind of item and every model, rule or way of asking.

grid = Grid.of({"a": answers_of_a, "b": answers_of_b}, [Split("false belief", {"false_belief": True})])
[grid.table("items", "Right answers"), grid.figure("Right answers", "With 95 % intervals.")]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from otherminds.pages import plots
from otherminds.pages.report import Cell, Figure, Table
from otherminds.results.answers import Answers
from otherminds.results.measures import Split
from otherminds.stats import Estimate

Line = tuple[str, Sequence[Estimate | None]]
SERIES = 4
"""The most columns in one picture."""


def as_it_is(estimate: Estimate) -> Cell:
    """A number as it prints itself."""
    return estimate


@dataclass(frozen=True, slots=True)
class Grid:
    """Lines of numbers under columns."""

    columns: Sequence[str]
    lines: Sequence[Line]

    @classmethod
    def of(
        cls,
        parts: Mapping[str, Answers],
        splits: Iterable[Split],
        measure: Callable[[Answers], Estimate | None] = Answers.mean,
    ) -> Grid:
        """A line a split, a column a part."""
        lines = [(one.label, [measure(part.where(None, **one.tags)) for part in parts.values()]) for one in splits]
        return cls(list(parts), lines)

    @property
    def turned(self) -> Grid:
        """Its columns as lines."""
        numbers = zip(*(line for _, line in self.lines), strict=True)
        return Grid([label for label, _ in self.lines], list(zip(self.columns, numbers, strict=True)))

    @property
    def filled(self) -> Grid:
        """Without the lines and columns that nobody has a number for: they only take room."""
        kept = [place for place in range(len(self.columns)) if any(line[place] for _, line in self.lines)]
        lines = [(label, [line[place] for place in kept]) for label, line in self.lines if any(line)]
        return Grid([self.columns[place] for place in kept], lines)

    def beside(self, other: Grid) -> Grid:
        """The same lines with more columns."""
        pairs = zip(self.lines, other.lines, strict=True)
        return Grid([*self.columns, *other.columns], [(label, [*one, *two]) for (label, one), (_, two) in pairs])

    def table(self, head: str, caption: str, *, note: str = "", show: Callable[[Estimate], Cell] = as_it_is) -> Table:
        """The numbers as they are read."""
        rows: list[list[Cell]] = [[label, *(one and show(one) for one in line)] for label, line in self.lines]
        return Table([head, *self.columns], rows, caption, note=note)

    def figure(
        self,
        title: str,
        caption: str,
        *,
        measure: str,
        reference: tuple[float, str] | None = None,
        axis: tuple[float, float] = (0.0, 1.0),
        digits: int = 2,
    ) -> Figure:
        """The numbers as they are seen, those of the first columns."""
        svg = plots.intervals(
            [(label, line[:SERIES]) for label, line in self.lines],
            title=title,
            series=self.columns[:SERIES],
            reference=reference,
            measure=measure,
            axis=axis,
            digits=digits,
        )
        return Figure(svg, caption)
