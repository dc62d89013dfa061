"""What one model is asked: the nine tasks by letters and as a cloze, and, on demand, what the scores hang on."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import NamedTuple

from otherminds.errors import ModelError, UsageError
from otherminds.formats.prompts import RAW_CHANGED
from otherminds.formats.question_formats import LETTERS, RESPONSE_SCORES, QuestionFormat
from otherminds.heuristics.readers import Baseline
from otherminds.items import Item, Suite
from otherminds.models import Model
from otherminds.runs.runs import Budget, Run, run
from otherminds.store.store import Store
from otherminds.studies.safety.lints import without_scripts

Progress = Callable[[str], AbstractContextManager[Callable[[int, int], None]]]
"""Makes a bar with a title, to be called with what is done and what is wanted."""

WORDINGS = (*RAW_CHANGED, "direct")
"""The raw prompt with one thing changed, and the model's own chat template."""
REFUSABLE = ("direct", "plausible")
"""Wordings in which a model writes its answer, and so may decline to."""
SHUFFLED = "-shuffled"
Ways = Sequence[tuple[str, Suite]]
"""Suites, each asked as it says and with a label for it."""


class AskedRuns(NamedTuple):
    """What came of asking one model, and why the rest did not."""

    runs: tuple[Run, ...]
    failed: tuple[str, ...] = ()


def main_run(runs: Sequence[Run]) -> Run | None:
    """Of the runs of one model, the one with the best response scores."""
    first = {QuestionFormat.of(run): run for run in reversed(runs)}
    return next((first[form] for form in RESPONSE_SCORES if form in first), None)


def askings(suite: Suite, *, extras: Sequence[str] = (), seed: int = 0, cannot: frozenset[str] = frozenset()) -> Ways:
    """Letters, or draws of whoever tells no probabilities, and cloze; then "wordings", "controls" and "refusals"."""
    main = next((form for form in RESPONSE_SCORES if form.suits(cannot)), LETTERS)
    label = "letters" if main == LETTERS else str(main).removeprefix("by ")
    found = [(label, main.on(suite)), ("cloze", suite.using(score="cloze"))]
    if "wordings" in extras:
        found += [(f"letters, {prompt}", suite.using(prompt=prompt)) for prompt in WORDINGS]
    if "controls" in extras:
        found.append(("letters, without scripts", without_scripts(suite)))
        found.append(("letters, scripts shuffled", shuffled_scripts(suite, seed=seed)))
    if "refusals" in extras:
        found += [(f"text, {name}", suite.using(prompt=name, score="text")) for name in REFUSABLE]
    return found


def in_formats(suite: Suite, scores: Sequence[str] = ()) -> Ways:
    """Any suite, by each of these scores or by its own: the same for all models, so that they can be compared."""
    found = []
    for form in (QuestionFormat(score, suite.prompt) for score in scores or (suite.score,)):
        if (part := form.part(suite)) is None:
            raise UsageError(f"no item of {suite.name} can be put {form}; give another --score")
        found.append((f"{suite.name} {form}", part))
    return found


def able(ways: Ways, cannot: frozenset[str]) -> Ways:
    """Those of the suites that a model can answer as they are asked."""
    return [(label, suite) for label, suite in ways if QuestionFormat.of(suite).suits(cannot)]


def shuffled_scripts(suite: Suite, *, seed: int = 0) -> Suite:
    """The suite with the words of every script in a random order: what is left is which words there are."""

    def shuffled(item: Item) -> Item:
        words = item.context.split()
        random.Random(f"shuffled:{seed}:{item.tags.get('twin', item.id)}").shuffle(words)
        return replace(item, context=" ".join(words))

    return replace(suite, name=f"{suite.name}{SHUFFLED}", items=tuple(map(shuffled, suite)))


def ask(
    model: Model,
    ways: Ways,
    store: Store,
    progress: Progress,
    *,
    seed: int = 0,
    budget: Budget | None = None,
) -> AskedRuns:
    """Put every suite to one model; one that fails says why, the others go on. What is stored is not asked again."""
    done: list[Run] = []
    failed: list[str] = []
    for label, suite in ways:
        try:
            if missing := QuestionFormat.of(suite).needs & model.cannot:
                raise ModelError(f"{model.name} has no {' and no '.join(sorted(missing))}")
            asked = model.made_for(suite) if isinstance(model, Baseline) else model
            with progress(f"{model.name} · {label}") as bar:
                made = run(suite, asked, store=store, seed=seed, budget=budget, progress=bar)
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
