"""Sections of a page, declared: tables, pictures and cards as measures of answers; and the page made of them.

    MODELS, BELIEFS = Axis("model", by="model"), Axis("belief", [Split("false", {"false_belief": True}), …])
    SECTIONS = [
        Section("By belief", [
            "Shares of right answers, with **95 %** intervals.",
            TableOf([MODELS, BELIEFS], [Column("right", mean()), Column("items", len)], "Right answers"),
            PictureOf([BELIEFS], MODELS, mean(), "Right answers by belief", "With 95 % intervals.", of="right answers"),
        ]),
    ]
    Page(Answers.of(runs), links).sections(SECTIONS)

Axes are lines (one inside the other) or columns; a measure is a function of the answers in a cell. What has no answers
is left out: lines, then tables, then texts that stand with nothing, then sections. A special case is a function from
the page to blocks, in the place of a declared block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from otherminds.items import Tag
from otherminds.pages import plots
from otherminds.pages.report import Block, Cards, Cell, Figure, Folded, Linked, Section, Table
from otherminds.results.answers import Answers, Wanted
from otherminds.results.itembrowser import Links
from otherminds.results.measures import EVERYTHING, Split
from otherminds.stats import Estimate, interval_note, sure

Measure = Callable[[Answers], Any]
"""From the answers of a cell to an estimate, a difference, a number or a text; None if nothing was measured."""
Show = Callable[[Any], str | int | float | Estimate | None]
"""How a measured value becomes a cell; it is not called for None."""
Text = str | Callable[[Answers], str]
"""Words, or words made of the answers that they stand with."""


# ---- measures -----------------------------------------------------------------------------------------------------


def mean(of: str = "value", **tags: Wanted) -> Measure:
    """The mean of a number of the score, over the answers with some tags."""
    return lambda answers: answers.where(None, **tags).mean(of)


def share(*verdicts: str, **tags: Wanted) -> Measure:
    """The share of answers that ended in one of some ways."""
    return lambda answers: answers.where(None, **tags).share(lambda row: row.verdict in verdicts)


# ---- declarations -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Axis:
    """Answers parted by some property: the lines of a table, or its columns."""

    head: str
    splits: Sequence[Split] = ()
    by: str = ""
    """In place of splits: a tag or another property, of which every value is a part."""
    words: Mapping[Any, str] = field(default_factory=dict)
    """What values are called."""
    always: bool = True
    """Whether it is named where it has but one part."""

    def of(self, answers: Answers) -> Sequence[Split]:
        """Its parts, as far as these answers tell."""
        if not self.by:
            return self.splits
        values: Iterable[Tag] = dict.fromkeys(value for value in answers.get(self.by) if value is not None)
        return [Split(self.words.get(value, str(value)), {self.by: value}) for value in values]


MODELS = Axis("model", by="model", always=False)
"""Every model, named where there are several."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: what is measured of the answers in each line."""

    head: str
    measure: Measure
    show: Show = lambda value: value
    behind: Callable[[Answers], Answers] | None = None
    """The answers that a link in its cells leads to; without, there is no link."""
    part: Split = EVERYTHING
    """Those of a line that it is about."""

    def of(self, line: Answers) -> Any:
        """What is measured of a line."""
        return self.measure(self.part.of(line))


@dataclass(frozen=True, slots=True)
class Across:
    """A column for every part of an axis, all with one measure."""

    axis: Axis
    measure: Measure
    show: Show = lambda value: value
    linked: bool = False


@dataclass(frozen=True, slots=True)
class TableOf:
    """A table of measures: a line for every part of its axes, one inside the other."""

    rows: Sequence[Axis]
    columns: Sequence[Column | Across]
    caption: Text
    note: Text = ""
    """`{method}` in it is how the intervals of the table were made."""
    keep: Measure | None = None
    """A line is there if this finds something of its answers; by default, if any of its cells does."""
    foot: Mapping[str, Measure] = field(default_factory=dict)
    """Lines at the end: of every column the same measure of all answers that it tells of, such as how many."""
    compact: bool = False
    """Whether columns without any value are left out."""
    of: Callable[[Answers], Answers] | None = None
    """The answers that it is about, of all on the page."""


