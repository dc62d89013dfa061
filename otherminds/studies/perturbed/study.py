"""Perturbed as a study: does it follow a belief when a familiar story is changed?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from otherminds.items.cards import card
from otherminds.studies.builds import Build, Built, Option
from otherminds.studies.perturbed import chapter, controls, lints, page
from otherminds.studies.perturbed.tasks.build import STYLES, build, drawn, suite
from otherminds.studies.study import Study

WRITTEN = "written by hand, every answer derived a second time from the events of the story"


def _perturbed(output: Path, **given: Any) -> Built:
    made = build(**given)
    return Built(made, card(made, made=WRITTEN, wrong=lints.faults))


BUILDS = (
    Build(
        "perturbed",
        "Make the suite of false-belief tasks and their perturbed twins.\n\n"
        "1088 questions, or 1184 with the full grid; the styles `states` and `perspective` ask about beliefs only. A"
        " data card is written beside the suite.",
        _perturbed,
        [
            Option("style", tuple(STYLES), "How it will be asked.", "vanilla"),
            Option("focal", bool, "Only the false-belief stories with the belief question: two items a task."),
            Option("full-grid", bool, "74 tasks instead of 68: every class for every stage."),
        ],
    ),
)

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
