"""Several suites about the same stories, asked at once, so that a model which reads prompts in batches reads each
story once."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from otherminds.calling.costs import Budget
from otherminds.calling.recorded import Progress, Recorded
from otherminds.errors import ModelError
from otherminds.formats.plans import plan
from otherminds.items import Suite
from otherminds.models import Model
from otherminds.store.store import Store


def fetch(
    suites: Sequence[Suite],
    model: Model,
    *,
    store: Store,
    seed: int = 0,
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> None:
    """Weigh all that these suites need; whoever runs them afterwards finds it in the store."""
    if model.batch < 2 or len(suites) < 2:
        return
    plans = [plan(suite, seed=seed, cannot=getattr(model, "cannot", ())) for suite in suites]
    prompts = [prompt for each in plans if each.scoring.verb == "weigh" for prompt in each.prompts]
    # What a model fails at is told by the run of the suite that it fails at.
    with suppress(ModelError):
        Recorded(model, store, budget=budget, progress=progress).weigh(prompts)
