"""Suites as tasks of Inspect: an item is a sample, and every order of its options is an epoch.

In each epoch a sample is put in another order, as our own run puts it. Its scores are those of that order alone; the
reducer `orders` then scores all orders together, so that what Inspect averages is what our run would give. Standard
errors are clustered by story; `low` and `high` are the ends of our own interval, which is wide where stories are few.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan, nan
from typing import Any

from inspect_ai import Epochs, Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    ScoreReducer,
    Target,
    accuracy,
    frequency,
    mean,
    metric,
    score_reducer,
    scorer,
    stderr,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

from otherminds import stats
from otherminds.bridges.inspect.model import OURS, TOP, read_output
from otherminds.errors import UsageError
from otherminds.formats.plans import groups
from otherminds.formats.prompts import Posed
from otherminds.formats.scores import VERDICTS, scoring
from otherminds.formats.scores import Score as Judged
from otherminds.items import Item, Suite
from otherminds.models import Prompt
from otherminds.results.exports import REASONS, answered, told_question
from otherminds.store.packing import pack, unpack
from otherminds.store.store import Call

KINDS = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
CLUSTER = "cluster"


def task_of(suite: Suite, *, seed: int = 0) -> Task:
    """A suite as a task, asked and scored in its own way."""
    how, items = scoring(suite.score), answered(suite)
    if how.verb == "weigh" and not all(item.choices for item in items):
        raise UsageError(f"suite {suite.name!r} has items without choices; give -T score=text")
    orders = max(len(how.pose(item, prompt=suite.prompt, seed=seed)) for item in items)
    told = {"prompt": suite.prompt, "score": suite.score, "seed": seed}
    samples = [
        Sample(
            id=item.id,
            input=told_question(item),
            target=item.answer,
            choices=list(item.choices) or None,
            metadata={**item.tags, CLUSTER: group, OURS: {**told, "item": item.to_dict()}},
        )
        for item, group in zip(items, groups(items), strict=True)
    ]
    return Task(
        dataset=MemoryDataset(samples, name=suite.name),
        solver=in_order(),
        scorer=[right(), *([response_score()] if how.verb == "weigh" else []), *([verdict()] if orders == 1 else [])],
        epochs=Epochs(orders, orders_together()) if orders > 1 else 1,
        metadata={OURS: {**told, "suite": suite.name, "digest": suite.digest, "items": len(suite)}},
    )


def _asked(metadata: dict[str, Any], epoch: int) -> tuple[Item, Posed, int, int, str]:
    """The item of a sample, how this epoch puts it, which of how many orders that is, and the way of scoring."""
    told = metadata[OURS]
    item = Item.from_dict(told["item"])
    posed = scoring(told["score"]).pose(item, prompt=told["prompt"], seed=told["seed"])
    return item, posed[(epoch - 1) % len(posed)], epoch - 1, len(posed), told["score"]


@solver
def in_order() -> Solver:
    """Put the item in the order of this epoch; an item with fewer orders is not asked again."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        _, asked, number, orders, score = _asked(state.metadata, state.epoch)
        prompt = asked.prompt
        state.messages = messages(prompt)
        if number >= orders:
            return state
        if scoring(score).verb == "weigh":
            return await generate(state, logprobs=True, top_logprobs=TOP, max_tokens=1)
        stops = {"stop_seqs": list(prompt.stop)} if prompt.stop else {}
        return await generate(state, max_tokens=prompt.max_tokens, **stops)

    return solve


def messages(prompt: Prompt) -> list[Any]:
    """A prompt as messages; a provider of ours finds it whole in the metadata of the last."""
    turns = [(turn.role, turn.content) for turn in prompt.messages] or [("user", prompt.text)]
    sent = [KINDS[role](content=content) for role, content in turns]
    sent[-1].metadata = {OURS: prompt.to_dict()}
    return sent


