"""A profile: the chapters of all studies about some models, what they say in words, and all of it as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from math import isfinite
from typing import Any

from otherminds.diagnosis.diagnosis import Diagnosis, diagnose
from otherminds.minds.telling import listing
from otherminds.pages.report import Block, Folded, Section
from otherminds.pages.table_files import files_in
from otherminds.profiles import leaderboard
from otherminds.profiles.abilities import Abilities, abilities
from otherminds.profiles.two_models import compared, comparison
from otherminds.profiles.ways_of_reading import in_words
from otherminds.results.answers import Answers
from otherminds.results.itembrowser import Part, leads_to, tag_text
from otherminds.results.measures import Row, adjusted, compare, leaning
from otherminds.runs.runs import Run
from otherminds.showing.brief import cut, plain
from otherminds.showing.notebook import Shown
from otherminds.stats import Difference, Estimate
from otherminds.studies.study import Chapter, Finding

SCHEMA = 1
ABOVE, BELOW, NOT_TOLD = "above chance in", "below chance in", "not told from chance in"
MATCHED = "clear of chance, but not of a mindless baseline, in"
MISSES = "One in twenty such intervals misses by chance."
_LINK = re.compile(r"\[([^\]]+)\]\(#[^)]*\)")
MOST = 4
"""Scores that are named in one sentence."""


@dataclass(frozen=True)
class ToldStudy:
    """A chapter with the name of its study and what that asks; what stands in every later page is made once."""

    name: str
    asks: str
    chapter: Chapter

    @cached_property
    def section(self) -> Section:
        """The answer and the first numbers, the rest folded."""
        return Section(
            self.name.capitalize(), [f"**{self.asks}** {self.chapter.report.lead}", *self._first, *self._rest]
        )

    @cached_property
    def many(self) -> Section:
        """The same of many models: a line for each, and whatever tells of one after another folded."""
        models = list(dict.fromkeys(run.model for run in self.chapter.runs))
        words = Folded("In words", [self.chapter.report.lead, *self._first])
        numbers = leaderboard.of_study(self.name, models, self.chapter.findings)
        return Section(self.name.capitalize(), [f"**{self.asks}**", *numbers, words, *self._rest])

    @property
    def _first(self) -> Sequence[Block]:
        return next((section.blocks for section in self.chapter.report.sections if not section.title), ())

    @property
    def _rest(self) -> list[Block]:
        return [Folded(section.title, section.blocks) for section in self.chapter.report.sections if section.title]

    @cached_property
    def files(self) -> dict[str, str]:
        """By path, every table and figure as a file of its own."""
        blocks = [block for section in self.chapter.report.sections for block in section.blocks]
        return files_in(self.name, blocks)

    @cached_property
    def answers(self) -> Answers:
        """The table of all answers."""
        return self.chapter.answers or Answers.of(self.chapter.runs)

    @property
    def runs(self) -> list[Run]:
        """The runs of the study, and those in the form that control questions chose."""
        return [*self.chapter.runs, *self._in_form]

    @cached_property
    def parts(self) -> list[Part]:
        """All answers, for the browser of items."""
        # Apart from the study's own, whose numbers lead to its own runs alone.
        more = [Part(f"{self.name}, chosen form", self._in_form, self.chapter.why)] if self._in_form else []
        return [Part(self.name, self.chapter.runs, self.chapter.why), *more]

    @property
    def _in_form(self) -> list[Run]:
        own = {run.id for run in self.chapter.runs}
        return [run for run in self.chapter.in_form.values() if run.id not in own]


@dataclass(frozen=True, repr=False)
class Profile(Shown):
    """Everything that was found out about some models."""

    models: Sequence[str]
    told: Sequence[ToldStudy]
    size: str = "quick"
    seed: int = 0
    failed: Mapping[str, str] = field(default_factory=dict)
    """Studies without a chapter, and why."""
    left_out: Sequence[str] = ()
    spent: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    """By model: the calls in the store, and the seconds that they took."""

    def __repr__(self) -> str:
        state = ", not finished" if self.partial else ""
        return plain(f"<Profile of {cut(', '.join(self.models), 300)}, {self.size}: {len(self.runs)} runs{state}>")

    @property
    def partial(self) -> bool:
        """Whether anything is left to do."""
        return bool(self.failed) or any(each.chapter.partial for each in self.told)

    @property
    def runs(self) -> list[tuple[str, Run]]:
        """All runs, with their studies."""
        return [(each.name, run) for each in self.told for run in each.runs]

    @property
    def findings(self) -> list[tuple[str, Finding]]:
        """All findings, with their studies."""
        return [(each.name, finding) for each in self.told for finding in each.chapter.findings]

    @cached_property
    def diagnoses(self) -> dict[str, Diagnosis]:
        """By model, which known readers its answers are like."""
        by_model = {name: [run for _, run in self.runs if run.model == name] for name in self.models}
        return {name: diagnose(runs) for name, runs in by_model.items() if runs}

    @property
    def many(self) -> bool:
        """Whether there are so many models that each has a line, and no prose."""
        return len(self.models) >= leaderboard.MANY

    @cached_property
    def answers(self) -> Answers:
        """All answers of all studies."""
        in_form = Answers.of(run for each in self.told for run in each.runs[len(each.chapter.runs) :])
        return Answers([*(row for each in self.told for row in each.answers), *in_form])

    @cached_property
    def abilities(self) -> Abilities:
        """By model and order, whether it tells false beliefs from true ones, on what all models answered."""
        return abilities(self.models, [each.chapter for each in self.told])

    @cached_property
    def differences(self) -> list[Contrast]:
        """The first model against every other, wherever both were asked the same."""
        return contrasts(self)


# ---- models item by item ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Contrast:
    """How far the first model lies above the second on some items of one study, asked in one way."""

    study: str
    suite: str
    score: str
    prompt: str
    first: str
    second: str
    row: Row
    tags: Mapping[str, str]
    gained: tuple[str, ...] = ()
    """For all items together: those that only the first has right."""
    lost: tuple[str, ...] = ()
    leads_to: Mapping[str, str] = field(default_factory=dict)
    """Exactly the answers behind it, those of both models."""


def contrasts(profile: Profile) -> list[Contrast]:
    """The first model against every other, wherever both were asked the same; p adjusted within each study."""
    found: list[Contrast] = []
    for each in profile.told:
        some = [one for other in profile.models[1:] for one in _of_chapter(each, profile.models[0], other)]
        rows = adjusted([one.row for one in some])
        found += [replace(one, row=row) for one, row in zip(some, rows, strict=True)]
    return found


def _of_chapter(told: ToldStudy, first: str, second: str) -> Iterator[Contrast]:
    by = told.chapter.by
    if not by:
        return
    asked = {(run.model, run.digest, run.score, run.prompt): run for run in told.chapter.runs}
    for run in told.chapter.runs:
        other = asked.get((second, run.digest, run.score, run.prompt))
        if run.model != first or other is None or not run.values().keys() & other.values().keys():
            continue
        compared = compare(run, other, by=by)
        for number, row in enumerate(compared.rows):
            sides = (compared.gained, compared.lost) if number == 0 else ((), ())
            tags = {name: tag_text(value) for name, value in row.tags.items()}
            to = leads_to(row.behind, told.answers)
            yield Contrast(told.name, run.suite, run.score, run.prompt, first, second, row, tags, *sides, to)


# ---- the answer in words -----------------------------------------------------------------------------------------


def answer(profile: Profile) -> str:
    """What was found, in words, by rules from the numbers."""
    return _LINK.sub(r"\1", "\n\n".join([*what_they_do(profile), *against_chance(profile)]))


def lead(profile: Profile) -> list[str]:
    """The paragraphs at the top of the page: of many models, what can be counted, and no prose on each."""
    if profile.many:
        return [leaderboard.summary(profile.abilities, profile.diagnoses), *_unfinished(profile)]
    return what_they_do(profile)


def what_they_do(profile: Profile) -> list[str]:
    """What one of two can do that the other cannot; a paragraph a model: which readers its answers are like."""
    said = [in_words(each) for each in profile.diagnoses.values()]
    if len(profile.models) == 2:
        said = [*filter(None, [_between(profile)]), *said]
    return [*said, *_unfinished(profile)]


def _between(profile: Profile) -> str:
    first, second = profile.models
    found = comparison((first, second), {each.name: each.chapter for each in profile.told})
    return compared(found, profile.answers)


def _unfinished(profile: Profile) -> list[str]:
    missing = [f"{name} ({reason})" for name, reason in profile.failed.items()]
    undone = [said for each in profile.told for said in each.chapter.cut]
    return [f"**Not finished**: {'; '.join([*missing, *undone])}."] if missing or undone else []


def against_chance(profile: Profile) -> list[str]:
    """A paragraph a model: where its scores lie."""
    return [_on_model(profile, name) for name in profile.models]


def _on_model(profile: Profile, name: str) -> str:
    shown = [finding for _, finding in profile.findings if finding.first and finding.model == name]
    scores = [finding for finding in shown if finding.chance is not None]
    sorts: dict[str, list[str]] = {ABOVE: [], MATCHED: [], BELOW: [], NOT_TOLD: []}
    for finding in scores:
        sort = _against_chance(finding)
        best = f" ({finding.mindless[0]} {finding.mindless[1]:.2f})" if sort == MATCHED and finding.mindless else ""
        sorts[sort].append(f"{_lower(finding.what)}{best}")
    said = [f"**{name}** cannot be told from guessing in {len(sorts[NOT_TOLD])} of {len(scores)} scores."]
    told = [f"Its interval lies {sort} {_some(some)}." for sort, some in sorts.items() if some and sort != NOT_TOLD]
    said += [*told, MISSES] if told else []
    said += [finding.sentence for finding in shown]
    return " ".join(filter(None, [*said, _steady(profile, name)]))


def _some(names: Sequence[str]) -> str:
    more = len(names) - MOST
    return listing(names) if more <= 0 else f"{', '.join(names[:MOST])} and {more} more"


def _against_chance(finding: Finding) -> str:
    chance = finding.chance or 0.0
    if finding.estimate.low > chance:
        return ABOVE if finding.estimate.low > max(finding.rules.values(), default=chance) else MATCHED
    return BELOW if finding.estimate.high < chance else NOT_TOLD


def _steady(profile: Profile, name: str) -> str:
    """How often the order of the options changes nothing, over all that was asked by letters."""
    flags = [flag for each in profile.told for flag in each.answers.where(model=name).numbers("consistent")]
    if not flags:
        return ""
    share = sum(flags) / len(flags)
    return (
        f"Asked by letters, it keeps to its answer in every order of the options in {share:.0%} of {len(flags)} items."
    )


def _lower(words: str) -> str:
    """As it stands within a sentence; a name such as S stays what it is."""
    return words[0].lower() + words[1:] if words[1:2].islower() else words


# ---- the same as JSON ---------------------------------------------------------------------------------------------


def as_data(profile: Profile, files: Sequence[str] = ()) -> dict[str, Any]:
    """All numbers of a profile, as docs/profile.md describes them."""
    manifest = profile.runs[0][1].manifest
    return {
        "schema": SCHEMA,
        "otherminds": manifest["otherminds"],
        "size": profile.size,
        "seed": profile.seed,
        "models": list(profile.models),
        "partial": profile.partial,
        "failed": dict(profile.failed),
        "left_out": [*profile.left_out, *(said for each in profile.told for said in each.chapter.left_out)],
        "answer": answer(profile),
        "diagnoses": {name: list(each.sentences) for name, each in profile.diagnoses.items()},
        "studies": [_study_data(each) for each in profile.told],
        "differences": [_contrast_data(each) for each in profile.differences],
        "spent": {name: {"calls": calls, "seconds": seconds} for name, (calls, seconds) in profile.spent.items()},
        "files": list(files),
    }


def _study_data(told: ToldStudy) -> dict[str, Any]:
    chapter = told.chapter
    return {
        "study": told.name,
        "asks": told.asks,
        "answer": chapter.report.lead,
        "cut": list(chapter.cut),
        "findings": [
            {
                "what": one.what,
                "model": one.model,
                "kind": "difference" if isinstance(one.estimate, Difference) else "score",
                **_numbers(one.estimate),
                "chance": one.chance,
                "beside": one.aside,
                "items": dict(one.leads_to),
            }
            for one in chapter.findings
        ],
        "runs": [_run_data(run) for run in told.runs],
    }


def _numbers(estimate: Estimate) -> dict[str, Any]:
    names = ("value", "low", "high", "n", "clusters", "method", *(["p"] if isinstance(estimate, Difference) else []))
    found = {name: getattr(estimate, name) for name in names}
    # A single group says nothing of others, some p were not tested, and JSON has no word for either.
    return {name: one if isinstance(one, str) or isfinite(one) else None for name, one in found.items()}


def _run_data(run: Run) -> dict[str, Any]:
    lean = leaning(run)
    return {
        "run": run.id,
        "suite": run.suite,
        "digest": run.digest,
        "model": run.model,
        "fingerprint": run.fingerprint,
        "prompt": run.prompt,
        "score": run.score,
        "items": len(run),
        "partial": run.partial,
        "verdicts": run.verdicts(),
        "weighing": asdict(lean) if lean else None,
        "started": run.manifest["started"],
        "identity": dict(run.manifest["identity"]),
    }


def _contrast_data(each: Contrast) -> dict[str, Any]:
    return {
        "study": each.study,
        "suite": each.suite,
        "score": each.score,
        "prompt": each.prompt,
        "first": each.first,
        "second": each.second,
        "items": each.row.items,
        "tags": dict(each.tags),
        **_numbers(each.row.difference),
        "holm": None if each.row.too_few else each.row.holm,
        "only_first_right": list(each.gained),
        "only_second_right": list(each.lost),
    }
