"""Suites and runs as the files of others: lm-evaluation-harness, Inspect, tables.

A suite becomes files by name. For lm-evaluation-harness a document is one prompt: the raw one, in every order of the
choices, as `letters` weighs them, and the beginning of a sentence, as `cloze` does; what it measures is our response
score to the last digit. For Inspect an item is one question, with the choices in the order in which `text` shows them.
Items that have no right answer are left out of both, and free answers out of the first.

A run becomes a log of Inspect, for its viewer and its data frames. Three scores stand beside each other: `right` is 1
or 0, and unscored where nothing was measured; `S` is the response score, where choices were weighed; `verdict` is the
word that tells wrong answers from tied, unparsed, refused, truncated and failed ones. Inspect itself computes means and
clustered standard errors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields
from math import nan
from pathlib import Path
from string import ascii_uppercase as LETTERS
from typing import Any

from otherminds.errors import UsageError
from otherminds.files import package_file, replacing
from otherminds.formats.plans import groups
from otherminds.formats.prompts import Posed, shuffled
from otherminds.formats.scores import scoring
from otherminds.items import Item, Suite
from otherminds.items.tags import CANARY, has_right_answer
from otherminds.models import Message, Prompt, Response, Usage
from otherminds.pages.report import Table
from otherminds.pages.table_files import as_csv
from otherminds.results.answers import Answers
from otherminds.results.reading import read_result, read_verdict
from otherminds.runs.runs import Record, Run
from otherminds.store.packing import Result

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
            made[f"{task}.jsonl"] = _lines(
                _document(item, number, asked, group)
                for item, group in zip(items, groups(items), strict=True)
                for number, asked in enumerate(scoring(score).pose(item, prompt="raw", seed=SEED))
            )
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


STOPS = {"stop": "stop", "length": "max_tokens", "refused": "content_filter", "error": "unknown"}
REASONS = {"unparsed": "invalid_response_format", "refused": "refusal"}
"""Where Inspect has a word for it; ours are kept otherwise."""


def save(run: Run, path: Path) -> None:
    """Write a run as Inspect's .eval file, which is there whole or not at all."""
    if path.suffix != ".eval":
        raise UsageError(f"{path} should end in .eval, by which Inspect knows its logs")
    log = as_log(run)
    from inspect_ai.log import write_eval_log

    with replacing(path) as half:
        write_eval_log(log, str(half), format="eval")


def as_log(run: Run) -> Any:
    """The run as an EvalLog."""
    try:
        from inspect_ai import log as logs
    except ImportError:
        raise UsageError("logs of Inspect need inspect-ai: pip install 'otherminds[inspect]'") from None
    started, ended = run.manifest["started"], run.manifest.get("ended", run.manifest["started"])
    samples = [_sample(run, row.record, row.group) for row in Answers.of([run]) if row.record]
    ids = [record.item.id for record in run.records]
    about = {"run": run.id, "prompt": run.prompt, "score": run.score, "verdicts": run.verdicts(), **run.manifest}
    log = logs.EvalLog(
        status="cancelled" if run.partial else "success",
        eval=logs.EvalSpec(
            created=started,
            eval_id=run.id,
            run_id=run.id,
            task=run.suite,
            task_id=f"{run.suite}-{run.digest}",
            dataset=logs.EvalDataset(name=run.suite, samples=len(ids), sample_ids=ids),
            model=run.model,
            config=logs.EvalConfig(limit=run.manifest["limit"], epochs=1),
            packages={"otherminds": run.manifest["otherminds"]},
            metadata=about,
            scorers=_scorers(run),
        ),
        stats=logs.EvalStats(
            started_at=started, completed_at=ended, model_usage=_usage(run, [r for x in run.records for r in x.results])
        ),
        samples=samples,
    )
    logs.recompute_metrics(log)
    return log


def _scorers(run: Run) -> list[dict[str, Any]]:
    """What Inspect is to compute from which scores."""
    spread = _metric("stderr", cluster="cluster")
    counts = _metric("frequency", categories=list(run.verdicts()), normalize=False)
    found = {"right": [_metric("accuracy"), spread], "S": [_metric("mean"), spread], "verdict": [counts]}
    return [{"name": name, "metrics": several} for name, several in found.items() if name != "S" or run.values("S")]


def _metric(name: str, **options: Any) -> dict[str, Any]:
    return {"name": f"inspect_ai/{name}", "options": options}


def _sample(run: Run, record: Record, cluster: str) -> Any:
    from inspect_ai.log import EvalError, EvalSample
    from inspect_ai.model import ModelOutput

    item = record.item
    last = record.results[-1] if record.results else Response()
    stop = STOPS[last.finish] if isinstance(last, Response) else "stop"
    said = "\n\n".join(map(_said, record.results))
    failed = EvalError(message=record.score.why, traceback="", traceback_ansi="") if record.verdict == "error" else None
    return EvalSample(
        id=item.id,
        epoch=1,
        uuid=f"{run.id}-{item.id}",
        input=told_question(item),
        choices=list(item.choices) or None,
        target=item.answer,
        messages=[turn for pair in zip(record.prompts, record.results, strict=True) for turn in _turns(run, *pair)],
        output=ModelOutput.from_content(run.model, said, stop_reason=stop),
        scores=_scores(record),
        metadata={**item.tags, "cluster": cluster, "verdict": record.verdict},
        model_usage=_usage(run, record.results),
        error=failed,
    )


def _scores(record: Record) -> dict[str, Any]:
    from inspect_ai.scorer import Score

    score, value, weighed = record.score, record.value(), record.value("S")
    abnormal = None if record.verdict in ("correct", "incorrect") else REASONS.get(record.verdict, record.verdict)
    told = {"answer": score.answer, "explanation": read_verdict(record), "metadata": dict(score.detail)}
    made = {
        "right": Score(value=nan if value is None else value, reason=abnormal, **told),
        "verdict": Score(value=record.verdict, **told),
    }
    return made if weighed is None else made | {"S": Score(value=weighed, **told)}


def _turns(run: Run, prompt: Prompt, result: Result) -> list[Any]:
    """What was sent, and what came back."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    sent = prompt.messages or (Message("user", prompt.text),)
    back = prompt.prefill + _said(result)
    return [*(kinds[turn.role](content=turn.content) for turn in sent), ChatMessageAssistant(content=back)]


def _said(result: Result) -> str:
    return result.text if isinstance(result, Response) and not result.error else read_result(result)


def _usage(run: Run, results: list[Result] | tuple[Result, ...]) -> dict[str, Any]:
    from inspect_ai.model import ModelUsage

    total = {part.name: sum(getattr(result.usage, part.name) for result in results) for part in fields(Usage)}
    usage = ModelUsage(
        input_tokens=total["prompt"] - total["cached"],  # Inspect counts what it had to read anew
        input_tokens_cache_read=total["cached"],
        output_tokens=total["written"],
        total_tokens=total["prompt"] + total["written"],
    )
    return {run.model: usage}
