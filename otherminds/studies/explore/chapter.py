"""Chapter: a search against each model, and what it answers about the stories that were found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from otherminds.formats.question_formats import CLOZE, LETTERS, TEXT, with_endings
from otherminds.items import Suite
from otherminds.minds.telling import listing
from otherminds.models.scripted import Scripted
from otherminds.pages.report import Cell, Linked, Report, Table
from otherminds.results.answers import Answers, Wanted
from otherminds.results.itembrowser import leads_to, link
from otherminds.results.labels import count
from otherminds.runs.runs import Recorded, Run
from otherminds.search.examine import Examiner
from otherminds.search.hunt import DRAWS, Found
from otherminds.search.search import Ways
from otherminds.search.versus import Outcome, stories_of, unanswered, versus
from otherminds.stories.contexts import bank
from otherminds.stories.need import random_shares
from otherminds.stories.sets import choose, grid
from otherminds.studies.explore.material.build import reworded, suite
from otherminds.studies.explore.material.measure import StoryAnswers, by_story, contests, found_of, measure, story_mean
from otherminds.studies.explore.page import FOUND_BY, LEAD, TEXTS, WHAT_IS_SO, report
from otherminds.studies.study import Chapter, Desk, Finding, Size, Subject, ask_each, unfinished, without_value


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is searched: stories wanted, the budget of each, sets of events, numbers of people and of moves."""

    stories: int
    budget: int
    sets: str
    numbers: tuple[int, ...]
    random: int
    """Random stories of each setting, to tell how many need theory of mind at all."""


FEW = "tomi,tomi+info-exchange,fantom-private+asymmetric,tomi+asymmetric"
EFFORTS: dict[Size, Effort] = {
    "quick": Effort(3, 3, FEW, (2, 3), 100),
    "standard": Effort(36, 20, "published", (2, 3), 200),
    "full": Effort(72, 50, "published", (2, 3, 4), 1000),
}
WAYS = (CLOZE, LETTERS, TEXT)
HARDEST = 3
"""Stories of each model on the first page."""


def look(subjects: Sequence[Subject], desk: Desk) -> Chapter | None:
    """Searches against every subject, and the report of them; None if a budget was spent before there was anything.

    Models also answer about each other's stories, on which alone they can be compared.
    """
    done = ask_each(subjects, lambda subject: _hunt(subject, desk))
    hunts = {name: outcomes for name, (outcomes, *_) in done.done.items()}
    stopped = [f"{name}: {each.stopped}" for name, hunt in hunts.items() for each in hunt if each.stopped]
    failed = [f"{name}, its search: {said}" for name, hunt in hunts.items() if (said := unanswered(hunt))]
    suites = {name: whole for name, (*_, whole) in done.done.items() if whole}
    every = [run for name in suites for run in done.done[name][1]]
    for subject in (each for each in subjects if each.name in suites):
        others = [replace(whole, name=f"stories of {name}") for name, whole in suites.items() if name != subject.name]
        every += [_put(whole, subject, desk) for whole in others]
    runs = [each for each in every if each.values()]
    clean = {name: sum(each.asked for each in hunt) for name, hunt in hunts.items() if name not in suites}
    spotless = [LEAD["spotless"].format(model=name, asked=asked) for name, asked in clean.items()]
    cut = [*done.cut, *stopped, *failed, *unfinished(every)]
    if not runs:
        if stopped:
            return None
        without_value(every)
        title = f"Stories that {' and '.join(hunts)} get wrong"
        return Chapter(Report(title, " ".join(spotless), []), (), (), cut=cut, left_out=done.left_out)
    found = {name: stories_of(hunts[name]) for name in suites}
    of_one = found if len(found) > 1 else next(iter(found.values()))
    told, answers = measure(of_one, runs), Answers.of(runs)
    page = report(of_one, runs, told, random_shares(EFFORTS[desk.size].random, desk.seed), seed=desk.seed)
    weak = [hunts[name][0].says_of(name) for name in suites]
    page = replace(page, lead=" ".join([page.lead, *weak, *spotless]))
    findings, front = list(_findings(told, answers, list(clean))), [_hardest(told, answers)]
    return Chapter(page, findings, runs, front=front, cut=cut, left_out=done.left_out, answers=answers)


