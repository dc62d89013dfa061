"""Dialogue as a study: can it tell what people think and do not say?"""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.items import Suite
from otherminds.pages.report import Report
from otherminds.runs.runs import Run
from otherminds.studies.dialogue import chapter, page
from otherminds.studies.dialogue.builds import BUILDS
from otherminds.studies.dialogue.questions import build, controls
from otherminds.studies.study import Study
from otherminds.talks import bank
from otherminds.talks.talk import Talk


def _suite(*, talks: Sequence[Talk] | None = None, seed: int = 0) -> Suite:
    """Questions about these talks, which nobody has labelled yet; without any, about those of the package."""
    if talks is None:
        return build.build(bank.authored(), seed=seed, labels=bank.labels())
    return build.build(talks, seed=seed)


def _page(runs: Sequence[Run]) -> Report:
    asked = {record.item.tags.get("story") for run in runs for record in run.records}
    return page.show([talk for talk in bank.authored() if talk.id in asked], runs)


STUDY = Study(
    name="dialogue",
    asks="Can it tell what people think and do not say?",
    example=lambda: chapter.suite(chapter.example()),
    look=chapter.look,
    suite=_suite,
    page=_page,
    questions=lambda desk: chapter.asked(desk)[1],
    controls=controls.controls,
    builds=BUILDS,
)
