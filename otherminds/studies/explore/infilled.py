"""Infilled: stories in prose as a suite, each question beside the same question about the canonical words.

A folder of findings that was retold also holds

    prose.jsonl    every story as it was told, or why it could not be, with all that was rejected on the way
    judges.json    how the judges did on planted errors before they were trusted
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from otherminds.errors import BadFile, UsageError
from otherminds.files import write_text
from otherminds.items import Item, Suite, read_lines, write_lines
from otherminds.items.tags import CANONICAL, INFILLED, TELLING
from otherminds.prose.judges import Checked
from otherminds.prose.retelling import Retelling
from otherminds.runs.runs import Run
from otherminds.stats import Difference, Estimate, difference, mean
from otherminds.studies.explore import build
from otherminds.studies.explore.search.hunt import Found

PROSE = "prose.jsonl"
_MARK = "-infilled"


def save(folder: Path, found: Sequence[Found], told: Sequence[Retelling], judges: Sequence[Checked]) -> None:
    """Write what was told of the stories of a folder, and how the judges were checked."""
    lines = [{"id": each.id, **retelling.to_dict()} for each, retelling in zip(found, told, strict=True)]
    write_lines(folder / PROSE, lines)
    checked = [asdict(each) | {"distrust": each.distrust} for each in judges]
    write_text(folder / "judges.json", json.dumps(checked, indent=2, ensure_ascii=False) + "\n")


def load(folder: Path) -> dict[str, str]:
    """By the id of the story, the prose of those that were told to their end."""
    path = folder / PROSE
    if not path.exists():
        raise UsageError(f"{folder} has no {PROSE} yet; `otherminds retell {folder}` writes it")
    texts: dict[str, str] = {}
    for number, data in read_lines(path):
        if not all(isinstance(data.get(name), str) for name in ("id", "text", "failed")):
            raise BadFile(
                f"{path}, line {number} should have the texts id, text and failed, as `otherminds retell` does"
            )
        if not data["failed"]:
            texts[data["id"]] = data["text"]
    return texts


def suite(found: Sequence[Found], texts: Mapping[str, str], *, name: str = "explore", **options: object) -> Suite:
    """Every question about the stories that were told to their end, twice: about the bare words and about the prose."""
    whole = [each for each in found if each.id in texts]
    if not whole:
        raise UsageError("none of these stories was told to its end, so there is nothing to ask about in prose")
    made = build.suite(whole, name=name, **options)  # type: ignore[arg-type]
    items = [telling for item in made for telling in _both(item, texts[str(item.meta["found"])])]
    return replace(made, items=tuple(items))


def _both(item: Item, prose: str) -> tuple[Item, Item]:
    plain = replace(item, tags={**item.tags, TELLING: CANONICAL})
    return plain, replace(item, id=item.id + _MARK, context=prose, tags={**item.tags, TELLING: INFILLED})


@dataclass(frozen=True, slots=True)
class Tellings:
    """Accuracy on the same questions about the bare words and about the prose."""

    canonical: Estimate
    infilled: Estimate
    difference: Difference
    """Infilled less canonical, over the questions with a value in both."""


def compare(run: Run) -> Tellings | None:
    """What a run says of the two tellings; None where no question has a value in both."""
    values = run.values()
    stories = {record.item.id: str(record.item.meta.get("found")) for record in run.records}
    pairs = [(id, id + _MARK) for id in values if id + _MARK in values]
    if not pairs:
        return None
    groups = [stories[plain] for plain, _ in pairs]
    plain, prose = ([values[pair[side]] for pair in pairs] for side in (0, 1))
    return Tellings(mean(plain, groups=groups), mean(prose, groups=groups), difference(prose, plain, groups=groups))
