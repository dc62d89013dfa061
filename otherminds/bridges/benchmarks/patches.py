"""Which gold labels of a benchmark are contradicted, item by item, and what stands in for each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from otherminds import stats
from otherminds.formats.plans import groups
from otherminds.items import Item, write_lines
from otherminds.items.tags import CONSISTENT, PUBLISHED_GOLD, REPAIRS, STORY

ENGINE = "the belief engine contradicts this label, and nothing better is published, so it stays"


@dataclass(frozen=True, slots=True)
class Checked:
    """How many gold labels the belief engine could check, and the share that it contradicts."""

    items: int
    contradicted: tuple[str, ...]
    share: stats.Estimate | None


def checked(items: Iterable[Item]) -> Checked:
    """The check of all items that the engine could tell as events; labels as they are in the file."""
    known = [item for item in items if CONSISTENT in item.tags]
    wrong = [float(item.tags[CONSISTENT] is False) for item in known]
    share = stats.mean(wrong, groups=groups(known)) if known else None
    return Checked(len(known), tuple(item.id for item, is_so in zip(known, wrong, strict=True) if is_so), share)


def patch(items: Iterable[Item]) -> list[dict[str, Any]]:
    """One row for every item whose label was changed, or is contradicted and could not be."""
    rows = []
    for item in items:
        published, contradicted = item.meta.get(PUBLISHED_GOLD), item.tags.get(CONSISTENT) is False
        changed = isinstance(published, str) and published != item.answer
        if changed or contradicted:
            why = "; ".join(item.meta.get(REPAIRS, ())) if changed else ENGINE
            row = {"id": item.id, "story": item.tags.get(STORY), "question": item.question}
            rows.append({**row, "published": published, "repaired": item.answer, "why": why})
    return rows


def write_patch(items: Iterable[Item], path: Path) -> int:
    """Write the patch as JSON Lines, and say how many rows it has."""
    rows = patch(items)
    write_lines(path, rows)
    return len(rows)
