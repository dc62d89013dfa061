"""How good one answer is: right, wrong or neither, from words or from what choices weigh; and what a score is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, inf
from statistics import fmean
from typing import Any, Literal

from otherminds.formats.prompts import Posed
from otherminds.items import Item
from otherminds.models import Response, Weighing
from otherminds.models.gate import fault
from otherminds.showing.brief import Brief

Verdict = Literal["correct", "incorrect", "tied", "unparsed", "refused", "truncated", "error"]
VERDICTS: tuple[Verdict, ...] = ("correct", "incorrect", "tied", "unparsed", "refused", "truncated", "error")
TIE = 1e-9
"""Closer than this, two log-probabilities are the same: averaging over orders leaves the dust of rounding."""
USELESS = 0.5
"""Bounds of S further apart than this say nothing: the item has no score."""

Bounds = tuple[float, float]


@dataclass(frozen=True, slots=True, repr=False)
class Score(Brief):
    """How good one answer is; no value where nothing was measured, which is not zero."""

    verdict: Verdict
    value: float | None = None
    """1 right, 0 wrong."""
    answer: str = ""
    why: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def of_answer(item: Item, answer: str, why: str, detail: Mapping[str, Any] | None = None) -> Score:
        """Right or wrong, by the answer that was read."""
        right = answer == item.answer
        return Score("correct" if right else "incorrect", float(right), answer, why, detail or {})

    def to_dict(self) -> dict[str, Any]:
        """The score as JSON."""
        return {name: getattr(self, name) for name in ("verdict", "value", "answer", "why", "detail")}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Score:
        """The score as it was written; an earlier program gave a tie a half and the verdict of what cannot be read."""
        score = Score(**data)
        old = score.verdict == "unparsed" and isinstance(score.value, float) and 0 < score.value < 1
        return replace(score, verdict="tied", value=None) if old else score


def with_choices(item: Item) -> Item | None:
    """The item, if it has choices."""
    return item if item.choices else None


@dataclass(frozen=True, slots=True)
class Scoring:
    """A score: how an item is posed, which verb of a model it needs, how the results are judged."""

    verb: Literal["ask", "weigh"]
    pose: Callable[..., tuple[Posed, ...]]
    judge: Callable[[Item, Sequence[Posed], Sequence[Any]], Score]
    more: Callable[[Item, Sequence[Posed], Sequence[Any], int], tuple[Posed, ...]] | None = None
    """What else is to be asked, seeing what came back and the most draws that are wanted; nothing, and it is done."""
    prompts: tuple[str, ...] = ("direct",)
    """Its own prompt, then others in which control questions try it."""
    tried: bool = True
    """Whether control questions try it."""
    fits: Callable[[Item], Item | None] = with_choices
    """The item as it can be scored so, some choices left out if need be; none if it cannot."""
    shows: bool = True
    """Whether the model sees the choices."""
    examples: bool = True
    """Whether solved examples can stand before it."""


def decide(item: Item, logs: Mapping[str, Bounds], detail: dict[str, Any]) -> Score:
    """Right, wrong or neither, from the least and the greatest log-probability of every choice."""
    low, high = logs[item.answer]
    others = {choice: bounds for choice, bounds in logs.items() if choice != item.answer}
    exact = all(low == high for low, high in logs.values())
    least, most = share_bounds(item.answer, logs)
    if exact:
        detail["S"] = share(item.answer, {choice: known for choice, (known, _) in logs.items()})
    else:
        detail["S_bounds"] = [least, most]
        detail |= {"S": (least + most) / 2} if most - least <= USELESS else {}
    why = f"the right choice has S = {least:.3f}" if exact else ""
    best, (bottom, _) = max(others.items(), key=lambda pair: pair[1][0])
    if low > max(top for _, top in others.values()) + TIE:
        why = why or "even the bounds of the other choices lie below it"
        return Score("correct", 1.0, item.answer, why, detail)
    if bottom > high + TIE:
        return Score("incorrect", 0.0, best, why or "it lies above all that the right choice can have", detail)
    if exact:
        return Score("tied", why="no choice is preferred: the right one and another weigh the same", detail=detail)
    return Score("unparsed", why="the server did not report every choice, and the bounds do not decide", detail=detail)


def share(right: str, logs: Mapping[str, float]) -> float:
    """The probability of the right choice among all choices."""
    top = max(logs.values())
    if top == -inf:
        return 1 / len(logs)
    return exp(logs[right] - top) / sum(exp(value - top) for value in logs.values())


def share_bounds(right: str, logs: Mapping[str, Bounds]) -> Bounds:
    """That share in the least favourable case for the right choice, and in the most favourable one."""
    low, high = logs[right]
    others = {choice: bounds for choice, bounds in logs.items() if choice != right}
    return (
        share(right, {right: low} | {choice: top for choice, (_, top) in others.items()}),
        share(right, {right: high} | {choice: bottom for choice, (bottom, _) in others.items()}),
    )


def value_of(right: str, logs: Mapping[str, float]) -> float | None:
    """1 if the right choice weighs most, 0 if another does; nothing if the right one and another do."""
    top = max(logs.values())
    best = [choice for choice, value in logs.items() if value == top or top - value < TIE]
    return None if right in best and len(best) > 1 else float(right in best)


def bounds_of(result: Weighing, choice: str) -> Bounds:
    """The least and the greatest log-probability of a choice; one number twice where it is known."""
    if choice in result.bounds:
        return result.bounds[choice]
    return result.logprobs[choice], result.logprobs[choice]


def mean_bounds(bounds: Sequence[Bounds]) -> Bounds:
    """The mean of the lower ends and that of the upper ones."""
    return fmean([low for low, _ in bounds]), fmean([high for _, high in bounds])


def unanswered(response: Response) -> Score | None:
    """The verdict where no words came back; none where some did."""
    if response.error:
        return Score("error", why=response.error)
    return Score("refused", why="the server says that the model refused") if response.finish == "refused" else None


def trouble(posed: Sequence[Posed], results: Sequence[Weighing]) -> str:
    """Why these results cannot be scored, or nothing."""
    for asked, result in zip(posed, results, strict=True):
        if result.error:
            return result.error
        if wrong := fault(asked.prompt, result):
            return f"the reply {wrong}"
    return ""
