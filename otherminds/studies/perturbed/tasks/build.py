"""Build: every task as sixteen questions, each with its gold chain of beliefs.

    variant    focal, access, consistent, informed
    swap       orig, swap: which of the two words is the true one
    question   reality, belief: what is so, and what the target thinks

68 tasks give 1088 questions; the full grid of 74 tasks gives 1184. Ids are stage/class/variant/swap/question.

In `meta` every item carries what measuring needs, in the words of its own story:

    target, belief_question   whose belief the chain is about, and the question that asks for it
    sentences, events         the story sentence by sentence, and the belief calculus' tags, in symbols
    gold, path_rule, final    for each sentence the states that are right; how they may follow; the last one
    reality, decoy            what is so; what the label says, or where the thing was left
    symbols                   the words that O1 and O2 stand for
    aliases                   other words for the choices
    form, testimony, extra    of the task, where it has them
    demonstration             the item that is shown before it
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any, Literal

from otherminds.errors import UsageError
from otherminds.items import Item, Suite, Tag
from otherminds.studies.perturbed.calculus import CLASSES, O1, O2, UNKNOWN, VARIANTS, right_belief, right_reality
from otherminds.studies.perturbed.tasks.stages import STAGES, Task, TaskStage, load, load_demonstration, render

Style = Literal["vanilla", "cot", "states", "perspective"]
STYLES: dict[Style, str] = {
    "vanilla": "json",
    "cot": "json-chain",
    "states": "json-states",
    "perspective": "json-seen",
}
"""The prompt of each style. The last two are about beliefs, so they leave the reality questions out."""

SWAPS = ("orig", "swap")
QUESTIONS = ("reality", "belief")
FOCAL = ("focal",)
"""The variant whose beliefs are false."""


def build(*, full_grid: bool = False, style: Style = "vanilla", focal: bool = False) -> Suite:
    """The suite in a style: all 68 tasks, or 74 with the full grid; with `focal`, two items a task."""
    if style not in STYLES:
        raise UsageError(f"there is no style {style!r}; there are {', '.join(STYLES)}")
    kinds = ("belief",) if focal or style not in ("vanilla", "cot") else QUESTIONS
    variants = FOCAL if focal else VARIANTS
    items = tuple(
        item
        for item in grid()
        if (full_grid or not item.meta["extra"]) and item.tags["variant"] in variants and item.tags["question"] in kinds
    )
    return Suite("perturbed", items, prompt=STYLES[style], score="json", study="perturbed")


@cache
def grid() -> tuple[Item, ...]:
    """Make the sixteen questions of every task, in their order."""
    items = (
        _item(stage, task, *names)
        for stage in load()
        for task in stage.tasks
        for names in product(VARIANTS, SWAPS, QUESTIONS)
    )
    return tuple(replace(item, meta={**item.meta, "demonstration": _demonstration(item)}) for item in items)


def drawn(seed: int) -> frozenset[str]:
    """The unperturbed task of every stage, and every class once, spread over the stages: groups are what tells."""
    dice = random.Random(f"perturbed:{seed}")
    known = known_tasks()
    stages = {name: [stage for stage in STAGES if f"{stage}/{name}" in known] for name in CLASSES[1:]}
    taken = dict.fromkeys(dice.sample(STAGES, len(STAGES)), 0)
    tasks = {f"{stage}/{CLASSES[0]}" for stage in STAGES}
    # Some stages lack a class, so those that fit in the fewest come first.
    for name in sorted(stages, key=lambda name: (len(stages[name]), dice.random())):
        stage = min((stage for stage in taken if stage in stages[name]), key=taken.__getitem__)
        taken[stage] += 1
        tasks.add(f"{stage}/{name}")
    return frozenset(tasks)


def known_tasks() -> frozenset[str]:
    """The names of all tasks of the suite: stage/class."""
    return frozenset(f"{stage.name}/{task.perturbation}" for stage in load() for task in stage.tasks if not task.extra)


def suite(tasks: Collection[str]) -> Suite:
    """The focal items of these tasks."""
    return build(focal=True).where(lambda item: item.tags["story"] in tasks)


def first_look(seed: int) -> Suite:
    """The focal items of a drawn part of the tasks, one swap of each by turns."""
    return suite(drawn(seed)).where(
        lambda item: (
            item.tags["swap"]
            == SWAPS[(CLASSES.index(str(item.tags["class"])) + STAGES.index(str(item.tags["stage"]))) % 2]
        )
    )


def _item(stage: TaskStage, task: Task, variant: str, swap: str, question: str) -> Item:
    words = stage.words(swap=swap == "swap")
    states = {**words, UNKNOWN: UNKNOWN}
    story = task.variants[variant]
    sentences = [render(sentence.text, words) for sentence in story]
    reality = right_reality(stage.kind, variant)
    belief = right_belief(stage.kind, task.perturbation, variant, form=task.form, testimony=task.testimony)
    name = f"{stage.name}/{task.perturbation}"
    tags: dict[str, Tag] = {
        "stage": stage.name,
        "kind": stage.kind,
        "class": task.perturbation,
        "variant": variant,
        "swap": swap,
        "question": question,
        "focal": variant == "focal" and question == "belief",
        "order": QUESTIONS.index(question),
        "false_belief": question == "belief" and belief not in (reality, UNKNOWN),
        "story": name,
        "twin": f"{name}/{variant}/{question}",
    }
    meta: dict[str, Any] = {
        "target": stage.people[task.target],
        "belief_question": render(task.questions["belief"], words),
        "sentences": sentences,
        "events": [[_tag(event) for event in sentence.events] for sentence in story],
        "gold": [[states[state] for state in sentence.gold] for sentence in story],
        "path_rule": "inertia",
        "final": [states[belief]],
        "reality": words[reality],
        "decoy": words[O2],
        "symbols": {symbol: words[symbol] for symbol in (O1, O2)},
        "aliases": {value: list(some) for value, some in stage.aliases.items()},
        "form": task.form,
        "testimony": task.testimony,
        "extra": task.extra,
    }
    return Item(
        id=f"{name}/{variant}/{swap}/{question}",
        context=_numbered(sentences),
        question=render(task.questions[question], words),
        answer=states[belief if question == "belief" else reality],
        # The same order of words in both twins, so that the true value stands first in one and second in the other.
        choices=(*stage.values, UNKNOWN),
        tags=tags,
        meta=meta,
    )


def _demonstration(item: Item) -> dict[str, Any]:
    """The item shown before another: one ending for half of the items of every class, the other for the other half."""
    places = [
        STAGES.index(str(item.tags["stage"])) if item.tags["stage"] in STAGES else 0,
        CLASSES.index(str(item.tags["class"])),
        VARIANTS.index(str(item.tags["variant"])),
        SWAPS.index(str(item.tags["swap"])),
        QUESTIONS.index(str(item.tags["question"])),
    ]
    # The target ends with the decoy in the one and with the truth in the other; twins see both.
    variant = ("focal", "access")[sum(places) % 2]
    # Which word is true changes over the stages, or the right option would stand at one place in all demonstrations.
    swap = SWAPS[(places[0] + places[1]) // 2 % 2]
    return _shown(variant, swap, str(item.tags["question"]))


@cache
def _shown(variant: str, swap: str, question: str) -> dict[str, Any]:
    stage, perceived = load_demonstration()
    shown = _item(stage, stage.tasks[0], variant, swap, question)
    kept = {name: shown.meta[name] for name in ("target", "belief_question", "sentences", "gold")}
    return replace(shown, tags={}, meta={**kept, "perceived": perceived[variant]}).to_dict()


def _numbered(sentences: Sequence[str]) -> str:
    return "\n".join(f"{number}. {text}" for number, text in enumerate(sentences, start=1))


def _tag(event: Any) -> str:
    inside = ",".join([*([event.value] if event.value else []), *event.how])
    return f"{event.name}({inside})" if inside else event.name
