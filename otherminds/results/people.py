"""People beside the answer key and beside a model, for every kind and order of question.

What people say to an item is what more than half of them say; an item without a majority is counted, and in no mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from otherminds import stats
from otherminds.formats.plans import groups
from otherminds.items import Item, Suite
from otherminds.items.tags import KIND, ORDER, has_right_answer
from otherminds.results.annotations import Votes, majorities, shown
from otherminds.runs.runs import Run
from otherminds.stats import Estimate


@dataclass(frozen=True, slots=True)
class KindAgreement:
    """How far people agree with the key, and a model with people, on one kind of question."""

    kind: str
    order: str
    people_key: Estimate | None
    """The share of items on which most people give the answer of the key."""
    model_people: Estimate | None
    """The share of items on which a model gives the answer of most people, where it gave one."""
    undecided: int
    """Items that people answered without a majority."""


def agreement_by_kind(suite: Suite, answers: Votes, run: Run | None = None) -> list[KindAgreement]:
    """A line for every kind and order that anybody answered, then one for all of them; intervals are by story."""
    decided = majorities(suite, answers)
    model = {} if run is None else _said(suite, run)
    kinds: dict[tuple[str, str], list[Item]] = {}
    for item in suite:
        if item.id in decided:
            kinds.setdefault((str(item.tags.get(KIND, "–")), str(item.tags.get(ORDER, "–"))), []).append(item)
    every = [item for items in kinds.values() for item in items]
    lines = [(*names, items) for names, items in sorted(kinds.items())]
    return [_line(*line, decided, model) for line in [*lines, *([("all", "", every)] if len(lines) > 1 else [])]]


def _said(suite: Suite, run: Run) -> dict[str, str]:
    """What a run answered to the items as people saw them."""
    now = {item.id: shown(item) for item in suite}
    return {
        record.item.id: record.score.answer
        for record in run.records
        if record.score.value is not None and now.get(record.item.id) == shown(record.item)
    }


def _line(
    kind: str, order: str, items: Sequence[Item], decided: dict[str, str | None], model: dict[str, str]
) -> KindAgreement:
    clear = [item for item in items if decided[item.id] is not None]
    keyed = [item for item in clear if has_right_answer(item.tags)]
    both = [item for item in clear if item.id in model]
    return KindAgreement(
        kind,
        order,
        _share(keyed, [decided[item.id] == item.answer for item in keyed]),
        _share(both, [decided[item.id] == model[item.id] for item in both]),
        len(items) - len(clear),
    )


def _share(items: Sequence[Item], same: Sequence[bool]) -> Estimate | None:
    return stats.mean(list(map(float, same)), groups=groups(items)) if items else None
