"""A run's summary in Weights & Biases or MLflow, by their own clients and only when it is asked for.

What goes there: what was asked of whom (parameters), means with their intervals and how answers ended (metrics).
Neither questions nor answers are sent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from otherminds.errors import OthermindsError, UsageError
from otherminds.results.answers import Answers
from otherminds.results.measures import mean_of, splits
from otherminds.runs.runs import Run

LENGTH = 250
"""Characters of a parameter; MLflow takes no more."""


class TrackingError(OthermindsError):
    """The tracker did not take what it was given."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a tracker gets of a run."""

    name: str
    params: Mapping[str, str]
    metrics: Mapping[str, float]


def summary(run: Run) -> Summary:
    """Parameters and numbers of a run."""
    manifest = run.manifest
    told = {name: manifest.get(name) for name in ("otherminds", "seed", "limit", "started", "items")}
    params: dict[str, Any] = {
        "run": run.id,
        "suite": run.suite,
        "digest": run.digest,
        "model": run.model,
        "prompt": run.prompt,
    }
    params |= {"score": run.score, "fingerprint": run.fingerprint, **told}
    metrics: dict[str, float] = {"answered": float(len(run))}
    for of, name in (("value", "right"), ("S", "S")):
        for split in splits(Answers.of([run])):
            found = mean_of(run, of, **split.tags)
            if found:
                # No name begins another one: MLflow keeps each in a file, and what is before a / in a folder.
                label = _plain(split.label)
                metrics |= {f"{name}/{label}": found.value, f"{name}_n/{label}": found.n}
                metrics |= {f"{name}_low/{label}": found.low, f"{name}_high/{label}": found.high}
    metrics |= {f"verdicts/{verdict}": float(number) for verdict, number in run.verdicts().items()}
    return Summary(
        f"{run.suite}-{run.model}-{run.id}", {key: str(value)[:LENGTH] for key, value in params.items()}, metrics
    )


def _plain(label: str) -> str:
    return re.sub(r"[^\w ./-]+", "-", label).strip()


def to_mlflow(run: Run, project: str) -> str:
    """Log the summary with MLflow, where its own settings (MLFLOW_TRACKING_URI) say; what it is called there."""
    mlflow, told = _client("mlflow"), summary(run)
    mlflow.set_experiment(project)
    with mlflow.start_run(run_name=told.name) as active:
        mlflow.log_params(dict(told.params))
        mlflow.log_metrics(dict(told.metrics))
        mlflow.set_tags({"otherminds.run": run.id, "otherminds.suite": run.suite})
    return str(active.info.run_id)


def to_wandb(run: Run, project: str) -> str:
    """Log the summary with Weights & Biases, where its own settings (WANDB_MODE, WANDB_BASE_URL) say."""
    wandb, told = _client("wandb"), summary(run)
    active = wandb.init(project=project, name=told.name, config=dict(told.params), job_type="evaluation")
    active.summary.update(dict(told.metrics))
    active.finish()
    return str(active.id)


TRACKERS: dict[str, Callable[[Run, str], str]] = {"mlflow": to_mlflow, "wandb": to_wandb}


def track(run: Run, tracker: str, *, project: str) -> str:
    """Log the summary of a run with a tracker; what it is called there."""
    if tracker not in TRACKERS:
        raise UsageError(f"there is no tracker {tracker!r}; there are {', '.join(TRACKERS)}")
    try:
        return TRACKERS[tracker](run, project)
    except OthermindsError:
        raise
    except Exception as error:  # whatever a client raises: no network, no key, a full disk
        raise TrackingError(f"{tracker} did not take the run: {' '.join(str(error).split())[:300]}") from error


def _client(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise UsageError(f"{name} is not installed: pip install 'otherminds[track]'") from None