def _hunt(subject: Subject, desk: Desk) -> tuple[list[Outcome], list[Run], Suite | None]:
    """What a search found, what the subject answers about it, and all questions about it, if anything was found."""
    form = subject.asked_in(WAYS)
    effort = EFFORTS[desk.size]
    # A baseline is made for every batch of questions, and needs no memory.
    model = Recorded(subject.model, desk.store, budget=desk.budget) if subject.model else subject.make
    examiner = Examiner(model, prompt=form.prompt, score=form.score, seed=desk.seed)
    cells = grid(choose(effort.sets), people=effort.numbers, moves=effort.numbers)
    how: dict[str, Any] = {"stories": effort.stories, "ways": Ways(budget=effort.budget), "seed": desk.seed}
    with desk.progress(f"explore · stories asked about, at most · {subject.name}") as bar:
        how["progress"] = lambda method, asked, most: bar(asked + most * (method in DRAWS), 2 * most)
        outcomes = versus(cells, bank(), examiner, **how)
    if not (found := stories_of(outcomes)):
        return outcomes, [], None
    whole = suite(found)
    again = reworded(outcomes[0].found or outcomes[-1].found, desk.seed)
    return outcomes, [_put(each, subject, desk) for each in (whole, again)], whole


def _put(suite: Suite, subject: Subject, desk: Desk) -> Run:
    asked = with_endings(subject.asked_in(WAYS).on(suite))
    return desk.put(asked, subject, f"explore · {asked.name}")


def example() -> list[Found]:
    """A few stories that somebody who always says the first choice gets wrong, found without a real model."""
    stubborn = Scripted(lambda _: "A", name="stubborn")
    cells = grid(choose("tomi,fantom-public+asymmetric"), people=(2,), moves=(2,))
    return stories_of(versus(cells, bank(), Examiner(stubborn), stories=2, ways=Ways(budget=4, endings=10)))


# ---- what to take away --------------------------------------------------------------------------------------------


def _findings(told: StoryAnswers, answers: Answers, spotless: Sequence[str]) -> Iterator[Finding]:
    rules = {name: told.baseline(name) for name in ("realist", "first-order reader")}
    words = ", ".join(f"{name} {one.value:.2f}" for name, one in rules.items() if one)
    words += f"; of {listing(spotless)} none found that it gets wrong" if spotless else ""
    for label, own in told.own.by("model").items():
        searched, facts = told.chosen.where(model=label), WHAT_IS_SO.of(own.where(method=told.method))
        if right := story_mean(searched):
            # Chosen because they are failed: to lie below chance is no finding, so chance is only named beside.
            beside = f"n counts stories; {'' if told.chance is None else f'guessing {told.chance:.2f}, '}{words}"
            how = {"found_by": FOUND_BY[told.method], "stories": count(right.n, "story", "stories")}
            said = LEAD["finding"].format(right=right.value, **how)
            what, to = "Right about its hardest stories", _to(searched, answers)
            yield Finding(what, label, right, None, beside, to, first=True, sentence=said)
        if so := story_mean(facts):
            yield Finding("Right about what is so in them", label, so, None, "n counts stories", _to(facts, answers))
        # Both of these weigh settings or stories of two sides, which no list of answers would tell apart.
        for _, _, gap in list(contests(own).values())[:1]:
            yield Finding("Search less over-generation", label, gap, beside="n counts settings")
        for name, (_, _, gap) in told.retold.items():
            if name.startswith(f"{label}, "):
                yield Finding("Canonical words less other words", label, gap, beside="n counts stories")


def _to(some: Answers, answers: Answers, **wanted: Wanted) -> dict[str, str]:
    """The link to exactly these answers among all, if they are about stories that were found once."""
    told = {found_of(row).story.text for row in some}
    if len(told) < len({found_of(row) for row in some}):
        return {}  # one that was found twice counts twice, and its answers are there once
    runs, ids = {run.id for run in some.runs}, set(some.item_ids)
    own = answers.where(lambda row: row.run is not None and row.run.id in runs and row.item.id in ids, **wanted)
    return leads_to(own, answers)


def _hardest(told: StoryAnswers, answers: Answers) -> Table:
    """The stories that each model answers worst, to read at once."""
    rows: list[list[Cell]] = []
    for label, some in told.chosen.by("model").items():
        values = by_story(some)
        for story in sorted(values, key=lambda one: (values[one], one.story.length))[:HARDEST]:
            about = some.where(lambda row, story=story: found_of(row) == story)  # type: ignore[misc]
            right = f"{sum(about.numbers()):g} of {len(about)}"
            to = _to(about, answers, story=about[0].tag("story"), order=story.order)
            rows.append([label, Linked(right, link("explore", to)) if to else right, story.story.text])
    return Table(["model", "right", "story"], rows, "The hardest stories found", TEXTS["hardest"])
