"""The page of one run: its state, tags and note; its report; the runs it can be compared with; its answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from otherminds.pages.report import Block, Browser, Cell, Linked, Report, Section, Table
from otherminds.results.itembrowser import Part, records, script
from otherminds.results.labels import run_labels
from otherminds.results.run_details import what_was_run
from otherminds.results.summary import summarise
from otherminds.runs.runs import Record, Run
from otherminds.store.store import RunRow
from otherminds.web.links import EVERYWHERE, to_answers, to_comparison, to_items
from otherminds.web.notes import Note, words_of
from otherminds.web.pages import COLUMNS, RUNNING, SCORED, Overview, scripts

Body = Report | None
"""The report of a run; None where nothing was answered yet."""
PAGE = 2_000
"""Answers on one page; each takes about a kilobyte of it."""


@dataclass(frozen=True, slots=True)
class About:
    """How a run stands, and what somebody wants to remember of it."""

    row: RunRow
    note: Note
    running: bool
    token: str
    mark: str
    """Of the runs of the store; another one when it is time to load the page anew."""

    @property
    def section(self) -> Section:
        """The first of the page; a script lets tags and note be changed."""
        row: list[Cell] = [RUNNING if self.running else Overview(self.row, 0).state, words_of(self.note)]
        note = "Tags and notes are kept beside the store, in which nothing is changed."
        return Section("This run", [Table(["state", "tags and note"], [row], "", note=note)])

    def browser(self, data: Mapping[str, Any], code: str, note: str = "") -> Browser:
        """Whatever else the page can do, and this."""
        run = {"id": self.row.id, "tags": self.note.tags, "note": self.note.note}
        about = {"run": run, "token": self.token, "mark": self.mark, "running": self.running}
        return Browser({**data, "about": about}, code + scripts("run_parts", "one_run"), note, asks=True)


def run_body(run: Run) -> Body:
    """What takes a moment to make: the report of a run."""
    return summarise([run]) if run.records else None


def items_section(run: Run, shown: Sequence[Record], page: int, about: About) -> Section:
    """Answers of a run with their texts, so many at a time that a browser can hold them; pages count from 1."""
    pages = page_count(run)
    first = (page - 1) * PAGE
    part = replace(run, records=shown)
    data = records([Part(run.suite, [part])]) | {"pages": [to_answers(run.id)]}
    note = "Every question that was asked, with all that came back. Opened, each leads to a page of its own."
    if pages > 1:
        note = (
            f"Questions {first + 1:,} to {first + len(part):,} of {len(run):,}, with all that came back; filters and"
            " search are for these. Opened, each leads to a page of its own."
        )
    return Section("Items", [*_turning(run.id, page, pages), about.browser(data, script(), note)])


def on_page(run: Run, page: int) -> Sequence[Record]:
    """The answers that stand on a page."""
    return run.records[(page - 1) * PAGE : page * PAGE]


def page_count(run: Run) -> int:
    """How many pages its answers fill."""
    return max(1, ceil(len(run) / PAGE))


def _turning(id: str, page: int, pages: int) -> list[Block]:
    """Links to the first page, those beside this one, and the last; nothing where there is only one."""
    near = sorted({1, page - 1, page, page + 1, pages} & set(range(1, pages + 1)))
    cells: list[Cell] = [f"{n:,} (this one)" if n == page else Linked(f"{n:,}", to_items(id, n)) for n in near]
    return [Table(["pages of items", *([""] * (len(cells) - 1))], [cells], "")] if pages > 1 else []


def run_page(about: About, body: Report, items: Section, others: Sequence[Overview]) -> Report:
    """How a run stands, its report, with the runs that it can be compared with, and its answers."""
    id = about.row.id
    lines = [
        [Linked(f"with {each.row.id}", to_comparison(id, each.row.id)), *each.cells] for each in others if each.right
    ]
    table = Table(["compare", *COLUMNS], lines, "Other runs of the same suite", note=SCORED)
    compared = [Section("Compare", [table])] if lines else []
    return replace(
        body,
        sections=[about.section, *body.sections, *compared, items],
        subtitle=f"run {id} · {body.subtitle}",
        trail=(*EVERYWHERE, ("Answers of this run", "#items")),
    )


def empty_page(about: About, run: Run, calls: int, seconds: float) -> Report:
    """A run of which nothing is kept yet but what was asked of whom."""
    lead = (
        "No answer of this run is kept yet: a run keeps its answers together, when it ends or is stopped."
        f" The store holds {calls:,} calls to {run.model}, which took {seconds:,.0f} s in all."
    )
    first = replace(about.section, blocks=[*about.section.blocks, about.browser({}, "")])
    sections = [first, Section("What was run", what_was_run([run], run_labels([run])))]
    return Report(f"{run.model} on the {run.suite} suite", lead, sections, subtitle=f"run {run.id}", trail=EVERYWHERE)
