"""`om.run`: a suite put to a model, either by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any

from otherminds.calling.costs import Budget
from otherminds.calling.recorded import Progress
from otherminds.errors import UsageError
from otherminds.formats.plans import built_in
from otherminds.formats.question_formats import LETTERS_IN_CHAT, QuestionFormat, best_format
from otherminds.formats.scores import scoring
from otherminds.formats.words import DRAWS
from otherminds.heuristics.readers import Baseline
from otherminds.items import Item, Suite
from otherminds.models import Model
from otherminds.models.specs import read_setting
from otherminds.runs import runs
from otherminds.runs.runs import Run
from otherminds.runs.shards import Shard
from otherminds.store.store import MEMORY, Store
from otherminds.studies.suites import get_suite
from otherminds.terminal.names import bars, get_model, model_of, store_of
from otherminds.terminal.options import prepared
from otherminds.terminal.screen import note


def run(
    suite: Suite | str | Path,
    model: Model | str = "smollm2",
    *,
    prompt: str | None = None,
    score: str | None = None,
    store: Store | str | Path | None = None,
    limit: int | None = None,
    seed: int = 0,
    epochs: int = 1,
    shots: int | Suite | str | Path | Sequence[Item] = 0,
    judge: Model | str | None = None,
    draws: int = DRAWS,
    shard: Shard | None = None,
    budget: Budget | None = None,
    recheck: float | None = None,
    progress: Progress | None = None,
    quiet: bool = False,
) -> Run:
    """Put a suite to a model, each given itself or by the name that the shell takes, under a bar with the time left.

    What the store has is not asked again; without a store nothing is kept. A suite that is named is asked as it says,
    or, where the model cannot answer so, in the best other way; `prompt` and `score` decide it. `limit` draws whole
    groups of twins and stories by the seed; `draws` is for score "sampled"; `shard` asks one part of the items. A
    budget that runs out leaves a partial run. `progress` is called with what is answered and what is wanted, in place
    of a bar.

    `epochs` asks every item so often, at the model's own temperature; its value is the mean. `shots` are solved
    examples before each item: so many of ours, or the items of a suite. Score "judged" has the model named as `judge`
    read free text. `recheck` is the share of calls that are asked again, to see whether one model answers (behind a
    server 0.02, else 0); `doubts` of the run says what speaks against that.
    """
    free = prompt is None and score is None and not isinstance(suite, Suite)
    asked = suite_of(suite).using(prompt=prompt, score=score)
    with ExitStack() as open_files:
        kept = open_files.enter_context(store_of(MEMORY if store is None else store))
        who = _ready(model, asked, kept, free=free, quiet=quiet)
        if free:
            asked = in_best_format(asked, who, nothing if quiet else note)
        bar = nullcontext(progress) if progress else bars(quiet)(f"{asked.name} · {who.name} · {asked.score}")
        show = open_files.enter_context(bar)
        return runs.run(
            asked,
            who,
            store=kept,
            limit=limit,
            seed=seed,
            draws=draws,
            shard=shard,
            budget=budget,
            progress=show,
            epochs=epochs,
            shots=examples_of(shots),
            judge=None if judge is None else model_of(judge, quiet=quiet),
            recheck=recheck,
        )


def examples_of(shots: int | Suite | str | Path | Sequence[Item]) -> Sequence[Item]:
    """So many built-in examples, or the items of a suite."""
    if isinstance(shots, int):
        return built_in(shots)
    return suite_of(shots).items if isinstance(shots, Suite | str | Path) else shots


def suite_of(suite: Suite | str | Path) -> Suite:
    """A suite, or the one of that name or in that file."""
    if isinstance(suite, Suite):
        return suite
    if not isinstance(suite, str | Path):
        raise UsageError(f"a suite is one of get_suite, its name, or a file; not a {type(suite).__name__}")
    return get_suite(suite)


def _ready(model: Model | str, suite: Suite, store: Store, *, free: bool, quiet: bool) -> Model:
    """The model itself; one that is named is tried out first, as far as that is needed, and a baseline made."""
    who = model_of(model, quiet=quiet)
    if isinstance(who, Baseline):
        return who.made_for(suite)
    if isinstance(model, str) and (wanted := untold(suite, who, free)):

        def opened(*more: str) -> Model:
            return get_model(model, **dict(map(read_setting, more)))

        return prepared(opened, store=store, wanted=wanted)
    return who


def untold(suite: Suite, model: Model, free: bool) -> frozenset[str]:
    """What of a server has to be tried out before it can be asked this; nothing where letters are weighed as usual."""
    if not model.is_served:
        return frozenset()
    if free and not QuestionFormat.of(suite).suits(model.cannot):
        return frozenset({LETTERS_IN_CHAT})
    return frozenset({"schema"} if scoring(suite.score).verb == "ask" else ())


def in_best_format(suite: Suite, model: Model, tell: Callable[[str], Any]) -> Suite:
    """The suite in its own way of asking if the model can answer so, else in the best other one, which is told."""
    if not model.is_served:
        return suite
    own = QuestionFormat.of(suite)
    form = best_format(suite, model.name, model.cannot)
    if form == own:
        return suite
    tell(f"{model.name} cannot be asked {own}, so it is asked {form} (score={form.score}, prompt={form.prompt})")
    return form.part(suite) or suite


def nothing(_: str) -> None:
    """Says nothing."""
