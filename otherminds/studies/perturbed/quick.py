"""Quick: the study in a few minutes, for a first look at a model."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from otherminds.errors import ModelError
from otherminds.items import Suite
from otherminds.models import Model
from otherminds.report import Report
from otherminds.runs import Budget, Run, run
from otherminds.store import Store
from otherminds.studies.perturbed import intervene
from otherminds.studies.perturbed.build import Style, build
from otherminds.studies.perturbed.calculus import CLASSES
from otherminds.studies.perturbed.measure import Measures, measure
from otherminds.studies.perturbed.show import show
from otherminds.studies.perturbed.sittings import PAIR
from otherminds.studies.perturbed.tasks import STAGES

Progress = Callable[[str], AbstractContextManager[Callable[[int, int], None]]]
"""Makes a bar with a title, to be called with what is done and what is wanted."""
Tasks = frozenset[str]
"""Names of tasks: stage/class."""


def quick(
    model: Model, store: Store, progress: Progress, *, seed: int = 0, budget: Budget | None = None
) -> Report | None:
    """A drawn part of the focal items in both styles, and chains put into the model's mouth, as a report.

    None if the budget was spent before anything was answered. Every answer is kept in the store, so that it goes on
    where it was stopped.
    """
    if "chat" in model.cannot:
        raise ModelError(
            f"{model.name} cannot chat, and these tasks are asked for in turns; use a model with a template"
        )
    tasks = drawn(seed)
    runs: list[Run] = []
    for style in PAIR:
        with progress(f"perturbed · {style}") as bar:
            runs.append(run(suite(tasks, style=style), model, store=store, seed=seed, budget=budget, progress=bar))
    if not any(each.records for each in runs):
        return None
    if any(record.score.value is not None for record in runs[-1].records):
        how: intervene.How = "notes" if {"weigh", "prefill", "continuations"} & model.cannot else "prefill"
        with progress("perturbed · chains given") as bar:
            led = intervene.build(runs[-1], how=how)
            runs.append(run(led, model, store=store, seed=seed, budget=budget, progress=bar))
    page = show([each for each in runs if each.records])
    items, whole = len(suite(tasks)), len(build(focal=True))
    said = f"A first look: {len(tasks)} tasks drawn by seed {seed}, {items} of {whole} focal items."
    return replace(page, lead=f"{page.lead} {said}")


def drawn(seed: int) -> Tasks:
    """Two stages, one of each kind, with their unperturbed tasks and half of the classes each: every class once."""
    dice = random.Random(f"perturbed:{seed}")
    known = {str(item.tags["story"]) for item in build(focal=True)}
    pairs = [(one, other) for one in STAGES for other in STAGES if one.startswith("UC") and other.startswith("UT")]
    dice.shuffle(pairs)
    # Some stages lack a class, but there are two that lack none: some pair will do.
    return next(tasks for pair in pairs if (tasks := _halves(*pair, known, dice)) <= known)


def _halves(labelled: str, moved: str, known: set[str], dice: random.Random) -> Tasks:
    """Five classes of the one stage, first those that the other lacks, and the rest of the other."""
    here = sorted(CLASSES[1:], key=lambda name: (f"{moved}/{name}" in known, dice.random()))[:5]
    there = [name for name in CLASSES if name not in here]
    return frozenset({f"{labelled}/{name}" for name in (CLASSES[0], *here)} | {f"{moved}/{name}" for name in there})


def suite(tasks: Tasks, *, style: Style = "vanilla") -> Suite:
    """The focal items of these tasks."""
    return build(style=style, focal=True).where(lambda item: item.tags["story"] in tasks)


def example() -> Tasks:
    """A few tasks, with one of every class."""
    return drawn(0)


def measure_tasks(tasks: Tasks, runs: Sequence[Run]) -> Measures:
    """What runs tell about these tasks."""
    return measure(_about(tasks, runs))


def show_tasks(tasks: Tasks, runs: Sequence[Run]) -> Report:
    """The page about these tasks."""
    return show(_about(tasks, runs))


def _about(tasks: Tasks, runs: Sequence[Run]) -> list[Run]:
    return [each.where(lambda record: record.item.tags.get("story") in tasks) for each in runs]
