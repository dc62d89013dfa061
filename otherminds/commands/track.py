"""`otherminds track`: a run's summary for Weights & Biases or MLflow."""

from __future__ import annotations

from typing import Literal

from otherminds.terminal.derived import File, command
from otherminds.terminal.names import runs_of
from otherminds.terminal.options import STORE
from otherminds.terminal.screen import print_json, say


@command()
def track(
    as_json: bool, run: str, *, tracker: Literal["mlflow", "wandb"], project: str = "otherminds", store: File = STORE
) -> None:
    """Log a run's summary with MLflow or Weights & Biases.

    Means, intervals and verdicts are sent, and what was asked of whom; neither questions nor answers. Where to is the
    client's own matter: MLFLOW_TRACKING_URI, WANDB_MODE and so on.

    tracker (--with): Whose client logs it.
    project: The project, or MLflow's experiment.
    """
    from otherminds.bridges.track import track as log

    (found,) = runs_of(store, run)
    there = log(found, tracker, project=project)
    if as_json:
        print_json({"run": found.id, "tracker": tracker, "project": project, "id": there})
    else:
        say(f"run {found.id} is {there} in {tracker}, project {project}")
