"""What one model is asked: the nine tasks by letters and as a cloze, and, on demand, what the scores hang on."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from otherminds.errors import ModelError, UsageError
from otherminds.formats.forms import Form
from otherminds.formats.prompts import RAW_CHANGED
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
MAIN = (Form("letters", "raw"), Form("letters", "direct"), Form("sampled", "direct"))
"""How response scores are measured, from the best on: exactly or within bounds, in chat, by draws."""


@dataclass(frozen=True, slots=True)
class Asking:
    """One way of putting the suite to a model, and what the model must be able to do for it."""

    label: str
    suite: Suite
    needs: frozenset[str]


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of asking one model, and why the rest did not."""

    runs: tuple[Run, ...]
    failed: tuple[str, ...] = ()


def main_form(cannot: frozenset[str]) -> Form:
    """The best of the ways to measure response scores that a model is able to answer; the first if there is none."""
    return next((form for form in MAIN if not form.needs & cannot), MAIN[0])


def is_main(run: Run) -> bool:
    """Whether a run has response scores for the tables."""
    return Form(run.score, run.prompt) in MAIN


def main_run(runs: Sequence[Run]) -> Run | None:
    """Of the runs of one model, the one with the best response scores."""
    ranked = sorted((run for run in runs if is_main(run)), key=lambda run: MAIN.index(Form(run.score, run.prompt)))
    return ranked[0] if ranked else None


def askings(
    suite: Suite, *, extras: Sequence[str] = (), seed: int = 0, cannot: frozenset[str] = frozenset()
) -> list[Asking]:
    """Letters, or draws of whoever tells no probabilities, and cloze; then "wordings", "controls" and "refusals"."""
    weigh, chat = frozenset({"weigh", "raw"}), frozenset({"chat"})
    main = main_form(cannot)
    label = "letters" if main == MAIN[0] else str(main).removeprefix("by ")
    found = [
        Asking(label, suite.using(score=main.score, prompt=main.prompt), main.needs),
        Asking("cloze", suite.using(score="cloze"), weigh | {"continuations"}),
    ]
    if "wordings" in extras:
        for prompt in WORDINGS:
            needs = weigh if prompt in RAW_CHANGED else chat | {"weigh"}
            found.append(Asking(f"letters, {prompt}", suite.using(prompt=prompt), needs))
    if "controls" in extras:
        found.append(Asking("letters, without scripts", without_scripts(suite), weigh))
        found.append(Asking("letters, scripts shuffled", shuffled_scripts(suite, seed=seed), weigh))
    if "refusals" in extras:
        found += [Asking(f"text, {name}", suite.using(prompt=name, score="text"), chat) for name in REFUSABLE]
    return found


def in_forms(suite: Suite, scores: Sequence[str] = ()) -> list[Asking]:
    """Any suite, by each of these scores or by its own: the same for all models, so that they can be compared."""
    found = []
    for score in scores or (suite.score,):
        form = Form(score, suite.prompt)
        if (part := form.part(suite)) is None:
            raise UsageError(f"no item of {suite.name} can be put {form}; give another --score")
        found.append(Asking(f"{suite.name} {form}", part, form.needs))
    return found


def shuffled_scripts(suite: Suite, *, seed: int = 0) -> Suite:
    """The suite with the words of every script in a random order: what is left is which words there are."""

    def shuffled(item: Item) -> Item:
        words = item.context.split()
        random.Random(f"shuffled:{seed}:{item.tags.get('twin', item.id)}").shuffle(words)
        return replace(item, context=" ".join(words))

    return replace(suite, name=f"{suite.name}{SHUFFLED}", items=tuple(map(shuffled, suite)))


def ask(
    model: Model,
    ways: Sequence[Asking],
    store: Store,
    progress: Progress,
    *,
    seed: int = 0,
    budget: Budget | None = None,
) -> Asked:
    """Put every way to one model; one that fails says why, and the others go on. What is stored is not asked again."""
    done: list[Run] = []
    failed: list[str] = []
    for way in ways:
        outcome = _put(model, way, store, progress, seed=seed, budget=budget)
        if isinstance(outcome, str):
            failed.append(f"{way.label}: {outcome}")
            continue
        done.append(outcome)
        if outcome.partial:
            failed.append(f"{way.label}: not finished: {outcome.manifest['stopped']}")
        elif errors := outcome.verdicts()["error"]:
            failed.append(f"{way.label}: {errors} of {len(outcome)} items got no answer")
    return Asked(tuple(done), tuple(failed))


def _put(model: Model, way: Asking, store: Store, progress: Progress, *, seed: int, budget: Budget | None) -> Run | str:
    """The run, or the sentence that says why there is none."""
    if missing := way.needs & model.cannot:
        return f"{model.name} has no {' and no '.join(sorted(missing))}"
    try:
        asked = model.made_for(way.suite) if isinstance(model, Baseline) else model
        with progress(f"{model.name} · {way.label}") as bar:
            made = run(way.suite, asked, store=store, seed=seed, budget=budget, progress=bar)
    except ModelError as error:
        return str(error)
    if not made.records:
        return "the budget was spent before anything was answered"
    if made.verdicts()["error"] == len(made):
        return made.records[0].score.why
    return made
