"""What a study declares to be taken away: scores of some items, and gaps between two sorts, as findings.

    SCORES = [ScoreOf("False beliefs", {"false_belief": True}, chance=0.5, first=True)]
    GAPS = [GapOf("Letters less cloze", {"score": "letters"}, {"score": "cloze"}, paired=True)]
    findings([*SCORES, *GAPS], "smollm2", answers, table)

Each finding leads to exactly the answers behind it. Where suites, sections of a page and findings are all that a study
is, `declared_study` makes the study of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from otherminds.formats.question_formats import CLOZE, LETTERS, TEXT
from otherminds.items import Item, Suite
from otherminds.pages.report import Report, Section
from otherminds.results.answers import Answers, Wanted, shared
from otherminds.results.itembrowser import Links, leads_to
from otherminds.results.labels import run_labels
from otherminds.results.run_details import what_was_run
from otherminds.results.sections import Page
from otherminds.runs.runs import Run
from otherminds.stats import Difference, Estimate
from otherminds.studies.builds import Build
from otherminds.studies.study import (
    Chapter,
    Desk,
    Finding,
    Study,
    Subject,
    ask_each,
    chapter,
    study_page,
)

Tags = Mapping[str, Wanted]
Say = Callable[[Any], str]
"""The sentence that tells an estimate."""


@dataclass(frozen=True, slots=True)
class ScoreOf:
    """A mean over the items with some tags, and what it is read against."""

    what: str
    tags: Tags = field(default_factory=dict)
    of: str = "value"
    """The number that is meant; empty: every answer counts, whether or not it has a value."""
    chance: float | None = None
    beside: str = ""
    first: bool = False
    """Whether it belongs on the first screen."""
    digits: int = 2
    measure: Callable[[Answers], Estimate | None] | None = None
    """What is measured of the answers, if not the mean."""
    say: Say | None = None

    def number(self, answers: Answers) -> Estimate | None:
        """What is measured; None if no answer counts."""
        some = self.behind(answers)
        return self.measure(some) if self.measure else some.mean(self.of)

    def behind(self, answers: Answers) -> Answers:
        """The answers that it is measured of."""
        some = answers.where(None, **self.tags)
        return some.with_value(self.of) if self.of else some


@dataclass(frozen=True, slots=True)
class GapOf:
    """How far answers with some properties lie above others: item by item, or of two sorts of item."""

    what: str
    one: Tags
    other: Tags
    of: str = "value"
    paired: bool = False
    beside: str = ""
    first: bool = False
    say: Say | None = None

    def number(self, answers: Answers) -> Difference | None:
        """The difference; None if one side has no answer."""
        one, other = self._sides(answers)
        return one.less(other, self.of) if self.paired else one.against(other, self.of)

    def behind(self, answers: Answers) -> Answers:
        """The answers that it compares."""
        one, other = self._sides(answers)
        return one | other

    def _sides(self, answers: Answers) -> tuple[Answers, Answers]:
        one, other = (answers.where(None, **tags).with_value(self.of) for tags in (self.one, self.other))
        if self.paired:
            one, other = shared(one, other)
        return one, other


def findings(
    declared: Iterable[ScoreOf | GapOf],
    label: str,
    answers: Answers,
    table: Answers,
    rules: Mapping[str, Answers] | None = None,
) -> Iterator[Finding]:
    """What is declared, as far as it can be measured of these answers; `rules` answered the same items."""
    for each in declared:
        if found := each.number(answers):
            score = each if isinstance(each, ScoreOf) else ScoreOf(each.what)
            same = {name: score.number(rule) for name, rule in (rules or {}).items() if score is each}
            yield Finding(
                each.what,
                label,
                found,
                score.chance,
                each.beside,
                leads_to(each.behind(answers), table),
                first=each.first,
                digits=score.digits,
                sentence=each.say(found) if each.say else "",
                rules={name: one.value for name, one in same.items() if one},
            )


def declared_study(
    name: str,
    asks: str,
    suites: Callable[[], Sequence[Suite]],
    sections: Sequence[Section],
    take_away: Sequence[ScoreOf | GapOf],
    *,
    controls: Callable[[Suite], list[Item]] | None = None,
    by: str = "",
    builds: Sequence[Build] = (),
) -> Study:
    """A study of some suites: each model is asked in the first format that it can answer, or in that of its checks."""

    def page(runs: Sequence[Run], answers: Answers | None = None) -> Report:
        told = Page(answers or Answers.of(runs), Links(name, answers) if answers else None)
        made = [*told.sections(sections), Section("What was run", what_was_run(runs, run_labels(runs)))]
        return study_page(name, asks, _lead(runs), made, runs)

    def ask(subject: Subject, desk: Desk) -> list[Run]:
        form = subject.asked_in((CLOZE, LETTERS, TEXT))
        return [desk.put(form.on(each), subject, each.name) for each in suites()]

    def look(subjects: Sequence[Subject], desk: Desk) -> Chapter | None:
        return chapter(ask_each(subjects, lambda subject: ask(subject, desk)), page, told, by)

    def told(table: Answers) -> Iterator[Finding]:
        for model, some in table.by("model").items():
            yield from findings(take_away, model, some, table)

    def whole() -> Suite:
        first, *others = suites()
        return replace(first, items=tuple(item for each in (first, *others) for item in each))

    return Study(
        name,
        asks,
        whole,
        look,
        suite=whole,
        page=page,
        questions=lambda desk: whole(),
        controls=controls,
        builds=builds,
    )


def _lead(runs: Sequence[Run]) -> str:
    right = {f"{run.model}, {run.suite}": Answers.of([run]).mean() for run in runs}
    return f"Share of right answers: {'; '.join(f'{name} {one}' for name, one in right.items() if one)}."
