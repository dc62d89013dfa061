"""Explore as a study: which stories does a model get wrong?"""

from __future__ import annotations

from otherminds.studies.explore import build, look, measure, show
from otherminds.studies.study import Study

STUDY = Study(
    name="explore",
    asks="Which stories does a model get wrong?",
    example=look.example,
    build=build.suite,
    measure=measure.measure,
    show=show.show,
    look=look.look,
)
