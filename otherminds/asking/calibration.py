"""Which form of asking lets a model show what it can: control questions in every form, and the best one chosen.

The form is chosen on some of the controls and told with the accuracy on the others, since the best of many is best by
luck too. An answer that cannot be read is not right: a form in which a model does not answer is none in which it can.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from otherminds import stats
from otherminds.asking.forms import FORMS, Form, possible
from otherminds.asking.plans import groups
from otherminds.asking.runs import Record, Run
from otherminds.errors import ModelError, Unable
from otherminds.items import Item, Suite
from otherminds.items.controls import KINDS
from otherminds.items.tags import CONTROL, STORY, TOLD, TWIN
from otherminds.stats import Estimate

TRIED = 24
"""Control questions that every form is tried on."""
FEWEST = 12
"""So many others are enough to tell the accuracy of the chosen form by."""
ENOUGH = 0.75
"""Where even the upper end of a model's accuracy on controls lies below this, nothing is said about minds."""


@dataclass(frozen=True, slots=True)
class Tried:
    """One form, and how many controls were answered rightly in it."""

    form: Form
    right: Estimate


@dataclass(frozen=True, slots=True)
class Calibration:
    """What came of the control questions: the form that is used, and how well it goes in it."""

    tried: tuple[Tried, ...]
    form: Form
    right: Estimate
    """In the chosen form, on controls that did not choose it, where there are enough."""
    runs: tuple[Run, ...]
    """All controls in the chosen form."""
    failed: tuple[str, ...] = ()

    @property
    def able(self) -> bool:
        """Whether what it answers about minds can be read as that."""
        return self.right.high >= ENOUGH

    @property
    def sentence(self) -> str:
        """What is said in place of a score where it cannot be read."""
        if self.able:
            return f"asked {self.form}; controls {_span(self.right)}"
        return (
            f"cannot even say what the stories say outright in any form (best: {self.form}, {_span(self.right)}):"
            " this says nothing about minds"
        )

    def by_kind(self) -> dict[str, Estimate]:
        """The accuracy on each kind of control."""
        records = [record for run in self.runs for record in run.records]
        kinds = dict.fromkeys(str(record.item.tags.get(CONTROL)) for record in records)
        found = {KINDS.get(kind, kind): [r for r in records if r.item.tags.get(CONTROL) == kind] for kind in kinds}
        return {kind: right for kind, some in found.items() if (right := accuracy(some))}

    def understood(self) -> frozenset[str]:
        """The stories all of whose controls were answered rightly."""
        wrong: set[str] = set()
        asked: set[str] = set()
        for record in (record for run in self.runs for record in run.records):
            story = str(record.item.meta.get(TOLD, record.item.context))
            asked.add(story)
            if record.value() != 1:
                wrong.add(story)
        return frozenset(asked - wrong)


def calibrate(
    controls: Suite,
    questions: Suite,
    ask: Callable[[Suite], Run],
    *,
    cannot: frozenset[str] = frozenset(),
    seed: int = 0,
    forms: Sequence[Form] = FORMS,
) -> Calibration:
    """Put controls in every form that the model can answer in, and that fits the questions too, and choose the best."""
    some = replace(controls, items=spread(controls.items, TRIED, seed=seed))
    tried: list[Tried] = []
    runs: dict[Form, Run] = {}
    failed: list[str] = []
    for form in possible(cannot, forms):
        part = form.part(some)
        if part is None or len(part) < len(some) or form.part(questions) is None:
            continue
        try:
            run = ask(part)
        except ModelError as error:
            failed.append(f"{form}: {error}")
            continue
        if right := accuracy(run.records):
            tried.append(Tried(form, right))
            runs[form] = run
    if not tried:
        raise Unable("; ".join(failed) or "there is no form in which both the controls and the questions can be put")
    # Of forms that do equally well, one in which more of the questions can be put is better.
    best = max(tried, key=lambda each: (each.right.value, _fitting(each.form, questions)))
    rest = _rest(controls, some, best.form)
    others = ask(rest) if rest else None
    both = [runs[best.form], *([others] if others else [])]
    held_out = others.records if others and len(others) >= FEWEST else [r for run in both for r in run.records]
    return Calibration(tuple(tried), best.form, accuracy(held_out) or best.right, tuple(both), tuple(failed))


def spread(items: Sequence[Item], number: int, *, seed: int) -> tuple[Item, ...]:
    """About so many items in whole pairs of twins, of as many stories and kinds as can be."""
    pairs: dict[str, list[Item]] = {}
    for item in items:
        pairs.setdefault(str(item.tags.get(TWIN, item.id)), []).append(item)
    drawn = random.Random(f"controls:{seed}").sample(list(pairs.values()), len(pairs))
    stories: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    chosen: set[str] = set()
    while drawn and len(chosen) < number:
        pair = min(drawn, key=lambda each: (stories[_story(each)], kinds[_kind(each)]))
        drawn.remove(pair)
        stories[_story(pair)] += 1
        kinds[_kind(pair)] += 1
        chosen.update(item.id for item in pair)
    return tuple(item for item in items if item.id in chosen)


def _story(pair: Sequence[Item]) -> str:
    return str(pair[0].tags.get(STORY, pair[0].id))


def _kind(pair: Sequence[Item]) -> str:
    return str(pair[0].tags.get(CONTROL))


def accuracy(records: Iterable[Record]) -> Estimate | None:
    """The share of right answers among all that came back."""
    answered = [record for record in records if record.verdict != "error"]
    if not answered:
        return None
    values = [float(record.value() == 1) for record in answered]
    return stats.mean(values, groups=groups([record.item for record in answered]))


def _fitting(form: Form, questions: Suite) -> int:
    part = form.part(questions)
    return len(part) if part else 0


def _rest(controls: Suite, some: Suite, form: Form) -> Suite | None:
    taken = {item.id for item in some}
    left = tuple(item for item in controls if item.id not in taken)
    return form.part(replace(controls, name=f"{controls.name}-rest", items=left)) if left else None


def _span(one: Estimate) -> str:
    return f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]"
