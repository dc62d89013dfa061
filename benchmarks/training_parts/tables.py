"""The results of the training experiment as Markdown, and what is learned step by step as a picture."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

from training_parts.data import SEEDS

from otherminds.files import write_text
from otherminds.pages.plots import intervals
from otherminds.stats import Estimate

Results = Mapping[str, Mapping[str, Any]]
Row = tuple[str, str, str]
"""What it is called, the exam, the kind of question."""
SETS = {
    "own": "own words, held-out contexts",
    "trained": "all grammars and forms, held-out lessons",
    "terse": "terse",
    "longer": "8–9 people, 18–28 events",
    "deep": "five people leave one by one, terse",
    "stage": "a grammar never trained on",
    "stage-deep": "the same, five people leave",
    "scenes": "everyday scenes",
    "retold": "scenes in sentences never trained on",
    "tomi-numbered-repaired": "ToMi, numbered lines, repaired gold",
    "tomi-lines-repaired": "ToMi, lines, repaired gold",
    "tomi-chat-repaired": "ToMi, in a chat, repaired gold",
    "tomi-numbered-published": "ToMi, numbered lines, published gold",
    "tomi-lines-published": "ToMi, lines, published gold",
    "tomi-chat-published": "ToMi, in a chat, published gold",
}
BITS = ("plain text, bits a character", "plain text", "bits a character")
HEADLINES = [f"beliefs-{seed}" for seed in SEEDS]
KINDS = {
    "what is or was so": r"reality|memory|order 0",
    "true beliefs": r" true|no_tom$",
    "false beliefs": r" false|(?<!no)_tom$",
}
"""Kinds of question that are counted together."""
DRAWN = ("tomi-numbered-repaired", "deep", "scenes", "retold")
REPEATED = {"repeated-1": "500 lessons", "repeated-4": "2,000", "repeated-16": "8,000", "reference": "all fresh"}


def read(folder: Path) -> Results:
    """Every result in a folder."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}


def _steps(found: Results) -> list[str]:
    return sorted((name for name in found if name.startswith("ladder-")), key=lambda name: int(name.split("-")[1]))


def draw(folder: Path, path: Path) -> None:
    """How each kind of question is learned: the model as it is, every step of the ladder, and the end."""
    found = read(folder)
    names = [name for name in ("base", *_steps(found), "beliefs") if name in found]
    rows: list[tuple[str, Sequence[Estimate | None]]] = []
    for exam in DRAWN:
        cells = {kind: [_cell(found, name, exam, kind) for name in names] for kind in KINDS}
        if any(map(any, cells.values())):
            rows.append((SETS[exam], []))
            rows += [(kind, [each and _estimate(each) for each in them]) for kind, them in cells.items()]
    series = [name.replace("ladder-", "step ") for name in names]
    write_text(path, intervals(rows, title="What is learned when", series=series, measure="right, word for word"))


def _estimate(cell: Sequence[Any]) -> Estimate:
    return Estimate(cell[0], *wilson(cell[0], cell[2]), n=cell[1], clusters=cell[2], method="wilson")


def print_tables(folder: Path) -> None:
    """Every table that something is there for."""
    found = read(folder)
    steps = _steps(found)
    exams = list(dict.fromkeys(exam for one in found.values() for exam in one["scores"] if exam != "plain text"))
    known = [*(exam for exam in SETS if exam in exams), *(exam for exam in exams if exam not in SETS)]
    rows = [(SETS.get(exam, exam), exam, "all") for exam in known]
    table("What they score", found, ["base", *steps, "beliefs"], [*rows, BITS])
    for names in ([f"full-{seed}" for seed in SEEDS], HEADLINES):
        if len(found.keys() & set(names)) > 1:  # one run has no spread
            table("Spread over seeds", found, names, [*rows, BITS], spread=True)
    table("Ways to get there", found, ["full-0", "mean", "beliefs", "without"], [*rows, BITS])
    for exam in known:
        kinds = [kind for kind in _kinds(found, exam) if kind != "all"]
        heads = ["base", *steps, *HEADLINES, "beliefs", "without"]
        table(f"By kind: {SETS.get(exam, exam)}", found, heads, [(kind, exam, kind) for kind in kinds])
    parted = [
        (label if kind == "all" else f"– {kind}", exam, kind) for label, exam, _ in rows for kind in ("all", *KINDS)
    ]
    shares = ["needing-0", "needing-25", "needing-50", "reference", "needing-100"]
    table("Stories that need minds", found, shares, parted)
    table("One grammar or many", found, ["terse-alone", "own-alone", "reference"], parted)
    table("Lessons at equal steps", found, [*REPEATED], parted, titles=REPEATED)


def _kinds(found: Results, exam: str) -> list[str]:
    return list(dict.fromkeys(kind for one in found.values() for kind in one["scores"].get(exam, {})))


def table(
    title: str,
    found: Results,
    names: Sequence[str],
    rows: Sequence[Row],
    *,
    spread: bool = False,
    titles: Mapping[str, str] | None = None,
) -> None:
    """One of them, with what is there of it; `spread` adds mean, least and most."""
    there = [name for name in names if name in found]
    if not there or not any(_cell(found, name, exam, kind) for name in there for _, exam, kind in rows):
        return
    heads = ["", "n", "stories", *((titles or {}).get(name, name) for name in there), *(["mean, range"] * spread)]
    print(f"### {title}\n\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for label, exam, kind in rows:
        cells = [_cell(found, name, exam, kind) for name in there]
        if known := [cell for cell in cells if cell]:
            bits = exam == "plain text"
            told = [_told(cell, bits) for cell in cells]
            values = [cell[0] for cell in known]
            told += [f"{sum(values) / len(values):.3f}, {min(values):.3f}–{max(values):.3f}"] * spread
            counts = ["", ""] if bits else [f"{known[0][1]:,}", f"{known[0][2]:,}"]
            print(f"| {' | '.join([label, *counts, *told])} |")
    print()


def _cell(found: Results, name: str, exam: str, kind: str) -> Sequence[Any] | None:
    """Share, questions and stories; of several kinds together the fewest stories that these can be about."""
    scores: Mapping[str, Sequence[Any]] = found[name]["scores"].get(exam, {})
    if kind not in KINDS:
        return scores.get(kind)
    cells = [cell for one, cell in scores.items() if re.search(KINDS[kind], one)]
    questions = sum(cell[1] for cell in cells)
    return cells and [sum(cell[0] * cell[1] for cell in cells) / questions, questions, max(cell[2] for cell in cells)]


def _told(cell: Sequence[Any] | None, bits: bool) -> str:
    if not cell:
        return "–"
    if bits:
        return f"{cell[0]:.3f}"
    low, high = wilson(cell[0], cell[2])
    return f"{cell[0]:.3f} [{low:.2f}, {high:.2f}]"


def wilson(share: float, stories: int) -> tuple[float, float]:
    """95 %, as if all questions about one story were a single one: the widest that it can be."""
    z = 1.96
    middle = (share + z * z / (2 * stories)) / (1 + z * z / stories)
    half = z / (1 + z * z / stories) * sqrt(share * (1 - share) / stories + z * z / (4 * stories**2))
    return max(0.0, middle - half), min(1.0, middle + half)