def _judged(state: TaskState, of: str) -> Score:
    item, asked, number, orders, name = _asked(state.metadata, state.epoch)
    if number >= orders:
        return Score(value=nan, reason="scoring_failed", metadata={"of": of, "orders": orders, "repeated": True})
    weighed = scoring(name).verb == "weigh"
    result = read_output(state.output, asked.prompt, weighed=weighed)
    judged = scoring(name).judge(item, [asked], [result])
    kept = {
        "of": of,
        "orders": orders,
        "score": name,
        "item": {"id": item.id, "question": item.question, "answer": item.answer, "choices": list(item.choices)},
        "shown": list(asked.choices),
        "labels": list(asked.prompt.choices),
        "result": pack(result),
        "error": result.error,
    }
    return _as_score(judged, of, kept)


def _as_score(judged: Judged, of: str, kept: dict[str, Any]) -> Score:
    worth = {"right": judged.value, "S": judged.detail.get("S")}
    value = judged.verdict if of == "verdict" else worth[of]
    scored = of == "verdict" or judged.verdict in ("correct", "incorrect")
    return Score(
        value=nan if value is None else value,
        answer=judged.answer,
        explanation=judged.why,
        reason=None if scored or value is not None else REASONS.get(judged.verdict, judged.verdict),
        metadata={**kept, "verdict": judged.verdict, "detail": dict(judged.detail)},
    )


@metric
def low() -> Metric:
    """The low end of the mean's 95 % interval, drawn by story."""

    def end(scores: list[SampleScore]) -> float:  # Inspect goes by these types
        return _interval(scores).low

    return end


@metric
def high() -> Metric:
    """The high end of the mean's 95 % interval, drawn by story."""

    def end(scores: list[SampleScore]) -> float:  # Inspect goes by these types
        return _interval(scores).high

    return end


def _interval(scores: Sequence[SampleScore]) -> stats.Estimate:
    scored = [one for one in scores if not isnan(one.score.as_float())]
    if not scored:
        return stats.Estimate(nan, nan, nan, 0, 0, "nothing was measured")
    return stats.mean(
        [one.score.as_float() for one in scored], groups=[(one.sample_metadata or {})[CLUSTER] for one in scored]
    )


def _scorer(of: str) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return _judged(state, of)

    return score


@scorer(metrics=[accuracy(), stderr(cluster=CLUSTER), low(), high()])
def right() -> Scorer:
    """1 or 0; unscored where nothing was measured."""

    return _scorer("right")


@scorer(metrics=[mean(), stderr(cluster=CLUSTER), low(), high()], name="S")
def response_score() -> Scorer:
    """The probability of the right choice among all choices."""

    return _scorer("S")


@scorer(metrics=[frequency(categories=list(VERDICTS), normalize=False)])
def verdict() -> Scorer:
    """How the answer ended: wrong is told from tied, unparsed, refused, truncated and failed."""

    return _scorer("verdict")


@score_reducer(name="orders")
def orders_together() -> ScoreReducer:
    """The score of all orders of an item together."""

    def reduce(scores: list[Score]) -> Score:
        once = [score for score in scores if score.metadata and not score.metadata.get("repeated")]
        if not once:
            return scores[0]
        kept = once[0].metadata or {}
        if len(once) < kept["orders"]:
            lacking = Judged("error", why=f"{kept['orders'] - len(once)} of {kept['orders']} orders failed")
            return _as_score(lacking, kept["of"], kept)
        return _as_score(_together(kept, once), kept["of"], kept)

    return reduce


def _together(kept: dict[str, Any], scores: Sequence[Score]) -> Judged:
    posed, results = [], []
    for score in scores:
        told = score.metadata or {}
        if told["error"]:
            return Judged("error", why=told["error"])
        posed.append(Posed(Prompt(choices=tuple(told["labels"]), labels=True), tuple(told["shown"])))
        results.append(unpack(Call("", "", "weigh", {}, "", told["result"], 0.0)))
    judge = scoring(kept["score"]).judge
    return judge(Item.from_dict(kept["item"]), posed, results)
