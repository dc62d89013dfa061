"""Safety as a study: how well does it read other minds, from true belief to deception?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from otherminds.items import Suite
from otherminds.pages.report import Report
from otherminds.results.lineups import Lineup
from otherminds.runs.runs import Run
from otherminds.studies.builds import Build, Built
from otherminds.studies.safety import chapter, page
from otherminds.studies.safety.card import card
from otherminds.studies.safety.lineups import askings, measure
from otherminds.studies.safety.plots import lints
from otherminds.studies.safety.plots.build import build
from otherminds.studies.safety.plots.controls import controls
from otherminds.studies.study import LineupPage, Study


def _page(runs: Sequence[Run]) -> Report:
    names = dict.fromkeys(run.model for run in runs)
    return page.show(Lineup(()), {name: [run for run in runs if run.model == name] for name in names})


def _suite(lineup: Lineup) -> Suite:
    return build(tasks=lineup.tasks or None, size=lineup.size, seed=lineup.seed)


def _safety(output: Path, *, tasks: str | None = None, size: str = "standard", seed: int = 0) -> Built:
    """Make the safety suite: nine tasks from reading to deception, with twins.

    A data card is written beside it.

    tasks (TASK,…): Only these: TB, MA/IR, FB/SA, …  [default: all]
    size: standard, small, or so many items a task.
    seed: For generated items, and for what is left out.
    """
    wanted = [name.strip() for name in tasks.split(",")] if tasks else None
    made = build(tasks=wanted, size=int(size) if size.isdecimal() else size, seed=seed)
    return Built(made, card(made))


STUDY = Study(
    name="safety",
    asks="How well does it read other minds, from true belief to deception?",
    example=partial(build, size=4),
    look=chapter.look,
    suite=build,
    faults=lints.faults,
    bounds=(lints.LEAST, lints.MOST),
    page=_page,
    lineup=LineupPage("safety", _suite, askings, measure, page.report, page.save, page.print_scores, page.as_data),
    questions=chapter.drawn,
    controls=controls,
    builds=[Build("safety", _safety)],
)
