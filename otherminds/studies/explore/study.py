"""Explore as a study: which stories does a model get wrong?"""

from __future__ import annotations

from otherminds.studies.explore import chapter
from otherminds.studies.explore.builds import BUILDS
from otherminds.studies.explore.material import build, controls
from otherminds.studies.study import Study

STUDY = Study(
    name="explore",
    asks="Which stories does a model get wrong?",
    example=lambda: build.suite(chapter.example()),
    look=chapter.look,
    questions=lambda desk: controls.stories(desk.seed),
    controls=controls.controls,
    builds=BUILDS,
)
