"""The studies: each asks one question about minds, with the same verbs.

build turns what a study works on into a suite, `otherminds.run` puts it to models, measure makes numbers of the runs
and show a page of them; look does it all, in a small size or a large one, for a profile of one or more models.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from otherminds.asking.runs import Run
    from otherminds.items import Suite
    from otherminds.pages.report import Report
    from otherminds.studies.study import Chapter, Desk, Subject


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
    look: Callable[[Sequence[Subject], Desk], Chapter | None]
    """From those who are asked, and where, to a chapter; None if a budget was spent before there was anything."""


def _explore() -> Study:
    from otherminds.studies.explore import build, chapter, measure, page

    return Study(
        "explore",
        "Which stories does a model get wrong?",
        chapter.example,
        build.suite,
        measure.measure,
        page.show,
        chapter.look,
    )


def _perturbed() -> Study:
    from otherminds.studies.perturbed import chapter

    return Study(
        "perturbed",
        "Does it follow a belief when a familiar story is changed, and does it follow its own reasoning?",
        chapter.example,
        chapter.suite,
        chapter.measure_tasks,
        chapter.show_tasks,
        chapter.look,
    )


def _safety() -> Study:
    from otherminds.studies.safety import chapter, measure, page

    return Study(
        "safety",
        "How well does it read other minds, from true belief to deception?",
        chapter.example,
        chapter.suite,
        measure.measure,
        page.show,
        chapter.look,
    )


def _dialogue() -> Study:
    from otherminds.studies.dialogue import chapter, measure, page

    return Study(
        "dialogue",
        "Can it tell what people think and do not say?",
        chapter.example,
        chapter.suite,
        measure.measure,
        page.show,
        chapter.look,
    )


# Made on first use: importing one module of a study must not load all the others. In the order of a profile: what
# takes the least time comes first.
STUDIES: dict[str, Callable[[], Study]] = {
    "safety": _safety,
    "dialogue": _dialogue,
    "explore": _explore,
    "perturbed": _perturbed,
}


def _page_of_perturbed(runs: Sequence[Run]) -> Report:
    from otherminds.studies.perturbed.page import show

    return show(runs)


def _page_of_safety(runs: Sequence[Run]) -> Report:
    from otherminds.studies.safety.page import show
    from otherminds.studies.safety.series import Lineup

    return show(Lineup(()), {name: [run for run in runs if run.model == name] for name in {run.model for run in runs}})


def _page_of_dialogue(runs: Sequence[Run]) -> Report:
    from otherminds.studies.dialogue.bank import authored
    from otherminds.studies.dialogue.page import show

    asked = {record.item.tags.get("story") for run in runs for record in run.records}
    return show([talk for talk in authored() if talk.id in asked], runs)


PAGES: dict[str, Callable[[Sequence[Run]], Report]] = {
    "perturbed": _page_of_perturbed,
    "safety": _page_of_safety,
    "dialogue": _page_of_dialogue,
}
"""By the name of a study, the page that it makes of runs alone."""


def study_of(run: Run) -> str:
    """Whose suite was run: by its name, or, for questions about talks, whatever their file is called, by their tags."""
    if run.suite in PAGES:
        return run.suite
    return "dialogue" if all({"state", "order", "surface"} <= set(record.item.tags) for record in run.records) else ""
