"""Chapter: questions about the written set, and a conversation that each model plays with itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from otherminds.asking.runs import Run
from otherminds.errors import ModelError
from otherminds.items import Suite
from otherminds.pages.report import Block, Section
from otherminds.results.itembrowser import exactly
from otherminds.studies.dialogue import bank
from otherminds.studies.dialogue.live import live
from otherminds.studies.dialogue.measure import (
    ALL,
    FALSE,
    FIRST,
    KINDS,
    LEXICAL,
    PUBLISHED,
    SECOND,
    TRUE,
    Measures,
    Sitting,
    measure,
)
from otherminds.studies.dialogue.page import report
from otherminds.studies.dialogue.sample import drawn, example, part, suite
from otherminds.studies.dialogue.talks import Talk
from otherminds.studies.study import LETTERS, TEXT, Chapter, Desk, Finding, Subject, ask_each, unfinished, without_value

__all__ = ["asked", "example", "look", "suite"]

PLACES: dict[str, dict[str, str]] = {
    FIRST: {"order": "1"},
    SECOND: {"order": "2"},
    FALSE: {"false_belief": "true"},
    TRUE: {"order": "2", "false_belief": "false"},
}
"""Where the questions of a kind are to be found."""
PEOPLE = f"published, on another set: people {PUBLISHED['people']:.2f}"


def look(subjects: Sequence[Subject], desk: Desk) -> Chapter | None:
    """The chapter on some or all written conversations, and one played live; None if the budget came before that."""
    talks, questions = asked(desk)
    done = ask_each(subjects, lambda subject: _ask(subject, questions, desk))
    runs = [each for each in done.done.values() if each.values()]
    if not runs:
        without_value(done.done.values())
        return None
    named = {each.model for each in runs}
    cut: list[str] = []
    played = [block for subject in subjects if subject.name in named for block in _played(subject, desk, cut)]
    found = measure(talks, runs)
    page = report(talks, found, live=Section("Played live", played) if played else None)
    if desk.size == "quick":
        said = f"A first look, at {len(talks)} of {len(bank.authored())} written conversations, by seed {desk.seed}."
        page = replace(page, lead=f"{page.lead} {said}")
    return Chapter(
        page,
        list(_findings(found, runs)),
        runs,
        by="order",
        cut=[*done.cut, *unfinished(done.done.values()), *cut],
        left_out=done.left_out,
    )


def asked(desk: Desk) -> tuple[Sequence[Talk], Suite]:
    """The conversations and the questions: two about some, two about each, or all."""
    talks = drawn(desk.seed) if desk.size == "quick" else bank.authored()
    whole = suite(talks)
    return talks, whole if desk.size == "full" else part(whole, desk.seed)


def _ask(subject: Subject, questions: Suite, desk: Desk) -> Run:
    score, prompt = subject.way((LETTERS, TEXT))
    return desk.put(questions.using(score=score, prompt=prompt), subject, "dialogue · questions")


def _played(subject: Subject, desk: Desk, cut: list[str]) -> Sequence[Block]:
    """What the page tells of a conversation; one that fails takes nothing else with it, and is named in `cut`."""
    if subject.model is None:
        return [f"{subject.name} is a rule and knows only the questions, so that it could not play a conversation."]
    try:
        return live(subject.model, desk.store, desk.progress, seed=desk.seed, budget=desk.budget, cut=cut)
    except ModelError as error:
        cut.append(f"{subject.name}, a conversation: {error}")
        return [f"{subject.name} could not play a conversation: {error}"]


def _findings(found: Measures, runs: Sequence[Run]) -> Iterator[Finding]:
    lexical = next(row for row in found.rules if row.label == LEXICAL)
    for sitting, row in zip(found.sittings, found.models, strict=True):
        to = partial(_to, sitting, runs)
        for kind in (ALL, *PLACES):
            right = row.get(kind)
            if right is None:
                continue
            rule = lexical.get(kind)
            rules = {"words in common": rule.value} if rule else {}
            beside, first = PEOPLE if kind == ALL else "", kind in (ALL, SECOND, FALSE)
            what = "Unsaid thoughts" if kind == ALL else f"Unsaid thoughts, {kind}"
            guess = found.chance[ALL, kind]
            yield Finding(what, row.label, right, guess, beside, to(kind), first=first, rules=rules)
        for one, other, gap in ((SECOND, FIRST, row.deeper), (FALSE, TRUE, row.misread)):
            if gap:
                yield Finding(f"{one} less {other}".capitalize(), row.label, gap, leads_to=to(one, other))


def _to(sitting: Sitting, runs: Sequence[Run], *kinds: str) -> dict[str, str]:
    """The answers to questions of these kinds."""
    of_kinds = [id for id, item in sitting.items.items() if any(KINDS[kind](item) for kind in kinds)]
    behind = [(run, id) for run in sitting.runs for id in run.values() if id in of_kinds]
    places = [PLACES.get(kind, {}) for kind in kinds]
    shared = [name for name in places[0] if all(name in each for each in places)]
    to = {name: "|".join(each[name] for each in places) for name in shared}
    return exactly({"model": sitting.runs[0].model, **to}, runs, behind)
