"""Two to eight runs side by side, as a page of the site or a file of its own."""

from __future__ import annotations

from otherminds.pages.report import Cell, Linked, Report, Section, Table
from otherminds.results.answers import Answers
from otherminds.results.comparisons import Comparisons
from otherminds.results.measures import FEWEST, splits
from otherminds.stats import span
from otherminds.web.links import EVERYWHERE, to_comparison
from otherminds.web.pages import holm, listed

KINDS = 12
"""Kinds of items that are told apart."""


def several_page(found: Comparisons, *, saved: bool = False) -> Report:
    """What each run gets of every kind of item, and how far the first lies above each of the others."""
    sections = [
        Section("", [listed(found.runs, "The runs", saved=saved)]),
        Section("By kind of item", [_by_kind(found)]),
        Section("A less the others", [_differences(found, saved=saved)]),
    ]
    models = ", ".join(dict.fromkeys(run.model for run in found.runs))
    page = Report(f"{len(found.runs)} runs side by side", f"Models: {models}.", sections)
    return page if saved else Report(page.title, page.lead, sections, trail=EVERYWHERE)


def _by_kind(found: Comparisons) -> Table:
    tables = [Answers.of([run]) for run in found.runs]
    rows: list[list[Cell]] = []
    for kind in splits(Answers.of(found.runs).items)[:KINDS]:
        means = [table.where(None, **kind.tags).mean() for table in tables]
        rows.append([kind.label, *(span(mean) if mean else None for mean in means)])
    return Table(["items", *found.names], rows, "Share of right answers with 95 % intervals by story")


def _differences(found: Comparisons, *, saved: bool) -> Table:
    first, *others = found.runs
    leads = {f"A − {name}": to_comparison(first.id, run.id) for name, run in zip(found.names[1:], others, strict=True)}
    rows: list[list[Cell]] = [
        [name if saved else Linked(name, leads[name]), row.items, row.difference, holm(row)]
        for name, row in found.lines()
    ]
    note = (
        "Shares of right answers, paired item by item on the items of both; intervals by story; p is that of the"
        f" interval; {found.adjustment}. Fewer than {FEWEST} groups cannot tell anything."
    )
    columns = ["", "items", "difference, with 95 % interval", "p (Holm)"]
    return Table(columns, rows, "Above 0, A is right more often", note=note)
