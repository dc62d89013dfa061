"""Repeats: every item asked several times at the model's own settings, and scored once.

The value of an item is the mean over its repeats, so that an item counts once however often it was asked, and intervals
are drawn over items and their stories as ever. Repeats without a readable answer are left out and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import Any

from otherminds.errors import UsageError
from otherminds.formats.plans import Plan
from otherminds.formats.prompts import Posed
from otherminds.formats.scores import Way
from otherminds.formats.verdicts import Score
from otherminds.items import Item


def repeated(plan: Plan, epochs: int) -> Plan:
    """The plan with every prompt asked so often; the first time is that of a run without repeats."""
    if isinstance(epochs, bool) or not isinstance(epochs, int) or epochs < 1:
        raise UsageError(f"epochs should be a number from 1 on, not {epochs!r}")
    if epochs == 1:
        return plan
    if plan.way.verb == "weigh":
        raise UsageError("probabilities are the same however often they are asked for; repeat scores of words alone")
    if plan.way.more:
        raise UsageError("score 'sampled' draws every item several times by itself; leave out epochs, and use draws")

    def again(item: Item) -> tuple[Posed, ...]:
        posed = plan.pose(item)
        return tuple(replace(asked, prompt=replace(asked.prompt, epoch=n)) for n in range(epochs) for asked in posed)

    return Plan(plan.items, again, replace(plan.way, judge=partial(score_repeats, plan.way, epochs)))


def score_repeats(way: Way, epochs: int, item: Item, posed: Sequence[Posed], results: Sequence[Any]) -> Score:
    """One score of several: the mean, and the verdict of most."""
    size = len(posed) // epochs
    parts = [slice(n * size, (n + 1) * size) for n in range(epochs)]
    scores = [way.judge(item, posed[part], results[part]) for part in parts]
    if failed := next((score for score in scores if score.verdict == "error"), None):
        return failed
    ends = Counter(score.verdict for score in scores)
    values = [score.value for score in scores if score.value is not None]
    detail: dict[str, Any] = {"epochs": epochs, "read": len(values), "ends": dict(ends)}
    if judged := [score.detail["by_key"] for score in scores if "by_key" in score.detail]:
        detail["by_key"] = Counter(judged).most_common(1)[0][0]
    if not values:
        most = ends.most_common(1)[0][0]
        return replace(next(score for score in scores if score.verdict == most), detail=detail)
    value = fmean(values)
    answer = Counter(score.answer for score in scores if score.value is not None).most_common(1)[0][0]
    why = f"{value:.2f} on the mean of {len(values)} of {epochs} repeats"
    return Score("tied" if value == 0.5 else "correct" if value > 0.5 else "incorrect", value, answer, why, detail)
