"""Control questions of perturbed tasks: what is so, which every task asks about the same stories."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from otherminds.items import Item, Suite
from otherminds.items.controls import IS, control, verb
from otherminds.items.tags import TOLD, TWIN
from otherminds.studies.perturbed.tasks.build import build

_SENTENCES = (
    (r"What is in the (.+)\?", "The {0} is full of"),
    (r"Where (?:is|are) the (.+)\?", "The {0} {be} in the"),
    (r"What (?:is lying|lies) on the (.+)\?", "What lies on the {0} is the"),
    (r"What (?:is|does) the (.+) (?:lying|lie) on\?", "The {0} lies on the"),
    (r"On what (?:is|are) the (.+) lying\?", "The {0} {be} lying on the"),
    (r"What does (\S+) think is in the (.+)\?", "{0} thinks that the {1} is full of"),
    (r"Where will (\S+) look for the (.+) first\?", "{0} will first look for the {1} in the"),
    (r"What does (\S+) think (?:is lying|lies) on the (.+)\?", "{0} thinks that what lies on the {1} is the"),
    (r"What does (\S+) think the (.+) (?:is lying|lies) on\?", "{0} thinks that the {1} lies on the"),
    (r"On what does (\S+) think the (.+) (?:is|are) lying\?", "{0} thinks that the {1} {be} lying on the"),
)
"""Every question of the stages, and the beginning of a sentence that ends with one of the two words."""


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


def sentence(question: str) -> str:
    """The beginning of a sentence that ends with the answer; empty for a question of another sort."""
    for pattern, text in _SENTENCES:
        if found := re.fullmatch(pattern, question):
            words = found.groups()
            return text.format(*words, be=verb(words[-1]))
    return ""


@cache
def _realities() -> dict[str, Item]:
    return {item.context: item for item in build(full_grid=True) if item.tags["question"] == "reality"}
