"""The scores: from what a model gave back to how good that is.

    letters   the log-probability of each letter, over all rotations of the choices
    cloze     the log-probability of each choice as the end of a sentence
    answer    the log-probability of each choice as the answer, after the question and "Answer:"
    …-prior   cloze and answer with the prior of the words taken out
    sampled   words, drawn several times in every order of the choices: for models that tell no probabilities
    open      words of a model that is not shown any choices
    judged    the same, read by another model
    text      words, read as `written_answers` says
    json      JSON, read as `json_answers` says; a schema enforces its form where the model can be held to one
    json-free the same without a schema, so that models of both sorts can be compared

A new score is a file beside this one with a dict `SCORES` of its own, and the name of that file in `FILES`.
"""

from __future__ import annotations

from importlib import import_module

from otherminds.errors import UsageError
from otherminds.formats.verdicts import VERDICTS, Score, Scoring, Verdict
from otherminds.plugins import added, load

__all__ = ["FAMILIES", "FILES", "SCORES", "VERDICTS", "Score", "Scoring", "Verdict", "scoring"]

FILES = ("letters", "continuations", "words", "json_answers")
"""From exact probabilities over draws to words: of two formats that do equally well the first is taken."""
FAMILIES: list[dict[str, Scoring]] = [import_module(f"otherminds.formats.{file}").SCORES for file in FILES]
SCORES = {name: found for family in FAMILIES for name, found in family.items()}


def scoring(name: str) -> Scoring:
    """The score of that name."""
    if name in SCORES:
        return SCORES[name]
    if name not in added("scores"):
        raise UsageError(f"there is no score {name!r}; there are {', '.join([*SCORES, *added('scores')])}")
    found: Scoring = load("scores", name)
    return found
