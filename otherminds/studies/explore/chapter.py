"""Chapter: a search against each model, and what it answers about the stories that were found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from otherminds.formats.question_formats import CLOZE, LETTERS, TEXT, with_endings
from otherminds.items import Suite
from otherminds.minds.telling import listing
from otherminds.models.scripted import Scripted
from otherminds.pages.report import Cell, Linked, Report, Table
from otherminds.results.answers import Answers, Wanted
from otherminds.results.itembrowser import leads_to, link
from otherminds.results.labels import count
from otherminds.runs.runs import Recorded, Run
from otherminds.stories.contexts import bank
from otherminds.stories.sets import choose, grid
from otherminds.studies.explore.build import suite
from otherminds.studies.explore.measure import SPLITS, Measures, measure
from otherminds.studies.explore.page import FOUND_BY, report
from otherminds.studies.explore.search.examine import Examiner
from otherminds.studies.explore.search.hunt import DRAWS, Found
from otherminds.studies.explore.search.search import Ways
from otherminds.studies.explore.search.versus import Outcome, versus
from otherminds.studies.explore.sittings import Answer, Sitting, by_story
from otherminds.studies.study import (
    Chapter,
    Desk,
    Finding,
    Size,
    Subject,
    ask_each,
    unfinished,
    without_value,
)


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


@dataclass(frozen=True, slots=True)
class Hunted:
    """What came of a search against one model, and its answers about the stories found, its own and others'."""

    outcomes: Sequence[Outcome]
    runs: Sequence[Run] = ()
    suite: Suite | None = None
    """All questions about the stories found."""

    @property
    def found(self) -> list[Found]:
        """Stories by either method."""
        return [each for outcome in self.outcomes for each in outcome.found]


def look(subjects: Sequence[Subject], desk: Desk) -> Chapter | None:
    """Searches against every subject, and the report of them; None if a budget was spent before there was anything.

    Models also answer about each other's stories, on which alone they can be compared.
    """
    asked = ask_each(subjects, lambda subject: _hunt(subject, desk))
    hunts = dict(asked.done)
    stopped = [f"{name}: {each.stopped}" for name, hunt in hunts.items() for each in hunt.outcomes if each.stopped]
    failed = [f"{name}, its search: {said}" for name, hunt in hunts.items() if (said := _failed(hunt.outcomes))]
    known = {subject.name: subject for subject in subjects}
    found = {name: hunt.found for name, hunt in hunts.items() if hunt.found}
    every = [each for name in found for each in hunts[name].runs]
    every += [each for name in found for each in _others(known[name], hunts, desk)]
    runs = [each for each in every if each.values()]
    spotless = [_spotless(name, hunt.outcomes) for name, hunt in hunts.items() if not hunt.found]
    cut = [*asked.cut, *stopped, *failed, *unfinished(every)]
    if not runs:
        if stopped:
            return None
        without_value(every)
        title = f"Stories that {' and '.join(hunts)} get wrong"
        return Chapter(Report(title, " ".join(spotless), []), (), (), cut=cut, left_out=asked.left_out)
    of_one = found if len(found) > 1 else next(iter(found.values()))
    numbers = measure(of_one, runs, random_stories=EFFORTS[desk.size].random, seed=desk.seed)
    page = report(of_one, numbers, runs)
    weak = [hunt.outcomes[0].says_of(name) for name, hunt in hunts.items() if hunt.found]
    page = replace(page, lead=" ".join([page.lead, *weak, *spotless]))
    table = Answers.of(runs)
    return Chapter(
        page,
        list(_findings(numbers, table, [name for name, hunt in hunts.items() if not hunt.found])),
        runs,
        front=[_hardest(numbers, table)],
        cut=cut,
        left_out=asked.left_out,
        answers=table,
    )


def _hunt(subject: Subject, desk: Desk) -> Hunted:
    form = subject.asked_in(WAYS)
    effort = EFFORTS[desk.size]
    # A baseline is made for every batch of questions, and needs no memory.
    model = Recorded(subject.model, desk.store, budget=desk.budget) if subject.model else subject.make
    examiner = Examiner(model, prompt=form.prompt, score=form.score, seed=desk.seed)
    cells = grid(choose(effort.sets), people=effort.numbers, moves=effort.numbers)
    with desk.progress(f"explore · stories asked about, at most · {subject.name}") as bar:
        outcomes = versus(
            cells,
            bank(),
            examiner,
            stories=effort.stories,
            ways=Ways(budget=effort.budget),
            seed=desk.seed,
            progress=lambda method, asked, most: bar(asked + most * (method in DRAWS), 2 * most),
        )
    hunted = Hunted(outcomes)
    if not hunted.found:
        return hunted
    whole = suite(hunted.found)
    suites = (whole, _in_other_words(outcomes[0].found or outcomes[-1].found, desk.seed))
    asked = (with_endings(form.on(each)) for each in suites)
    runs = [desk.put(each, subject, f"explore · {each.name}") for each in asked]
    return replace(hunted, runs=runs, suite=whole)


