"""Safety as a study: how well does it read other minds, from true belief to deception?"""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.errors import UsageError
from otherminds.pages.report import Report
from otherminds.runs.runs import Run
from otherminds.studies.safety import build, chapter, controls, lints, page
from otherminds.studies.safety.builds import BUILDS
from otherminds.studies.safety.series import Lineup, places, read_lineup
from otherminds.studies.study import Study


def _page(runs: Sequence[Run]) -> Report:
    by_model = {name: [run for run in runs if run.model == name] for name in {run.model for run in runs}}
    return page.show(Lineup(()), by_model)


def _lineup(name: str, runs: Sequence[Run]) -> tuple[Report, Sequence[str]]:
    lineup = read_lineup(name)
    found, strangers = places(lineup, runs)
    said = [f"run {run.id} of {run.model} is of no model in {name}, and is left out" for run in strangers]
    if missing := [member.name for member in lineup.members if member.name not in found]:
        said.append(f"there is no run of {', '.join(missing)}")
    if not found:
        raise UsageError(f"none of these runs is of a model in {name}; `otherminds runs` lists what there is")
    return page.show(lineup, found), said


STUDY = Study(
    name="safety",
    asks="How well does it read other minds, from true belief to deception?",
    example=chapter.example,
    look=chapter.look,
    suite=build.build,
    faults=lints.faults,
    bounds=(lints.LEAST, lints.MOST),
    page=_page,
    lineup=_lineup,
    questions=chapter.drawn,
    controls=controls.controls,
    builds=BUILDS,
)