@dataclass(frozen=True, slots=True)
class PictureOf:
    """Intervals: a line for every part of one axis, and a mark for every part of another."""

    rows: Axis
    marks: Axis
    measure: Measure
    title: Text
    caption: Text
    counts: str
    """What the scale counts, such as "share of right answers"."""
    reference: tuple[float, str] | Callable[[Answers], tuple[float, str]] | None = None
    scale: tuple[float, float] = (0.0, 1.0)
    digits: int = 2
    of: Callable[[Answers], Answers] | None = None


@dataclass(frozen=True, slots=True)
class CardsOf:
    """The few numbers to take away, of the first models."""

    cards: Mapping[str, Measure]
    models: int = 2
    digits: int = 2
    more: Mapping[str, Measure] = field(default_factory=dict)
    """Cards that are about all answers together."""


@dataclass(frozen=True, slots=True)
class Each:
    """Blocks once more for every part of an axis; `{}` in their texts is what the part is called."""

    axis: Axis
    blocks: Sequence[Declared]
    fold: str = ""
    """A heading under which they are folded where the axis has several parts."""
    most: int | None = None
    """The most parts that are shown."""


Declared = Block | TableOf | PictureOf | CardsOf | Each | list[Any] | Callable[["Page"], Iterable[Block]]
"""A list stands together: a text in it is there if anything else of it is."""


