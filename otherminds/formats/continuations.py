"""Scores by what follows: the log-probability of each choice as the end of a text that does not show it.

    cloze     the end of a sentence
    answer    the answer, after the question and "Answer:"
    …-prior   the same without what the words weigh anyway

The verdict is by the sum over the tokens of a choice, which is the probability the model really gives it; the mean per
token, which favours long words, is kept beside it as `S_token`.

A common word is likely after any story. So for a prior the same choice is weighed once more without the story, and that
is taken off; and where two of the choices are named in the story, all of it is done again with the two words exchanged
throughout, so that each word stands once in each part and what it weighs by itself drops out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from otherminds.errors import UsageError
from otherminds.formats import verdicts
from otherminds.formats.prompts import EXAMPLES, Posed, chat_text, joined, posed_as, wording
from otherminds.formats.verdicts import Bounds, Score, Scoring
from otherminds.items import Item
from otherminds.items.controls import CANNOT_END
from otherminds.items.swaps import other_words, swapped
from otherminds.models import Message, Prompt, Weighing


def pose_cloze(item: Item, *, prompt: str, seed: int) -> tuple[Posed, ...]:
    """The story and the beginning of a sentence, which each choice completes; no choice is shown."""
    if not item.choices:
        raise UsageError(f"item {item.id!r} has no choices, so it cannot be scored by cloze; use score 'text'")
    endings = tuple(f" {choice}" for choice in item.choices)
    if prompt in ("raw", "shots"):
        text = _sentence(item, prompt) if item.cloze else wording(prompt)(item, ()).text
        return (posed_as(item, Prompt(text=text, choices=endings), item.choices),)
    if prompt == "direct":
        turn = Message("user", chat_text(item, (), "Answer in one short sentence."))
        asked = Prompt(messages=(turn,), prefill=item.cloze or "Answer:", choices=endings)
        return (posed_as(item, asked, item.choices),)
    wording(prompt)
    if prompt != "cot":
        raise UsageError(f"a cloze shows no options, so {prompt!r} would change nothing; use prompt 'raw' or 'direct'")
    raise UsageError("a cloze is weighed before any reasoning; use score 'text' with 'cot'")


def _sentence(item: Item, prompt: str) -> str:
    """The story and the beginning of its sentence, after solved ones if the prompt shows any."""
    solved = [joined(each.context, f"{each.cloze} {each.answer}.") for each in EXAMPLES if prompt == "shots"]
    return "\n\n".join([*solved, joined(item.context, item.cloze)])


def pose_answer(item: Item, *, prompt: str, seed: int) -> tuple[Posed, ...]:
    """The story and the question, which each choice answers; no choice is shown."""
    return pose_cloze(replace(item, cloze=""), prompt=prompt, seed=seed)


def score_cloze(item: Item, posed: Sequence[Posed], results: Sequence[Weighing]) -> Score:
    """The verdict of the choices as continuations, by the sum of their tokens; the mean per token beside it."""
    if wrong := verdicts.trouble(posed, results):
        return Score("error", why=wrong)
    (result,) = results
    logs = {choice: verdicts.bounds_of(result, f" {choice}") for choice in item.choices}
    detail: dict[str, Any] = {"mass": result.mass}
    lengths = {choice: len(result.tokens.get(f" {choice}", ())) for choice in item.choices}
    if not result.bounds and all(lengths.values()):
        means = {choice: logs[choice][0] / lengths[choice] for choice in item.choices}
        detail["S_token"] = verdicts.share(item.answer, means)
        detail["value_token"] = verdicts.value_of(item.answer, means)
    return verdicts.decide(item, logs, detail)


def ending(item: Item) -> Item | None:
    """The item with the choices that its sentence can end with; none if the answer is not among them."""
    ends = tuple(choice for choice in item.choices if choice not in CANNOT_END)
    if not item.cloze or item.answer not in ends or len(ends) < 2:
        return None
    return item if ends == item.choices else replace(item, choices=ends)


def pose_prior(pose: Callable[..., tuple[Posed, ...]], item: Item, *, prompt: str, seed: int) -> tuple[Posed, ...]:
    """The item, then each choice without its story; the same with two words exchanged, if they can be."""
    posed: list[Posed] = []
    for version in (item, swapped(item)):
        if version is not None:
            # One by one, so that what several stories share is asked once.
            bare = [replace(version, context="", choices=(choice,), answer=choice) for choice in version.choices]
            posed += [asked for one in (version, *bare) for asked in pose(one, prompt=prompt, seed=seed)]
    return tuple(posed)


def score_prior(item: Item, posed: Sequence[Posed], results: Sequence[Weighing]) -> Score:
    """The verdict of what the story adds to each choice."""
    if wrong := verdicts.trouble(posed, results):
        return Score("error", why=wrong)
    gained: dict[str, list[Bounds]] = {choice: [] for choice in item.choices}
    exchanged, step = other_words(item), 1 + len(item.choices)
    for start in range(0, len(results), step):
        with_story, *alone = results[start : start + step]
        prior = {asked.choices[0]: found for asked, found in zip(posed[start + 1 : start + step], alone, strict=True)}
        # In the exchanged version another word stands in the place of each choice.
        for choice in item.choices:
            here = exchanged[choice] if start else choice
            low, high = verdicts.bounds_of(with_story, f" {here}")
            least, most = verdicts.bounds_of(prior[here], f" {here}")
            gained[choice].append((low - most, high - least))
    logs = {choice: verdicts.mean_bounds(some) for choice, some in gained.items()}
    return verdicts.decide(item, logs, {"mass": results[0].mass, "versions": len(results) // step})


_CLOZE = Scoring("weigh", pose_cloze, score_cloze, prompts=("raw",), fits=ending, shows=False)
# A sentence shows by itself how it goes on, so that examples before it add nothing.
_ANSWER = Scoring("weigh", pose_answer, score_cloze, prompts=("raw", "shots"), shows=False)
SCORES = {
    "cloze": _CLOZE,
    "answer": _ANSWER,
    "cloze-prior": replace(_CLOZE, pose=partial(pose_prior, pose_cloze), judge=score_prior, examples=False),
    "answer-prior": replace(_ANSWER, pose=partial(pose_prior, pose_answer), judge=score_prior, examples=False),
}
