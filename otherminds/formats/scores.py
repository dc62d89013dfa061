"""From what a model gave back to a score.

    letters   the log-probability of each letter, over all rotations of the choices
    cloze     the log-probability of each choice as the end of a sentence
    answer    the log-probability of each choice as the answer, after the question and "Answer:"
    …-prior   cloze and answer with the prior of the words taken out, as `priors` says
    text      words, read as `answers` says
    judged    the same, read by another model
    open      words of a model that is not shown any choices
    sampled   words, drawn several times in every order of the choices: for models that tell no probabilities
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
from dataclasses import dataclass
from functools import partial
from math import isfinite
from statistics import fmean
from typing import Any, Literal

from otherminds.errors import UsageError
from otherminds.formats.json_answers import read_answer
from otherminds.formats.priors import pose_prior, score_prior
from otherminds.formats.prompts import (
    Posed,
    pose_answer,
    pose_cloze,
    pose_json,
    pose_json_free,
    pose_letters,
    pose_open,
    pose_text,
)
from otherminds.formats.sampled import more_draws, pose_sampled, score_sampled
from otherminds.formats.spoken import JUDGED, no_judge, score_text
from otherminds.formats.verdicts import (
    TIE,
    USELESS,
    VERDICTS,
    Bounds,
    Score,
    Verdict,
    bounds_of,
    decide,
    mean_bounds,
    share,
    share_bounds,
    trouble,
    value_of,
)
from otherminds.formats.written_answers import refuses
from otherminds.items import Item
from otherminds.models import Response, Weighing
from otherminds.plugins import added, load

__all__ = [
    "SCORES",
    "VERDICTS",
    "Score",
    "Verdict",
    "Way",
    "score_cloze",
    "score_letters",
    "score_text",
    "value_of",
    "way",
]


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
    if wrong := trouble(posed, results):
        return Score("error", why=wrong)
    by_order = [
        {choice: bounds_of(result, letter) for letter, choice in zip(asked.prompt.choices, asked.choices, strict=True)}
        for asked, result in zip(posed, results, strict=True)
    ]
    logs = {choice: mean_bounds([order[choice] for order in by_order]) for choice in item.choices}
    detail: dict[str, Any] = {"mass": fmean([result.mass for result in results])}
    if any(result.bounds for result in results):
        detail |= _orders_within_bounds(item.answer, by_order)
    else:
        shares = [share(item.answer, {choice: low for choice, (low, _) in order.items()}) for order in by_order]
        detail |= {"S_orders": shares, "b": _letter_bias(posed[0].prompt.choices, results)}
        firsts = [_first({choice: low for choice, (low, _) in order.items()}) for order in by_order]
        # Where two choices weigh the same there is no answer to keep to.
        if None not in firsts:
            detail["consistent"] = len(set(firsts)) == 1
    return decide(item, logs, detail)


def _orders_within_bounds(right: str, by_order: Sequence[Mapping[str, Bounds]]) -> dict[str, Any]:
    """S in each order, where the bounds leave any."""
    ends = [share_bounds(right, order) for order in by_order]
    return {"S_orders": [(low + high) / 2 for low, high in ends]} if all(b - a <= USELESS for a, b in ends) else {}


def _first(logs: Mapping[str, float]) -> str | None:
    """The choice that weighs most; none if two do."""
    best, *others = sorted(logs, key=logs.__getitem__, reverse=True)
    return best if not others or logs[best] - logs[others[0]] > TIE else None


def score_cloze(item: Item, posed: Sequence[Posed], results: Sequence[Weighing]) -> Score:
    """The verdict of the choices as continuations, by the sum of their tokens; the mean per token beside it."""
    if wrong := trouble(posed, results):
        return Score("error", why=wrong)
    (result,) = results
    logs = {choice: bounds_of(result, f" {choice}") for choice in item.choices}
    detail: dict[str, Any] = {"mass": result.mass}
    lengths = {choice: len(result.tokens.get(f" {choice}", ())) for choice in item.choices}
    if not result.bounds and all(lengths.values()):
        means = {choice: logs[choice][0] / lengths[choice] for choice in item.choices}
        detail["S_token"] = share(item.answer, means)
        detail["value_token"] = value_of(item.answer, means)
    return decide(item, logs, detail)


@dataclass(frozen=True, slots=True)
class Way:
    """A way of scoring: how an item is posed, which verb of a model it needs, how the results are judged."""

    verb: Literal["ask", "weigh"]
    pose: Callable[..., tuple[Posed, ...]]
    judge: Callable[[Item, Sequence[Posed], Sequence[Any]], Score]
    more: Callable[[Item, Sequence[Posed], Sequence[Any], int], tuple[Posed, ...]] | None = None
    """What else is to be asked, seeing what came back and the most draws that are wanted; nothing, and it is done."""


SCORES: dict[str, Way] = {
    "letters": Way("weigh", pose_letters, score_letters),
    "cloze": Way("weigh", pose_cloze, score_cloze),
    "answer": Way("weigh", pose_answer, score_cloze),
    "cloze-prior": Way("weigh", partial(pose_prior, pose_cloze), score_prior),
    "answer-prior": Way("weigh", partial(pose_prior, pose_answer), score_prior),
    "text": Way("ask", pose_text, score_text),
    "open": Way("ask", pose_open, score_text),
    JUDGED: Way("ask", pose_open, no_judge),
    "sampled": Way("ask", pose_sampled, score_sampled, more_draws),
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


def _letter_bias(letters: Sequence[str], results: Sequence[Weighing]) -> float | None:
    """How much more the first letter gets than the others, in log-probability over all orders."""
    first, *others = (fmean([result.logprobs[letter] for result in results]) for letter in letters)
    bias = first - fmean(others)
    return bias if isfinite(bias) else None
