"""The data card of the study: what each task holds, what gives answers away, which rules are kept."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from otherminds.files import package_file
from otherminds.formats.plans import groups
from otherminds.heuristics.cards import table
from otherminds.heuristics.rules import rules_for
from otherminds.items import Item, Suite
from otherminds.studies.safety.plots.build import NEUTRAL, TASKS
from otherminds.studies.safety.plots.lints import LEAST, MOST, READINGS, RULES, faults, scores

CUES = tuple(rules_for("lint", ()))


def card(suite: Suite) -> str:
    """A data card in Markdown."""
    sets = {task: [item for item in suite if item.tags["task"] == task] for task in TASKS}
    sets = {task: items for task, items in sets.items() if items}
    scored = {task: items for task, items in sets.items() if task != NEUTRAL}
    found = faults(suite)
    broken = ["Broken:", "", *(f"- {fault.rule}: {', '.join(fault.ids)}" for fault in found)]
    kept = ["No item breaks any of these:", "", *(f"- {rule}" for rule in RULES)]
    tables = {
        "sizes": table(
            ("task", "items", "generated", "groups", "words a script"), [_size(*each) for each in sets.items()]
        ),
        "kinds": table(("task", "twin", "items"), [row for each in sets.items() for row in _kinds(*each)]),
        "cues": table(("task", *CUES), [_cues(*each) for each in scored.items()]),
        "readings": table(
            ("task", "reading", "right", "n"), [row for each in sets.items() for row in _readings(*each)]
        ),
        "rules": broken if found else kept,
    }
    return package_file("safety/card.md").format(
        suite=suite,
        number=len(suite),
        neutral=NEUTRAL,
        least=LEAST,
        most=MOST,
        **{name: "\n".join(lines) for name, lines in tables.items()},
    )


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
