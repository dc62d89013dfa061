"""Measure: right answers by mental state, order and false belief, and by the personality of who is asked about.

Questions about one conversation are not independent, so every interval is drawn by conversation. Where a model was
asked several times, a question counts with its mean, and how far the runs lie apart stands beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from otherminds.errors import UsageError
from otherminds.files import read_words
from otherminds.items import Item, Suite
from otherminds.items.tags import FALSE_BELIEF, ORDER, STATE, STORY
from otherminds.results.answers import Answers, Wanted
from otherminds.results.labels import mark, together
from otherminds.results.measures import same_model
from otherminds.runs.runs import Run
from otherminds.stats import Difference, Estimate
from otherminds.studies.dialogue import artefacts, overlap, traits
from otherminds.talks import ablation
from otherminds.talks.talk import STATES, TRAITS, Talk

FIRST, SECOND, FALSE, TRUE, ALL = "first order", "second order", "false belief", "read rightly", "all"
KINDS: dict[str, dict[str, Wanted]] = {
    FIRST: {ORDER: 1},
    SECOND: {ORDER: 2},
    FALSE: {FALSE_BELIEF: True},
    TRUE: {ORDER: 2, FALSE_BELIEF: False},
    ALL: {},
}
"""Kinds of question, by their tags; a false belief is a second-order thought that misreads the partner."""
Cell = tuple[str, str]
"""A mental state (or "all") and a kind of question."""
CELLS: dict[Cell, dict[str, Wanted]] = {
    (state, kind): {**({} if state == ALL else {STATE: state}), **tags}
    for state in (*STATES, ALL)
    for kind, tags in KINDS.items()
}

PUBLISHED: dict[str, float] = read_words("dialogue/published")["right"]
"""Right of all questions on the published set ToMATO, which is another one than ours: for orientation only."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """One model, asked the same questions in one way, once or several times."""

    label: str
    answers: Answers

    @property
    def runs(self) -> list[Run]:
        """How often it was asked."""
        return self.answers.runs


@dataclass(frozen=True, slots=True)
class Row:
    """How often a model or a rule is right."""

    label: str
    cells: Mapping[Cell, Estimate]
    runs: int = 1
    sd: Mapping[str, float] | None = None
    """Over runs, by kind of question; none for a single run."""
    misread: Difference | None = None
    """False beliefs less right readings, over conversations that hold both."""
    deeper: Difference | None = None
    """Second order less first."""
    unscored: int = 0

    def get(self, kind: str, state: str = ALL) -> Estimate | None:
        """One number, where there is one."""
        return self.cells.get((state, kind))


@dataclass(frozen=True, slots=True)
class TraitSplit:
    """Questions about people who are high in a factor, and about people who are low in it."""

    label: str
    factor: str
    order: int
    high: Estimate
    low: Estimate
    gap: Estimate
    """High less low."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What was asked about."""

    questions: int
    talks: int
    second_order: int
    labelled: int
    """Second-order questions of which it is known whether they are false beliefs."""
    false_beliefs: int
    utterances: float
    """A talk, greetings included."""
    words: float
    """An utterance, by white space."""
    tokens: float
    """An utterance, marks counted."""


@dataclass(frozen=True, slots=True)
class Measures:
    """All numbers of the study."""

    sittings: tuple[Sitting, ...]
    counts: Counts
    chance: Mapping[Cell, float]
    models: tuple[Row, ...]
    rules: tuple[Row, ...]
    splits: tuple[TraitSplit, ...]
    overlaps: tuple[overlap.Overlap, ...]
    words: Mapping[artefacts.RecipeName, artefacts.Artefacts]
    own: Mapping[str, int]
    """For each model, the questions about conversations that it played itself."""
    judged: Mapping[str, Sequence[traits.Judged]]
    """By the label of the run, for a suite about who is higher in a trait."""
    ablated: Sequence[ablation.Misread]
    """Misreadings by what was hidden."""

    @property
    def suite(self) -> Suite:
        """Every question that was put to any of the models."""
        return _together(self.sittings)


def measure(talks: Sequence[Talk], runs: Sequence[Run], *, readings: Sequence[ablation.Reading] = ()) -> Measures:
    """What these runs tell; `talks` are those that the questions are about, as far as they are at hand.

    `readings` are talks played with more or less hidden, and which messages in them misread the partner.
    """
    sittings = _sittings([run for run in runs if not _of_traits(run)])
    if not sittings:
        raise UsageError("there is nothing to measure: no question of these runs was answered yet")
    suite = _together(sittings)
    rules = {name: Answers.by_rule(name, suite.items, rule(suite)) for name, rule in RULES.items()}
    people = {each.label: each.answers.averaged for each in sittings} | {LEXICAL: rules[LEXICAL]}
    guesses = {item.id: 1 / len(item.choices) for item in suite}
    return Measures(
        sittings=sittings,
        counts=count(suite),
        chance={cell: one.value for cell, one in _cells(Answers.by_rule("chance", suite.items, guesses)).items()},
        models=tuple(map(_row, sittings)),
        rules=tuple(Row(name, _cells(answers)) for name, answers in rules.items()),
        splits=tuple(
            split
            for order in (1, 2)
            for factor in TRAITS
            for label, answers in people.items()
            if (split := _split(label, answers.where(order=order), factor, order))
        ),
        overlaps=tuple(overlap.scores(suite)),
        words={recipe: artefacts.of_options(suite, recipe) for recipe in artefacts.RECIPES},
        own={each.label: own for each in sittings if (own := _own(each, talks))},
        judged={label: traits.judged(run) for label, run in _each([run for run in runs if _of_traits(run)])},
        ablated=ablation.ablate(readings),
    )


