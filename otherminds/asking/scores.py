"""From what a model gave back to a score.

    letters   the log-probability of each letter, over all rotations of the choices
    cloze     the log-probability of each choice as the end of a sentence
    text      words, read as `answers` says
    json      JSON, read as `json_answers` says; a schema enforces its form where the model can be held to one
    json-free the same without a schema, so that models of both sorts can be compared

A letter that a model likes whatever it stands for drops out of `letters`: the log-probabilities of a choice are
averaged over all the letters it stood at before choices are compared. For two choices that is S = sigmoid((l1+l2)/2)
with l1 and l2 the log-odds of the right choice in the two orders.

The verdict of a cloze is by the sum over the tokens of a choice, which is the probability the model really gives it;
the mean per token, which favours long words, is kept beside it as `S_token`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, inf, isfinite
from statistics import fmean
from typing import Any, Literal

from otherminds.asking.answers import read_choice, read_text, refuses
from otherminds.asking.json_answers import read_answer
from otherminds.asking.prompts import Posed, pose_cloze, pose_json, pose_json_free, pose_letters, pose_text
from otherminds.errors import UsageError
from otherminds.items import Item
from otherminds.models import Response, Weighing
from otherminds.models.gate import fault
from otherminds.plugins import added, load

Verdict = Literal["correct", "incorrect", "tied", "unparsed", "refused", "truncated", "error"]
VERDICTS: tuple[Verdict, ...] = ("correct", "incorrect", "tied", "unparsed", "refused", "truncated", "error")
TIE = 1e-9
"""Closer than this, two log-probabilities are the same: averaging over orders leaves the dust of rounding."""

Bounds = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Score:
    """How good one answer is; no value where nothing was measured, which is not zero."""

    verdict: Verdict
    value: float | None = None
    """1 right, 0 wrong."""
    answer: str = ""
    why: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The score as JSON."""
        return {name: getattr(self, name) for name in ("verdict", "value", "answer", "why", "detail")}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Score:
        """The same from JSON; a score that is neither 0 nor 1 is how older stores kept a tie."""
        score = Score(**data)
        old = score.verdict == "unparsed" and isinstance(score.value, float) and 0 < score.value < 1
        return replace(score, verdict="tied", value=None) if old else score


def score_text(item: Item, posed: Sequence[Posed], results: Sequence[Response]) -> Score:
    """The verdict on words."""
    (response,), (asked,) = results, posed
    if response.error:
        return Score("error", why=response.error)
    if response.finish == "refused":
        return Score("refused", why="the server says that the model refused")
    reading = read_choice(response.text, asked.choices) if item.choices else read_text(response.text, item.answer)
    if not reading.clear and refuses(response.text):
        return Score("refused", why="the text declines to answer")
    if response.finish == "length" and not reading.clear:
        return Score("truncated", why="the text was cut off before a clear answer")
    if not reading.answer:
        return Score("unparsed", why=reading.why)
    right = reading.answer == item.answer
    return Score("correct" if right else "incorrect", float(right), reading.answer, reading.why)


def score_json(item: Item, posed: Sequence[Posed], results: Sequence[Response]) -> Score:
    """The verdict on JSON; states, what was perceived, repairs and the fault, if there is one, beside it."""
    (response,), (asked,) = results, posed
    if response.error:
        return Score("error", why=response.error)
    if response.finish == "refused":
        return Score("refused", why="the server says that the model refused")
    read = read_answer(response.text, item.choices, wants=asked.wants, aliases=item.meta.get("aliases"))
    detail = {
        "states": list(read.states),
        "perceived": list(read.perceived),
        "repairs": list(read.repairs),
        "faulty": read.faulty,
    }
    if read.faulty:
        cut, declined = response.finish == "length", refuses(response.text)
        return Score("truncated" if cut else "refused" if declined else "unparsed", why=read.faulty, detail=detail)
    right = read.answer == item.answer
    return Score("correct" if right else "incorrect", float(right), read.answer, f"says {read.answer!r}", detail)


def score_letters(item: Item, posed: Sequence[Posed], results: Sequence[Weighing]) -> Score:
    """The verdict of the letters, averaged over all orders; S, label bias b, mass and consistency beside it."""
    trouble = _trouble(posed, results)
    if trouble:
        return Score("error", why=trouble)
    by_order = [
        {choice: _bounds(result, letter) for letter, choice in zip(asked.prompt.choices, asked.choices, strict=True)}
        for asked, result in zip(posed, results, strict=True)
    ]
    logs = {choice: _mean_bounds([order[choice] for order in by_order]) for choice in item.choices}
    detail: dict[str, Any] = {"mass": fmean(result.mass for result in results)}
    if not any(result.bounds for result in results):
        shares = [_share(item.answer, {choice: low for choice, (low, _) in order.items()}) for order in by_order]
        detail |= {"S_orders": shares, "b": _letter_bias(posed[0].prompt.choices, results)}
        firsts = [_first({choice: low for choice, (low, _) in order.items()}) for order in by_order]
        # Where two choices weigh the same there is no answer to keep to.
        if None not in firsts:
            detail["consistent"] = len(set(firsts)) == 1
    return _decide(item, logs, detail)


