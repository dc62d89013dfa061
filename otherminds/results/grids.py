"""Splits, measured and drawn: a number for every kind of item and every model, rule or way of asking.

grid = Grid.of({"a": answers_of_a, "b": answers_of_b}, [Split("false belief", {"false_belief": True})])
[grid.table("items", "Right answers"), grid.figure("Right answers", "With 95 % intervals.")]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from otherminds.pages import plots
from otherminds.pages.report import Cell, Figure, Linked, Table
from otherminds.results.answers import Answers
from otherminds.results.itembrowser import Links
from otherminds.results.measures import Split
from otherminds.stats import Estimate

Line = tuple[str, Sequence[Estimate | None]]
Show = Callable[[Any], Cell]
"""How a number becomes a cell."""
SERIES = 4
"""The most models that are told of one after another."""


def as_it_is(estimate: Estimate) -> Cell:
    """A number as it prints itself."""
    return estimate


@dataclass(frozen=True, slots=True)
class Grid:
    """Lines of numbers under columns, and how each column is shown."""

    columns: Sequence[str]
    lines: Sequence[Line]
    shows: Sequence[Show] = ()
    links: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """By line and column, or the other way round, where the answers behind a number are."""

    @classmethod
    def of(
        cls,
        parts: Mapping[str, Answers],
        splits: Iterable[Split],
        measure: Callable[[Answers], Estimate | None] = Answers.mean,
        links: Links | None = None,
    ) -> Grid:
        """A line a split, a column a part."""
        cells = [(one.label, {name: part.where(None, **one.tags) for name, part in parts.items()}) for one in splits]
        lines = [(label, list(map(measure, line.values()))) for label, line in cells]
        return cls(list(parts), lines).linked(cells, links)

    def linked(self, cells: Iterable[tuple[str, Mapping[str, Answers]]], links: Links | None) -> Grid:
        """The same with a way to the answers behind each number, by line and column."""
        found: dict[tuple[str, str], str] = {}
        for label, line in cells if links else ():
            for name, some in line.items():
                # Two tags may be told in the same words; a link by these could be the other's.
                twice = (label, name) in found
                found[label, name] = "" if twice or not links else links.to(some.with_value())
        return replace(self, links=found)

    @property
    def turned(self) -> Grid:
        """Its columns as lines."""
        numbers = zip(*(line for _, line in self.lines), strict=True)
        lines = list(zip(self.columns, numbers, strict=True))
        return Grid([label for label, _ in self.lines], lines, links=self.links)

    @property
    def filled(self) -> Grid:
        """Without the lines that have nothing but a name."""
        return replace(self, lines=[(label, line) for label, line in self.lines if any(line)])

    @property
    def compact(self) -> Grid:
        """Without the columns that nobody has a number for: they only take room."""
        return self.only(place for place in range(len(self.columns)) if any(line[place] for _, line in self.lines))

    def only(self, places: Iterable[int]) -> Grid:
        """Some of its columns."""
        kept = list(places)
        lines = [(label, [line[place] for place in kept]) for label, line in self.lines]
        shows = [self._shows[place] for place in kept]
        return Grid([self.columns[place] for place in kept], lines, shows, self.links)

    def shown(self, show: Show) -> Grid:
        """The same with another look."""
        return replace(self, shows=[show] * len(self.columns))

    def beside(self, other: Grid) -> Grid:
        """The same lines with more columns."""
        pairs = zip(self.lines, other.lines, strict=True)
        lines = [(label, [*one, *two]) for (label, one), (_, two) in pairs]
        links = {**self.links, **other.links}
        return Grid([*self.columns, *other.columns], lines, [*self._shows, *other._shows], links)

    @property
    def _shows(self) -> Sequence[Show]:
        return self.shows or [as_it_is] * len(self.columns)

    def rows(self) -> list[list[Cell]]:
        """The cells of a table."""
        return [
            [label, *(one and self._cell(label, place, one) for place, one in enumerate(line))]
            for label, line in self.lines
        ]

    def _cell(self, label: str, place: int, one: Estimate) -> Cell:
        cell, column = self._shows[place](one), self.columns[place]
        to = self.links.get((label, column)) or self.links.get((column, label))
        return Linked(cell, to) if to and not isinstance(cell, Linked) else cell

    def table(self, head: str, caption: str, *, note: str = "") -> Table:
        """The numbers as they are read."""
        return Table([head, *self.columns], self.rows(), caption, note=note)

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
        """The numbers as they are seen; of very many columns, the first."""
        svg = plots.intervals(
            [(label, line[: plots.MOST_SERIES]) for label, line in self.lines],
            title=title,
            series=self.columns[: plots.MOST_SERIES],
            reference=reference,
            measure=measure,
            axis=axis,
            digits=digits,
        )
        return Figure(svg, caption)