def _others(subject: Subject, hunts: Mapping[str, Hunted], desk: Desk) -> Iterator[Run]:
    """What a subject answers about the stories that others fail."""
    form = subject.asked_in(WAYS)
    for name, hunt in hunts.items():
        if hunt.suite and name != subject.name:
            asked = with_endings(form.on(replace(hunt.suite, name=f"stories of {name}")))
            yield desk.put(asked, subject, f"explore · {asked.name}")


def _failed(outcomes: Sequence[Outcome]) -> str:
    """How many questions of a search got no answer; what was never asked is no failure."""
    verdicts = [outcome.verdicts for outcome in outcomes if not outcome.stopped]
    errors = sum(each.get("error", 0) for each in verdicts)
    return f"{errors} of {sum(sum(each.values()) for each in verdicts)} questions got no answer" if errors else ""


def _spotless(name: str, outcomes: Sequence[Outcome]) -> str:
    asked = sum(outcome.asked for outcome in outcomes)
    return (
        f"{name} was asked about {asked} stories, by a search and by over-generation, and no complete one was found"
        " that it gets wrong. A larger budget or other sets of events may find some: see `otherminds explore`."
    )


def _in_other_words(found: Sequence[Found], seed: int) -> Suite:
    """Only the questions that the search went by, for these are what the two tellings are compared on."""
    orders = {each.order for each in found}
    told = suite(found, order=max(orders), paraphrase=seed, name="reworded stories")
    return told.where(lambda item: item.tags["order"] in orders)


def example() -> list[Found]:
    """A few stories that somebody who always says the first choice gets wrong, found without a real model."""
    stubborn = Scripted(lambda _: "A", name="stubborn")
    cells = grid(choose("tomi,fantom-public+asymmetric"), people=(2,), moves=(2,))
    outcomes = versus(cells, bank(), Examiner(stubborn), stories=2, ways=Ways(budget=4, endings=10))
    return [each for outcome in outcomes for each in outcome.found]


# ---- what to take away --------------------------------------------------------------------------------------------


def _findings(found: Measures, table: Answers, spotless: Sequence[str]) -> Iterator[Finding]:
    simpler = dict(found.beside)
    rules = [(name, simpler[name][0]) for name in ("realist", "first-order reader") if name in simpler]
    words = ", ".join(f"{name} {one.value:.2f}" for name, one in rules if one)
    words += f"; of {listing(spotless)} none found that it gets wrong" if spotless else ""
    what_is_so = list(SPLITS).index("what is so")
    for sitting, right in zip(found.sittings, found.overall, strict=True):
        searched = sitting.of(found.method)
        if right:
            what = "Right about its hardest stories"
            # Chosen because they are failed: to lie below chance is no finding, so chance is only named beside.
            guess = "" if found.guess is None else f"guessing {found.guess:.2f}, "
            beside = f"n counts stories; {guess}{words}"
            said = (
                f"Of the questions about a story that {FOUND_BY[found.method]} found for it, it gets {right.value:.2f}"
                f" right on average, over {count(right.n, 'story', 'stories')}."
            )
            to = _to(sitting, searched, table)
            yield Finding(what, sitting.label, right, None, beside, to, first=True, sentence=said)
        if so := simpler[sitting.label][what_is_so]:
            ours = [each for each in sitting.answers if each.found.method == found.method]
            facts = [each for each in ours if SPLITS["what is so"](each)]
            what, beside = "Right about what is so in them", "n counts stories"
            yield Finding(what, sitting.label, so, None, beside, _to(sitting, facts, table))
        # Both of these weigh settings or stories of two sides, which no list of answers would tell apart.
        for label, contests in found.contests:
            if label == sitting.label:
                gap = contests[0].accuracy.difference
                yield Finding("Search less over-generation", sitting.label, gap, beside="n counts settings")
        for pair in found.told:
            if pair.label.startswith(f"{sitting.label}, "):
                what = "Canonical words less other words"
                yield Finding(what, sitting.label, pair.difference, beside="n counts stories")


def _to(sitting: Sitting, answers: Sequence[Answer], table: Answers, **wanted: Wanted) -> dict[str, str]:
    """Exactly these answers, if they are about stories that were found once."""
    told = {each.found.story.text for each in answers}
    if len(told) < len({each.found for each in answers}):
        return {}  # one that was found twice counts twice, and its answers are there once
    ids = {each.item.id for each in answers}
    own = Answers(row for row in table if row.run and row.run.id == sitting.run.id)
    return leads_to(own.where(lambda row: row.item.id in ids, **wanted), table)


def _hardest(found: Measures, table: Answers) -> Table:
    """The stories that each model answers worst, to read at once."""
    rows: list[list[Cell]] = []
    for sitting in found.sittings:
        answers = sitting.of(found.method)
        values = by_story(answers)
        for story in sorted(values, key=lambda one: (values[one], one.story.length))[:HARDEST]:
            mine = [each for each in answers if each.found == story]
            right = f"{sum(each.value for each in mine):g} of {len(mine)}"
            told = str(mine[0].item.tags["story"])
            to = _to(sitting, mine, table, story=told, order=story.order)
            rows.append([sitting.label, Linked(right, link("explore", to)) if to else right, story.story.text])
    note = "Found by a search for what the model gets wrong; questions about minds, of the order that it went by."
    return Table(["model", "right", "story"], rows, "The hardest stories found", note=note)
