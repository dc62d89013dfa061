"""The verdict on words that a model wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from otherminds.errors import UsageError
from otherminds.formats.prompts import Posed
from otherminds.formats.verdicts import Score
from otherminds.formats.written_answers import read_choice, read_text, refuses
from otherminds.items import Item
from otherminds.models import Response

JUDGED = "judged"


def no_judge(item: Item, posed: Sequence[Posed], results: Sequence[Response]) -> Score:
    """Refuses: who judges has to be said."""
    raise UsageError("score 'judged' needs a judge; name a model with judge= or --judge, such as openai:gpt-4o-mini")


def score_text(item: Item, posed: Sequence[Posed], results: Sequence[Response]) -> Score:
    """The verdict on words."""
    (response,), (asked,) = results, posed
    score = _read(item, asked, response)
    # Thinking is allowed for and not scored; how long it took is told.
    return replace(score, detail={**score.detail, "thought": response.thought}) if response.thought else score


def _read(item: Item, asked: Posed, response: Response) -> Score:
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
