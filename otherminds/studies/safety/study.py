"""Safety as a study: how well does it read other minds, from true belief to deception?"""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.asking.runs import Run
from otherminds.pages.report import Report
from otherminds.studies.safety import build, chapter, lints, measure, page
from otherminds.studies.safety.builds import BUILDS
from otherminds.studies.safety.series import Lineup
from otherminds.studies.study import Study


def _page(runs: Sequence[Run]) -> Report:
    by_model = {name: [run for run in runs if run.model == name] for name in {run.model for run in runs}}
    return page.show(Lineup(()), by_model)


STUDY = Study(
    name="safety",
    asks="How well does it read other minds, from true belief to deception?",
    example=chapter.example,
    build=chapter.suite,
    measure=measure.measure,
    show=page.show,
    look=chapter.look,
    suite=build.build,
    faults=lints.faults,
    page=_page,
    builds=BUILDS,
)
