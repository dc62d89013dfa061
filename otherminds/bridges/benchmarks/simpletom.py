"""SimpleToM: one story, three questions: what somebody is aware of, what they will do, whether that is reasonable.

The kind of a question is the ending of its id. Options are never shuffled in the published evaluation, and the first of
(A), (B), (C), (D) by letter wins, wherever it stands: "(B) rather than (A)" counts as A.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase as LETTERS
from typing import Any

from otherminds.bridges.benchmarks.record import Benchmark, Mark, beginning, json_rows, make, need
from otherminds.errors import BadFile
from otherminds.items import Item, Tag
from otherminds.items.tags import JOINT, KIND, ORDER, STORY

NAME = "simpletom"
KINDS = {"aware": "awareness", "action": "behaviour", "judge": "judgment"}


def read(path: Path) -> Iterator[Item]:
    """Every question of a file, or of all question sets in a folder."""
    files = (
        sorted(file for file in path.rglob("*.jsonl") if "story-data" not in file.parts) if path.is_dir() else [path]
    )
    if not files:
        raise BadFile(f"{path} has no .jsonl, and SimpleToM has mental-state-qa/test.jsonl and two others")
    for file in files:
        for where, row, _ in json_rows(file):
            yield _item(where, row)


def _item(where: str, row: Mapping[str, Any]) -> Item:
    need(row, where, id=str, story=str, question=str, choices=dict, answerKey=str)
    options, labels = row["choices"].get("text"), row["choices"].get("label")
    if not isinstance(options, list) or not isinstance(labels, list) or len(options) != len(labels) or len(options) < 2:
        raise BadFile(f"{where}: choices should have as many texts as labels, two or more, not {row['choices']!r}")
    if row["answerKey"] not in labels:
        raise BadFile(f"{where}: answerKey {row['answerKey']!r} is none of the labels {labels!r}")
    stem, _, ending = row["id"].rpartition("_")
    if ending not in KINDS:
        raise BadFile(f"{where}: id {row['id']!r} should end in _aware, _action or _judge, which tells its kind")
    gold = options[labels.index(row["answerKey"])]
    tags: dict[str, Tag] = {STORY: stem, JOINT: stem, KIND: KINDS[ending], ORDER: 1}
    return make(
        NAME,
        row["id"],
        context=row["story"],
        question=row["question"],
        gold=gold,
        published=gold,
        choices=options,
        raw=dict(row),
        tags=tags,
    )


def mark(item: Item, texts: Sequence[str], shown: Sequence[Sequence[str]]) -> Mark:
    """The first letter in brackets by the alphabet; else with one bracket, else bare, if there is only one."""
    text = re.sub(r"answer:?", "", texts[0].rpartition("the answer is")[2], flags=re.IGNORECASE)
    said = next((letter for letter in "ABCD" if f"({letter})" in text), "")
    for form in ("({}", "{}"):
        named = [letter for letter in "ABCD" if form.format(letter) in text]
        said = said or (named[0] if len(named) == 1 else "")
        if named:
            break
    place = LETTERS.find(said) if said else -1
    if not 0 <= place < len(shown[0]):
        return Mark(0.0, "", False, "no letter of an option by their rules, which counts as wrong")
    option = shown[0][place]
    return Mark(float(option == item.meta["published_gold"]), option)


BENCHMARK = Benchmark(
    name=NAME,
    title="SimpleToM",
    paper="Gu et al. (2024). "
    "SimpleToM: Exposing the Gap between Explicit ToM Inference and Implicit ToM Application in LLMs. "
    "arXiv:2410.13648.",
    licence="ODC-BY",
    read=read,
    fits=lambda path: _fits(path),
    mark=mark,
    scoring="(A) to (D) in the order of the letters wherever they stand, then bare capitals; none counts as wrong.",
    option="({letter}) {choice}",
    answer="({letter})",
    ask=lambda item: "Answer with (A) or (B), and nothing else.",
)


def _fits(path: Path) -> bool:
    if path.is_dir():
        return any(_fits(file) for file in path.rglob("*.jsonl"))
    return path.suffix == ".jsonl" and '"answerKey"' in beginning(path, 1 << 14) and '"story"' in beginning(path)
