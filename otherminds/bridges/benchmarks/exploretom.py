"""ExploreToM's released rows: story structures found by search, the same infilled with prose, and one answer each.

An answer counts there when the expected words are anywhere in the text, so that "no" is found in "I know" and "tin" in
"not the tin". `repaired` reads the answer as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from otherminds.bridges.benchmarks.record import Benchmark, Mark, beginning, csv_rows, filled, make
from otherminds.errors import BadFile
from otherminds.items import Item, Tag
from otherminds.items.tags import INTERESTING, KIND, ORDER, STORY

NAME = "exploretom"
STRUCTURE, INFILLED, ANSWER = "story_structure", "infilled_story", "expected_answer"
PAIRS = (("yes", "no"), ("knows about it", "does not know about it"))
NOT_INFILLED = "there is no infilled story, so the structure is asked about"


def read(path: Path) -> Iterator[Item]:
    """Every row, about the infilled story where there is one."""
    for number, (where, row) in enumerate(csv_rows(path), start=1):
        yield _item(where, number, row)


def _item(where: str, number: int, row: Mapping[str, str]) -> Item:
    for field in (STRUCTURE, "question", ANSWER):
        filled(row.get(field), where, field)
    gold, infilled = row[ANSWER].strip(), row.get(INFILLED, "").strip()
    choices = next((pair for pair in PAIRS if gold.lower() in pair), ())
    order = row.get("qprop=nth_order", "").strip()
    if order and not re.fullmatch(r"-?\d+(?:\.0)?", order):
        raise BadFile(f"{where}: qprop=nth_order should be a number, not {order!r}")
    depth = max(0, int(float(order))) if order else None
    tags: dict[str, Tag] = {STORY: row.get("sprop=global_idx", "").strip() or row[STRUCTURE][:60]}
    tags[KIND] = f"{row.get('param=story_type', '').strip() or 'any set'}, order {order or 'unknown'}"
    tags |= {ORDER: depth} if depth is not None else {}
    if (unique := row.get("qprop=non_unique_mental_state", "").strip().lower()) in ("true", "false"):
        tags[INTERESTING] = unique == "true"
    return make(
        NAME,
        f"row-{number}",
        context=infilled or row[STRUCTURE],
        question=row["question"],
        gold=gold.lower() if choices else gold,
        published=gold,
        choices=choices,
        raw=dict(row),
        tags=tags,
        repairs=[] if infilled else [NOT_INFILLED],
    )


def mark(item: Item, texts: Sequence[str], shown: Sequence[Sequence[str]]) -> Mark:
    """Right if the expected words are anywhere in the text, whatever the case."""
    gold, text = str(item.meta["published_gold"]), texts[0].lower()
    return Mark(float(gold.lower() in text), text.strip().split("\n")[0], bool(text.strip()))


BENCHMARK = Benchmark(
    name=NAME,
    title="ExploreToM",
    paper="Sclar et al. (2024). "
    "Explore Theory of Mind: Program-guided adversarial data generation for theory of mind reasoning. "
    "arXiv:2412.12175.",
    licence="CC BY-NC 4.0, evaluation only",
    read=read,
    fits=lambda path: path.suffix == ".csv" and STRUCTURE in beginning(path).split("\n")[0],
    mark=mark,
    scoring="Right if the expected words are anywhere in the text, also inside other words.",
    ask=lambda item: f"Answer with {' or '.join(item.choices) or 'one or two words'}, and nothing else.",
)
