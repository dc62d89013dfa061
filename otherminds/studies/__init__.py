"""The studies: each asks one question about minds, with the same verbs.

build turns what a study works on into a suite, `otherminds.run` puts it to models, measure makes numbers of the runs
and show a page of them; quick does it all in a small size, for a first look at a model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from otherminds.items import Suite
    from otherminds.report import Report


@dataclass(frozen=True, slots=True)
class Study:
    """One study; `tests/studies/test_study_contract.py` says what each verb must do."""

    name: str
    asks: str
    example: Callable[[], Any]
    """A little for the study to work on, made without a real model."""
    build: Callable[..., Suite]
    """From what the study works on to a suite."""
    measure: Callable[..., Any]
    """From that and runs of the suite to numbers."""
    show: Callable[..., Report]
    """From the same to a page."""
    quick: Callable[..., Report | None]
    """From a model, a store and a maker of progress bars to a page; None if a budget was spent before there was one."""


def _explore() -> Study:
    from otherminds.studies.explore import build, measure, quick, show

    return Study(
        "explore",
        "Which stories does a model get wrong?",
        quick.example,
        build.suite,
        measure.measure,
        show.show,
        quick.quick,
    )


def _perturbed() -> Study:
    from otherminds.studies.perturbed import quick

    return Study(
        "perturbed",
        "Does it follow a belief when a familiar story is changed, and does it follow its own reasoning?",
        quick.example,
        quick.suite,
        quick.measure_tasks,
        quick.show_tasks,
        quick.quick,
    )


def _safety() -> Study:
    from otherminds.studies.safety import measure, quick, show

    return Study(
        "safety",
        "How well does it read other minds, from true belief to deception?",
        quick.example,
        quick.suite,
        measure.measure,
        show.show,
        quick.quick,
    )


# Made on first use: importing one module of a study must not load all the others.
STUDIES: dict[str, Callable[[], Study]] = {"explore": _explore, "perturbed": _perturbed, "safety": _safety}
