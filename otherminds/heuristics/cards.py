"""Data cards: what is in a suite, in words and numbers that anyone can read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from otherminds.files import package_file, read_words
from otherminds.heuristics.cues import cues
from otherminds.items import Suite
from otherminds.items.lint import Fault, faults
from otherminds.items.tags import STORY

SPLIT_BY: list[str] = read_words("keys")["split_by"]


def card(suite: Suite, *, made: str, wrong: Callable[[Suite], list[Fault]] = faults) -> str:
    """A data card in Markdown; `made` says how the items came about, `wrong` finds what is wrong with them."""
    stories = {item.tags.get(STORY, item.id) for item in suite}
    return package_file("export/card.md").format(
        suite=suite,
        number=len(suite),
        stories=len(stories),
        made=made,
        asked="\n".join(table(("tag", "value", "questions"), _counts(suite))),
        giveaways="\n".join(giveaways(suite)),
        ending="\n".join(ending(suite, wrong)).rstrip(),
    )


def giveaways(suite: Suite) -> list[str]:
    """The part on rules that understand nothing."""
    rows = [(cue.name, f"{cue.right:.3f}", f"{cue.chance:.3f}", str(cue.n)) for cue in cues(suite)]
    return [
        "## What gives answers away",
        "",
        "How often a rule that understands nothing is right, over the questions on which it has an opinion.",
        "",
        *table(("rule", "right", "chance", "n"), rows),
    ]


def ending(suite: Suite, wrong: Callable[[Suite], list[Fault]] = faults) -> list[str]:
    """The part on faults, and what no card should leave out."""
    return [
        "## Faults",
        "",
        *([f"- {fault.rule}: {len(fault.ids)} items" for fault in wrong(suite)] or ["None found."]),
        "",
        "A high score on these questions shows that they were answered, not how: it is no evidence that a model "
        "has beliefs about minds.",
        "",
    ]


def _counts(suite: Suite) -> list[tuple[str, str, str]]:
    rows = []
    for tag in SPLIT_BY:
        values = Counter(str(item.tags[tag]) for item in suite if tag in item.tags)
        if len(values) > 1 or tag in ("kind", "order"):
            rows += [(tag, value, str(number)) for value, number in sorted(values.items())]
    return rows


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    """The lines of a Markdown table."""
    return [_row(head), _row(tuple("---" for _ in head)), *(_row(row) for row in rows)]


def _row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
