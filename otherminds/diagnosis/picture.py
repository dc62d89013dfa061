"""Diagnoses as pictures: a bar for every model, or for every order of one, parted by reader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from otherminds.diagnosis.confusion import GUESS
from otherminds.diagnosis.diagnosis import Diagnosis
from otherminds.errors import UsageError
from otherminds.items.tags import order_name
from otherminds.pages.plots import bars, intervals
from otherminds.stats import Estimate

MOST_PARTS = 7
"""Readers that are drawn by name in one picture; the rest are one part."""
_OTHERS = "other readers"
MEASURE = "share of the items where readers disagree, with 95 % intervals; no value where another name holds it"

Row = tuple[str, Mapping[str, int]]


def by_model(found: Sequence[Diagnosis]) -> str:
    """A bar for each model: how many of the items where readers disagree it answers like whom."""
    drawn = _drawn(found)
    parts = _parts(drawn)
    rows = [(each.model, _counts(each.shares, each.needed, each.disagree, parts)) for each in drawn]
    return bars(rows, title="What the answers of each model are like", parts=_used(parts, rows))


def ladder(found: Sequence[Diagnosis]) -> str:
    """How the share of each reader moves from model to model, in the order given, with intervals."""
    drawn = _drawn(found)
    rows: list[tuple[str, Sequence[Estimate | None]]] = []
    for name in _parts(drawn):
        shares = [each.shares.get(name) for each in drawn]
        if any(shares):
            rows.append((name, []))
            rows += [(each.model, [share]) for each, share in zip(drawn, shares, strict=True)]
    return intervals(rows, title="How the mixture of readers moves", measure=MEASURE)


def by_order(found: Diagnosis) -> str:
    """The same of one model, in all and order by order."""
    parts = _parts([found])
    rows = [("all items", _counts(found.shares, found.needed, found.disagree, parts))]
    for order, part in found.by_order.items():
        counts = _counts(part.shares, tuple(part.shares), part.disagree, parts)
        rows.append((place_name(order), counts))
    return bars(rows, title=f"What the answers of {found.model} are like", parts=_used(parts, rows))


def place_name(order: int) -> str:
    """The order of questions in words; those of no order are about what is so."""
    return order_name(order) if order else "what is so"


def _drawn(found: Sequence[Diagnosis]) -> list[Diagnosis]:
    drawn = [each for each in found if each.disagree]
    if not drawn:
        raise UsageError("there is nothing to draw: readers disagree on none of the items that were answered")
    return drawn


def _parts(found: Sequence[Diagnosis]) -> list[str]:
    """The readers to draw: those with most first, guessing last."""
    size: Counter[str] = Counter()
    for each in found:
        for name in each.needed:
            size[name] += round(1000 * each.shares[name].value)
    names = [name for name, _ in size.most_common() if name != GUESS][: MOST_PARTS - 1]
    return [*names, GUESS]


def _counts(shares: Mapping[str, Estimate], needed: Sequence[str], items: int, parts: Sequence[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for name in needed:
        own = name if name in parts else _OTHERS
        counts[own] = counts.get(own, 0) + round(shares[name].value * items)
    return {name: count for name, count in counts.items() if count}


def _used(parts: Sequence[str], rows: Sequence[Row]) -> list[str]:
    return [name for name in (*parts, _OTHERS) if any(name in counts for _, counts in rows)]
