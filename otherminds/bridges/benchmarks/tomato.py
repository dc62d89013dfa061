"""ToMATO: what people thought while they talked, one question a message, four options.

`otherminds build dialogue --published` reads the same files as questions of our own study. Their own evaluation takes
the first letter in square brackets, also out of reasoning, and counts a text without one as wrong.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from otherminds.bridges.benchmarks.record import Benchmark, Mark, beginning, filled, json_of, make, need
from otherminds.errors import BadFile
from otherminds.items import Item, Tag, told_apart
from otherminds.items.tags import FALSE_BELIEF, KIND, ORDER, PUBLISHED_GOLD, STATE, STORY

NAME = "tomato"
OPTIONS = ("a0", "a1", "a2", "a3")


def read(path: Path) -> Iterator[Item]:
    """Every question."""
    records = json_of(path)
    if not isinstance(records, list) or not records:
        raise BadFile(f"{path} should be a JSON list of questions, as tomato_fb.json is")
    for number, record in enumerate(records, start=1):
        where = f"{path}, record {number}"
        if not isinstance(record, dict):
            raise BadFile(f"{where} should be an object, not {str(record)[:80]}")
        yield _item(where, record)


def _item(where: str, record: Mapping[str, Any]) -> Item:
    need(record, where, a_idx=int, a_str=str, mental_state=str, order=int, q=str, q_id=str)
    options, right = [filled(record.get(name), where, name) for name in OPTIONS], record["a_idx"]
    if not 0 <= right < len(OPTIONS) or options[right] != record["a_str"]:
        raise BadFile(f"{where}: a_str is not option a{right}, which a_idx says is right")
    # The files call it conversation, and the released evaluation reads transcript.
    talk = filled(record.get("conversation") or record.get("transcript"), where, "conversation (or transcript)")
    state, order, false = record["mental_state"], record["order"], record.get("false_belief")
    kind = "false belief" if false is True else f"order {order}"
    tags: dict[str, Tag] = {STORY: f"{state}-{hashlib.sha256(talk.encode()).hexdigest()[:10]}"}
    tags |= {KIND: f"{state}, {kind}", STATE: state, ORDER: order}
    tags |= {FALSE_BELIEF: false} if isinstance(false, bool) and order == 2 else {}
    choices = told_apart(options)
    return make(
        NAME,
        record["q_id"],
        context=talk,
        question=record["q"],
        gold=choices[right],
        published=choices[right],
        choices=choices,
        raw=dict(record),
        tags=tags,
    )


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
    paper="Shinoda et al. (2025). "
    "ToMATO: Verbalizing the Mental States of Role-Playing LLMs for Benchmarking Theory of Mind. AAAI.",
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
