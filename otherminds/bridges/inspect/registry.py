"""What Inspect finds by its entry point: a task for every suite, and the provider `otherminds`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspect_ai import Task, task
from inspect_ai.model import ModelAPI, modelapi

from otherminds.bridges.inspect.tasks import (
    high,
    in_order,
    low,
    orders_together,
    response_score,
    right,
    task_of,
    verdict,
)
from otherminds.plugins import added
from otherminds.studies import STUDIES
from otherminds.studies.suites import get_suite

__all__ = ["high", "in_order", "low", "orders_together", "otherminds", "response_score", "right", "suite", "verdict"]


@modelapi(name="otherminds")
def otherminds() -> type[ModelAPI]:
    """Our models."""
    from otherminds.bridges.inspect.provider import OthermindsAPI

    return OthermindsAPI


def _asked(name: str, prompt: str | None, score: str | None, seed: int) -> Task:
    return task_of(get_suite(name).using(prompt=prompt, score=score), seed=seed)


@task
def suite(file: str, prompt: str | None = None, score: str | None = None, seed: int = 0) -> Task:
    """A suite of your own, in a .jsonl file."""
    return _asked(file, prompt, score, seed)


def _task(name: str) -> Callable[..., Any]:
    def of_suite(prompt: str | None = None, score: str | None = None, seed: int = 0) -> Task:
        return _asked(name, prompt, score, seed)

    of_suite.__doc__ = f"The suite {name}."
    return task(of_suite, name=name)


TASKS = {name: _task(name) for name, make in STUDIES.items() if make().suite} | {
    name: _task(name) for name in added("suites")
}
