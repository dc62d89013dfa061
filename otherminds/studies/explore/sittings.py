"""Sittings: what runs answered about the stories that were found.

Findings are stories by the name of the model against which they were found; runs put suites built from them to models.
With findings of one model, every run speaks of its stories; with findings of several, of those of its own model.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from otherminds import stats
from otherminds.items import Item
from otherminds.results.labels import tell_apart
from otherminds.results.measures import same_model
from otherminds.runs.runs import Run
from otherminds.stats import Estimate
from otherminds.studies.explore.search.hunt import Found

Findings = Mapping[str, Sequence[Found]]

HARDEST = 10
"""Stories of one setting that count: those with the lowest accuracy when they were found."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A question about a story that was found, and how well a model answered it."""

    found: Found
    item: Item
    value: float
    said: str
    raw: bool
    """The story was told in its canonical words."""

    @property
    def searched(self) -> bool:
        """Whether the search went by questions of this order."""
        return self.item.tags["order"] == self.found.order


@dataclass(frozen=True, slots=True)
class Sitting:
    """What one run answered about the stories that it speaks of."""

    label: str
    run: Run
    answers: tuple[Answer, ...]
    raw: bool
    """The stories were told in their canonical words."""

    @property
    def asked(self) -> set[tuple[str, str]]:
        """The stories as they were told, each with a question."""
        return {(each.item.context, each.item.question) for each in self.answers}

    def of(self, method: str) -> list[Answer]:
        """The answers to searched questions about the stories that a method found."""
        return [each for each in self.answers if each.searched and each.found.method == method]


def sit(findings: Findings, runs: Sequence[Run]) -> list[Sitting]:
    """The runs with the answers about the stories that each speaks of; runs about other stories are passed over."""
    sole = next(iter(findings.values())) if len(findings) == 1 else ()
    named = labels(runs)
    found = []
    for run in runs:
        answers = about(hardest(findings.get(run.model, sole)), run)
        for raw in (True, False):
            some = tuple(each for each in answers if each.raw is raw)
            if some:
                found.append(Sitting(named[run.id], run, some, raw))
    return [each for place, each in enumerate(found) if not _said_before(each, place, found)]


def _said_before(sitting: Sitting, place: int, all: Sequence[Sitting]) -> bool:
    """Whether the same model was asked all of this elsewhere: what two searches found stands in both their suites."""
    asked = sitting.asked
    return any(
        other.asked > asked or (other.asked == asked and number < place)
        for number, other in enumerate(all)
        if number != place and _way(other.run) == _way(sitting.run)
    )


def _way(run: Run) -> tuple[str, ...]:
    """Who was asked, and how."""
    return same_model(run), run.score, run.prompt, str(run.manifest["seed"])


def hardest(found: Sequence[Found], *, each: int = HARDEST) -> list[Found]:
    """Of every setting and method, the stories with the lowest accuracy when they were found."""
    cells: dict[tuple[str, str], list[Found]] = {}
    for story in found:
        cells.setdefault((story.cell, story.method), []).append(story)
    return [story for some in cells.values() for story in sorted(some, key=lambda one: one.accuracy)[:each]]


def about(found: Iterable[Found], run: Run) -> list[Answer]:
    """The scored answers of a run to questions about these stories."""
    texts: dict[str, list[Found]] = {}
    plots: dict[str, list[Found]] = {}
    for each in found:
        texts.setdefault(each.story.text, []).append(each)
        plots.setdefault(_plot(each.set, each.people, each.moves, each.story.to_dicts()), []).append(each)
    answers = []
    for record in run.records:
        item, value = record.item, record.value()
        if value is None:
            continue
        # What happens stays the same however the story is told; ids of two hunts may be the same.
        plot = _plot(*(item.tags.get(name) for name in ("set", "people", "moves")), item.meta.get("events"))
        # Both methods may have found one story; then an answer counts for both.
        same = texts.get(item.context)
        for each in same or plots.get(plot, []):
            answers.append(Answer(each, item, value, record.score.answer, raw=same is not None))
    return answers


def _plot(*parts: Any) -> str:
    return json.dumps(parts, sort_keys=True)


def labels(runs: Sequence[Run]) -> dict[str, str]:
    """The model of each run; the way of asking too, where one model was asked in several."""
    named = tell_apart([(run.model, f", {run.score} ({run.prompt})") for run in runs])
    return {run.id: name for name, run in zip(named, runs, strict=True)}


def story_mean(answers: Iterable[Answer]) -> Estimate | None:
    """The mean of the stories' accuracies, a story counting as one however many questions it has."""
    values = list(by_story(answers).values())
    return stats.mean(values) if values else None


def question_mean(answers: Sequence[Answer]) -> Estimate | None:
    """The mean over questions, with the interval by story."""
    if not answers:
        return None
    return stats.mean([each.value for each in answers], groups=[each.found.story for each in answers])


def by_story(answers: Iterable[Answer]) -> dict[Found, float]:
    """The accuracy of each story."""
    values: dict[Found, list[float]] = {}
    for each in answers:
        values.setdefault(each.found, []).append(each.value)
    return {found: fmean(some) for found, some in values.items()}
