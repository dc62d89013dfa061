"""Chapter: a familiar story and its changes, asked plainly and with a chain, and with chains given."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from otherminds.asking.runs import Run
from otherminds.items import Suite
from otherminds.pages.report import Report, minus
from otherminds.results.itembrowser import exactly
from otherminds.results.measures import FEWEST
from otherminds.stats import Difference
from otherminds.studies.perturbed import intervene
from otherminds.studies.perturbed.belief_tracks import NAMES
from otherminds.studies.perturbed.build import STYLES, SWAPS, build
from otherminds.studies.perturbed.calculus import CLASSES
from otherminds.studies.perturbed.measure import NONE, Measures, Profile, against, measure
from otherminds.studies.perturbed.page import report, show
from otherminds.studies.perturbed.sittings import PAIR, SCOPES, Answer, Sitting
from otherminds.studies.perturbed.tasks import STAGES, load
from otherminds.studies.study import Chapter, Desk, Finding, Subject, ask_each, unfinished

Tasks = frozenset[str]
"""Names of tasks: stage/class."""
BRIEF = {"vanilla": "plainly", "cot": "with a chain"}
MANY = 0.25
"""A share of unreadable answers that belongs on the first screen."""
PEOPLE = "published: people failed half of similar items"


def look(subjects: Sequence[Subject], desk: Desk) -> Chapter | None:
    """The chapter on a drawn part of the focal items, on all of these, or on every question of every task.

    None if the budget was spent before anything was answered.
    """
    questions = part(desk)
    asked = ask_each(subjects, lambda subject: _ask(subject, questions, desk))
    runs = [each for some in asked.done.values() for each in some if each.records]
    if not runs:
        return None
    found = measure(runs)
    page = report(found, runs)
    return Chapter(
        replace(page, lead=f"{page.lead} {_drawn_in_words(questions, desk)}".strip()),
        list(_findings(found, runs)),
        runs,
        by="class",
        cut=[*asked.cut, *unfinished(each for some in asked.done.values() for each in some)],
        left_out=asked.left_out,
    )


def _ask(subject: Subject, questions: Suite, desk: Desk) -> list[Run]:
    subject.need("chat", because="these tasks are asked for in turns; use a model with a template")
    asked = {style: questions.using(prompt=STYLES[style]) for style in PAIR}
    runs = [desk.put(each, subject, f"perturbed · {NAMES[style]}") for style, each in asked.items()]
    if any(record.score.value is not None for record in runs[-1].records):
        how: intervene.How = "notes" if {"weigh", "prefill", "continuations"} & subject.cannot else "prefill"
        runs.append(desk.put(intervene.build(runs[-1], how=how), subject, "perturbed · chains given"))
    return runs


def part(desk: Desk) -> Suite:
    """What is asked in both styles, by the size of the look."""
    if desk.size != "quick":
        return build(focal=desk.size == "standard")
    # Chats are slow: one swap of every task, by turns.
    return suite(drawn(desk.seed)).where(
        lambda item: (
            item.tags["swap"]
            == SWAPS[(CLASSES.index(str(item.tags["class"])) + STAGES.index(str(item.tags["stage"]))) % 2]
        )
    )


def _drawn_in_words(questions: Suite, desk: Desk) -> str:
    if desk.size != "quick":
        return ""
    tasks, whole = len({item.tags["story"] for item in questions}), len(SWAPS) * len(_known())
    return f"A first look: {tasks} tasks drawn by seed {desk.seed}, {len(questions)} of {whole} focal items."


def drawn(seed: int) -> Tasks:
    """The unperturbed task of every stage, and every class once, spread over the stages: groups are what tells."""
    dice = random.Random(f"perturbed:{seed}")
    known = _known()
    stages = {name: [stage for stage in STAGES if f"{stage}/{name}" in known] for name in CLASSES[1:]}
    taken = dict.fromkeys(dice.sample(STAGES, len(STAGES)), 0)
    tasks = {f"{stage}/{NONE}" for stage in STAGES}
    # Some stages lack a class, so those that fit in the fewest come first.
    for name in sorted(stages, key=lambda name: (len(stages[name]), dice.random())):
        stage = min((stage for stage in taken if stage in stages[name]), key=taken.__getitem__)
        taken[stage] += 1
        tasks.add(f"{stage}/{name}")
    return frozenset(tasks)


def _known() -> Tasks:
    """All tasks of the suite."""
    return frozenset(f"{stage.name}/{task.perturbation}" for stage in load() for task in stage.tasks if not task.extra)


def suite(tasks: Tasks) -> Suite:
    """The focal items of these tasks."""
    return build(focal=True).where(lambda item: item.tags["story"] in tasks)


def example() -> Tasks:
    """A few tasks, with one of every class."""
    return drawn(0)


def measure_tasks(tasks: Tasks, runs: Sequence[Run]) -> Measures:
    """What runs tell about these tasks."""
    return measure(_about(tasks, runs))


def show_tasks(tasks: Tasks, runs: Sequence[Run]) -> Report:
    """The page about these tasks."""
    return show(_about(tasks, runs))


def _about(tasks: Tasks, runs: Sequence[Run]) -> list[Run]:
    return [each.where(lambda record: record.item.tags.get("story") in tasks) for each in runs]


# ---- what to take away --------------------------------------------------------------------------------------------


def _findings(found: Measures, runs: Sequence[Run]) -> Iterator[Finding]:
    known = [(rule.label, next(iter(rule.cells.values()))["all"].right) for rule in found.rules]
    rules = {label: right.value for label, right in known if right}
    for sitting, model in zip(found.sittings, found.models, strict=True):
        read, asked = sitting.read(SCOPES["focal"]), sitting.asked(SCOPES["focal"])
        for style, cells in model.cells.items():
            to = _to(runs, read[style])
            if right := cells["all"].right:
                what = f"Perturbed set, {BRIEF[style]}"
                yield Finding(what, model.label, right, 1 / 3, leads_to=to, first=True, rules=rules)
            if gap := _dropped(sitting, style):
                what = f"Perturbed less unperturbed, {BRIEF[style]}"
                plain = style == PAIR[0]
                said = f"Changing a familiar story {_moved(gap)}." if plain else ""
                yield Finding(what, model.label, gap, None, PEOPLE if plain else "", to, first=plain, sentence=said)
            if lost := cells["all"].faults:
                what, many = f"Unreadable, {BRIEF[style]}", lost.value >= MANY
                said = f"Asked {NAMES[style]}, {lost.value:.0%} of its answers cannot be read." if many else ""
                every = _to(runs, asked[style])
                yield Finding(what, model.label, lost, leads_to=every, first=many, sentence=said)
        yield from _on_chains(sitting, model, found, runs)


def _on_chains(sitting: Sitting, model: Profile, found: Measures, runs: Sequence[Run]) -> Iterator[Finding]:
    if gain := model.reasoned.get("focal", {}).get("all"):
        read = sitting.read(SCOPES["focal"])
        to = _to(runs, [answer for style in PAIR for answer in read[style]])
        said = f"Writing a chain of thought {_moved(gain)}."
        what = "With a chain less plainly"
        yield Finding(what, model.label, gain, leads_to=to, first=True, sentence=said)
    if "all" in model.chains:
        written = sitting.answers[PAIR[1]].values()
        to = _to(runs, [each for each in written if each.value is not None and SCOPES["focal"](each)])
        yield Finding("Chains right to the letter", model.label, model.chains["all"].proper, leads_to=to)
    for each in found.followed:
        if each.edit in ("right", "wrong") and each.label.startswith(f"{model.label}, "):
            what = f"Answers that follow a given {each.edit} chain"
            beside = f"the same answer before: {each.before.value:.2f}"
            yield Finding(what, model.label, each.follow, None, beside, _to_given(runs, model.label, each.edit))


def _dropped(sitting: Sitting, style: str) -> Difference | None:
    """What all perturbations together do against the unperturbed tasks."""
    answers = sitting.read(SCOPES["focal"])[style]
    base = [each for each in answers if each.tag("class") == NONE]
    return against([each for each in answers if each.tag("class") != NONE], base)


def _moved(gap: Difference) -> str:
    number = minus(f"{gap.value:+z.2f}")
    if gap.p <= 0.05:
        return f"moves its score by {number}"
    if gap.clusters < FEWEST:
        few = f"{gap.clusters} stage, which is" if gap.clusters == 1 else f"{gap.clusters} stages, which are"
        return f"moves its score by {number} here, in {few} too few to tell more"
    return f"makes no clear difference ({number})"


def _to(runs: Sequence[Run], answers: Sequence[Answer]) -> dict[str, str]:
    """Exactly these answers, in whichever styles they were given."""
    homes = {id(record): run for run in runs for record in run.records}
    behind = [(homes[id(each.record)], each.item.id) for each in answers]
    ways = {name: "|".join(dict.fromkeys(getattr(run, name) for run, _ in behind)) for name in ("model", "prompt")}
    return exactly({**ways, "focal": "true"}, runs, behind)


def _to_given(runs: Sequence[Run], model: str, edit: str) -> dict[str, str]:
    behind = [
        (run, record.item.id)
        for run in runs
        for record in run.records
        if run.model == model and record.item.tags.get("edit") == edit and record.score.answer
    ]
    return exactly({"model": model, "edit": edit}, runs, behind)
