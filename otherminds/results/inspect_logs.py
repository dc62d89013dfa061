"""A run as a log of Inspect, for its viewer and its data frames.

Three scores stand beside each other: `right` is 1 or 0, and unscored where nothing was measured; `S` is the
response score, where choices were weighed; `verdict` is the word that tells wrong answers from tied, unparsed, refused,
truncated and failed ones. Means and clustered standard errors are computed by Inspect itself.
"""

from __future__ import annotations

from dataclasses import fields
from math import nan
from pathlib import Path
from typing import Any

from otherminds.errors import UsageError
from otherminds.files import replacing
from otherminds.models import Message, Prompt, Response, Usage
from otherminds.results.answers import Answers
from otherminds.results.exports import told_question
from otherminds.results.reading import read_result, read_verdict
from otherminds.runs.runs import Record, Run
from otherminds.store.packing import Result

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
