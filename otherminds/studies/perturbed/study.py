"""Perturbed as a study: does it follow a belief when a familiar story is changed?"""

from __future__ import annotations

from otherminds.studies.perturbed import chapter, controls, lints, page
from otherminds.studies.perturbed.builds import BUILDS
from otherminds.studies.perturbed.tasks.build import build, drawn, suite
from otherminds.studies.study import Study

STUDY = Study(
    name="perturbed",
    asks="Does it follow a belief when a familiar story is changed, and does it follow its own reasoning?",
    example=lambda: suite(drawn(0)),
    look=chapter.look,
    suite=build,
    faults=lints.faults,
    page=page.show,
    questions=lambda desk: controls.with_sentences(chapter.part(desk)),
    controls=controls.controls,
    builds=BUILDS,
)
