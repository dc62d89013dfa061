"""Quick: the whole study in a few minutes, for a first look at a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from otherminds.errors import ModelError
from otherminds.items import Suite
from otherminds.models import Model
from otherminds.models.scripted import Scripted
from otherminds.report import Report
from otherminds.runs import Budget, Recorded, run
from otherminds.store import Store
from otherminds.studies.explore.build import suite
from otherminds.studies.explore.contexts import bank
from otherminds.studies.explore.examine import Examiner
from otherminds.studies.explore.hunt import Found
from otherminds.studies.explore.search import Ways
from otherminds.studies.explore.sets import choose, grid
from otherminds.studies.explore.show import show
from otherminds.studies.explore.versus import Outcome, versus

Progress = Callable[[str], AbstractContextManager[Callable[[int, int], None]]]
"""Makes a bar with a title, to be called with what is done and what is wanted."""

STORIES, BUDGET, RANDOM = 8, 8, 100
SETS = "tomi,tomi+info-exchange,fantom-private+asymmetric,tomi+asymmetric"
SIZES = (2, 3)
"""Of people and of moves."""

WAYS = (
    ("cloze", "raw", {"weigh", "raw", "continuations"}),
    ("letters", "raw", {"weigh", "raw"}),
    ("text", "direct", {"chat"}),
)
"""How questions are asked: score, prompt, and what a model must be able to do for that; the first that it can."""


def quick(
    model: Model, store: Store, progress: Progress, *, seed: int = 0, budget: Budget | None = None
) -> Report | None:
    """A small search against a model, and the report of it; None if a budget was spent before there was one to make.

    Every answer is kept in the store, so that it goes on where it was stopped.
    """
    score, prompt = _way(model)
    recorded = Recorded(model, store, budget=budget)
    examiner = Examiner(recorded, prompt=prompt, score=score, seed=seed)
    cells = grid(choose(SETS), people=SIZES, moves=SIZES)
    with store.writing(), progress("explore · stories asked about, at most") as bar:
        outcomes = versus(
            cells,
            bank(),
            examiner,
            stories=STORIES,
            ways=Ways(budget=BUDGET),
            seed=seed,
            progress=lambda method, asked, most: bar(asked + most * (method == "overgenerate"), 2 * most),
        )
    found = [each for outcome in outcomes for each in outcome.found]
    if not found:
        return None if any(outcome.stopped for outcome in outcomes) else _all_right(model, outcomes)
    runs = []
    for made in (suite(found), _in_other_words(outcomes[0].found or outcomes[-1].found, seed)):
        with progress(f"explore · {made.name}") as bar:
            asked = made.using(prompt=prompt, score=score)
            runs.append(run(asked, model, store=store, seed=seed, budget=budget, progress=bar))
    answered = [each for each in runs if each.values()]
    return show(found, answered, random_stories=RANDOM, seed=seed) if runs[0] in answered else None


def _all_right(model: Model, outcomes: Sequence[Outcome]) -> Report:
    asked = sum(outcome.asked for outcome in outcomes)
    lead = (
        f"{model.name} was asked about {asked} stories, by a search and by over-generation, and no complete one was "
        "found that it gets wrong. A larger budget or other sets of events may find some: see `otherminds explore`."
    )
    return Report(f"Stories that {model.name} gets wrong", lead, [])


def _in_other_words(found: Sequence[Found], seed: int) -> Suite:
    """Only the questions that the search went by, for these are what the two tellings are compared on."""
    orders = {each.order for each in found}
    told = suite(found, order=max(orders), paraphrase=seed, name="in other words")
    return told.where(lambda item: item.tags["order"] in orders)


def example() -> list[Found]:
    """A few stories that somebody who always says the first choice gets wrong, found without a real model."""
    stubborn = Scripted(lambda _: "A", name="stubborn")
    cells = grid(choose("tomi,fantom-public+asymmetric"), people=(2,), moves=(2,))
    outcomes = versus(cells, bank(), Examiner(stubborn), stories=2, ways=Ways(budget=4, endings=10))
    return [each for outcome in outcomes for each in outcome.found]


def _way(model: Model) -> tuple[str, str]:
    for score, prompt, needs in WAYS:
        if not needs & model.cannot:
            return score, prompt
    raise ModelError(f"{model.name} can neither weigh raw prompts nor chat, so there is nothing to search by")
