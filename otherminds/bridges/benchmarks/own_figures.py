"""The figures that some benchmarks report instead of a share of right answers: F1 over labels.

OpenToM: macro-F1 by genre, over the answers that its rules can read; here over all items at once, not the mean of five
batches of 50 stories. FANToM: weighted F1 of yes-or-no questions, where an answer that cannot be read is a third label.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from otherminds.bridges.benchmarks import fantom, opentom
from otherminds.items.tags import BENCHMARK, KIND, PUBLISHED_GOLD
from otherminds.runs.runs import Record, Run

Pair = tuple[str, str]
"""The gold label and the one that was answered."""
NONE = "(none)"


def macro_f1(pairs: Sequence[Pair]) -> float:
    """The mean over all labels, of gold or answered, of F1."""
    labels = sorted({label for pair in pairs for label in pair})
    return sum(_f1(pairs, label) for label in labels) / len(labels)


def weighted_f1(pairs: Sequence[Pair]) -> float:
    """The mean of F1 over labels, each as often as it is gold."""
    return sum(_f1(pairs, gold) for gold, _ in pairs) / len(pairs)


def _f1(pairs: Sequence[Pair], label: str) -> float:
    both = sum(gold == said == label for gold, said in pairs)
    either = sum((gold == label) + (said == label) for gold, said in pairs)
    return 2 * both / either if either else 0.0


def own_figures(run: Run) -> dict[str, float]:
    """By name, the figures of a run that was scored as published; none for benchmarks that report shares."""
    by_kind: dict[str, list[Record]] = defaultdict(list)
    for record in run.records:
        by_kind[str(record.item.tags.get(KIND))].append(record)
    found: dict[str, float] = {}
    for kind, records in by_kind.items():
        name = records[0].item.meta.get(BENCHMARK)
        if name == opentom.NAME and (pairs := _pairs(records)):
            found[f"macro-F1, {kind}"] = macro_f1(pairs)
        elif name == fantom.NAME and records[0].item.choices == ("yes", "no") and (pairs := _pairs(records)):
            found[f"weighted F1, {kind}"] = weighted_f1(pairs)
    return found


def _pairs(records: Sequence[Record]) -> list[Pair]:
    """Of the answers that count, the gold label and what was read, both as the rules write them."""
    scored = [record for record in records if record.score.value is not None]
    return [(_gold(record), record.score.answer or NONE) for record in scored]


def _gold(record: Record) -> str:
    gold = str(record.item.meta[PUBLISHED_GOLD])
    return opentom.label(record.item, gold) if record.item.meta[BENCHMARK] == opentom.NAME else gold
