"""Perturbed as a study: does it follow a belief when a familiar story is changed?"""

from __future__ import annotations

from otherminds.studies.perturbed import build, lints, look, show
from otherminds.studies.study import Study

STUDY = Study(
    name="perturbed",
    asks="Does it follow a belief when a familiar story is changed, and does it follow its own reasoning?",
    example=look.example,
    build=look.suite,
    measure=look.measure_tasks,
    show=look.show_tasks,
    look=look.look,
    suite=build.build,
    faults=lints.faults,
    page=show.show,
)
