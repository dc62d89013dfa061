"""Chapter: a familiar story and its changes, asked plainly and with a chain, and with chains given."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from otherminds.items import Suite
from otherminds.pages.report import minus
from otherminds.results.answers import Answers
from otherminds.results.itembrowser import Links, leads_to
from otherminds.results.measures import FEWEST
from otherminds.runs.runs import Run
from otherminds.stats import Difference
from otherminds.studies.declared import GapOf, ScoreOf, findings
from otherminds.studies.perturbed import intervene
from otherminds.studies.perturbed.belief_tracks import NAMES
from otherminds.studies.perturbed.build import STYLES, SWAPS, build
from otherminds.studies.perturbed.calculus import CLASSES
from otherminds.studies.perturbed.faithfulness import SCOPES
from otherminds.studies.perturbed.measure import NONE, PAIR, TEN, Measures, Profile, Share, measure, share
from otherminds.studies.perturbed.page import report
from otherminds.studies.perturbed.tasks import STAGES, load
from otherminds.studies.study import Chapter, Desk, Finding, Subject, ask_each, unfinished, without_value

Tasks = frozenset[str]
"""Names of tasks: stage/class."""
FOCAL = SCOPES["focal"]
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
    if all(record.verdict == "error" for each in runs for record in each.records):
        without_value(runs)
    found = measure(runs)
    table = Answers.of(runs)
    page = report(found, runs, Links("perturbed", table))
    return Chapter(
        replace(page, lead=f"{page.lead} {_drawn_in_words(questions, desk)}".strip()),
        list(_findings(found, table)),
        runs,
        by="class",
        cut=[*asked.cut, *unfinished(each for some in asked.done.values() for each in some)],
        left_out=asked.left_out,
        answers=table,
    )


def _ask(subject: Subject, questions: Suite, desk: Desk) -> list[Run]:
    asked = {style: questions.using(prompt=STYLES[style]) for style in PAIR}
    runs = [desk.put(each, subject, f"perturbed · {NAMES[style]}") for style, each in asked.items()]
    if any(record.score.value is not None for record in runs[-1].records):
        how: intervene.How = "notes" if {"weigh", "prefill", "continuations"} & subject.cannot else "prefill"
        runs.append(desk.put(intervene.build(runs[-1], how=how), subject, "perturbed · chains given"))
    return runs


def part(desk: Desk) -> Suite:
    """What is asked in both styles, by the size of the look."""
    return desk.once("perturbed", lambda: _part(desk))


def _part(desk: Desk) -> Suite:
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


def example() -> Suite:
    """A few tasks, with one of every class."""
    return suite(drawn(0))


# ---- what to take away --------------------------------------------------------------------------------------------


def _findings(found: Measures, table: Answers) -> Iterator[Finding]:
    rules = {rule.label: next(iter(rule.sitting.answers.values())) for rule in found.rules}
    for model in found.models:
        read, asked = model.sitting.read(), model.sitting.asked()
        for style in read:
            yield from findings(_scores(style), model.label, read[style], table, rules)
            yield from map(_unreadable, findings([_lost(style)], model.label, asked[style], table))
        yield from findings([GAINED], model.label, Answers(row for some in read.values() for row in some), table)
        yield from _on_chains(model, found, table)


def _scores(style: str) -> list[ScoreOf | GapOf]:
    """What is right in a style, and what changing a story does to it."""
    plain = style == PAIR[0]
    return [
        ScoreOf(f"Perturbed set, {BRIEF[style]}", FOCAL, chance=1 / 3, first=True, measure=_share),
        GapOf(
            f"Perturbed less unperturbed, {BRIEF[style]}",
            {**FOCAL, "class": TEN},
            {**FOCAL, "class": NONE},
            beside=PEOPLE if plain else "",
            first=plain,
            say=(lambda gap: f"Changing a familiar story {_moved(gap)}.") if plain else None,
        ),
    ]


def _share(answers: Answers) -> Share | None:
    return share([each.right for each in answers], answers.groups)


def _lost(style: str) -> ScoreOf:
    return ScoreOf(
        f"Unreadable, {BRIEF[style]}",
        FOCAL,
        of="",
        measure=lambda answers: share([each.value is None for each in answers], answers.groups),
        say=lambda lost: f"Asked {NAMES[style]}, {lost.value:.0%} of its answers cannot be read.",
    )


def _unreadable(finding: Finding) -> Finding:
    """On the first screen only where they are many."""
    many = finding.estimate.value >= MANY
    return replace(finding, first=many, sentence=finding.sentence if many else "")


GAINED = GapOf(
    "With a chain less plainly",
    {**FOCAL, "prompt": STYLES["cot"]},
    {**FOCAL, "prompt": STYLES["vanilla"]},
    paired=True,
    first=True,
    say=lambda gain: f"Writing a chain of thought {_moved(gain)}.",
)


def _on_chains(model: Profile, found: Measures, table: Answers) -> Iterator[Finding]:
    if "all" in model.chains:
        to = leads_to(model.sitting.answers[PAIR[1]].where(None, **FOCAL).with_value(), table)
        yield Finding("Chains right to the letter", model.label, model.chains["all"].proper, leads_to=to)
    for each in found.followed:
        if each.edit in ("right", "wrong") and each.label.startswith(f"{model.label}, "):
            what = f"Answers that follow a given {each.edit} chain"
            beside = f"the same answer before: {each.before.value:.2f}"
            given = table.where(lambda row: bool(row.said), model=model.label, edit=each.edit)
            yield Finding(what, model.label, each.follow, None, beside, leads_to(given, table))


def _moved(gap: Difference) -> str:
    number = minus(f"{gap.value:+z.2f}")
    if gap.p <= 0.05:
        return f"moves its score by {number}"
    if gap.clusters < FEWEST:
        few = f"{gap.clusters} stage, which is" if gap.clusters == 1 else f"{gap.clusters} stages, which are"
        return f"moves its score by {number} here, in {few} too few to tell more"
    return f"makes no clear difference ({number})"
