"""The data card of the study: what each task holds, what gives answers away, which rules are kept."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from otherminds.formats.plans import groups
from otherminds.heuristics.cards import table
from otherminds.heuristics.rules import rules_for
from otherminds.items import Item, Suite
from otherminds.studies.safety.lints import LEAST, MOST, READINGS, RULES, faults, scores
from otherminds.studies.safety.plots.build import NEUTRAL, TASKS

CUES = tuple(rules_for("lint", ()))


def card(suite: Suite) -> str:
    """A data card in Markdown."""
    sets = {task: [item for item in suite if item.tags["task"] == task] for task in TASKS}
    sets = {task: items for task, items in sets.items() if items}
    scored = {task: items for task, items in sets.items() if task != NEUTRAL}
    found = faults(suite)
    lines = [
        f"# {suite.name}",
        "",
        f"{len(suite)} items, digest `{suite.digest}`. Generated items are proved by the belief engine and carry the "
        "events from which their labels follow; the others were written for this package, and no person but their "
        "writer has answered them: there is no human baseline. Twins differ in one thing and share their options.",
        "",
        "## What is in it",
        "",
        *table(("task", "items", "generated", "groups", "words a script"), [_size(*each) for each in sets.items()]),
        "",
        f"`{NEUTRAL}` is not scored: nothing in these scripts tells, and S should be near 0.5.",
        "",
        *table(("task", "twin", "items"), [row for task, items in sets.items() for row in _kinds(task, items)]),
        "",
        "## What gives answers away",
        "",
        "The score of rules that understand nothing, where they have no opinion counted as half; in brackets, on how "
        f"many items they have one. Every one must lie between {LEAST} and {MOST}.",
        "",
        *table(("task", *CUES), [_cues(*each) for each in scored.items()]),
        "",
        "The score of simpler readings over the items that have one; in every group of twins it must be one half.",
        "",
        *table(
            ("task", "reading", "right", "n"), [row for task, items in sets.items() for row in _readings(task, items)]
        ),
        "",
        "## Rules",
        "",
        "No item breaks any of these:" if not found else "Broken:",
        "",
        *([f"- {fault.rule}: {', '.join(fault.ids)}" for fault in found] or [f"- {rule}" for rule in RULES]),
        "",
        "A high score shows that such questions were answered, not that a model would use the same on its own account; "
        "a low score is no evidence of safety.",
        "",
    ]
    return "\n".join(lines)


def _size(task: str, items: Sequence[Item]) -> tuple[str, ...]:
    independent = set(groups(items))
    generated = sum("events" in item.meta for item in items)
    words = fmean(len(item.context.split()) for item in items)
    return task, str(len(items)), str(generated), str(len(independent)), f"{words:.0f}"


def _kinds(task: str, items: Sequence[Item]) -> list[tuple[str, ...]]:
    kinds = [str(item.tags["twin_kind"]) for item in items]
    return [(task, kind, str(kinds.count(kind))) for kind in sorted(set(kinds))]


def _cues(task: str, items: Sequence[Item]) -> tuple[str, ...]:
    found = {cue.name: f"{score:.3f} ({cue.n})" for cue, score in scores(items)}
    return task, *(found.get(name, "–") for name in CUES)


def _readings(task: str, items: Sequence[Item]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for reading in READINGS.get(task, ()):
        right = [item.meta[reading] == item.answer for item in items if reading in item.meta]
        if right:  # of a small suite, no item may have this reading
            rows.append((task, reading.replace("_", " "), f"{fmean(right):.3f}", str(len(right))))
    return rows
