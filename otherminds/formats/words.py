"""Scores of words that a model writes.

open      the model is not shown any choices, though they are what its words are read as
judged    the same, read by another model
text      the choices are shown; the words are read as `written_answers` says
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from otherminds.errors import UsageError
from otherminds.formats.prompts import LABELS, Posed, posed_as, shuffled, wording
from otherminds.formats.verdicts import Score, Scoring, any_item, unanswered, with_choices
from otherminds.formats.written_answers import read_choice, read_text, refuses
from otherminds.items import Item
from otherminds.models import Response

JUDGED = "judged"
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


SCORES = {
    "open": Scoring("ask", pose_open, score_text, prompts=("direct", "raw", "shots"), fits=_short, shows=False),
    JUDGED: Scoring("ask", pose_open, no_judge, fits=any_item, shows=False, tried=False),
    "text": Scoring("ask", pose_text, score_text, fits=any_item),
}
