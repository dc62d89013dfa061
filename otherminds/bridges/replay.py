"""Logs of other programs, read back: a model that says what it said before, and the items that it was asked.

What `lm_eval run --log_samples` writes of an exported suite (samples_otherminds_….jsonl) has every prompt with the
log-likelihood of every continuation. They are scored as everything else is, so the run has the table and the diagnosis
that our own would have. The items are those of the suite of that name, if its prompts are the same; else they are put
together from the documents, which know the tags but not the rest.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any

from otherminds.errors import BadFile, ModelError, OthermindsError, UsageError
from otherminds.files import package_file
from otherminds.formats.plans import plan
from otherminds.items import Item, Suite, read_lines
from otherminds.models import ModelDefaults, Prompt, Response, Weighing
from otherminds.models.weighing import log_sum
from otherminds.runs.runs import Run, run
from otherminds.store.store import Store

Key = tuple[str, tuple[tuple[str, str], ...]]
NOT_THERE = "the log has no answer to this prompt"


def key(prompt: Prompt) -> Key:
    """What a prompt says, whatever it asks back."""
    return prompt.text, tuple((turn.role, turn.content) for turn in prompt.messages)


class Replayed(ModelDefaults):
    """Answers by prompt, out of a log; what is not in it is an error, which is asked again by nobody."""

    batch = ask_batch = 256
    parallel = 1
    cannot: frozenset[str] = frozenset({"schema"})

    def __init__(self, name: str, source: Mapping[str, Any], answers: Mapping[Key, Response | Weighing]) -> None:
        self.name = name
        self.identity: Mapping[str, Any] = {"backend": "replay", "model": name, **source}
        self._answers = answers

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """The texts that were logged."""
        return [self._found(Response, prompt) for prompt in prompts]

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        """The log-probabilities that were logged."""
        return [self._found(Weighing, prompt) for prompt in prompts]

    def _found(self, kind: type[Any], prompt: Prompt) -> Any:
        result = self._answers.get(key(prompt), kind(error=NOT_THERE))
        if not isinstance(result, kind):
            raise ModelError(f"the log of {self.name} has another kind of answer than the suite is scored by")
        return result


def digest(path: Path) -> str:
    """By which two logs are told apart."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def exported(name: str) -> Suite | None:
    """The suite of ours that is called so where only letters, digits and _ will do."""
    from otherminds.results.exports import name_of
    from otherminds.studies.suites import suites

    found = (make() for known, make in suites().items() if re.sub(r"[^a-z0-9]+", "_", known.lower()) == name)
    try:
        return next((suite for suite in found if name_of(suite) == f"otherminds_{name}"), None)
    except OthermindsError:
        return None


def unshuffled(id: str, shown: Sequence[str]) -> tuple[str, ...]:
    """The choices of an item of that id which are shown in this order."""
    # The order was drawn by the id: the same draw of places tells where each choice stood before.
    places = random.Random(f"0:{id}").sample(range(len(shown)), len(shown))
    return tuple(choice for _, choice in sorted(zip(places, shown, strict=True)))


NAME = re.compile(r"samples_otherminds_(?P<suite>.+?)_(?P<score>letters|cloze)_(?P<when>.*)\.jsonl")


def is_log(path: Path) -> bool:
    """Whether a file is called as the harness calls its logs of our tasks."""
    return bool(NAME.fullmatch(path.name))


def read(path: Path, store: Store, *, suite: Suite | None = None) -> Run:
    """The run that a log tells of, kept in the store."""
    name = NAME.fullmatch(path.name)
    if not name:
        raise UsageError(f"{path} should be called samples_otherminds_SUITE_letters_….jsonl, as the harness calls it")
    rows = [_row(f"{path}, line {number}", row) for number, row in read_lines(path)]
    if not rows:
        raise BadFile(f"{path} has no samples")
    answers = {key(Prompt(text=doc["prompt"])): weighing for doc, weighing in rows}
    docs, score = [doc for doc, _ in rows], name["score"]
    known = suite or exported(name["suite"])
    asked = known and _restricted(known.using(prompt="raw", score=score), docs, answers)
    if suite and not asked:
        raise UsageError(f"{path} has other prompts than suite {suite.name!r}; it was made from another version of it")
    made = asked or Suite(name["suite"].replace("_", "-"), _items(docs, score), "raw", score)
    model = _model(path)
    return run(made, Replayed(model, {"from": "lm-eval", "log": digest(path)}, answers), store=store)


