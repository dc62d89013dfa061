"""Chapter: questions about the written set, and a conversation that each model plays with itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from otherminds.errors import ModelError
from otherminds.formats.question_formats import LETTERS, TEXT
from otherminds.items import Suite
from otherminds.pages.report import Block, Report
from otherminds.results.answers import Answers
from otherminds.results.itembrowser import Links
from otherminds.results.measures import chance
from otherminds.runs.runs import Run
from otherminds.studies.declared import GapOf, ScoreOf, findings
from otherminds.studies.dialogue.answered import LEXICAL, PUBLISHED, DialogueAnswers
from otherminds.studies.dialogue.conversations import live
from otherminds.studies.dialogue.page import show
from otherminds.studies.dialogue.questions.sample import (
    ALL,
    FALSE,
    FIRST,
    KINDS,
    SECOND,
    TRUE,
    drawn,
    example,
    part,
    suite,
)
from otherminds.studies.study import (
    Chapter,
    Desk,
    Finding,
    Subject,
    ask_each,
    chapter,
    unfinished,
    without_value,
)
from otherminds.talks import bank
from otherminds.talks.talk import Talk

__all__ = ["asked", "example", "look", "suite"]

GAPS = [
    GapOf(f"{one} less {other}".capitalize(), KINDS[one], KINDS[other])
    for one, other in ((SECOND, FIRST), (FALSE, TRUE))
]
PEOPLE = f"published, on another set: people {PUBLISHED['people']:.2f}"


def look(subjects: Sequence[Subject], desk: Desk) -> Chapter | None:
    """The chapter on some or all written conversations, and one played live; None if the budget came before that."""
    talks, questions = asked(desk)
    done = ask_each(subjects, lambda subject: [_ask(subject, questions, desk)])
    whole = {name: runs for name, runs in done.done.items() if runs[0].values()}
    if not whole:
        without_value(run for runs in done.done.values() for run in runs)
        return None
    cut: list[str] = []
    live = [block for subject in subjects if subject.name in whole for block in _played(subject, desk, cut)]

    def page(runs: Sequence[Run], table: Answers) -> Report:
        made = show(talks, runs, live=live, links=Links("dialogue", table))
        said = f" A first look, at {len(talks)} of {len(bank.authored())} written conversations, by seed {desk.seed}."
        return replace(made, lead=made.lead + said) if desk.size == "quick" else made

    told = chapter(replace(done, done=whole), page, _findings, "order")
    unread = unfinished(run for name, runs in done.done.items() if name not in whole for run in runs)
    return told and replace(told, cut=[*told.cut, *unread, *cut])


def asked(desk: Desk) -> tuple[Sequence[Talk], Suite]:
    """The conversations and the questions: two about some, two about each, or all."""
    return desk.once("dialogue", lambda: _asked(desk))


def _asked(desk: Desk) -> tuple[Sequence[Talk], Suite]:
    talks = drawn(desk.seed) if desk.size == "quick" else bank.authored()
    whole = suite(talks)
    return talks, whole if desk.size == "full" else part(whole, desk.seed)


def _ask(subject: Subject, questions: Suite, desk: Desk) -> Run:
    return desk.put(subject.asked_in((LETTERS, TEXT)).on(questions), subject, "dialogue · questions")


def _played(subject: Subject, desk: Desk, cut: list[str]) -> Sequence[Block]:
    """What the page tells of a conversation; one that fails takes nothing else with it, and is named in `cut`."""
    if subject.model is None:
        return [f"{subject.name} is a rule and knows only the questions, so that it could not play a conversation."]
    try:
        return live(subject.model, desk.store, desk.progress, seed=desk.seed, budget=desk.budget, cut=cut)
    except ModelError as error:
        cut.append(f"{subject.name}, a conversation: {error}")
        return [f"{subject.name} could not play a conversation: {error}"]


def _findings(table: Answers) -> Iterator[Finding]:
    found = DialogueAnswers.of(table.runs)
    rules = {"words in common": found.rules[LEXICAL]}
    for label, answers in found.models.items():
        scores = [
            ScoreOf(
                "Unsaid thoughts" if kind == ALL else f"Unsaid thoughts, {kind}",
                KINDS[kind],
                chance=chance(found.everybody.where(None, **KINDS[kind])),
                beside=PEOPLE if kind == ALL else "",
                first=kind in (ALL, SECOND, FALSE),
            )
            for kind in (ALL, FIRST, SECOND, FALSE, TRUE)
        ]
        yield from findings([*scores, *GAPS], label, answers, table, rules)
