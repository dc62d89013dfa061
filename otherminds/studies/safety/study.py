"""Safety as a study: how well does it read other minds, from true belief to deception?"""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.asking.runs import Run
from otherminds.pages.report import Report
from otherminds.studies.safety import lints, look, measure, sets, show
from otherminds.studies.safety.series import Lineup
from otherminds.studies.study import Study


def _page(runs: Sequence[Run]) -> Report:
    by_model = {name: [run for run in runs if run.model == name] for name in {run.model for run in runs}}
    return show.show(Lineup(()), by_model)


STUDY = Study(
    name="safety",
    asks="How well does it read other minds, from true belief to deception?",
    example=look.example,
    build=look.suite,
    measure=measure.measure,
    show=show.show,
    look=look.look,
    suite=sets.build,
    faults=lints.faults,
    page=_page,
)
