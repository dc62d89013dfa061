"""Forms of asking: every layout in which the studies put a question to a model, as text to go on with or as a chat.

By letters with the options below each other, by a sentence to complete, by words, with the options in a row, by JSON; a
few in the layouts with one thing changed (other labels, an empty line, a space at the end).
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase as LETTERS

LABELS = {"letters": LETTERS, "digits": "123456789", "xyz": "XYZ"}
SENTENCES = 0.5
"""How often options are whole sentences where there are any."""
FEW = "Reply with the answer in a few words, and nothing else."
LETTER = "Reply with the letter of the right answer, and nothing else."
SENTENCE = "Answer in one short sentence."
JSON = 'Reply with JSON only, in this form: {"answer": "<option>"}'
RAW: Mapping[str, float] = {"answer": 3, "question": 3, "short": 0.6, "letters": 4, "stem": 2.6, "listed": 1}
CHAT: Mapping[str, float] = {"direct": 3, "bare": 1.5, "letters": 3, "stem": 1.4, "listed": 0.7, "json": 0.7}
WITH_OPTIONS = ("letters", "listed", "json")


@dataclass(frozen=True, slots=True)
class Branch:
    """What follows the story: the rest of the prompt, and the completion that is learned."""

    prompt: str
    completion: str
    question: str
    answer: str
    choices: tuple[str, ...]
    kind: str
    prefill: str = ""
    """In a chat: the beginning of the reply, which the completion goes on from."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question before it has a form."""

    question: str
    answer: str
    choices: tuple[str, ...]
    kind: str
    stem: str = ""
    """The beginning of a sentence that the answer completes."""
    sentences: Mapping[str, str] = field(default_factory=dict)
    """Choices as whole sentences."""
    reality: str = ""
    """What is so: where only some of the choices are shown, it is among them."""


def pose(ask: Ask, rng: random.Random, *, chat: bool, plain: bool = False) -> Branch:
    """The question in one of the forms; `plain`: with "Answer:" alone."""
    weights = {"question": 1.0} if plain else CHAT if chat else RAW
    form = rng.choices(list(weights), list(weights.values()))[0]
    if form in WITH_OPTIONS and len(ask.choices) < 2:
        form = "direct" if chat else "question"
    choices, answer = ask.choices, ask.answer
    if form in WITH_OPTIONS:
        choices = _few(ask, rng)
        if form != "json" and all(each in ask.sentences for each in choices) and rng.random() < SENTENCES:
            choices, answer = tuple(ask.sentences[each] for each in choices), ask.sentences[answer]
    elif form != "stem" or not ask.stem:
        # In words of one's own, an article or none would be the toss of a coin.
        choices, answer = tuple(each.removeprefix("the ") for each in choices), answer.removeprefix("the ")
    make = _in_chat if chat else _as_text
    prompt, prefill, completion = make(form, ask, answer, choices, rng)
    return Branch(prompt, completion, ask.question, answer, choices, f"{ask.kind} / {form}", prefill)


def _few(ask: Ask, rng: random.Random) -> tuple[str, ...]:
    """Mostly two to four of many choices: the answer, what is so, and others."""
    if len(ask.choices) <= 4 or rng.random() < 0.15:
        return ask.choices[:26] if ask.answer in ask.choices[:26] else (*ask.choices[:25], ask.answer)
    kept = list(dict.fromkeys([ask.answer, *([ask.reality] if ask.reality in ask.choices else [])]))
    others = [each for each in ask.choices if each not in kept]
    kept += others[: rng.randint(2, 4) - len(kept)] if len(kept) < 4 else []
    return tuple(rng.sample(kept, len(kept)))


def _options(choices: Sequence[str], rng: random.Random) -> tuple[str, str, str]:
    """Labels, and what stands before the options and after "Answer:"; nearly always letters and nothing."""
    draw = rng.random()
    if draw < 0.04 and len(choices) < 10:
        return LABELS["digits"], "", ""
    if draw < 0.08 and len(choices) < 4:
        return LABELS["xyz"], "", ""
    return LETTERS, "\n" if 0.08 <= draw < 0.12 else "", " " if 0.12 <= draw < 0.15 else ""


def _as_text(form: str, ask: Ask, answer: str, choices: Sequence[str], rng: random.Random) -> tuple[str, str, str]:
    """Prompt, no prefill, and completion of a text that is gone on with."""
    question = ask.question
    if form == "answer":
        return f"\n\n{question}\nAnswer:", "", f" {answer}"
    if form == "short":
        return f"\n\nQ: {question}\nA:", "", f" {answer}"
    if form == "stem" and ask.stem:
        return f"\n{ask.stem}", "", f" {answer}."
    if form == "listed":
        return f"\nQuestion: {question}\nChoices: {_row(choices)}\nAnswer:", "", f" {answer}"
    if form == "letters":
        labels, gap, space = _options(choices, rng)
        likely = " Which answer is more plausible?" if rng.random() < 0.04 else ""
        rows = _rows(choices, labels)
        letter = labels[choices.index(answer)]
        return f"\nQuestion: {question}{likely}{gap}{rows}\nAnswer:{space}", "", letter if space else f" {letter}"
    return f"\nQuestion: {question}\nAnswer:", "", f" {answer}"


def _in_chat(form: str, ask: Ask, answer: str, choices: Sequence[str], rng: random.Random) -> tuple[str, str, str]:
    """Prompt, the beginning of the reply, and the rest of it."""
    question = ask.question
    if form == "bare":
        return f"\n\n{question}", "", answer
    if form == "letters":
        return f"\n\nQuestion: {question}{_rows(choices, LETTERS)}\n\n{LETTER}", "", LETTERS[choices.index(answer)]
    if form == "listed":
        return f"\n\nQuestion: {question}\nChoices: {_row(choices)}\n\n{FEW}", "", answer
    if form == "stem":
        asked = f"\n\nQuestion: {question}\n\n{SENTENCE}"
        return (asked, ask.stem, f" {answer}.") if ask.stem else (asked, "Answer:", f" {answer}")
    if form == "json":
        unsure = "\nSay unknown where there is no definite answer." if "unknown" in choices else ""
        reply = json.dumps({"answer": answer}, ensure_ascii=False)
        return f"\n\nQuestion: {question}\nOptions: {', '.join(choices)}{unsure}\n\n{JSON}", "", reply
    return f"\n\nQuestion: {question}\n\n{FEW}", "", answer


def _rows(choices: Sequence[str], labels: str) -> str:
    return "".join(f"\n{mark}. {choice}" for mark, choice in zip(labels, choices, strict=False))


def _row(choices: Sequence[str]) -> str:
    return ", ".join(f"{mark}. {choice}" for mark, choice in zip(LETTERS, choices, strict=False))
