"""The starter suite by letters, as a cloze and in words: how far the way of asking decides, before anything else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from otherminds.asking.readers import baselines
from otherminds.asking.runs import Run
from otherminds.errors import ModelError, Unable
from otherminds.items import Item, Suite
from otherminds.results.itembrowser import exactly
from otherminds.results.measures import chance, mean_of, mean_over, paired
from otherminds.results.summary import summarise
from otherminds.studies.starter.build import starter
from otherminds.studies.study import CLOZE, LETTERS, TEXT, Chapter, Desk, Finding, Subject, ask_each, unfinished

ASKS = "Does it tell false beliefs from true ones, whatever the way of asking?"
BELIEFS = {"False beliefs": True, "True beliefs": False}


def look(subjects: Sequence[Subject], desk: Desk) -> Chapter | None:
    """The chapter on the starter suite; None if the budget was spent before anything was answered."""
    cut: list[str] = []
    left_out: list[str] = []
    suite = starter()
    asked = ask_each(subjects, lambda subject: _ask(subject, suite, desk, cut, left_out))
    runs = [each for some in asked.done.values() for each in some if each.records]
    if not runs:
        return None
    return Chapter(
        summarise(runs),
        list(_findings(runs)),
        runs,
        by="false_belief",
        cut=[*cut, *asked.cut, *unfinished(each for some in asked.done.values() for each in some)],
        left_out=[*left_out, *asked.left_out],
    )


def _ask(subject: Subject, suite: Suite, desk: Desk, cut: list[str], left_out: list[str]) -> list[Run]:
    """A run for every way that works; why others do not is added to the lists."""
    runs = []
    error: ModelError = Unable(f"{subject.name} can neither weigh raw prompts nor chat, so there is nothing to ask it")
    for score, prompt, needs in (LETTERS, CLOZE, TEXT):
        if missing := needs & subject.cannot:
            left_out.append(f"{subject.name} by {score}: it has no {' and no '.join(sorted(missing))}")
            continue
        try:
            runs.append(desk.put(suite.using(score=score, prompt=prompt), subject, f"starter · {score}"))
        except ModelError as found:
            error = found
            cut.append(f"{subject.name} by {score}: {found}")
    if not runs:
        raise error
    return runs


def _findings(runs: Sequence[Run]) -> Iterator[Finding]:
    items = list({record.item.id: record.item for run in runs for record in run.records}.values())
    rules = _rules(items)
    for run in runs:
        way = {"model": run.model, "suite": run.suite, "score": run.score}
        # A cloze needs no following of instructions; words are on the first screen only if nothing else was asked.
        shown = run.score == ("cloze" if any(e.score == "cloze" for e in runs if e.model == run.model) else "text")
        for label, kind in BELIEFS.items():
            if right := mean_of(run, false_belief=kind):
                behind = [(run, id) for id in run.values(false_belief=kind)]
                to = exactly({**way, "false_belief": str(kind).lower()}, runs, behind)
                what = f"{label} by {run.score}"
                yield Finding(what, run.model, right, chance(items), leads_to=to, first=shown, rules=rules[kind])
    by_score = {(run.model, run.score): run for run in runs}
    for (model, score), run in by_score.items():
        if score == "letters" and (cloze := by_score.get((model, "cloze"))) and (gap := paired(run, cloze)):
            both = [(each, id) for each in (run, cloze) for id in run.values().keys() & cloze.values().keys()]
            to = exactly({"model": model, "suite": run.suite, "score": "letters|cloze"}, runs, both)
            yield Finding("Right by letters less as a cloze", model, gap, leads_to=to)


def _rules(items: Sequence[Item]) -> dict[bool, dict[str, float]]:
    """What rules without a mind would get of false and of true beliefs."""
    suite = Suite("starter", tuple(items))
    rules = [
        (model.name.replace("_", " "), model.values(items))
        for model in baselines(suite)
        if model.name in ("realist", "last_mention")
    ]
    return {
        kind: {name: right.value for name, values in rules if (right := mean_over(items, values, false_belief=kind))}
        for kind in BELIEFS.values()
    }
