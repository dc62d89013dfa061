"""ToMATO: what people thought while they talked, one question a message, four options.

The files are read as `otherminds build dialogue --published` reads them. Their own evaluation takes the first letter in
square brackets, also out of reasoning, and counts a text without one as wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from otherminds.bridges.benchmarks.record import Benchmark, Mark, beginning
from otherminds.items import Item
from otherminds.items.tags import BENCHMARK as NAMED
from otherminds.items.tags import KIND, PUBLISHED_GOLD
from otherminds.studies.dialogue.published import read as read_published

NAME = "tomato"


def read(path: Path) -> Iterator[Item]:
    """Every question; the record can be written again from the item."""
    for item in read_published(path):
        order = "false belief" if item.tags.get("false_belief") else f"order {item.tags['order']}"
        tags = {**item.tags, KIND: f"{item.tags['state']}, {order}"}
        yield replace(item, tags=tags, meta={**item.meta, NAMED: NAME, PUBLISHED_GOLD: item.answer})


def mark(item: Item, texts: Sequence[str], shown: Sequence[Sequence[str]]) -> Mark:
    """The first [A] to [D]."""
    hit = re.search(r"\[([A-D,])\]", texts[0])
    if not hit or hit[1] == ",":
        return Mark(0.0, "", False, "no letter in square brackets, which counts as wrong")
    said = shown[0]["ABCD".index(hit[1])]
    return Mark(float(said == item.meta[PUBLISHED_GOLD]), said)


BENCHMARK = Benchmark(
    name=NAME,
    title="ToMATO",
    licence="Llama 3 Community Licence, evaluation only",
    read=read,
    fits=lambda path: path.suffix == ".json" and '"a_idx"' in beginning(path, 1 << 16),
    mark=mark,
    scoring="The first letter in square brackets, also out of reasoning; none counts as wrong. Options stay in order.",
    option="[{letter}] {choice}",
    answer="[{letter}]",
    ask=lambda item: (
        "Answer with the letter of the most probable option in square brackets, such as [A], and nothing else."
    ),
)
