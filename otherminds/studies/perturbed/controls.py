"""Control questions of perturbed tasks: what is so, which every task asks about the same stories."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from otherminds.items import Item, Suite
from otherminds.items.controls import IS, control
from otherminds.items.tags import TOLD, TWIN
from otherminds.studies.perturbed.tasks.build import grid
from otherminds.studies.perturbed.tasks.sentences import sentence


def controls(suite: Suite) -> list[Item]:
    """What is so in every story, and in its twin, in which the two words change places."""
    asked = _realities()
    wanted = dict.fromkeys(item.context for item in suite if item.context in asked)
    found: dict[str, Item] = {}
    for context in wanted:
        mine = asked[context]
        shared = {TWIN: mine.tags[TWIN]}
        for each in (mine, *(other for other in asked.values() if shared.items() <= other.tags.items())):
            made = control(each, IS, each.question, each.answer, each.choices, sentence(each.question))
            told = each.context if each.context in wanted else context
            found.setdefault(made.id, replace(made, tags={**made.tags, **shared}, meta={TOLD: told}))
    return list(found.values())


def with_sentences(suite: Suite) -> Suite:
    """The suite with a sentence for every question that has none."""
    made = tuple(item if item.cloze else replace(item, cloze=sentence(item.question)) for item in suite)
    return replace(suite, items=made)


@cache
def _realities() -> dict[str, Item]:
    return {item.context: item for item in grid() if item.tags["question"] == "reality"}


@cache
def _twins() -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for item in _realities().values():
        found.setdefault(str(item.tags[TWIN]), []).append(item)
    return found
