"""Perturbed as a study: does it follow a belief when a familiar story is changed?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from otherminds.heuristics.cards import card
from otherminds.items import Suite, lint
from otherminds.items.lint import DOUBLES, Fault
from otherminds.studies.builds import Build, Built
from otherminds.studies.perturbed import chapter, controls, page
from otherminds.studies.perturbed.tasks.build import Style, build, drawn, suite
from otherminds.studies.study import Study

WRITTEN = "written by hand, every answer derived a second time from the events of the story"


def faults(suite: Suite) -> list[Fault]:
    """The common faults, but for questions on what is so in a class that changes only who is asked.

    Its story is that of the unperturbed task, and so is this question: it is the control of both.
    """
    shared = {
        item.id
        for item in suite
        if (item.tags.get("class"), item.tags.get("question")) == ("non_protagonist_belief", "reality")
    }
    found = [
        replace(fault, ids=tuple(id for id in fault.ids if id not in shared)) if fault.rule == DOUBLES else fault
        for fault in lint.faults(suite)
    ]
    return [fault for fault in found if fault.ids]


def _perturbed(output: Path, *, style: Style = "vanilla", focal: bool = False, full_grid: bool = False) -> Built:
    """Make the suite of false-belief tasks and their perturbed twins.

    1088 questions, or 1184 with the full grid; the styles `states` and `perspective` ask about beliefs only. A data
    card is written beside the suite.

    style: How it will be asked.
    focal: Only the false-belief stories with the belief question: two items a task.
    full_grid: 74 tasks instead of 68: every class for every stage.
    """
    made = build(style=style, focal=focal, full_grid=full_grid)
    return Built(made, card(made, made=WRITTEN, wrong=faults))


BUILDS = (Build("perturbed", _perturbed),)

STUDY = Study(
    name="perturbed",
    asks="Does it follow a belief when a familiar story is changed, and does it follow its own reasoning?",
    example=lambda: suite(drawn(0)),
    look=chapter.look,
    suite=build,
    faults=faults,
    page=page.show,
    questions=lambda desk: controls.with_sentences(chapter.part(desk)),
    controls=controls.controls,
    builds=BUILDS,
)
