"""Chapter: a familiar story and its changes, asked plainly and with a chain, and with chains given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from otherminds.items import Suite
from otherminds.pages.report import Report, minus
from otherminds.results.answers import Answers
from otherminds.results.itembrowser import Links
from otherminds.results.measures import FEWEST
from otherminds.runs.runs import Run
from otherminds.stats import Difference
from otherminds.studies.declared import GapOf, ScoreOf, findings
from otherminds.studies.perturbed import measure
from otherminds.studies.perturbed.measure import CHAIN, FOCAL, NAMES, NONE, PLAIN, RULES, TEN, models, read, right
from otherminds.studies.perturbed.page import report
from otherminds.studies.perturbed.tasks import intervene
from otherminds.studies.perturbed.tasks.build import SWAPS, build, first_look, known_tasks
from otherminds.studies.study import Chapter, Desk, Finding, Subject, ask_each, chapter, without_value

BRIEF = {PLAIN: "plainly", CHAIN: "with a chain"}
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
    answers = measure.measure(runs)

    def page(runs: Sequence[Run], table: Answers) -> Report:
        made = report(answers, runs, Links("perturbed", table))
        return replace(made, lead=f"{made.lead} {_drawn_in_words(questions, desk)}".strip())

    return chapter(asked, page, lambda table: _findings(answers, table), by="class")


def _ask(subject: Subject, questions: Suite, desk: Desk) -> list[Run]:
    asked = {prompt: questions.using(prompt=prompt) for prompt in NAMES}
    runs = [desk.put(each, subject, f"perturbed · {NAMES[prompt]}") for prompt, each in asked.items()]
    if any(record.score.value is not None for record in runs[-1].records):
        how: intervene.How = "notes" if {"weigh", "prefill", "continuations"} & subject.cannot else "prefill"
        runs.append(desk.put(intervene.build(runs[-1], how=how), subject, "perturbed · chains given"))
    return runs


def part(desk: Desk) -> Suite:
    """What is asked in both styles, by the size of the look."""
    return desk.once("perturbed", lambda: _part(desk))


def _part(desk: Desk) -> Suite:
    # Chats are slow: one swap of every task, by turns.
    return first_look(desk.seed) if desk.size == "quick" else build(focal=desk.size == "standard")


def _drawn_in_words(questions: Suite, desk: Desk) -> str:
    if desk.size != "quick":
        return ""
    tasks, whole = len({item.tags["story"] for item in questions}), len(SWAPS) * len(known_tasks())
    return f"A first look: {tasks} tasks drawn by seed {desk.seed}, {len(questions)} of {whole} focal items."


# ---- what to take away --------------------------------------------------------------------------------------------


def _findings(answers: Answers, table: Answers) -> Iterator[Finding]:
    rules = {name: answers.where(model=rule) for rule, name in RULES.items()}
    given = answers.with_value("follows").by("model")
    for model in models(answers):
        mine = answers.where(model=model)
        for prompt, some in mine.with_value("asked").by("prompt").items():
            yield from findings(_scores(prompt), model, read(some), table, rules)
            yield from findings([_lost(prompt, some)], model, some, table)
        yield from findings([GAINED], model, read(mine), table)
        yield from findings([ScoreOf("Chains right to the letter", FOCAL, "proper")], model, mine, table)
        for some in (some for name, some in given.items() if name.startswith(f"{model}, ")):
            yield from findings(_followed(some), model, some, table)


def _scores(prompt: str) -> list[ScoreOf | GapOf]:
    """What is right in a style, and what changing a story does to it."""
    plain = prompt == PLAIN
    return [
        ScoreOf(f"Perturbed set, {BRIEF[prompt]}", FOCAL, chance=1 / 3, first=True, measure=right),
        GapOf(
            f"Perturbed less unperturbed, {BRIEF[prompt]}",
            {**FOCAL, "class": TEN},
            {**FOCAL, "class": NONE},
            beside=PEOPLE if plain else "",
            first=plain,
            say=(lambda gap: f"Changing a familiar story {_moved(gap)}.") if plain else None,
        ),
    ]


def _lost(prompt: str, answers: Answers) -> ScoreOf:
    """What cannot be read; on the first screen only where it is much."""
    lost = measure.faulty(answers.where(None, **FOCAL))
    many = lost is not None and lost.value >= MANY
    said = f"Asked {NAMES[prompt]}, {{:.0%}} of its answers cannot be read."
    say = (lambda lost: said.format(lost.value)) if many else None
    return ScoreOf(f"Unreadable, {BRIEF[prompt]}", FOCAL, "", first=many, measure=measure.faulty, say=say)


GAINED = GapOf(
    "With a chain less plainly",
    {**FOCAL, "prompt": CHAIN},
    {**FOCAL, "prompt": PLAIN},
    paired=True,
    first=True,
    say=lambda gain: f"Writing a chain of thought {_moved(gain)}.",
)


def _followed(given: Answers) -> Iterator[ScoreOf]:
    """How often answers end as a right or a wrong chain that was given."""
    for edit in ("right", "wrong"):
        if before := given.where(edit=edit).mean("before"):
            beside = f"the same answer before: {before.value:.2f}"
            yield ScoreOf(f"Answers that follow a given {edit} chain", {"edit": edit}, "follows", beside=beside)


def _moved(gap: Difference) -> str:
    number = minus(f"{gap.value:+z.2f}")
    if gap.p <= 0.05:
        return f"moves its score by {number}"
    if gap.clusters < FEWEST:
        few = f"{gap.clusters} stage, which is" if gap.clusters == 1 else f"{gap.clusters} stages, which are"
        return f"moves its score by {number} here, in {few} too few to tell more"
    return f"makes no clear difference ({number})"