def count(suite: Suite) -> Counts:
    """How much there is of what."""
    lines = [line.partition(": ")[2] for text in {item.context for item in suite} for line in text.splitlines()]
    talks = {item.context for item in suite}
    second = [item for item in suite if item.tags.get(ORDER) == 2]
    return Counts(
        questions=len(suite),
        talks=len(talks),
        second_order=len(second),
        labelled=sum(FALSE_BELIEF in item.tags for item in second),
        false_beliefs=sum(item.tags.get(FALSE_BELIEF) is True for item in suite),
        utterances=len(lines) / len(talks),
        words=fmean(len(line.split()) for line in lines),
        tokens=fmean(len(overlap.tokens(line)) for line in lines),
    )


# ---- who was asked, and rules that stand beside -------------------------------------------------------------------


def _of_traits(run: Run) -> bool:
    return any("factor" in record.item.tags for record in run.records)


def _sittings(runs: Sequence[Run]) -> tuple[Sitting, ...]:
    """Runs of one model on the same questions belong together, whatever their seeds; a name alone is no model."""
    found = together(
        (run for run in runs if run.records),
        lambda run: (run.score, run.prompt, run.digest, same_model(run)),
        lambda run: (run.model, f", {run.score} ({run.prompt})", f", {run.digest[:6]}", mark(run)),
    )
    return tuple(Sitting(label, Answers.of(some)) for label, some in found)


def names(sittings: Sequence[Sitting]) -> dict[str, str]:
    """By the id of a run, the label of its sitting, with a number where that has several."""
    return {
        run.id: sitting.label if len(sitting.runs) == 1 else f"{sitting.label}, run {number}"
        for sitting in sittings
        for number, run in enumerate(sitting.runs, start=1)
    }


def _each(runs: Sequence[Run]) -> list[tuple[str, Run]]:
    sittings = _sittings(runs)
    labels = names(sittings)
    return [(labels[run.id], run) for sitting in sittings for run in sitting.runs]


def _together(sittings: Sequence[Sitting]) -> Suite:
    items: dict[str, Item] = {}
    for sitting in sittings:
        for item in sitting.answers.items:
            if items.setdefault(item.id, item) != item:
                raise UsageError(
                    f"question {item.id!r} is not the same in all runs; measure runs of one suite together"
                )
    return Suite("dialogue", tuple(items.values()))


def _longest(suite: Suite) -> dict[str, float]:
    values = {}
    for item in suite:
        best = [choice for choice in item.choices if len(choice) == max(map(len, item.choices))]
        values[item.id] = (item.answer in best) / len(best)
    return values


LEXICAL = "overlap with the question"
RULES: dict[str, Callable[[Suite], dict[str, float]]] = {
    LEXICAL: lambda suite: overlap.values(suite, with_="question"),
    "overlap with the conversation": lambda suite: overlap.values(suite, with_="conversation"),
    "longest option": _longest,
}


def _own(sitting: Sitting, talks: Sequence[Talk]) -> int:
    """Questions about conversations in which the model itself spoke, by its name or its fingerprint."""
    known = {name for run in sitting.runs for name in (run.model, run.fingerprint)}
    played = {talk.id for talk in talks if known & players(talk.made)}
    return sum(
        item.tags.get(STORY) in played or bool(known & players(item.meta.get("made", {})))
        for item in sitting.answers.items
    )


def players(made: Mapping[str, Any]) -> set[str]:
    """The models that played a talk, by name and by fingerprint, as the talk or a question about it says."""
    return {*made.get("players", ()), *made.get("fingerprints", ())}


# ---- numbers ------------------------------------------------------------------------------------------------------


def _row(sitting: Sitting) -> Row:
    answers = sitting.answers.averaged
    spread = {kind: found for kind in KINDS if (found := _spread(sitting, kind)) is not None}
    by_kind = {kind: answers.where(None, **tags) for kind, tags in KINDS.items()}
    return Row(
        label=sitting.label,
        cells=_cells(answers),
        runs=len(sitting.runs),
        sd=spread or None,
        misread=by_kind[FALSE].against(by_kind[TRUE]),
        deeper=by_kind[SECOND].against(by_kind[FIRST]),
        unscored=len(answers) - len(answers.numbers()),
    )


def _cells(answers: Answers) -> dict[Cell, Estimate]:
    """A number for every cell that has some."""
    return {cell: found for cell, tags in CELLS.items() if (found := answers.where(None, **tags).mean())}


def _spread(sitting: Sitting, kind: str) -> float | None:
    """The standard deviation of a kind's mean over runs."""
    each = [some.where(None, **KINDS[kind]).numbers() for _, some in sitting.answers.by_run()]
    means = [fmean(numbers) for numbers in each if numbers]
    return stdev(means) if len(means) > 1 else None


def _split(label: str, answers: Answers, factor: str, order: int) -> TraitSplit | None:
    sides = [answers.where(None, **{factor: level}) for level in ("high", "low")]
    (high, low), gap = (side.mean() for side in sides), sides[0].against(sides[1])
    if not high or not low or not gap:
        return None
    # A person is high or low in a whole talk, so no talk holds both and the test by talks would have nothing to go by.
    bare = Estimate(gap.value, gap.low, gap.high, gap.n, gap.clusters, gap.method.partition(";")[0])
    return TraitSplit(label, factor, order, high, low, bare)
