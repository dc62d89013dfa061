"""From an item to the prompts that put it to a model.

`PROMPTS` holds the wordings. How many prompts an item needs depends on how it is scored, so each score in `scores` has
a function that makes them.

Every prompt refers to what it is `About`, for baselines; no other model looks there.

The wordings that begin with "raw-" are the raw one with a single thing changed, so that it can be seen how far a
score hangs on that: a space at the end, an empty line before the options, other labels, another question.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from string import ascii_uppercase as LETTERS

from otherminds.errors import UsageError
from otherminds.files import read_words
from otherminds.formats.json_prompts import JSON_PROMPTS
from otherminds.items import Item
from otherminds.models import Message, Prompt
from otherminds.plugins import added, load

Wording = Callable[[Item, Sequence[str]], Prompt]

EXAMPLES = tuple(Item(**{**parts, "choices": tuple(parts["choices"])}) for parts in read_words("prompts")["examples"])
"""Three solved questions, shown before another so that a model sees in which form answers are wanted. They are about
things alone, so that they say nothing of minds; the answer is what was named first, last and in between."""


@dataclass(frozen=True, slots=True)
class About:
    """What a prompt is about: the item, the choices in the order in which it shows them, the parts of JSON it wants."""

    item: Item
    choices: tuple[str, ...] = ()
    wants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Posed:
    """One prompt for an item, with the choices in the order in which it shows them."""

    prompt: Prompt
    choices: tuple[str, ...] = ()
    wants: tuple[str, ...] = ()
    """The parts of the JSON that it asks for."""


def raw(
    item: Item, choices: Sequence[str], *, labels: str = LETTERS, gap: bool = False, end: str = "Answer:"
) -> Prompt:
    """The bare text that a base model continues: no instruction, no template, no trailing space."""
    question, *options = _question(item, choices, labels)
    lines = [question, *([""] if gap else []), *options, end]
    return Prompt(text=joined(item.context, *lines), stop=("\n",), max_tokens=32)


def shots(item: Item, choices: Sequence[str]) -> Prompt:
    """The bare text after three solved examples in the same form."""
    shown = [raw(each, each.choices if choices else ()).text + _solved(each, bool(choices)) for each in EXAMPLES]
    asked = raw(item, choices)
    return replace(asked, text="\n\n".join([*shown, asked.text]))


def direct(item: Item, choices: Sequence[str]) -> Prompt:
    """A chat that asks for the answer and nothing else."""
    return _chat(item, choices, "Reply with {what}, and nothing else.", 64)


def cot(item: Item, choices: Sequence[str]) -> Prompt:
    """A chat that asks for reasoning first and the answer on a last line of its own."""
    return _chat(item, choices, 'Think step by step. Then end with a last line "Answer: X", where X is {what}.', 1024)


def _chat(item: Item, choices: Sequence[str], ending: str, most: int) -> Prompt:
    what = "the letter of the right answer" if choices else "the answer in a few words"
    return Prompt(messages=(Message("user", chat_text(item, choices, ending.format(what=what))),), max_tokens=most)


def plausible(item: Item, choices: Sequence[str]) -> Prompt:
    """The direct chat, asked as a matter of likelihood: for whoever shies away from a verdict on people."""
    return direct(_likely(item), choices)


def raw_plausible(item: Item, choices: Sequence[str]) -> Prompt:
    """The bare text, asked as a matter of likelihood."""
    return raw(_likely(item), choices)


LABELS = {"raw-digits": "123456789", "raw-xy": "XYZ"}
"""What stands before the options in place of letters from A on."""
RAW_CHANGED: dict[str, Wording] = {
    "raw-space": partial(raw, end="Answer: "),
    "raw-gap": partial(raw, gap=True),
    **{name: partial(raw, labels=labels) for name, labels in LABELS.items()},
    "raw-plausible": raw_plausible,
}
PROMPTS: dict[str, Wording] = {
    "raw": raw,
    "shots": shots,
    "direct": direct,
    "cot": cot,
    "plausible": plausible,
    **RAW_CHANGED,
    **JSON_PROMPTS,
}


def without_schema(asked: Posed) -> Posed:
    """The same words, for a model that cannot be held to a schema."""
    return replace(asked, prompt=replace(asked.prompt, schema=""))


def as_bare_text(asked: Posed) -> Posed:
    """The same words without turns and schema, for a model that goes on with a text and has no chat."""
    said = [
        f"{turn.content}\nAnswer:" if turn.role == "user" else f" {turn.content}\n\n" for turn in asked.prompt.messages
    ]
    bare = replace(asked.prompt, text="".join(said), messages=(), schema="", stop=("\n\n",))
    return replace(asked, prompt=bare) if said else asked


def wording(name: str, *, json: bool = False) -> Wording:
    """The wording of that name, if it asks for the right sort of answer."""
    if name not in PROMPTS and name in added("prompts"):
        found: Wording = load("prompts", name)
        return found
    if name not in PROMPTS:
        raise UsageError(f"there is no prompt {name!r}; there are {', '.join([*PROMPTS, *added('prompts')])}")
    if json and name not in JSON_PROMPTS:
        raise UsageError(f"prompt {name!r} does not ask for JSON; with score 'json' use {', '.join(JSON_PROMPTS)}")
    if name in JSON_PROMPTS and not json:
        raise UsageError(f"prompt {name!r} asks for JSON; use score 'json' or 'json-free' with it")
    return PROMPTS[name]


def shuffled(item: Item, *, seed: int) -> tuple[str, ...]:
    """The choices in an order that the seed decides."""
    # Seeded by the item too: with one seed for all, every item would put its answer in the same place.
    return tuple(random.Random(f"{seed}:{item.id}").sample(item.choices, len(item.choices)))


def rotations(item: Item, *, seed: int) -> list[tuple[str, ...]]:
    """Every order in which the choices are shown, so that each stands once in each place."""
    first = shuffled(item, seed=seed)
    return [first[turn:] + first[:turn] for turn in range(len(first))]


def _solved(item: Item, lettered: bool) -> str:
    """What follows "Answer:" in an example."""
    return f" {LETTERS[item.choices.index(item.answer)]}" if lettered else f" {item.answer}"


def posed_as(item: Item, prompt: Prompt, choices: tuple[str, ...], wants: tuple[str, ...] = ()) -> Posed:
    """The prompt for an item, which knows what it is about."""
    return Posed(replace(prompt, about=About(item, choices, wants)), choices, wants)


def _likely(item: Item) -> Item:
    """The item with a question after what is more plausible; some ask so already."""
    if "more likely" in item.question:
        return item
    return replace(item, question=f"{item.question} Which answer is more plausible?")


def chat_text(item: Item, choices: Sequence[str], ending: str) -> str:
    """The story, the question and its options, and how to answer."""
    story = [item.context, ""] if item.context else []
    return "\n".join([*story, *_question(item, choices), "", ending])


def _question(item: Item, choices: Sequence[str], labels: str = LETTERS) -> list[str]:
    if len(choices) > len(labels):
        raise UsageError(f"item {item.id!r} has {len(choices)} choices, and there are only {len(labels)} letters")
    options = [f"{letter}. {choice}" for letter, choice in zip(labels, choices, strict=False)]
    return [f"Question: {item.question}", *options]


def joined(context: str, *rest: str) -> str:
    """The story, if there is one, and the lines behind it."""
    return "\n".join([context, *rest] if context else rest)
