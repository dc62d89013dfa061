"""Chapter: all nine tasks, by letters in both orders and as a cloze."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from otherminds.errors import ModelError, Unable
from otherminds.items import Suite
from otherminds.pages.report import Figure
from otherminds.results.answers import Answers
from otherminds.results.grids import Grid
from otherminds.results.itembrowser import leads_to
from otherminds.results.measures import Split
from otherminds.runs.runs import Run
from otherminds.studies.declared import GapOf, ScoreOf, findings
from otherminds.studies.safety.build import GENERATED, NEUTRAL, build, written
from otherminds.studies.safety.ladder import ladder
from otherminds.studies.safety.lineups import NINE, SHORT
from otherminds.studies.safety.measure import Measures, Profile, measure
from otherminds.studies.safety.oracles import omniscient
from otherminds.studies.safety.page import report
from otherminds.studies.safety.series import Lineup
from otherminds.studies.safety.ways_of_asking import AskedRuns, able, ask, askings, main_run
from otherminds.studies.study import Chapter, Desk, Finding, Size, Subject, ask_each

SMALL = 24
"""Items of every task and source: the fewest with six groups of twins, without which nothing can be told."""
EXTRAS: dict[Size, tuple[str, ...]] = {"quick": (), "standard": (), "full": ("wordings",)}
STEPS = {
    "reading questions (TB)": NINE[:1],
    "mental-state questions (MA)": NINE[1:4],
    "false-belief questions (FB)": NINE[4:],
}
BOTH_ORDERS = ScoreOf("Same answer in both orders of the options", {"task": NINE}, of="consistent")
LETTERS_LESS_CLOZE = GapOf(
    "S by letters less S as a cloze",
    {"score": "letters", "task": NINE},
    {"score": "cloze", "task": NINE},
    of="S",
    paired=True,
)


def look(subjects: Sequence[Subject], desk: Desk) -> Chapter | None:
    """The chapter on a part of the suite, or on all of it; None if a budget was spent before there was anything."""
    questions = drawn(desk)
    asked = ask_each(subjects, lambda subject: _ask(subject, questions, desk))
    runs = {name: each.runs for name, each in asked.done.items() if _by_letters(each.runs)}
    if not runs:
        return None
    lineup = Lineup((), seed=desk.seed)
    found = measure(lineup, runs)
    page = report(lineup, found)
    every = [each for some in runs.values() for each in some]
    whole = len(written()) + sum(GENERATED["standard"].values())
    said = f" {len(questions)} of {whole} items, drawn by seed {desk.seed}." if desk.size == "quick" else ""
    beside = (
        [section for subject in subjects for section in ladder(subject, desk, SMALL)] if desk.size != "quick" else []
    )
    table = Answers.of(every)
    *most, last = page.sections
    return Chapter(
        replace(page, lead=f"{page.lead}{said}", sections=[*most, *beside, last]),
        list(_findings(found, table)),
        every,
        by="task",
        front=[_ladder(found)],
        cut=[*asked.cut, *(f"{name}, {said}" for name, each in asked.done.items() for said in each.failed)],
        left_out=asked.left_out,
        answers=table,
    )


def drawn(desk: Desk) -> Suite:
    """What is asked: a part of every task, or the standard suite."""
    size = SMALL if desk.size == "quick" else "standard"
    return desk.once("safety", lambda: build(size=size, seed=desk.seed))


def example() -> Suite:
    """The smallest suite that has every task."""
    return Lineup((), size=4).suite()


def _ask(subject: Subject, questions: Suite, desk: Desk) -> AskedRuns:
    ways = able(askings(questions, extras=EXTRAS[desk.size], cannot=subject.cannot), subject.cannot)
    # Whoever can be asked by letters gets no cloze in a quick look: the starter suite tells how far the two differ.
    ways = ways[:1] if desk.size == "quick" else ways
    if not ways:
        raise Unable(f"{subject.name} can neither weigh letters nor chat, and response scores are made of either")
    model = subject.make(questions)
    done = ask(
        model, ways, desk.store, lambda title: desk.progress(f"safety · {title}"), seed=desk.seed, budget=desk.budget
    )
    if not _by_letters(done.runs) and desk.budget is None:
        raise ModelError("; ".join(done.failed))
    if _by_letters(done.runs) and not any(each.values("S") for each in done.runs):
        raise Unable(
            f"the server of {subject.name} reports too few next tokens for response scores; raise top_logprobs"
        )
    return done


def _by_letters(runs: Sequence[Run]) -> bool:
    return main_run(runs) is not None


# ---- what to take away --------------------------------------------------------------------------------------------


def _findings(found: Measures, table: Answers) -> Iterator[Finding]:
    steps = [
        ScoreOf(f"Probability of the right option, {step}", {"task": tasks}, of="S", chance=0.5, first=True, digits=3)
        for step, tasks in STEPS.items()
    ]
    rules = {"realist": _worldly(found.profiles)}
    for each in found.profiles:
        main = each.sitting.main
        yield from findings(steps, each.name, main, table, rules)
        if slope := each.ladder.slope:
            to = leads_to(main.where(task=NINE).with_value("S"), table)
            yield Finding("S from step to step, TB → MA → FB", each.name, slope, leads_to=to)
        for task, one in each.tasks.items():
            share = ScoreOf(
                f"Probability of the right option, {SHORT[task]}", {"task": task}, "S", 0.5, one.outcome, digits=3
            )
            right = ScoreOf(f"Accuracy, {SHORT[task]}", {"task": task}, chance=0.5)
            yield from findings([share, right], each.name, main, table)
        both = Answers([*main, *each.sitting.cloze])
        yield from findings([BOTH_ORDERS], each.name, main, table)
        yield from findings([LETTERS_LESS_CLOZE], each.name, both, table)


def _worldly(profiles: Sequence[Profile]) -> Answers:
    """Whoever answers with what is so, on the same items."""
    answers = Answers(row for each in profiles for row in each.sitting.main)
    items = answers.where(lambda row: row.item.tags["task"] != NEUTRAL).items
    rule = omniscient(Suite("safety", tuple(items)))
    return Answers.by_rule("realist", items, rule.values(items), S={item.id: rule.share(item) for item in items})


def _ladder(found: Measures) -> Figure:
    parts = {each.name: each.sitting.main for each in found.profiles}
    grid = Grid.of(parts, [Split(step, {"task": tasks}) for step, tasks in STEPS.items()], lambda some: some.mean("S"))
    return grid.figure(
        "From reading over mental states to false beliefs",
        "The ladder: mean response score S, by letters in both orders, with 95 % intervals by twins.",
        reference=(0.5, "indifference"),
        measure="mean response score S",
        digits=3,
    )
