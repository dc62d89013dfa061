"""`otherminds track`: a run's summary for Weights & Biases or MLflow."""

from __future__ import annotations

from pathlib import Path

import click

from otherminds.terminal.options import common, open_run, store_option
from otherminds.terminal.screen import print_json, say

TRACKERS = ("mlflow", "wandb")


@click.command()
@click.argument("run_id", metavar="RUN")
@click.option("--with", "tracker", type=click.Choice(TRACKERS), required=True, help="Whose client logs it.")
@click.option("--project", default="otherminds", show_default=True, help="The project, or MLflow's experiment.")
@store_option
@common
def track(run_id: str, tracker: str, project: str, store_path: Path, as_json: bool) -> None:
    """Log a run's summary with MLflow or Weights & Biases.

    Means, intervals and verdicts are sent, and what was asked of whom; neither questions nor answers. Where to is the
    client's own matter: MLFLOW_TRACKING_URI, WANDB_MODE and so on.
    """
    from otherminds.bridges.track import track as log
    from otherminds.store.store import Store

    with Store(store_path, create=False) as store:
        run = open_run(store, run_id)
    there = log(run, tracker, project=project)
    if as_json:
        print_json({"run": run.id, "tracker": tracker, "project": project, "id": there})
    else:
        say(f"run {run.id} is {there} in {tracker}, project {project}")
