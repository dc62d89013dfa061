"""Scores of words that a model writes.

open      the model is not shown any choices, though they are what its words are read as
judged    the same, read by another model
text      the choices are shown; the words are read as `written_answers` says
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from string import ascii_uppercase as LETTERS
from typing import Any

from otherminds.errors import UsageError
from otherminds.formats.prompts import LABELS, Posed, posed_as, rotations, shuffled, wording
from otherminds.formats.verdicts import Score, Scoring, unanswered, with_choices
from otherminds.formats.written_answers import read_choice, read_text, refuses
from otherminds.items import Item
from otherminds.models import Response
from otherminds.stats import share_of_draws

JUDGED = "judged"
DRAWS = 4
"""The most draws in every order, unless somebody wants more."""
READ = ("correct", "incorrect")
LONGEST = 4
"""Words of a choice that somebody who is not shown it would still say."""


def pose_open(item: Item, *, prompt: str, seed: int) -> tuple[Posed, ...]:
    """One prompt that shows no choices, though they are what the words are read as."""
    return (posed_as(item, wording(prompt)(item, ()), item.choices),)


def pose_text(item: Item, *, prompt: str, seed: int, order: tuple[str, ...] | None = None) -> tuple[Posed, ...]:
    """One prompt that shows the choices, if there are any, in one seeded order unless another is given."""
    if prompt in LABELS:
        raise UsageError(f"prompt {prompt!r} has labels that are not read out of a text; use score 'letters' with it")
    choices = shuffled(item, seed=seed) if order is None else order
    return (posed_as(item, wording(prompt)(item, choices), choices),)


def no_judge(item: Item, posed: Sequence[Posed], results: Sequence[Response]) -> Score:
    """Refuses: who judges has to be said."""
    raise UsageError("score 'judged' needs a judge; name a model with judge= or --judge, such as openai:gpt-4o-mini")


def score_text(item: Item, posed: Sequence[Posed], results: Sequence[Response]) -> Score:
    """The verdict on words."""
    (response,), (asked,) = results, posed
    score = unanswered(response) or _read(item, asked, response)
    # Thinking is allowed for and not scored; how long it took is told.
    return replace(score, detail={**score.detail, "thought": response.thought}) if response.thought else score


def _read(item: Item, asked: Posed, response: Response) -> Score:
    reading = read_choice(response.text, asked.choices) if item.choices else read_text(response.text, item.answer)
    if not reading.clear and refuses(response.text):
        return Score("refused", why="the text declines to answer")
    if response.finish == "length" and not reading.clear:
        return Score("truncated", why="the text was cut off before a clear answer")
    if not reading.answer:
        return Score("unparsed", why=reading.why)
    return Score.of_answer(item, reading.answer, reading.why)


def _short(item: Item) -> Item | None:
    """The item, if somebody who is not shown its choices would still say them."""
    return with_choices(item) if all(len(choice.split()) <= LONGEST for choice in item.choices) else None


def pose_sampled(item: Item, *, prompt: str, seed: int) -> tuple[Posed, ...]:
    """One draw in every order of the choices."""
    if not item.choices:
        raise UsageError(f"item {item.id!r} has no choices, so it has no orders to draw in; use score 'text'")
    posed = [pose_text(item, prompt=prompt, seed=seed, order=order)[0] for order in rotations(item, seed=seed)]
    return tuple(_drawn(asked, 1) for asked in posed)


def more_draws(item: Item, posed: Sequence[Posed], results: Sequence[Response], most: int) -> tuple[Posed, ...]:
    """One more draw in every order where the draws so far disagree, and fewer were made than are wanted."""
    made = max(asked.prompt.draw for asked in posed)
    first = [asked for asked in posed if asked.prompt.draw == 1]
    said = {score.answer for score in _scores(item, posed, results) if score.verdict in READ}
    if made >= most or len(said) < 2 or any(result.error for result in results):
        return ()
    return tuple(_drawn(asked, made + 1) for asked in first)


def score_sampled(item: Item, posed: Sequence[Posed], results: Sequence[Response]) -> Score:
    """The choice that was drawn most, with the share of the right one among all draws."""
    scores = _scores(item, posed, results)
    if errors := [score for score in scores if score.verdict == "error"]:
        return errors[0]
    read = [(asked, score) for asked, score in zip(posed, scores, strict=True) if score.verdict in READ]
    if not read:
        ends = Counter(score.verdict for score in scores)
        most = ends.most_common(1)[0][0]
        return next(score for score in scores if score.verdict == most)
    counts = Counter(score.answer for _, score in read)
    right, n = counts[item.answer], len(read)
    firsts = [score.value for asked, score in read if asked.prompt.draw == 1]
    detail: dict[str, Any] = {
        "share": right / n,
        "S_interval": list(share_of_draws(right, n)),
        "draws": n,
        "lost": len(scores) - n,
        "mass": n / len(scores),
        "letters": dict(Counter(LETTERS[asked.choices.index(score.answer)] for asked, score in read)),
        "consistent": len(counts) == 1,
        **({"S": sum(value or 0.0 for value in firsts) / len(firsts)} if firsts else {}),
        **({"thought": thought} if (thought := sum(result.thought for result in results)) else {}),
    }
    (best, often), *others = counts.most_common()
    why = f"{right} of {n} draws are right"
    if others and others[0][1] == often and right == often:
        return Score("tied", why=why, detail=detail)
    return Score.of_answer(item, best, why, detail)


def _scores(item: Item, posed: Sequence[Posed], results: Sequence[Response]) -> list[Score]:
    return [score_text(item, [asked], [result]) for asked, result in zip(posed, results, strict=True)]


def _drawn(asked: Posed, number: int) -> Posed:
    return replace(asked, prompt=replace(asked.prompt, draw=number))


def letter_prior(scores: Iterable[Score]) -> str:
    """How often each letter was drawn, whatever stood there: every choice stood at every letter equally often."""
    counts: Counter[str] = Counter()
    for score in scores:
        counts.update(score.detail.get("letters", {}))
    return ", ".join(f"{letter} {counts[letter] / counts.total():.2f}" for letter in sorted(counts))


SCORES = {
    "sampled": Scoring("ask", pose_sampled, score_sampled, more_draws),
    "open": Scoring("ask", pose_open, score_text, prompts=("direct", "raw", "shots"), fits=_short, shows=False),
    JUDGED: Scoring("ask", pose_open, no_judge, fits=lambda item: item, shows=False, tried=False),
    "text": Scoring("ask", pose_text, score_text, fits=lambda item: item),
}