def _first(logs: Mapping[str, float]) -> str | None:
    """The choice that weighs most; none if two do."""
    best, *others = sorted(logs, key=logs.__getitem__, reverse=True)
    return best if not others or logs[best] - logs[others[0]] > TIE else None


def score_cloze(item: Item, posed: Sequence[Posed], results: Sequence[Weighing]) -> Score:
    """The verdict of the choices as continuations, by the sum of their tokens; the mean per token beside it."""
    trouble = _trouble(posed, results)
    if trouble:
        return Score("error", why=trouble)
    (result,) = results
    logs = {choice: _bounds(result, f" {choice}") for choice in item.choices}
    detail: dict[str, Any] = {"mass": result.mass}
    lengths = {choice: len(result.tokens.get(f" {choice}", ())) for choice in item.choices}
    if not result.bounds and all(lengths.values()):
        means = {choice: logs[choice][0] / lengths[choice] for choice in item.choices}
        detail["S_token"] = _share(item.answer, means)
        detail["value_token"] = value_of(item.answer, means)
    return _decide(item, logs, detail)


@dataclass(frozen=True, slots=True)
class Way:
    """A way of scoring: how an item is posed, which verb of a model it needs, how the results are judged."""

    verb: Literal["ask", "weigh"]
    pose: Callable[..., tuple[Posed, ...]]
    judge: Callable[[Item, Sequence[Posed], Sequence[Any]], Score]


SCORES: dict[str, Way] = {
    "letters": Way("weigh", pose_letters, score_letters),
    "cloze": Way("weigh", pose_cloze, score_cloze),
    "text": Way("ask", pose_text, score_text),
    "json": Way("ask", pose_json, score_json),
    "json-free": Way("ask", pose_json_free, score_json),
}


def way(name: str) -> Way:
    """The way of scoring of that name."""
    if name in SCORES:
        return SCORES[name]
    if name not in added("scores"):
        raise UsageError(f"there is no score {name!r}; there are {', '.join([*SCORES, *added('scores')])}")
    found: Way = load("scores", name)
    return found


def _decide(item: Item, logs: Mapping[str, Bounds], detail: dict[str, Any]) -> Score:
    """Right, wrong or neither, from the least and the greatest log-probability of every choice."""
    low, high = logs[item.answer]
    others = {choice: bounds for choice, bounds in logs.items() if choice != item.answer}
    if all(low == high for low, high in logs.values()):
        exact = {choice: low for choice, (low, _) in logs.items()}
        detail["S"] = _share(item.answer, exact)
        value = value_of(item.answer, exact)
        if value is None:
            return Score("tied", why="no choice is preferred: the right one and another weigh the same", detail=detail)
        answer = max(exact, key=exact.__getitem__)
        why = f"the right choice has S = {detail['S']:.3f}"
        return Score("correct" if value else "incorrect", value, answer, why, detail)
    # The least favourable case for the right choice, then the most favourable one.
    detail["S_bounds"] = [
        _share(item.answer, {item.answer: low} | {choice: top for choice, (_, top) in others.items()}),
        _share(item.answer, {item.answer: high} | {choice: bottom for choice, (bottom, _) in others.items()}),
    ]
    best, (bottom, _) = max(others.items(), key=lambda pair: pair[1][0])
    if low > max(top for _, top in others.values()) + TIE:
        return Score("correct", 1.0, item.answer, "even the bounds of the other choices lie below it", detail)
    if bottom > high + TIE:
        return Score("incorrect", 0.0, best, "it lies above all that the right choice can have", detail)
    return Score("unparsed", why="the server did not report every choice, and the bounds do not decide", detail=detail)


def _share(right: str, logs: Mapping[str, float]) -> float:
    """The probability of the right choice among all choices."""
    top = max(logs.values())
    if top == -inf:
        return 1 / len(logs)
    return exp(logs[right] - top) / sum(exp(value - top) for value in logs.values())


def value_of(right: str, logs: Mapping[str, float]) -> float | None:
    """1 if the right choice weighs most, 0 if another does; nothing if the right one and another do."""
    top = max(logs.values())
    best = [choice for choice, value in logs.items() if value == top or top - value < TIE]
    return None if right in best and len(best) > 1 else float(right in best)


def _letter_bias(letters: Sequence[str], results: Sequence[Weighing]) -> float | None:
    """How much more the first letter gets than the others, in log-probability over all orders."""
    first, *others = (fmean(result.logprobs[letter] for result in results) for letter in letters)
    bias = first - fmean(others)
    return bias if isfinite(bias) else None


def _bounds(result: Weighing, choice: str) -> Bounds:
    if choice in result.bounds:
        return result.bounds[choice]
    return result.logprobs[choice], result.logprobs[choice]


def _mean_bounds(bounds: Sequence[Bounds]) -> Bounds:
    return fmean(low for low, _ in bounds), fmean(high for _, high in bounds)


def _trouble(posed: Sequence[Posed], results: Sequence[Weighing]) -> str:
    """Why these results cannot be scored, or nothing."""
    for asked, result in zip(posed, results, strict=True):
        if result.error:
            return result.error
        if wrong := fault(asked.prompt, result):
            return f"the reply {wrong}"
    return ""
