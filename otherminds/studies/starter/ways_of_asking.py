"""The starter suite by letters, as a cloze and in words: how far the way of asking decides, before anything else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from otherminds.errors import ModelError, Unable
from otherminds.formats.forms import Form
from otherminds.heuristics.readers import baselines
from otherminds.items import Suite
from otherminds.results.answers import Answers
from otherminds.results.itembrowser import Links
from otherminds.results.measures import chance
from otherminds.results.summary import summarise
from otherminds.runs.runs import Run
from otherminds.studies.declared import GapOf, ScoreOf, findings
from otherminds.studies.starter.build import starter
from otherminds.studies.study import Chapter, Desk, Finding, Subject, ask_each, unfinished

ASKS = "Does it tell false beliefs from true ones, whatever the way of asking?"
BELIEFS = {"Accuracy on false-belief questions": True, "Accuracy on true-belief questions": False}
WAYS = {
    "letters": (Form("letters", "raw"), Form("letters", "direct"), Form("sampled", "direct")),
    "cloze": (Form("cloze", "raw"),),
    "text": (Form("text", "direct"), Form("text", "raw")),
}
"""Each way of asking in the best form that a model is able to answer in."""
NAMES = {"sampled": "draws"}
LETTERS_LESS_CLOZE = GapOf("Right by letters less as a cloze", {"score": "letters"}, {"score": "cloze"}, paired=True)


def look(subjects: Sequence[Subject], desk: Desk) -> Chapter | None:
    """The chapter on the starter suite; None if the budget was spent before anything was answered."""
    cut: list[str] = []
    left_out: list[str] = []
    suite = desk.once("starter", starter)
    asked = ask_each(subjects, lambda subject: _ask(subject, suite, desk, cut, left_out))
    runs = [each for some in asked.done.values() for each in some if each.records]
    if not runs:
        return None
    table = Answers.of(runs)
    return Chapter(
        summarise(runs, links=Links("starter", table)),
        list(_findings(table)),
        runs,
        by="false_belief",
        cut=[*cut, *asked.cut, *unfinished(each for some in asked.done.values() for each in some)],
        left_out=[*left_out, *asked.left_out],
        answers=table,
    )


def _ask(subject: Subject, suite: Suite, desk: Desk, cut: list[str], left_out: list[str]) -> list[Run]:
    """A run for every way that works; why others do not is added to the lists."""
    runs: list[Run] = []
    error: ModelError = Unable(f"{subject.name} can neither weigh raw prompts nor chat, so there is nothing to ask it")
    for way, forms in WAYS.items():
        if way == "text" and desk.size == "quick" and not subject.rule and any(run.score == "cloze" for run in runs):
            continue  # to write costs most, and whoever can be weighed shows more by that
        form = next((form for form in forms if not form.needs & subject.cannot), None)
        if form is None:
            missing = forms[0].needs & subject.cannot
            left_out.append(f"{subject.name} by {way}: it has no {' and no '.join(sorted(missing))}")
            continue
        try:
            runs.append(desk.put(suite.using(score=form.score, prompt=form.prompt), subject, f"starter · {form}"))
        except ModelError as found:
            error = found
            cut.append(f"{subject.name} by {way}: {found}")
    if not runs:
        raise error
    return runs


def _findings(table: Answers) -> Iterator[Finding]:
    guess = chance(table)
    suite = Suite("starter", tuple(table.items))
    rules = {
        model.name.replace("_", " "): Answers.by_rule(model.name, table.items, model.values(table.items))
        for model in baselines(suite)
        if model.name in ("realist", "last_mention")
    }
    for model, answers in table.by("model").items():
        ways = answers.by("score")
        # A cloze needs no following of instructions; words are on the first screen only if nothing else was asked.
        first = "cloze" if "cloze" in ways else "text"
        for way, some in ways.items():
            told = [
                ScoreOf(f"{label} by {NAMES.get(way, way)}", {"false_belief": kind}, chance=guess, first=way == first)
                for label, kind in BELIEFS.items()
            ]
            yield from findings(told, model, some, table, rules)
    for model, answers in table.by("model").items():
        yield from findings([LETTERS_LESS_CLOZE], model, answers, table)
