"""Chapter: all nine tasks, by letters in both orders and as a cloze; and a small model beside a second one.

The second is another small model where its terms were accepted. Otherwise it is the same model without its last
layers: an ablation, and named so, which says nothing of how models develop.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_

from otherminds.errors import ModelError, Unable
from otherminds.items import Suite
from otherminds.models import Model, get_model
from otherminds.models.local.weights import WEIGHTS, present
from otherminds.pages.report import Section
from otherminds.results.answers import Answers
from otherminds.results.itembrowser import leads_to
from otherminds.results.lineups import Lineup, Member
from otherminds.results.measures import Split
from otherminds.results.sections import Axis, Page, PictureOf, mean
from otherminds.runs.runs import run
from otherminds.studies.declared import GapOf, ScoreOf, findings
from otherminds.studies.safety.lineups import MAIN, NINE, SHORT, askings, main_run, measure
from otherminds.studies.safety.page import TEXTS, by_series, report
from otherminds.studies.safety.plots.build import GENERATED, NEUTRAL, build, written
from otherminds.studies.safety.plots.oracles import omniscient
from otherminds.studies.safety.tables import NAMED, by_task, outcome, scored, slope
from otherminds.studies.study import AskedRuns, Chapter, Desk, Finding, Size, Subject, able, ask_each

SMALL = 24
"""Items of every task and source: the fewest with six groups of twins, without which nothing can be told."""
EXTRAS: dict[Size, tuple[str, ...]] = {"quick": (), "standard": (), "full": ("wordings",)}
LIGHT = 300_000_000
"""Bytes of weights that any machine can load a second time."""
STEPS = {
    "reading questions (TB)": NINE[:1],
    "mental-state questions (MA)": NINE[1:4],
    "false-belief questions (FB)": NINE[4:],
}
RIGHT = [
    ScoreOf(f"Probability of the right option, {step}", {"task": tasks}, of="S", chance=0.5, first=True, digits=3)
    for step, tasks in STEPS.items()
]
BOTH_ORDERS = ScoreOf("Same answer in both orders of the options", {"task": NINE}, of="consistent")
LETTERS_LESS_CLOZE = GapOf(
    "S by letters less S as a cloze",
    {"score": "letters", "task": NINE},
    {"score": "cloze", "task": NINE},
    of="S",
    paired=True,
)
FRONT = PictureOf(
    Axis("", [Split(step, {"task": tasks}) for step, tasks in STEPS.items()]),
    NAMED,
    mean("S"),
    "From reading over mental states to false beliefs",
    "The ladder: mean response score S, by letters in both orders, with 95 % intervals by twins.",
    "mean response score S",
    reference=(0.5, "indifference"),
    digits=3,
)


def look(subjects: Sequence[Subject], desk: Desk) -> Chapter | None:
    """The chapter on a part of the suite, or on all of it; None if a budget was spent before there was anything."""
    questions = drawn(desk)
    asked = ask_each(subjects, lambda subject: _ask(subject, questions, desk))
    runs = {name: each.runs for name, each in asked.done.items() if main_run(each.runs)}
    if not runs:
        return None
    found = measure(Lineup((), seed=desk.seed), runs)
    page = report(found)
    every = [each for some in runs.values() for each in some]
    whole = len(written()) + sum(GENERATED["standard"].values())
    said = f" {len(questions)} of {whole} items, drawn by seed {desk.seed}." if desk.size == "quick" else ""
    beside = [section for subject in subjects for section in ladder(subject, desk)] if desk.size != "quick" else []
    table = Answers.of(every)
    *most, last = page.sections
    return Chapter(
        replace(page, lead=f"{page.lead}{said}", sections=[*most, *beside, last]),
        list(_findings({name: Answers.of(some) for name, some in found.runs.items()}, table)),
        every,
        by="task",
        front=Page(found.answers.where(suite=MAIN)).blocks([FRONT]),
        cut=[*asked.cut, *(f"{name}, {said}" for name, each in asked.done.items() for said in each.failed)],
        left_out=asked.left_out,
        answers=table,
    )


def drawn(desk: Desk) -> Suite:
    """What is asked: a part of every task, or the standard suite."""
    size = SMALL if desk.size == "quick" else "standard"
    return desk.once("safety", lambda: build(size=size, seed=desk.seed))


def _ask(subject: Subject, questions: Suite, desk: Desk) -> AskedRuns:
    ways = able(askings(questions, extras=EXTRAS[desk.size], cannot=subject.cannot), subject.cannot)
    # Whoever can be asked by letters gets no cloze in a quick look: the starter suite tells how far the two differ.
    ways = ways[:1] if desk.size == "quick" else ways
    if not ways:
        raise Unable(f"{subject.name} can neither weigh letters nor chat, and response scores are made of either")
    subject.make(questions)  # a baseline that cannot answer these is left out
    done = desk.put_each(ways, subject, "safety · ")
    if not main_run(done.runs) and desk.budget is None:
        raise ModelError("; ".join(done.failed))
    if main_run(done.runs) and not any(each.values("S") for each in done.runs):
        raise Unable(
            f"the server of {subject.name} reports too few next tokens for response scores; raise top_logprobs"
        )
    return done


# ---- what to take away --------------------------------------------------------------------------------------------


def _findings(models: Mapping[str, Answers], table: Answers) -> Iterator[Finding]:
    mains = {name: Answers.of(some.runs[:1]) for name, some in models.items()}
    rules = {"realist": _worldly(mains.values())}
    for name, main in mains.items():
        yield from findings(RIGHT, name, main, table, rules)
        if found := slope(main, ("TB", "MA", "FB")):
            to = leads_to(scored(main), table)
            yield Finding("S from step to step, TB → MA → FB", name, found, leads_to=to)
        for task, some in by_task(main).items():
            said = outcome(some) or ""
            share = ScoreOf(f"Probability of the right option, {SHORT[task]}", {"task": task}, "S", 0.5, said, digits=3)
            right = ScoreOf(f"Accuracy, {SHORT[task]}", {"task": task}, chance=0.5)
            yield from findings([share, right], name, main, table)
        yield from findings([BOTH_ORDERS], name, main, table)
        yield from findings([LETTERS_LESS_CLOZE], name, models[name], table)


def _worldly(mains: Iterable[Answers]) -> Answers:
    """Whoever answers with what is so, on the same items."""
    answers = reduce(or_, mains)
    items = [item for item in answers.items if item.tags["task"] != NEUTRAL]
    rule = omniscient(Suite("safety", tuple(items)))
    return Answers.by_rule("realist", items, rule.values(items), S={item.id: rule.share(item) for item in items})


# ---- a series of two ----------------------------------------------------------------------------------------------


def ladder(subject: Subject, desk: Desk) -> list[Section]:
    """The section on a small model beside a second one; none for other models, and none without an answer."""
    model = subject.model
    found = _second(model) if model else None
    if model is None or found is None:
        return []
    second, series = found
    asked = build(tasks=("TB", "FB/SA"), size=SMALL, seed=desk.seed)
    runs = {}
    for each in (second, model):
        with desk.progress(f"safety · series · {each.name}") as bar:
            done = run(asked, each, store=desk.store, seed=desk.seed, budget=desk.budget, progress=bar)
        if done.partial:
            return []
        runs[each.name] = [done]
    members = tuple(Member(name, name, series, rank) for rank, name in enumerate(runs, start=1))
    return [Section("A series of two", [TEXTS["ladder_of_two"], *by_series(measure(Lineup(members), runs))])]


def _second(model: Model) -> tuple[Model, str] | None:
    """Who stands beside a model, and what the series is called; nobody beside one that is large, or whole only."""
    shallower: Model | None = model.shallower()
    if shallower is None or model.identity["size"] > LIGHT:
        return None
    for name, source in WEIGHTS.items():
        if source.terms and present(name) and name != model.name:
            return get_model(name, accept_licence=True), "two small models"
    return shallower, "layers left out, an ablation"