# ---- measuring ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Page:
    """The answers that a page tells of, and how to link to them."""

    answers: Answers
    links: Links | None = None
    name: str = ""
    """What `{}` stands for."""

    def sections(self, declared: Iterable[Section]) -> list[Section]:
        """The sections that have something to say."""
        made = (Section(section.title, self.blocks(section.blocks)) for section in declared)
        return [section for section in made if section.blocks]

    def blocks(self, declared: Sequence[Any]) -> list[Block]:
        """The blocks that have something to say; texts alone say something only where nothing else is declared."""
        made = [(each, list(self._made(each))) for each in declared]
        beside = [blocks for each, blocks in made if not isinstance(each, str)]
        return [block for _, blocks in made for block in blocks] if any(beside) or not beside else []

    def _made(self, one: Any) -> Iterator[Block]:
        match one:
            case str():
                yield one.replace("{}", self.name)
            case list():
                yield from self.blocks(one)
            case TableOf():
                if table := self._table(one):
                    yield table
            case PictureOf():
                if figure := self._figure(one):
                    yield figure
            case CardsOf():
                if cards := list(self._cards(one)):
                    yield Cards(cards)
            case Each():
                yield from self._each(one)
            case Folded():
                if blocks := self.blocks(one.blocks):
                    yield Folded(one.heading, blocks)
            case _ if callable(one):
                yield from one(self)
            case _:
                yield one

    def text(self, text: Text) -> str:
        """Words about these answers."""
        return (text if isinstance(text, str) else text(self.answers)).replace("{}", self.name)

    def _each(self, one: Each) -> Iterator[Block]:
        splits = list(one.axis.of(self.answers))[: one.most]
        made = [
            block
            for split in splits
            if (some := split.of(self.answers))
            for block in Page(some, self.links, split.label).blocks(one.blocks)
        ]
        yield from [Folded(one.fold, made)] if one.fold and made and len(splits) > 1 else made

    def _only(self, of: Callable[[Answers], Answers] | None) -> Page:
        return replace(self, answers=of(self.answers)) if of else self

    def _table(self, table: TableOf) -> Table | None:
        page = self._only(table.of)
        columns = [one for each in table.columns for one in _columns(each, page.answers)]
        axes = [axis for axis in table.rows if axis.always or len(axis.of(page.answers)) > 1]
        lines = []
        for labels, some in _lines(table.rows, axes, page.answers):
            if table.keep and not table.keep(some):
                continue
            values = [column.of(some) for column in columns]
            if table.keep or any(value is not None for value in values):
                lines.append((labels, some, values))
        if not lines:
            return None
        kept = [
            place
            for place in range(len(columns))
            if not table.compact or any(values[place] is not None for *_, values in lines)
        ]
        rows: list[list[Cell]] = [
            [*labels, *(page._cell(columns[place], values[place], some) for place in kept)]
            for labels, some, values in lines
        ]
        for label, measure in table.foot.items():
            foot = [measure(columns[place].part.of(page.answers)) for place in kept]
            rows.append([label, *[""] * (len(axes) - 1), *foot])
        heads = [*(axis.head for axis in axes), *(columns[place].head for place in kept)]
        method = interval_note(one for *_, values in lines for one in values if isinstance(one, Estimate))
        note = page.text(table.note).replace("{method}", method)
        return Table(heads, rows, page.text(table.caption), note=note)

    def _cell(self, column: Column, value: Any, some: Answers) -> Cell:
        cell = None if value is None else column.show(value)
        if cell is None or not self.links or not column.behind:
            return cell
        to = self.links.to(column.behind(column.part.of(some)))
        return Linked(cell, to) if to else cell

    def _figure(self, picture: PictureOf) -> Figure | None:
        page = self._only(picture.of)
        marks = list(picture.marks.of(page.answers))[: plots.MOST_SERIES]
        lines = []
        for row in picture.rows.of(page.answers):
            some = row.of(page.answers)
            if any(line := [picture.measure(mark.of(some)) for mark in marks]):
                lines.append((row.label, line))
        if not lines:
            return None
        reference = picture.reference(page.answers) if callable(picture.reference) else picture.reference
        return figure(
            lines,
            [mark.label for mark in marks],
            page.text(picture.title),
            page.text(picture.caption),
            picture.counts,
            reference=reference,
            scale=picture.scale,
            digits=picture.digits,
        )

    def _cards(self, cards: CardsOf) -> Iterator[tuple[str, str, str]]:
        models = MODELS.of(self.answers)
        told = [
            (f"{label}, {split.label}" if len(models) > 1 else label, measure(split.of(self.answers)))
            for split in models[: cards.models]
            for label, measure in cards.cards.items()
        ]
        told += [(label, measure(self.answers)) for label, measure in cards.more.items()]
        for label, one in told:
            if one is not None:
                yield label, f"{one.value:.{cards.digits}f}", sure(one, cards.digits)


def _columns(declared: Column | Across, answers: Answers) -> list[Column]:
    """The columns that there are."""
    if isinstance(declared, Column):
        return [declared]
    behind = Answers.with_value if declared.linked else None
    return [Column(split.label, declared.measure, declared.show, behind, split) for split in declared.axis.of(answers)]


def _lines(axes: Sequence[Axis], named: Sequence[Axis], answers: Answers) -> Iterator[tuple[list[str], Answers]]:
    """For every part of the axes, one inside the other, what it is called on those that are named, and its answers."""
    if not axes:
        yield [], answers
        return
    axis, *inner = axes
    for split in axis.of(answers):
        for labels, some in _lines(inner, named, split.of(answers)):
            yield [split.label, *labels] if axis in named else labels, some


def figure(
    lines: Sequence[tuple[str, Sequence[Estimate | None]]],
    marks: Sequence[str],
    title: str,
    caption: str,
    counts: str,
    *,
    reference: tuple[float, str] | None = None,
    scale: tuple[float, float] = (0.0, 1.0),
    digits: int = 2,
) -> Figure:
    """Intervals that are there already; of very many marks, the first."""
    svg = plots.intervals(
        [(label, line[: plots.MOST_SERIES]) for label, line in lines],
        title=title,
        series=marks[: plots.MOST_SERIES],
        reference=reference,
        measure=counts,
        axis=scale,
        digits=digits,
    )
    return Figure(svg, caption)
