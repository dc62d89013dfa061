"""A few of many questions, so chosen that every kind has as many as any other and every story as few as can be."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from otherminds.diagnosis.cells import happened
from otherminds.formats.question_formats import QuestionFormat
from otherminds.items import Item, Suite
from otherminds.items.tags import FALSE_BELIEF, ORDER, STORY, TWIN

CLOZE = QuestionFormat("cloze", "raw")
"""The form that fits the fewest questions."""

Kind = tuple[str, bool | None, object]


def balanced(questions: Suite, limit: int, *, seed: int) -> Sequence[Item]:
    """About so many questions, in their own order; twins stay together; of the same kind, what is from a story not yet
    asked about goes first, then few twins, then what fits every form.

    A kind is what happens, whether minds about minds are asked about, and whether the belief is true or false.
    """
    if len(questions) <= limit:
        return questions.items
    sets: dict[str, list[Item]] = {}
    for item in questions:
        sets.setdefault(str(item.tags.get(TWIN, item.id)), []).append(item)
    left = random.Random(f"balanced:{seed}").sample(list(sets.values()), len(sets))
    fitting = {item.id for item in CLOZE.part(questions) or ()}
    kinds: Counter[Kind] = Counter()
    stories: Counter[object] = Counter()
    chosen: set[str] = set()
    known = set(map(_kind, questions))

    def least(some: Sequence[Item]) -> tuple[int, ...]:
        first = some[0]
        return min(kinds[_kind(item)] for item in some), stories[_story(first)], len(some), first.id not in fitting

    while left and len(chosen) < limit:
        some = min(left, key=least)
        left.remove(some)
        stories[_story(some[0])] += 1
        for kind in map(_kind, some):
            # Half where no question about a false belief stands beside those about true ones, or the reverse.
            kinds[kind] += 1 if {(*kind[:2], True), (*kind[:2], False)} <= known else 2
        chosen |= {item.id for item in some}
    return tuple(item for item in questions if item.id in chosen)


def _kind(item: Item) -> Kind:
    order = item.tags.get(ORDER)
    return happened(item), order > 1 if isinstance(order, int) else None, item.tags.get(FALSE_BELIEF)


def _story(item: Item) -> object:
    return item.tags.get(STORY, item.context)
