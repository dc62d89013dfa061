"""What `otherminds build` makes of the perturbed tasks."""

from __future__ import annotations

from pathlib import Path

from otherminds.items.cards import card
from otherminds.studies.builds import Build, Built
from otherminds.studies.perturbed.build import Style, build
from otherminds.studies.perturbed.lints import faults

WRITTEN = "written by hand, every answer derived a second time from the events of the story"


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
