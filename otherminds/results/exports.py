"""Suites and runs as the files of others: lm-evaluation-harness, Inspect, tables. Nothing here writes.

A suite becomes files by name. For lm-evaluation-harness a document is one prompt: the raw one, in every order of the
choices, as `letters` weighs them, and the beginning of a sentence, as `cloze` does; what it measures is our response
score to the last digit. For Inspect an item is one question, with the choices in the order in which `text` shows them.

Items that have no right answer are left out of both, and free answers out of the first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from string import ascii_uppercase as LETTERS
from typing import Any

from otherminds.errors import UsageError
from otherminds.files import package_file
from otherminds.formats.plans import groups
from otherminds.formats.prompts import Posed, shuffled
from otherminds.formats.scores import scoring
from otherminds.items import Item, Suite
from otherminds.items.tags import CANARY, has_right_answer
from otherminds.pages.report import Table
from otherminds.pages.table_files import as_csv
from otherminds.runs.runs import Run

Files = dict[str, str]
SEED = 0
"""That of a run which is given none, so that the prompts are the same."""
WEIGHED = ("letters", "cloze")


def name_of(suite: Suite) -> str:
    """What a suite is called where only letters, digits and _ will do."""
    return "otherminds_" + re.sub(r"[^a-z0-9]+", "_", suite.name.lower()).strip("_")


def lm_eval_files(suite: Suite) -> Files:
    """A task for each way of weighing, its documents, and the few functions that turn log-likelihoods into scores."""
    name, made = name_of(suite), {"otherminds_scores.py": package_file("export/otherminds_scores.py")}
    for score in WEIGHED:
        items = [item for item in weighed(suite) if score == "letters" or item.cloze]
        if items:
            task = f"{name}_{score}"
            made[f"{task}.yaml"] = package_file("export/lm_eval.yaml").format(
                suite=name, score=score, task=task, digest=suite.digest
            )
            made[f"{task}.jsonl"] = _lines(_documents(items, score))
    return made


def inspect_files(suite: Suite) -> Files:
    """A task.py, and its questions in the fields that Inspect reads."""
    from jinja2 import Environment

    name, items = name_of(suite), answered(suite)
    parts = {name: [item for item in items if item.choices], f"{name}_words": [i for i in items if not i.choices]}
    choices, words = map(bool, parts.values())
    page = Environment().from_string(package_file("export/task.py.j2"))
    made = {"task.py": page.render(name=name, choices=choices, words=words)}
    return made | {f"{part}.jsonl": _lines(map(_question, some, groups(some))) for part, some in parts.items() if some}


def csv_text(run: Run) -> str:
    """One row for every item."""
    rows = run.rows()
    columns = list(rows[0]) if rows else []
    return as_csv(Table(columns, [list(row.values()) for row in rows], caption=run.id))


def answered(suite: Suite) -> list[Item]:
    """The items that have a right answer."""
    found = [item for item in suite if has_right_answer(item.tags)]
    if not found:
        raise UsageError(f"no item of suite {suite.name!r} has a right answer, so there is nothing to export")
    return found


def weighed(suite: Suite) -> list[Item]:
    """The items whose choices can be weighed."""
    found = [item for item in answered(suite) if item.choices]
    if not found:
        raise UsageError(f"no item of suite {suite.name!r} has choices to weigh; export it to inspect")
    return found


def _documents(items: Sequence[Item], score: str) -> list[dict[str, Any]]:
    pose = scoring(score).pose
    return [
        _document(item, number, asked, group)
        for item, group in zip(items, groups(items), strict=True)
        for number, asked in enumerate(pose(item, prompt="raw", seed=SEED))
    ]


def _document(item: Item, rotation: int, asked: Posed, group: str) -> dict[str, Any]:
    # A letter counts with a space before it and without one.
    gaps = (" ", "") if asked.prompt.labels else ("",)
    return {
        "id": item.id,
        "rotation": rotation,
        "prompt": asked.prompt.text,
        "choices": asked.choices,
        "continuations": [gap + choice for choice in asked.prompt.choices for gap in gaps],
        "target": asked.choices.index(item.answer) * len(gaps),
        "answer": item.answer,
        "cluster": group,
        # As text, since the harness wants every column to be of one type.
        "tags": json.dumps(item.tags, ensure_ascii=False),
        "canary": item.meta.get(CANARY, ""),
    }


def _question(item: Item, group: str) -> dict[str, Any]:
    kept = {name: item.meta[name] for name in ("why", "canary") if name in item.meta}
    told: dict[str, Any] = {"input": told_question(item), "target": item.answer}
    if item.choices:
        shown = shuffled(item, seed=SEED)
        told |= {"choices": shown, "target": LETTERS[shown.index(item.answer)]}
    return {"id": item.id, **told, "metadata": {**item.tags, **kept, "cluster": group}}


def told_question(item: Item) -> str:
    """The story and the question."""
    return f"{item.context}\n\n{item.question}" if item.context else item.question


def _lines(objects: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects)
