"""Answers: runs of questions about conversations, by model, beside rules that read nothing; and what is measured.

Questions about one conversation are not independent, so every interval is drawn by conversation. Where a model was
asked several times, a question counts with its mean, and how far the runs lie apart stands beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_
from statistics import fmean, stdev
from typing import Any

from otherminds.errors import UsageError
from otherminds.files import read_words
from otherminds.heuristics.cues import share
from otherminds.heuristics.rules import longest_option
from otherminds.items import Item, Suite
from otherminds.items.tags import FALSE_BELIEF, ORDER, STATE, STORY
from otherminds.results.answers import Answers
from otherminds.results.labels import mark, together
from otherminds.results.measures import Split, same_model
from otherminds.runs.runs import Run
from otherminds.stats import Difference, Estimate
from otherminds.studies.dialogue.questions import overlap
from otherminds.studies.dialogue.questions.sample import ALL, KINDS
from otherminds.talks.talk import STATES, Talk

STATES_AND_KINDS = [
    Split(
        ", ".join(part for part in (state, kind) if part != ALL) or ALL,
        {**({} if state == ALL else {STATE: state}), **tags},
    )
    for state in (*STATES, ALL)
    for kind, tags in KINDS.items()
]
PUBLISHED: dict[str, float] = read_words("dialogue/published")["right"]
"""Right of all questions on the published set ToMATO, which is another one than ours: for orientation only."""
LEXICAL = "overlap with the question"


RULES: dict[str, Callable[[Suite], dict[str, float]]] = {
    LEXICAL: lambda suite: overlap.values(suite, with_="question"),
    "overlap with the conversation": lambda suite: overlap.values(suite, with_="conversation"),
    "longest option": lambda suite: {item.id: share(item, longest_option(item)) for item in suite},
}


@dataclass(frozen=True)
class DialogueAnswers:
    """All answers to questions about talks."""

    models: Mapping[str, Answers]
    """By what a model is called here: asked in one way, once or several times."""

    @classmethod
    def of(cls, runs: Sequence[Run]) -> DialogueAnswers:
        """Runs of one model on the same questions belong together, whatever their seeds; a name alone is no model."""
        found = together(
            (run for run in runs if run.records),
            lambda run: (run.score, run.prompt, run.digest, same_model(run)),
            lambda run: (run.model, f", {run.score} ({run.prompt})", f", {run.digest[:6]}", mark(run)),
        )
        if not found:
            raise UsageError("there is nothing to measure: no question of these runs was answered yet")
        return cls({label: Answers.of(some) for label, some in found})

    @cached_property
    def suite(self) -> Suite:
        """Every question that was put to any of the models."""
        items: dict[str, Item] = {}
        for answers in self.models.values():
            for item in answers.items:
                if items.setdefault(item.id, item) != item:
                    raise UsageError(
                        f"question {item.id!r} is not the same in all runs; measure runs of one suite together"
                    )
        return Suite("dialogue", tuple(items.values()))

    @cached_property
    def rules(self) -> dict[str, Answers]:
        """What rules that read nothing answer to the same questions."""
        return {name: Answers.by_rule(name, self.suite.items, rule(self.suite)) for name, rule in RULES.items()}

    @cached_property
    def everybody(self) -> Answers:
        """The answers of models and of rules."""
        return reduce(or_, (*self.models.values(), *self.rules.values()))

    def part(self, label: str, shown: str = "") -> Split:
        """One model, or one rule, among everybody."""
        if label in self.rules:
            return Split(shown or label, {"model": label})
        return Split(shown or label, {"run": [run.id for run in self.models[label].runs]})

    @property
    def labels(self) -> dict[str, str]:
        """By the id of a run, what its model is called, with a number where that has several runs."""
        return {
            run.id: label if len(some.runs) == 1 else f"{label}, run {number}"
            for label, some in self.models.items()
            for number, run in enumerate(some.runs, start=1)
        }

    def own(self, talks: Sequence[Talk]) -> dict[str, int]:
        """For each model, the questions about conversations in which it spoke itself, by its name or fingerprint."""
        found = {}
        for label, some in self.models.items():
            known = {name for run in some.runs for name in (run.model, run.fingerprint)}
            played = {talk.id for talk in talks if known & players(talk.made)}
            found[label] = sum(
                item.tags.get(STORY) in played or bool(known & players(item.meta.get("made", {})))
                for item in some.items
            )
        return {label: number for label, number in found.items() if number}


def players(made: Mapping[str, Any]) -> set[str]:
    """The models that played a talk, by name and by fingerprint, as the talk or a question about it says."""
    return {*made.get("players", ()), *made.get("fingerprints", ())}


# ---- measures -----------------------------------------------------------------------------------------------------


def right(answers: Answers) -> Estimate | None:
    """How often right; a question that was asked several times counts with its mean."""
    return answers.averaged.mean()


def less(one: str, other: str) -> Callable[[Answers], Difference | None]:
    """How far questions of one kind are answered better than those of another."""

    def measure(answers: Answers) -> Difference | None:
        some = answers.averaged
        return some.where(None, **KINDS[one]).against(some.where(None, **KINDS[other]))

    return measure


def spread(answers: Answers) -> float | None:
    """The standard deviation of the mean over runs."""
    means = [fmean(numbers) for _, some in answers.by_run() if (numbers := some.numbers())]
    return stdev(means) if len(means) > 1 else None


def levels(answers: Answers, factor: str) -> tuple[Estimate, Estimate, Estimate] | None:
    """Questions about people who are high in a factor, about people who are low in it, and the difference."""
    sides = [answers.averaged.where(None, **{factor: level}) for level in ("high", "low")]
    (high, low), gap = (side.mean() for side in sides), sides[0].against(sides[1])
    if not high or not low or not gap:
        return None
    # A person is high or low in a whole talk, so no talk holds both and the test by talks would have nothing to go by.
    return high, low, Estimate(gap.value, gap.low, gap.high, gap.n, gap.clusters, gap.method.partition(";")[0])


def size(suite: Suite) -> dict[str, str]:
    """How much there is of what."""
    talks = {item.context for item in suite}
    lines = [line.partition(": ")[2] for text in talks for line in text.splitlines()]
    second = [item for item in suite if item.tags.get(ORDER) == 2]
    return {
        "questions": f"{len(suite):,}",
        "conversations": f"{len(talks):,}",
        "second-order questions": f"{len(second):,}",
        "of these labelled": f"{sum(FALSE_BELIEF in item.tags for item in second):,}",
        "false beliefs": f"{sum(item.tags.get(FALSE_BELIEF) is True for item in suite):,}",
        "utterances a conversation, greetings included": f"{len(lines) / len(talks):.1f}",
        "words an utterance": f"{fmean(len(line.split()) for line in lines):.1f}",
        "words and marks an utterance": f"{fmean(len(overlap.tokens(line)) for line in lines):.1f}",
    }
