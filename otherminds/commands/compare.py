"""`otherminds compare`: two runs, item by item."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherminds.commands.options import common, open_run, store_option
from otherminds.commands.screen import print_json, print_table

if TYPE_CHECKING:
    from otherminds.measures import Comparison
    from otherminds.report import Cell, Report
    from otherminds.runs import Record, Run

MOST = 12
"""Items shown on either side."""


@click.command()
@click.argument("first_id", metavar="RUN_A")
@click.argument("second_id", metavar="RUN_B")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Also write a page, with all items."
)
@store_option
@common
def compare(first_id: str, second_id: str, output: Path | None, store_path: Path, as_json: bool) -> None:
    """How far RUN_A lies above RUN_B on the items of both.

    The difference is paired by item and its interval clustered by story; p is of a sign-flip test over stories, and
    adjusted (Holm) for the lines of the table. Then come the items that changed sides.
    """
    from otherminds.measures import compare as paired
    from otherminds.store import Store

    with Store(store_path, create=False) as store:
        first, second = open_run(store, first_id), open_run(store, second_id)
    found = paired(first, second)
    if output:
        _page(first, second, found).save(output)
    if as_json:
        print_json(_as_data(first, second, found))
        return
    print(f"A: {_named(first)}\nB: {_named(second)}")
    print_table(
        ["items", "A − B, with 95 % interval by story", "p (Holm)"],
        [[row.items, str(row.difference), f"{row.holm:.3g}"] for row in found.rows],
        right=["p (Holm)"],
    )
    _print_sides(first, second, found)
    print(f"  McNemar's exact p = {found.mcnemar:.3g}, as if items were independent, which twins are not")
    if found.unpaired:
        print(f"  left out: {found.unpaired} items that lack a value in one of the runs")


def _named(run: Run) -> str:
    return f"{run.id} · {run.suite} · {run.model} · {run.prompt}, {run.score}"


def _print_sides(first: Run, second: Run, found: Comparison) -> None:
    """The items that only one of the runs has right, with what both said."""
    a, b = (_by_id(run) for run in (first, second))
    for title, ids in (("only A right", found.gained), ("only B right", found.lost)):
        print(f"  {title}: {len(ids) or 'none'}")
        if ids:
            rows = [[id, a[id].item.question, *_said(a[id], b[id]), a[id].item.answer] for id in ids[:MOST]]
            print_table(["item", "question", "A said", "B said", "right"], rows)
        if len(ids) > MOST:
            print(f"  and {len(ids) - MOST} more (--json has all)")


def _as_data(first: Run, second: Run, found: Comparison) -> dict[str, Any]:
    a, b = (_by_id(run) for run in (first, second))
    rows = [
        {"items": row.items, "tags": dict(row.tags), **asdict(row.difference), "holm": row.holm} for row in found.rows
    ]
    changed = [
        {"item": id, "question": a[id].item.question, "first": one, "second": other, "right": a[id].item.answer}
        for id in (*found.gained, *found.lost)
        for one, other in [_said(a[id], b[id])]
    ]
    return asdict(found) | {"first": first.id, "second": second.id, "rows": rows, "changed": changed}


def _page(first: Run, second: Run, found: Comparison) -> Report:
    from otherminds.itembrowser import Part, browser
    from otherminds.report import Report, Section, Table

    columns = ["items", "A − B", "p (Holm)"]
    rows: list[list[Cell]] = [[row.items, row.difference, f"{row.holm:.3g}"] for row in found.rows]
    note = "Paired by item, with 95 % intervals by story; p by flipping the signs of stories."
    table = Table(columns, rows, "How far A lies above B", note=note)
    lead = (
        f"A: {_named(first)}. B: {_named(second)}. Over all items, A lies {found.rows[0].difference} above B;"
        f" only A is right in {len(found.gained)} items, only B in {len(found.lost)}."
    )
    items = browser([Part("A", [first]), Part("B", [second])])
    return Report("Two runs, item by item", lead, [Section("", [table]), Section("Items", [items])])


def _by_id(run: Run) -> dict[str, Record]:
    return {record.item.id: record for record in run.records}


def _said(one: Record, other: Record) -> tuple[str, str]:
    return one.score.answer or one.score.verdict, other.score.answer or other.score.verdict
