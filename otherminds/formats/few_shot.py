"""Few-shot examples: solved items before each that is asked, in the form in which it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from string import ascii_uppercase as LETTERS

from otherminds.errors import UsageError
from otherminds.formats.examples import EXAMPLES
from otherminds.formats.plans import STORIES, Plan
from otherminds.formats.prompts import Posed
from otherminds.items import Item, Suite
from otherminds.items.tags import STAGE
from otherminds.models import Message, Prompt

SHOWN, UNSEEN = ("letters", "text", "sampled"), ("cloze", "answer", "open", "judged")
"""Scores whose prompts show the choices, and scores whose prompts do not."""
PROMPTS = ("raw", "direct", "plausible", "raw-plausible")
MOST = 32


def built_in(number: int) -> tuple[Item, ...]:
    """So many examples of ours, which are about things alone and say nothing of minds."""
    if isinstance(number, bool) or not 0 <= number <= len(EXAMPLES):
        raise UsageError(f"there are {len(EXAMPLES)} built-in examples, not {number}; give a suite to show others")
    return EXAMPLES[:number]


def with_examples(plan: Plan, suite: Suite, examples: Sequence[Item], *, seed: int) -> Plan:
    """The plan with these examples before every item, but those that share a story with it."""
    if not examples:
        return plan
    _check(suite, examples)

    def shown(item: Item) -> tuple[Posed, ...]:
        apart = [example for example in examples if not _related(example, item)]
        return tuple(_after(apart, asked, plan, suite, seed) for asked in plan.pose(item))

    return replace(plan, pose=shown)


def _check(suite: Suite, examples: Sequence[Item]) -> None:
    if len(examples) > MOST:
        raise UsageError(f"{len(examples)} examples are more than {MOST}; give fewer")
    if suite.score not in (*SHOWN, *UNSEEN) or suite.prompt not in PROMPTS:
        raise UsageError(
            f"examples can stand before prompts {', '.join(PROMPTS)} with scores {', '.join((*SHOWN, *UNSEEN))}, not"
            f" before {suite.prompt!r} with {suite.score!r}"
        )
    bare = next((one for one in examples if not one.choices), None)
    if bare and suite.score in (*SHOWN, "cloze", "answer") and any(item.choices for item in suite):
        raise UsageError(f"example {bare.id!r} has no choices, and the items of suite {suite.name!r} have some")


def _related(example: Item, item: Item) -> bool:
    """Whether an example would give an item away."""
    same = any(tag in item.tags and item.tags[tag] == example.tags.get(tag) for tag in (*STORIES, STAGE))
    return same or example.id == item.id or bool(item.context and item.context == example.context)


def _after(examples: Sequence[Item], asked: Posed, plan: Plan, suite: Suite, seed: int) -> Posed:
    solved = [_solved(example, asked, plan, suite, seed) for example in examples]
    own = asked.prompt
    if own.messages:
        turns = [turn for prompt, answer in solved for turn in (*prompt.messages, Message("assistant", answer))]
        return replace(asked, prompt=replace(own, messages=(*turns, *own.messages)))
    shown = [f"{prompt.text} {answer}" for prompt, answer in solved]
    return replace(asked, prompt=replace(own, text="\n\n".join([*shown, own.text])))


def _solved(example: Item, asked: Posed, plan: Plan, suite: Suite, seed: int) -> tuple[Prompt, str]:
    """An example in the form of what is asked, and its answer: a letter where choices are shown."""
    if not asked.choices and suite.score in SHOWN:
        example = replace(example, choices=())
    posed = plan.way.pose(example, prompt=suite.prompt, seed=seed)[0]
    if suite.score in SHOWN and example.choices:
        labels = posed.prompt.choices or LETTERS
        return posed.prompt, labels[posed.choices.index(example.answer)]
    end = "." if suite.score == "cloze" and example.cloze else ""
    before = f"{posed.prompt.prefill} " if posed.prompt.prefill else ""
    return posed.prompt, f"{before}{example.answer}{end}"