def _row(where: str, row: Mapping[str, Any]) -> tuple[dict[str, Any], Weighing]:
    doc, given = row.get("doc"), row.get("filtered_resps") or row.get("resps")
    if not isinstance(doc, dict) or not isinstance(given, list):
        raise BadFile(f"{where}: no doc or no resps; is it a log of samples, made with --log_samples?")
    lacking = [name for name in ("id", "prompt", "choices", "continuations", "answer", "tags") if name not in doc]
    if lacking:
        raise BadFile(f"{where}: the document has no {lacking[0]}; `otherminds export --to lm-eval` writes them all")
    try:
        values = [_number(each) for each in given]
    except (TypeError, ValueError, IndexError):
        raise BadFile(f"{where}: resps should be log-likelihoods, not {str(given)[:80]}") from None
    if len(values) != len(doc["continuations"]):
        raise BadFile(f"{where}: {len(values)} log-likelihoods for {len(doc['continuations'])} continuations")
    return doc, _weighing(doc, values)


def _number(given: Any) -> float:
    """The log-likelihood, which some versions wrap in more lists than others, and write as text."""
    while isinstance(given, list):
        given = given[0]
    return float(given)


def _weighing(doc: Mapping[str, Any], values: Sequence[float]) -> Weighing:
    each = len(values) // len(doc["choices"])
    parts = [range(start, start + each) for start in range(0, len(values), each)]
    names = [doc["continuations"][part[-1]] for part in parts]  # of " A" and "A", the one without a space
    logs = {name: log_sum([values[place] for place in part]) for name, part in zip(names, parts, strict=True)}
    spelt = {name: tuple(doc["continuations"][n] for n in part) for name, part in zip(names, parts, strict=True)}
    return Weighing({name: value for name, value in logs.items() if value > -inf}, spelt)


def _restricted(suite: Suite, docs: Sequence[Mapping[str, Any]], answers: Mapping[Key, Weighing]) -> Suite | None:
    """The suite's items that the log has, if it has all their prompts."""
    ids = {doc["id"] for doc in docs}
    if not ids <= {item.id for item in suite}:
        return None
    some = suite.where(lambda item: item.id in ids)
    return some if all(key(prompt) in answers for prompt in plan(some).prompts) else None


def _items(docs: Sequence[Mapping[str, Any]], score: str) -> tuple[Item, ...]:
    first: dict[str, Mapping[str, Any]] = {}
    for doc in docs:
        first.setdefault(doc["id"], doc)
    return tuple(_item(doc, score) for doc in first.values())


def _item(doc: Mapping[str, Any], score: str) -> Item:
    """An item whose prompts are those of the log."""
    tags = json.loads(doc["tags"])
    if score == "cloze":
        context, _, stem = doc["prompt"].rpartition("\n")
        return Item(doc["id"], stem, doc["answer"], context, tuple(doc["choices"]), stem, tags)
    head, _, rest = doc["prompt"].rpartition("Question: ")
    question = rest.split("\nA. ")[0]
    choices = unshuffled(doc["id"], doc["choices"])
    return Item(doc["id"], question, doc["answer"], head.removesuffix("\n"), choices, tags=tags)


def _model(path: Path) -> str:
    """Who answered: the results beside the log say so, or else the folder that the harness made for the model."""
    results = path.with_name(path.name.replace(path.name.split("_20")[0], "results")).with_suffix(".json")
    if results.exists():
        try:
            data = json.loads(results.read_text(encoding="utf-8"))
            return str(data.get("model_name") or data.get("model_source") or path.parent.name)
        except (OSError, ValueError, AttributeError):
            pass
    return path.parent.name.replace("__", "/") or "lm-eval"


def readme(suite: Suite) -> dict[str, str]:
    """For a suite of somebody else's benchmark, the page that a task folder of the harness has; none for our own."""
    from otherminds.bridges.benchmarks.known import BENCHMARKS, patch, repairs
    from otherminds.items.tags import BENCHMARK
    from otherminds.results.exports import name_of

    names = sorted({str(item.meta[BENCHMARK]) for item in suite if BENCHMARK in item.meta})
    if not names:
        return {}
    kinds = [BENCHMARKS[name] for name in names if name in BENCHMARKS]
    page = package_file("export/task.md").format(
        titles=", ".join(kind.title for kind in kinds),
        papers="\n".join(f"{kind.paper} Licence of the data: {kind.licence}." for kind in kinds),
        name=name_of(suite),
        repairs="\n".join(f"- {words}: {number} items" for words, number in repairs(suite).items()),
        labels=len(patch(suite)),
        scoring="\n".join(f"{kind.title}'s own scoring: {kind.scoring}" for kind in kinds),
    )
    return {"README.md": page}
