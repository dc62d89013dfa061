"""Chapter: all nine tasks, by letters in both orders and as a cloze."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from otherminds.asking.runs import Run, run
from otherminds.errors import ModelError, Unable
from otherminds.items import Suite
from otherminds.pages import plots
from otherminds.pages.report import Figure
from otherminds.results.itembrowser import exactly
from otherminds.results.measures import paired
from otherminds.stats import Difference, Estimate
from otherminds.studies.safety.build import GENERATED, NEUTRAL, build, written
from otherminds.studies.safety.ladder import ladder
from otherminds.studies.safety.measure import Measures, Profile, mean, measure
from otherminds.studies.safety.oracles import ORACLES
from otherminds.studies.safety.page import report
from otherminds.studies.safety.series import Lineup, Member
from otherminds.studies.safety.sittings import NINE, SHORT, values
from otherminds.studies.safety.ways_of_asking import Asked, ask, askings, main_run
from otherminds.studies.study import Chapter, Desk, Finding, Size, Subject, ask_each

SMALL = 24
"""Items of every task and source: the fewest with six groups of twins, without which nothing can be told."""
EXTRAS: dict[Size, tuple[str, ...]] = {"quick": (), "standard": (), "full": ("wordings",)}
STEPS = {"reading facts (TB)": NINE[:1], "one mind (MA)": NINE[1:4], "false belief (FB)": NINE[4:]}
SERIES = 4
"""The most models in one picture."""


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
    beside = [section for subject in subjects for section in ladder(subject, desk, SMALL)]
    *most, last = page.sections
    return Chapter(
        replace(page, lead=f"{page.lead}{said}", sections=[*most, *beside, last]),
        list(_findings(found, every)),
        every,
        by="task",
        front=[_ladder(found)],
        cut=[*asked.cut, *(f"{name}, {said}" for name, each in asked.done.items() for said in each.failed)],
        left_out=asked.left_out,
    )


def drawn(desk: Desk) -> Suite:
    """What is asked: a part of every task, or the standard suite."""
    if desk.size != "quick":
        return build(seed=desk.seed)
    return build(size=SMALL, seed=desk.seed)


def example() -> Lineup:
    """Two models without weights, in one series, on the smallest suite that has every task."""
    made = [Member(name, f"baseline:{name}", "made up", rank) for rank, name in enumerate(("realist", "oracle"), 1)]
    return Lineup(tuple(made), size=4)


def suite(lineup: Lineup) -> Suite:
    """What a line-up is asked."""
    return lineup.suite()


def _ask(subject: Subject, questions: Suite, desk: Desk) -> Asked:
    ways = askings(questions, extras=EXTRAS[desk.size], cannot=subject.cannot)
    ways = [way for way in ways if not way.needs & subject.cannot]
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


def _findings(found: Measures, runs: Sequence[Run]) -> Iterator[Finding]:
    rule = _worldly(found.profiles)
    for each in found.profiles:
        for step, tasks in STEPS.items():
            if score := _score(each.sitting.main, tasks):
                same, to = _score(rule, tasks), _to(each, tasks, runs)
                rules = {"realist": same.value} if same else {}
                what = f"S of {step}"
                yield Finding(what, each.name, score, 0.5, leads_to=to, first=True, digits=3, rules=rules)
        if slope := each.ladder.slope:
            yield Finding("S from step to step, TB → MA → FB", each.name, slope, leads_to=_to(each, NINE, runs))
        for task, one in each.tasks.items():
            to = _to(each, (task,), runs)
            yield Finding(f"S of {SHORT[task]}", each.name, one.S, 0.5, one.outcome, to, digits=3)
            if one.accuracy:
                right = _to(each, (task,), runs, "value")
                yield Finding(f"{SHORT[task]} right", each.name, one.accuracy, 0.5, leads_to=right)
        steady = mean([r for r in each.sitting.main.records if r.item.tags["task"] in NINE], "consistent")
        if steady:
            to = _to(each, NINE, runs, "consistent")
            yield Finding("Same answer in both orders of the options", each.name, steady, leads_to=to)
        if (gap := _letters_less_cloze(each)) and (cloze := each.sitting.cloze):
            yield Finding(
                "S by letters less S as a cloze", each.name, gap, leads_to=_to_both(each.sitting.main, cloze, runs)
            )


def _to(profile: Profile, tasks: Sequence[str], runs: Sequence[Run], of: str = "S") -> dict[str, str]:
    main = profile.sitting.main
    behind = [(main, r.item.id) for r in main.records if r.item.tags["task"] in tasks and r.value(of) is not None]
    to = {"model": main.model, "score": main.score, "prompt": main.prompt, "task": "|".join(tasks)}
    return exactly(to, runs, behind)


def _to_both(main: Run, cloze: Run, runs: Sequence[Run]) -> dict[str, str]:
    both = values(main, "S").keys() & values(cloze, "S").keys()
    to = {"model": main.model, "score": f"{main.score}|{cloze.score}", "task": "|".join(NINE)}
    to |= {"prompt": "|".join(dict.fromkeys((main.prompt, cloze.prompt)))}
    return exactly(to, runs, [(each, id) for each in (main, cloze) for id in both])


def _score(of: Run, tasks: Sequence[str]) -> Estimate | None:
    return mean([record for record in of.records if record.item.tags["task"] in tasks])


def _worldly(profiles: Sequence[Profile]) -> Run:
    """Whoever answers with what is so, on the same items."""
    items = {r.item.id: r.item for each in profiles for r in each.sitting.main.records}
    asked = Suite("safety", tuple(item for item in items.values() if item.tags["task"] != NEUTRAL))
    return run(asked, ORACLES["omniscient"](asked))


def _letters_less_cloze(profile: Profile) -> Difference | None:
    main, cloze = profile.sitting.main, profile.sitting.cloze
    return paired(main.where(lambda record: record.item.tags["task"] in NINE), cloze, "S") if cloze else None


def _ladder(found: Measures) -> Figure:
    some = found.profiles[:SERIES]
    svg = plots.intervals(
        [(step, [_score(each.sitting.main, tasks) for each in some]) for step, tasks in STEPS.items()],
        title="From reading over one mind to false belief",
        series=[each.name for each in some],
        reference=(0.5, "indifference"),
        measure="mean response score S",
        digits=3,
    )
    return Figure(svg, "The ladder: mean response score S, by letters in both orders, with 95 % intervals by twins.")
