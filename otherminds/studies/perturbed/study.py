"""Perturbed as a study: does it follow a belief when a familiar story is changed?"""

from __future__ import annotations

from otherminds.studies.perturbed import build, builds, chapter, controls, page
from otherminds.studies.study import Study

STUDY = Study(
    name="perturbed",
    asks="Does it follow a belief when a familiar story is changed, and does it follow its own reasoning?",
    example=chapter.example,
    look=chapter.look,
    suite=build.build,
    faults=builds.faults,
    page=page.show,
    questions=lambda desk: controls.with_sentences(chapter.part(desk)),
    controls=controls.controls,
    builds=builds.BUILDS,
)
