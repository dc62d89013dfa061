"""`otherminds compare`: two runs, item by item."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from otherminds.commands.options import common, open_run, store_option
from otherminds.commands.screen import print_json, print_table

if TYPE_CHECKING:
    from otherminds.runs import Run


@click.command()
@click.argument("first_id", metavar="RUN_A")
@click.argument("second_id", metavar="RUN_B")
@store_option
@common
def compare(first_id: str, second_id: str, store_path: Path, as_json: bool) -> None:
    """How far RUN_A lies above RUN_B on the items of both.

    The difference is paired by item and its interval clustered by story; p is of a sign-flip test over stories.
    """
    from otherminds.measures import compare as paired
    from otherminds.store import Store

    with Store(store_path, create=False) as store:
        first, second = open_run(store, first_id), open_run(store, second_id)
    found = paired(first, second)
    if as_json:
        rows = [{"items": label} | asdict(difference) for label, difference in found.rows]
        print_json(asdict(found) | {"first": first.id, "second": second.id, "rows": rows})
        return
    print(f"A: {_named(first)}\nB: {_named(second)}")
    print_table(["items", "A − B, with 95 % interval by story"], [[label, str(part)] for label, part in found.rows])
    print(f"  only A right: {_listed(found.gained)}")
    print(f"  only B right: {_listed(found.lost)}")
    print(f"  McNemar's exact p = {found.mcnemar:.3g}, as if items were independent, which twins are not")
    if found.unpaired:
        print(f"  left out: {found.unpaired} items that lack a value in one of the runs")


def _named(run: Run) -> str:
    return f"{run.id} · {run.suite} · {run.model} · {run.prompt}, {run.score}"


def _listed(ids: tuple[str, ...], *, most: int = 12) -> str:
    if not ids:
        return "none"
    more = f" and {len(ids) - most} more (--json has all)" if len(ids) > most else ""
    return f"{len(ids)}: {', '.join(ids[:most])}{more}"
