"""Quick: a part of all nine tasks, by letters in both orders and as a cloze, for a first look at a model."""

from __future__ import annotations

from dataclasses import replace

from otherminds.errors import ModelError
from otherminds.items import Suite
from otherminds.models import Model
from otherminds.report import Report
from otherminds.runs import Budget
from otherminds.store import Store
from otherminds.studies.safety.ask import Progress, ask, askings
from otherminds.studies.safety.series import Lineup, Member
from otherminds.studies.safety.sets import GENERATED, build, written
from otherminds.studies.safety.show import show

SIZE = 24
"""Items of every task and source: the fewest with six groups of twins, without which nothing can be told."""


def quick(
    model: Model, store: Store, progress: Progress, *, seed: int = 0, budget: Budget | None = None
) -> Report | None:
    """The report of a part of the suite; None if the budget was spent before anything was answered.

    Every answer is kept in the store, so that it goes on where it was stopped.
    """
    if missing := {"weigh", "raw"} & model.cannot:
        raise ModelError(
            f"{model.name} has no {' and no '.join(sorted(missing))}, and response scores are made of the"
            " probabilities of letters; use a local model or a server that reports log-probabilities"
        )
    asked = ask(model, askings(part(seed)), store, progress, seed=seed, budget=budget)
    letters = [run for run in asked.runs if run.score == "letters"]
    if not letters:
        if budget is None:
            raise ModelError(f"{model.name} could not be asked: {'; '.join(asked.failed)}")
        return None
    page = show(Lineup((), seed=seed), {model.name: asked.runs})
    whole = len(written()) + sum(GENERATED["standard"].values())
    said = f"A first look: {len(letters[0])} of {whole} items, drawn by seed {seed}."
    return replace(page, lead=f"{page.lead} {said}")


def part(seed: int) -> Suite:
    """A part of every task."""
    return build(size=SIZE, seed=seed)


def example() -> Lineup:
    """Two models without weights, in one series, on the smallest suite that has every task."""
    made = [Member(name, f"baseline:{name}", "made up", rank) for rank, name in enumerate(("realist", "oracle"), 1)]
    return Lineup(tuple(made), size=4)


def suite(lineup: Lineup) -> Suite:
    """What a line-up is asked."""
    return lineup.suite()
