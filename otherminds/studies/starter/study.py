"""Starter as a study: does it tell false beliefs from true ones, whatever the way of asking?

Its suite has two classic kinds of false belief, each story told twice. Unexpected transfer (a thing is moved while
someone is away) and unexpected contents (a label that misleads). In the twin the same person knows, and the answer
flips. Both choices are named equally often in every text, and neither is always last, so that no reading short of the
story itself does better than a coin.

It is asked by letters, as a cloze and in words: how far the way of asking decides, before anything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.resources import as_file, files

from otherminds.errors import ModelError, Unable
from otherminds.formats.question_formats import CLOZE, RESPONSE_SCORES, TEXT, TEXT_RAW
from otherminds.heuristics.readers import baselines
from otherminds.items import Item, Suite
from otherminds.items.controls import IS, WAS, control, in_pairs, verb, what_is_so
from otherminds.items.tags import FALSE_BELIEF, KIND, REALITY
from otherminds.results.answers import Answers
from otherminds.results.itembrowser import Links
from otherminds.results.measures import chance
from otherminds.results.summary import summarise
from otherminds.runs.runs import Run
from otherminds.studies.declared import GapOf, ScoreOf, findings
from otherminds.studies.study import Chapter, Desk, Finding, Study, Subject, ask_each, chapter

TRANSFER = "unexpected transfer"
BELIEFS = {"Accuracy on false-belief questions": True, "Accuracy on true-belief questions": False}
WAYS = {"letters": RESPONSE_SCORES, "cloze": (CLOZE,), "text": (TEXT, TEXT_RAW)}
"""Each way of asking in the best format that a model is able to answer in."""
NAMES = {"sampled": "draws"}
LETTERS_LESS_CLOZE = GapOf("Right by letters less as a cloze", {"score": "letters"}, {"score": "cloze"}, paired=True)


def starter() -> Suite:
    """48 items in 24 pairs of twins, written for this package."""
    with as_file(files("otherminds") / "data" / "starter.jsonl") as path:
        return Suite.load(path)


# ---- control questions ----------------------------------------------------------------------------------------------


def controls(suite: Suite) -> list[Item]:
    """What is so in every story; of a thing that was moved behind somebody's back, also where it was at first."""
    return in_pairs(each for item in suite for each in _of(item))


def _of(item: Item) -> Iterator[Item]:
    world = what_is_so(item.question)
    if world is None or REALITY not in item.meta:
        return
    asked, sentence = world
    yield control(item, IS, asked, str(item.meta[REALITY]), item.choices, sentence)
    if item.tags.get(KIND) == TRANSFER and item.tags.get(FALSE_BELIEF) is True:
        # Whoever is mistaken about a thing that was moved thinks that it is where it was.
        thing = sentence.removeprefix("The ").removesuffix(" in the").rpartition(" ")[0]
        was = "were" if verb(thing) == "are" else "was"
        asked, sentence = f"Where {was} the {thing} at first?", f"At first the {thing} {was} in the"
        yield control(item, WAS, asked, item.answer, item.choices, sentence)


# ---- the chapter ----------------------------------------------------------------------------------------------------


def look(subjects: Sequence[Subject], desk: Desk) -> Chapter | None:
    """The chapter on the starter suite; None if the budget was spent before anything was answered."""
    cut: list[str] = []
    left_out: list[str] = []
    suite = desk.once("starter", starter)
    asked = ask_each(subjects, lambda subject: _ask(subject, suite, desk, cut, left_out))
    asked = replace(asked, cut=(*cut, *asked.cut), left_out=(*left_out, *asked.left_out))
    return chapter(asked, lambda runs, table: summarise(runs, links=Links("starter", table)), _findings, "false_belief")


def _ask(subject: Subject, suite: Suite, desk: Desk, cut: list[str], left_out: list[str]) -> list[Run]:
    """A run for every way that works; why others do not is added to the lists."""
    runs: list[Run] = []
    error: ModelError = Unable(f"{subject.name} can neither weigh raw prompts nor chat, so there is nothing to ask it")
    for way, formats in WAYS.items():
        if way == "text" and desk.size == "quick" and not subject.rule and any(run.score == "cloze" for run in runs):
            continue  # to write costs most, and whoever can be weighed shows more by that
        form = next((form for form in formats if form.suits(subject.cannot)), None)
        if form is None:
            missing = formats[0].needs & subject.cannot
            left_out.append(f"{subject.name} by {way}: it has no {' and no '.join(sorted(missing))}")
            continue
        try:
            runs.append(desk.put(form.on(suite), subject, f"starter · {form}"))
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


STUDY = Study(
    name="starter",
    asks="Does it tell false beliefs from true ones, whatever the way of asking?",
    example=starter,
    look=look,
    suite=starter,
    page=summarise,
    questions=lambda desk: desk.once("starter", starter),
    controls=controls,
)
