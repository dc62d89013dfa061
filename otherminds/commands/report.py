"""`otherminds report`: runs as one HTML page."""

from __future__ import annotations

from pathlib import Path

import click

from otherminds.commands.options import common, open_run, store_option
from otherminds.commands.screen import print_json


@click.command()
@click.argument("run_ids", metavar="RUN…", nargs=-1, required=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("report.html"), show_default=True)
@click.option("--title", default="", help="Default: the models and the suites.")
@store_option
@common
def report(run_ids: tuple[str, ...], output: Path, title: str, store_path: Path, as_json: bool) -> None:
    """Write one HTML page about one or more runs."""
    from otherminds.store import Store
    from otherminds.summary import summarise

    with Store(store_path, create=False) as store:
        found = [open_run(store, run_id) for run_id in run_ids]
    summarise(found, title=title).save(output)
    if as_json:
        print_json({"report": str(output), "runs": [run.id for run in found]})
    else:
        print(output)
