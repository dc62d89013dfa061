"""What a study is handed, and what it hands back: a chapter of a profile.

Every study has one verb for this, `look(subjects, desk)`. A subject is whoever is asked; a desk is where and how; a
chapter is a page, the numbers to take away, and the runs behind both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from otherminds.calling.recorded import fetch
from otherminds.errors import ModelError, Unable, UsageError
from otherminds.formats.question_formats import QuestionFormat, choose
from otherminds.heuristics.cues import BOUNDS
from otherminds.heuristics.readers import Baseline
from otherminds.items import Item, Suite
from otherminds.items.lint import Fault, faults
from otherminds.models import Model
from otherminds.pages.report import Block, Report, Section
from otherminds.results.answers import Answers
from otherminds.results.lineups import Lineup
from otherminds.results.reading import why_right
from otherminds.runs.calibration import Calibration
from otherminds.runs.runs import Budget, Run, run
from otherminds.stats import Estimate
from otherminds.store.store import Store
from otherminds.studies.builds import Build

Size = Literal["quick", "standard", "full"]
Progress = Callable[[str], AbstractContextManager[Callable[[int, int], None]]]
"""Makes a bar with a title, to be called with what is done and what is wanted."""
Ways = Sequence[tuple[str, Suite]]
"""Suites, each asked as it says and with a label for it."""
T = TypeVar("T")


class AskedRuns(NamedTuple):
    """What came of asking one model, and why the rest did not."""

    runs: tuple[Run, ...]
    failed: tuple[str, ...] = ()


def able(ways: Ways, cannot: frozenset[str]) -> Ways:
    """Those of the suites that a model can answer as they are asked."""
    return [(label, suite) for label, suite in ways if QuestionFormat.of(suite).suits(cannot)]


@dataclass(frozen=True, slots=True)
class Subject:
    """Who is asked: a model, or a baseline, which is made anew for every suite that it is put to."""

    name: str
    make: Callable[[Suite], Model]
    cannot: frozenset[str] = frozenset()
    model: Model | None = None
    """A model that can be asked anything; None for a baseline, which knows only the questions of its suite."""
    form: QuestionFormat | None = None
    """The form in which it answers control questions best, where these were asked."""
    rule: bool = False
    """Whether it is a baseline, whose answers are known and need no controls."""

    @classmethod
    def of(cls, model: Model) -> Subject:
        """A model, whatever the suite."""

        def made(suite: Suite) -> Model:
            return model.made_for(suite) if isinstance(model, Baseline) else model

        return cls(model.name, made, frozenset(model.cannot), model)

    @classmethod
    def baseline(cls, name: str, make: Callable[[Suite], Model]) -> Subject:
        """A baseline; where a suite does not carry what it answers from, it is unable to answer."""

        def made(suite: Suite) -> Model:
            try:
                return make(suite)
            except UsageError as error:
                raise Unable(str(error)) from None

        return cls(name, made, rule=True)

    def need(self, *abilities: str, because: str) -> None:
        """Refuse to go on without these."""
        if missing := sorted(self.cannot.intersection(abilities)):
            raise Unable(f"{self.name} has no {' and no '.join(missing)}, and {because}")

    def asked_in(self, formats: Iterable[QuestionFormat]) -> QuestionFormat:
        """The format that its controls chose, else the first of these that it is able to answer."""
        return self.form or choose(formats, self.cannot, self.name)


@dataclass(frozen=True, slots=True)
class Desk:
    """Where subjects are asked: the store that keeps every answer, how much is asked, and what may be spent on it."""

    store: Store
    progress: Progress
    size: Size = "quick"
    seed: int = 0
    budget: Budget | None = None
    """For each suite that is put to a subject."""
    calibrated: dict[tuple[str, str], list[Calibration]] = field(default_factory=dict)
    """By model and kind of control question, what came of the controls of earlier looks."""
    suites: dict[str, Any] = field(default_factory=dict, init=False, repr=False)
    """By study, what it built here."""

    def once(self, study: str, make: Callable[[], T]) -> T:
        """Return what a study asks here: its chapter and its control questions share what is built once."""
        if study not in self.suites:
            self.suites[study] = make()
        found: T = self.suites[study]
        return found

    def put(self, suite: Suite, subject: Subject, title: str) -> Run:
        """One suite to one subject, under a bar with this title."""
        with self.progress(f"{title} · {subject.name}") as bar:
            return run(suite, subject.make(suite), store=self.store, seed=self.seed, budget=self.budget, progress=bar)

    def fetch(self, suites: Sequence[Suite], subject: Subject, title: str) -> None:
        """All that several suites about the same stories need, so that each is read once; each is put afterwards."""
        if subject.model:
            with self.progress(f"{title} · {subject.name}") as bar:
                fetch(suites, subject.model, store=self.store, seed=self.seed, budget=self.budget, progress=bar)

    def put_all(self, suites: Sequence[Suite], subject: Subject, title: str) -> list[Run | ModelError]:
        """Several suites about the same stories; one that the subject does not answer leaves the reason."""
        self.fetch(suites, subject, title)
        found: list[Run | ModelError] = []
        for suite in suites:
            try:
                found.append(self.put(suite, subject, f"{title}, {suite.score} {suite.prompt}"))
            except ModelError as error:
                found.append(error)
        return found

    def put_each(self, ways: Ways, subject: Subject, title: str = "") -> AskedRuns:
        """Suites with their labels, one after another; one that fails says why, and the others go on."""
        done: list[Run] = []
        failed: list[str] = []
        for label, suite in ways:
            try:
                if missing := QuestionFormat.of(suite).needs & subject.cannot:
                    raise ModelError(f"{subject.name} has no {' and no '.join(sorted(missing))}")
                made = self.put(suite, subject, f"{title}{label}")
                if not made.records:
                    raise ModelError("the budget was spent before anything was answered")
                if made.verdicts()["error"] == len(made):
                    raise ModelError(made.records[0].score.why)
            except ModelError as error:
                failed.append(f"{label}: {error}")
                continue
            done.append(made)
            if made.partial:
                failed.append(f"{label}: not finished: {made.manifest['stopped']}")
            elif errors := made.verdicts()["error"]:
                failed.append(f"{label}: {errors} of {len(made)} items got no answer")
        return AskedRuns(tuple(done), tuple(failed))


@dataclass(frozen=True, slots=True)
class Finding:
    """One number to take away, and the way to the items behind it."""

    what: str
    model: str
    estimate: Estimate
    """A difference has a sign and is read against 0, anything else against chance."""
    chance: float | None = None
    beside: str = ""
    """What else stands beside it, in words, such as what is published of people."""
    leads_to: Mapping[str, str] = field(default_factory=dict)
    """Exactly the items behind it: a tag, `model`, `suite`, `score`, `prompt`, `verdict` or `id`, each with its values,
    parted by |. A number without them leads nowhere."""
    first: bool = False
    """Whether it belongs on the first screen."""
    digits: int = 2
    """After the point; a probability hardly moves where a share of answers jumps."""
    sentence: str = ""
    """The same in words, for the paragraph at the top; scores beside chance are told there without one."""
    rules: Mapping[str, float] = field(default_factory=dict)
    """By name, what mindless baselines get on the same items."""

    @property
    def mindless(self) -> tuple[str, float] | None:
        """The rule that gets most, with what it gets; None where no rule stands beside it."""
        return max(self.rules.items(), key=lambda rule: rule[1]) if self.rules else None

    @property
    def aside(self) -> str:
        """All that stands beside it, in words: the rules, then the rest."""
        rules = ", ".join(f"{name} {value:.2f}" for name, value in self.rules.items())
        return "; ".join(filter(None, [rules, self.beside]))


@dataclass(frozen=True, slots=True)
class Chapter:
    """What a study found out about its subjects."""

    report: Report
    findings: Sequence[Finding]
    runs: Sequence[Run]
    by: str = ""
    """The tag by which models are compared item by item; empty where their items differ."""
    front: Sequence[Block] = ()
    """For the first page: a picture, a small table."""
    cut: Sequence[str] = ()
    """What was left undone, and why: asked again, it goes on."""
    left_out: Sequence[str] = ()
    """Who or what could not be asked at all."""
    answers: Answers | None = None
    """All answers of the runs, where that table was made already."""
    in_form: Mapping[str, Run] = field(default_factory=dict)
    """By model, the questions about minds in the form that its control questions chose; not all are among the runs."""
    unable: Sequence[str] = ()
    """Models that cannot answer the control questions in any form: nothing is read into their numbers."""
    why: Callable[[Item], str] = why_right
    """Why the right answer to an item is right, where anything tells."""

    @property
    def partial(self) -> bool:
        """Whether anything is left to do."""
        return bool(self.cut) or any(each.partial for each in self.runs)


@dataclass(frozen=True, slots=True)
class AskedSubjects(Generic[T]):
    """What came of asking several subjects, by name; and why the rest did not."""

    done: Mapping[str, T]
    cut: tuple[str, ...]
    left_out: tuple[str, ...]


def ask_each(subjects: Iterable[Subject], ask: Callable[[Subject], T]) -> AskedSubjects[T]:
    """Ask one subject after another; one that fails takes nobody with it, unless all do."""
    done: dict[str, T] = {}
    cut: list[str] = []
    left_out: list[str] = []
    for subject in subjects:
        try:
            done[subject.name] = ask(subject)
        except Unable as error:
            left_out.append(str(error))
        except ModelError as error:
            cut.append(f"{subject.name}: {error}")
    if not done:
        raise ModelError("; ".join(cut)) if cut else Unable("; ".join(left_out))
    return AskedSubjects(done, tuple(cut), tuple(left_out))


def chapter(
    asked: AskedSubjects[list[Run]],
    page: Callable[[Sequence[Run], Answers], Report],
    findings: Callable[[Answers], Iterable[Finding]],
    by: str = "",
) -> Chapter | None:
    """The chapter on what was answered; None if a budget was spent before there was anything."""
    asked_of = [each for some in asked.done.values() for each in some]
    if not (runs := [each for each in asked_of if each.records]):
        return None
    table = Answers.of(runs)
    cut = [*asked.cut, *unfinished(asked_of)]
    found = list(findings(table))
    return Chapter(page(runs, table), found, runs, by, cut=cut, left_out=asked.left_out, answers=table)


def study_page(study: str, title: str, lead: str, sections: Iterable[Section], runs: Sequence[Run]) -> Report:
    """The page of a study: the sections that have something to say, and under the title what made it."""
    manifest = runs[0].manifest
    subtitle = f"otherminds {manifest['otherminds']} · {manifest['started'][:10]} · study {study}"
    return Report(title, lead, [section for section in sections if section.blocks], subtitle=subtitle)


def unfinished(runs: Iterable[Run]) -> list[str]:
    """A sentence for every run that was stopped before its end, or whose calls failed."""
    said = []
    for each in runs:
        failed = each.verdicts()["error"]
        if each.partial:
            said.append(f"{each.model}, {each.suite} by {each.score}: {each.manifest['stopped'] or 'not finished'}")
        elif failed:
            said.append(f"{each.model}, {each.suite} by {each.score}: {failed} of {len(each)} calls failed")
    return said


def without_value(runs: Iterable[Run]) -> None:
    """Refuse with a sentence where something was answered and nothing of it has a value; a budget says so itself."""
    ends = {run.model: run.verdicts() for run in runs if run.records and not run.partial}
    said = [f"{name}: {', '.join(f'{n} {end}' for end, n in each.items() if n)}" for name, each in ends.items()]
    if said:
        raise Unable(f"no answer has a value ({'; '.join(said)})")


@dataclass(frozen=True, slots=True)
class LineupPage:
    """How a study asks the models of a line-up and compares them: for `series` and `report --lineup`."""

    study: str
    suite: Callable[[Lineup], Suite]
    """What all of them are asked."""
    ways: Callable[..., Ways]
    """The suite in every way: given `extras`, a seed, and what a model cannot do."""
    measure: Callable[[Lineup, Mapping[str, Sequence[Run]]], Any]
    page: Callable[[Any], Report]
    save: Callable[[Path, Any], list[Path]]
    """The page and the tables as files; the page comes first."""
    show: Callable[[Any], None]
    """In a terminal."""
    as_data: Callable[[Any], dict[str, Any]]
    """As JSON."""


@dataclass(frozen=True, slots=True)
class Study:
    """One study, and all that commands and pages need of it; `tests/studies/test_study_contract.py` tries each verb."""

    name: str
    asks: str
    example: Callable[[], Suite]
    """A few questions, made without a real model."""
    look: Callable[[Sequence[Subject], Desk], Chapter | None]
    """From those who are asked, and where, to a chapter; None if a budget was spent before there was anything."""
    suite: Callable[..., Suite] | None = None
    """The suite that goes by the study's name, as it is built without options; some take options."""
    faults: Callable[[Suite], list[Fault]] = faults
    """What is wrong with such a suite: the common rules, and its own."""
    bounds: tuple[float, float] = BOUNDS
    """Between these should every heuristic be right on questions with two options; `lint --heuristics` tells."""
    page: Callable[[Sequence[Run]], Report] | None = None
    """The page of runs of its suites, made by any command."""
    questions: Callable[[Desk], Suite] | None = None
    """What is asked in the form that the controls choose, by the size of the look."""
    controls: Callable[[Suite], list[Item]] | None = None
    """Questions about what the stories of such a suite say outright."""
    lineup: LineupPage | None = None
    """How it asks the models of a line-up, and compares them."""
    builds: Sequence[Build] = ()
    """What `otherminds build` makes, with options; without any, the suite that goes by the study's name."""
