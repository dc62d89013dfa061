"""Logs of Inspect, read back into runs.

Of a task of ours the log has every item and every answer whole: they are scored anew, and the run is the one that we
would have made. Of other tasks the scores are taken as they were logged: 1 or 0 as right or wrong, and an answer that
was not scored has no value here either. Epochs of one sample belong to one story, so that intervals know of it. Of a
task that was exported, the items are those of the suite, with all that readers go by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from math import isnan
from pathlib import Path
from typing import Any

from otherminds.bridges.inspect.model import FINISHES, OURS, read_output, usage_of
from otherminds.bridges.replay import Key, Replayed, digest, exported, key, unshuffled
from otherminds.errors import BadFile, MissingFile, UsageError
from otherminds.formats.prompts import Posed
from otherminds.formats.scores import Score, Verdict, scoring
from otherminds.items import Item, Suite, Tag
from otherminds.items.tags import STORY
from otherminds.models import Message, Prompt, Response, Usage, Weighing, fingerprint
from otherminds.results.exports import told_question
from otherminds.runs.runs import Run, load, run
from otherminds.store.packing import call_key, pack
from otherminds.store.store import Call, RunRow, Store

SCORERS = ("right", "choice", "match", "includes", "answer", "pattern", "exact")
"""Of several scores in a log, the first of these is taken, else the first of all."""


def read(path: Path, store: Store) -> Run:
    """The run that a log tells of, kept in the store."""
    log = _open(path)
    if not log.samples:
        raise BadFile(f"{path} has no samples, so there is nothing to read back")
    told = (log.eval.metadata or {}).get(OURS)
    return _ours(log, told, path, store) if told else _theirs(log, path, store)


def _open(path: Path) -> Any:
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        raise UsageError("logs of Inspect need inspect-ai: pip install 'otherminds[inspect]'") from None
    if not path.exists():
        raise MissingFile(f"there is no file {path}")
    try:
        return read_eval_log(str(path))
    except Exception as error:  # a zip that is cut short, JSON of another kind, a version to come
        raise BadFile(f"{path} is no log of Inspect that can be read: {' '.join(str(error).split())[:200]}") from None


# ---- tasks of ours --------------------------------------------------------------------------------------------------


def _ours(log: Any, told: dict[str, Any], path: Path, store: Store) -> Run:
    items: dict[str, Item] = {}
    answers: dict[Key, Response | Weighing] = {}
    for sample in log.samples:
        item = Item.from_dict(sample.metadata[OURS]["item"], where=f"{path}, sample {sample.id}")
        items[item.id] = item
        posed: tuple[Posed, ...] = scoring(told["score"]).pose(item, prompt=told["prompt"], seed=told["seed"])
        if sample.epoch <= len(posed):
            asked = posed[sample.epoch - 1].prompt
            answers[key(asked)] = _answer(sample, asked, weighed=scoring(told["score"]).verb == "weigh")
    suite = Suite(told["suite"], tuple(items.values()), told["prompt"], told["score"])
    source = {"from": "inspect", "log": digest(path), "task": log.eval.task}
    return run(suite, Replayed(log.eval.model, source, answers), store=store, seed=told["seed"])


def _answer(sample: Any, prompt: Prompt, *, weighed: bool) -> Response | Weighing:
    if sample.error:
        return Weighing(error=sample.error.message) if weighed else Response(error=sample.error.message)
    return read_output(sample.output, prompt, weighed=weighed)


# ---- tasks of others ------------------------------------------------------------------------------------------------


def _theirs(log: Any, path: Path, store: Store) -> Run:
    source = {"backend": "replay", "model": log.eval.model, "from": "inspect", "log": digest(path)}
    model = Replayed(log.eval.model, source, {})
    print_ = fingerprint(model)
    known = exported(log.eval.task.rpartition("otherminds_")[2].removesuffix("_words"))
    ours = {item.id: item for item in known or ()}
    rows, calls, items = [], [], []
    for position, sample in enumerate(log.samples):
        item, prompt, response = _item(sample, ours), _prompt(sample), _response(sample)
        items.append(item)
        kept = Call(call_key(print_, "ask", prompt), print_, "ask", prompt.to_dict(), "", pack(response), 0.0)
        failed = bool(sample.error)
        calls += [] if failed else [kept]
        rows.append(
            {
                "position": position,
                "item": item.to_dict(),
                "calls": [] if failed else [kept.key],
                "score": _score(sample).to_dict(),
            }
        )
    suite = Suite(known.name if known else log.eval.task, tuple(items), "direct", "text")
    row = _row(log, suite, model, print_)
    store.keep_model(print_, model.name, model.identity)
    before = store.begin_run(row)
    store.keep_calls(calls)
    store.keep_run(replace(row, created=before.created, finished=row.created), rows)
    return load(store, row.id)


def _item(sample: Any, ours: Mapping[str, Item]) -> Item:
    """A sample as an item: its target as the choice that a letter stands for, its choices so that ours are shown so."""
    id = str(sample.id) if sample.epoch == 1 else f"{sample.id}#{sample.epoch}"
    shown = [str(choice) for choice in sample.choices or []]
    asked = sample.input if isinstance(sample.input, str) else "\n".join(turn.text for turn in sample.input)
    same = ours.get(str(sample.id))
    if same and told_question(same) == asked and set(same.choices) == set(shown):
        return replace(same, id=id, choices=unshuffled(id, shown))
    target = _named(sample.target if isinstance(sample.target, str) else ", ".join(sample.target), shown)
    fits = len(set(shown)) == len(shown) > 1 and target in shown
    tags: dict[str, Tag] = {STORY: str((sample.metadata or {}).get("cluster", sample.id))}
    tags |= {name: value for name, value in _simple(sample.metadata or {}) if name not in ("cluster", *tags)}
    return Item(id, asked, target or "(no target)", choices=unshuffled(id, shown) if fits else (), tags=tags)


def _named(answer: str, shown: Sequence[str]) -> str:
    """The choice that a letter stands for; whatever is no letter of a choice, as it is."""
    is_letter = len(answer) == 1 and answer not in shown and 0 <= ord(answer) - ord("A") < len(shown)
    return shown[ord(answer) - ord("A")] if is_letter else answer


def _simple(metadata: dict[str, Any]) -> Iterator[tuple[str, Tag]]:
    from otherminds.items.tags import TAGS

    for name, value in metadata.items():
        known = TAGS.get(name)
        if isinstance(value, str | int | float | bool) and (known is None or known.values.fit(value)):
            yield name, value


def _prompt(sample: Any) -> Prompt:
    turns = [turn for turn in sample.messages if turn.role in ("system", "user")]
    messages = tuple(Message(turn.role, turn.text) for turn in turns)
    # Two samples, or two epochs, may be asked in the same words, and are two calls all the same.
    return Prompt(messages=messages or (Message("user", str(sample.input)),), stop=(f"{sample.id}#{sample.epoch}",))


def _response(sample: Any) -> Response:
    output = sample.output
    return Response(output.completion, FINISHES.get(str(output.stop_reason), "stop"), usage_of(output))


VALUES = {"C": 1.0, "I": 0.0, "P": 0.5}


def _score(sample: Any) -> Score:
    if sample.error:
        return Score("error", why=sample.error.message)
    scores = sample.scores or {}
    name = next((name for name in SCORERS if name in scores), next(iter(scores), None))
    if name is None:
        return Score("unparsed", why="the log has no score for it")
    given = scores[name]
    value = VALUES.get(given.value, given.value) if isinstance(given.value, str) else given.value
    why = f"{name}: {(given.explanation or '').strip()[:500]}".rstrip(": ")
    if isinstance(value, bool):
        value = float(value)
    if not isinstance(value, int | float) or isnan(value) or not 0 <= value <= 1:
        verdict: Verdict = "refused" if "refus" in str(getattr(given, "reason", "")) else "unparsed"
        return Score(verdict, why=why, detail={"logged": str(given.value)})
    said = _named(given.answer or "", [str(choice) for choice in sample.choices or []])
    return Score("correct" if value == 1 else "incorrect", float(value), said, why)


def _row(log: Any, suite: Suite, model: Replayed, print_: str) -> RunRow:
    import hashlib
    from importlib.metadata import version
    from platform import platform, python_version

    id = hashlib.sha256(f"{print_}:{suite.digest}".encode()).hexdigest()[:10]
    manifest = {
        "otherminds": version("otherminds"),
        "python": python_version(),
        "platform": platform(),
        "started": log.eval.created,
        "ended": log.stats.completed_at,
        "suite": suite.name,
        "digest": suite.digest,
        "items": len(suite),
        "prompt": suite.prompt,
        "score": suite.score,
        "seed": 0,
        "limit": None,
        "model": model.name,
        "fingerprint": print_,
        "identity": dict(model.identity),
        "calls": {"made": 0, "reused": len(suite)},
        "usage": asdict(sum((usage_of(each.output) for each in log.samples if each.output), Usage())),
        "stopped": "",
        "inspect": {"task": log.eval.task, "packages": dict(log.eval.packages or {})},
    }
    head = (id, suite.name, suite.digest, model.name, print_, suite.prompt, suite.score)
    return RunRow(*head, manifest, log.eval.created)
