"""Score "letters": the log-probability of each letter, over all rotations of the choices.

A letter that a model likes whatever it stands for drops out: the log-probabilities of a choice are averaged over all
the letters it stood at before choices are compared. For two choices that is S = sigmoid((l1+l2)/2) with l1 and l2 the
log-odds of the right choice in the two orders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from statistics import fmean
from string import ascii_uppercase as LETTERS
from typing import Any

from otherminds.errors import UsageError
from otherminds.formats import verdicts
from otherminds.formats.prompts import LABELS, About, Posed, rotations, wording
from otherminds.formats.verdicts import TIE, USELESS, Score, Scoring
from otherminds.items import Item
from otherminds.models import Prompt, Weighing


def pose_letters(item: Item, *, prompt: str, seed: int) -> tuple[Posed, ...]:
    """Every rotation of the choices, so that each stands once at each letter; two choices: both orders."""
    if not item.choices:
        raise UsageError(f"item {item.id!r} has no choices, so it cannot be scored by letters; use score 'text'")
    if prompt == "cot":
        raise UsageError("letters are weighed as the next token, before any reasoning; use score 'text' with 'cot'")
    labels = LABELS.get(prompt, LETTERS)[: len(item.choices)]
    posed = []
    for order in rotations(item, seed=seed):
        asked = wording(prompt)(item, order)
        # What only matters to generated text stays out: it would change the key of a call that it cannot change.
        text, turns, about = asked.text, asked.messages, About(item, order)
        posed.append(Posed(Prompt(text=text, messages=turns, choices=tuple(labels), labels=True, about=about), order))
    return tuple(posed)


def score_letters(item: Item, posed: Sequence[Posed], results: Sequence[Weighing]) -> Score:
    """The verdict of the letters, averaged over all orders; S, label bias b, mass and consistency beside it."""
    if wrong := verdicts.trouble(posed, results):
        return Score("error", why=wrong)
    by_order = [
        {
            choice: verdicts.bounds_of(result, letter)
            for letter, choice in zip(asked.prompt.choices, asked.choices, strict=True)
        }
        for asked, result in zip(posed, results, strict=True)
    ]
    logs = {choice: verdicts.mean_bounds([order[choice] for order in by_order]) for choice in item.choices}
    detail: dict[str, Any] = {"mass": fmean([result.mass for result in results])}
    if any(result.bounds for result in results):
        ends = [verdicts.share_bounds(item.answer, order) for order in by_order]
        if all(high - low <= USELESS for low, high in ends):
            detail["S_orders"] = [(low + high) / 2 for low, high in ends]
    else:
        exact = [{choice: low for choice, (low, _) in order.items()} for order in by_order]
        shares = [verdicts.share(item.answer, order) for order in exact]
        detail |= {"S_orders": shares, "b": _letter_bias(posed[0].prompt.choices, results)}
        firsts = [_first(order) for order in exact]
        # Where two choices weigh the same there is no answer to keep to.
        if None not in firsts:
            detail["consistent"] = len(set(firsts)) == 1
    return verdicts.decide(item, logs, detail)


def _first(logs: Mapping[str, float]) -> str | None:
    """The choice that weighs most; none if two do."""
    best, *others = sorted(logs, key=logs.__getitem__, reverse=True)
    return best if not others or logs[best] - logs[others[0]] > TIE else None


def _letter_bias(letters: Sequence[str], results: Sequence[Weighing]) -> float | None:
    """How much more the first letter gets than the others, in log-probability over all orders."""
    first, *others = (fmean([result.logprobs[letter] for result in results]) for letter in letters)
    bias = first - fmean(others)
    return bias if isfinite(bias) else None


SCORES = {"letters": Scoring("weigh", pose_letters, score_letters, prompts=("raw", "direct", "shots"))}
