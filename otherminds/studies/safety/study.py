"""Safety as a study: how well does it read other minds, from true belief to deception?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from otherminds.errors import UsageError
from otherminds.pages.report import Report
from otherminds.runs.runs import Run
from otherminds.studies.builds import Build, Built
from otherminds.studies.safety import chapter, lints, page
from otherminds.studies.safety.card import card
from otherminds.studies.safety.plots.build import build
from otherminds.studies.safety.plots.controls import controls
from otherminds.studies.safety.series import Lineup, places, read_lineup
from otherminds.studies.study import Study


def _page(runs: Sequence[Run]) -> Report:
    names = dict.fromkeys(run.model for run in runs)
    return page.show(Lineup(()), {name: [run for run in runs if run.model == name] for name in names})


def _lineup(name: str, runs: Sequence[Run]) -> tuple[Report, Sequence[str]]:
    lineup = read_lineup(name)
    found, strangers = places(lineup, runs)
    said = [f"run {run.id} of {run.model} is of no model in {name}, and is left out" for run in strangers]
    if missing := [member.name for member in lineup.members if member.name not in found]:
        said.append(f"there is no run of {', '.join(missing)}")
    if not found:
        raise UsageError(f"none of these runs is of a model in {name}; `otherminds runs` lists what there is")
    return page.show(lineup, found), said


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
    lineup=_lineup,
    questions=chapter.drawn,
    controls=controls,
    builds=[Build("safety", _safety)],
)
