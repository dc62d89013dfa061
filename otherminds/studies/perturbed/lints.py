"""What must hold for the suite: the common rules, with one exception that is meant."""

from __future__ import annotations

from dataclasses import replace

from otherminds.items import Suite, lint
from otherminds.items.lint import DOUBLES, Fault


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
