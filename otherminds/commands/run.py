"""`otherminds run`: one suite put to one model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from math import isnan
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import click

from otherminds.errors import UsageError
from otherminds.terminal.options import (
    DOUBTFUL,
    PARTIAL,
    STORE,
    common,
    model_options,
    open_model,
    prepared,
    read_budget,
    store_option,
)
from otherminds.terminal.screen import note, print_json, print_table, progress, say

if TYPE_CHECKING:
    from otherminds.items import Suite
    from otherminds.models import Model
    from otherminds.results.measures import Split
    from otherminds.runs.runs import Budget, Forecast, Run
    from otherminds.store.store import Store

LINES = 12
"""The most kinds of items that a screen tells apart."""


@click.command()
@click.argument("suite_name", metavar="SUITE")
@model_options
@click.option(
    "--prompt",
    help="How to ask: raw, shots, direct, cot or a json prompt. Default: as the suite says, if the model can.",
)
@click.option(
    "--score",
    help="How to score: letters, cloze, answer, cloze-prior, answer-prior, sampled, open, text, judged, json or"
    " json-free. Default: as the suite says, if the model can.",
)
@click.option(
    "--limit", type=click.IntRange(min=1), help="Ask at most so many items, in whole groups of twins that fit."
)
@click.option("--seed", type=int, default=0, show_default=True, help="For the order of choices and for --limit.")
@click.option("--controls", is_flag=True, help="Put control questions in every form first, and ask in the best.")
@click.option(
    "--draws",
    type=click.IntRange(min=1),
    default=4,
    show_default=True,
    help="With score sampled: draw every order of the choices so often at most, more than once where orders disagree.",
)
@click.option("--epochs", type=click.IntRange(min=1), default=1, show_default=True, help="Ask every item so often.")
@click.option("--shots", metavar="N|SUITE", help="Show solved examples first: so many of ours, or a suite's items.")
@click.option("--judge", "judge_spec", metavar="MODEL", help="With score judged: who reads the words.")
@click.option("--shard", metavar="I/N", help="Ask part I of N alone; `otherminds merge` puts the parts together.")
@click.option(
    "--recheck",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="Ask this share of calls again, to see whether one model answers.  [default: 0.02 behind a server, else 0]",
)
@click.option("--budget", metavar="NAME=N,…", help="Stop cleanly at calls=, tokens=, seconds= or money=.")
@click.option("--prices", type=click.Path(path_type=Path), help="A JSON table of prices a million tokens.")
@click.option("--dry-run", is_flag=True, help="Say what it would cost, and ask nothing.")
@store_option
@common
@click.pass_context
def run(
    context: click.Context,
    suite_name: str,
    spec: str,
    base_url: str | None,
    extra: tuple[str, ...],
    prompt: str | None,
    score: str | None,
    limit: int | None,
    seed: int,
    draws: int,
    epochs: int,
    shots: str | None,
    judge_spec: str | None,
    controls: bool,
    shard: str | None,
    recheck: float | None,
    budget: str | None,
    prices: Path | None,
    dry_run: bool,
    store_path: Path,
    as_json: bool,
) -> None:
    """Put SUITE to a model.

    SUITE is the name of a study with a suite, such as starter or safety, or a .jsonl file. What the store has is not
    asked again, so a run that was stopped goes on when the same command is given again.
    """
    from otherminds.python.running import examples_of, in_best_format, untold
    from otherminds.results.labels import not_clean
    from otherminds.runs import runs
    from otherminds.runs.shards import Shard
    from otherminds.store.store import MEMORY, Store
    from otherminds.studies.suites import get_suite
    from otherminds.terminal.names import model_of

    examples = examples_of(int(shots) if shots and shots.isdecimal() else shots or 0)
    wanted_part = None if shard is None else Shard.read(shard)
    suite = get_suite(suite_name).using(prompt=prompt, score=score)
    spending = read_budget(budget, prices)
    model = open_model(spec, base_url, extra, suite=suite, here=dry_run)
    free = prompt is None and score is None
    if dry_run:
        # A question about cost should leave no file behind.
        with Store(store_path if os.path.exists(store_path) else MEMORY) as store:
            table = runs.read_prices(prices) if prices else None
            suite = in_best_format(suite, model, note) if free else suite
            _show_forecast(
                runs.estimate(
                    suite,
                    model,
                    store=store,
                    limit=limit,
                    seed=seed,
                    prices=table,
                    epochs=epochs,
                    shots=examples,
                    recheck=recheck,
                ),
                as_json,
            )
        return
    if controls and not free:
        raise UsageError("--controls choose the form of asking; leave out --score and --prompt")
    with Store(store_path) as store:
        if wanted := untold(suite, model, free):
            model = prepared(lambda *more: open_model(spec, base_url, (*extra, *more)), store=store, wanted=wanted)
        if controls:
            suite = _by_controls(suite, model, store, seed, spending)
        elif free:
            suite = in_best_format(suite, model, note)
        with progress(f"{suite.name} · {model.name} · {suite.score}") as show:
            done = runs.run(
                suite,
                model,
                store=store,
                limit=limit,
                seed=seed,
                draws=draws,
                shard=wanted_part,
                budget=spending,
                progress=show,
                epochs=epochs,
                shots=examples,
                judge=model_of(judge_spec) if judge_spec else None,
                recheck=recheck,
            )
    if as_json:
        print_json(as_data(done))
    else:
        _print_run(done)
        where = "" if store_path == STORE else f" --store {store_path}"
        note("")
        rest = f"{done.id}{where}"
        note(f"otherminds show {rest}  ·  otherminds diagnose {rest}  ·  otherminds report {rest} -o report.html")
    if cut := _truncated(done):
        note(cut)
    if doubt := not_clean(done):
        note(doubt)
    failed = done.verdicts()["error"]
    # A shard that is asked is all that was wanted, so a script may go on.
    missing = done.partial and not (wanted_part and done.manifest["stopped"] == wanted_part.alone)
    if done.partial and not missing:
        note(f"shard {wanted_part} is asked; `otherminds merge` puts the stores of all shards together")
    if missing or failed:
        note(_unfinished(done, missing))
        context.exit(1 if failed and failed == len(done) else PARTIAL)
    if done.doubts:
        context.exit(DOUBTFUL)


def _by_controls(suite: Suite, model: Model, store: Store, seed: int, budget: Budget | None) -> Suite:
    """The questions about minds, in the form in which the model answers control questions best, which is told."""
    from otherminds.runs.calibration import CONFIRMED, calibrate
    from otherminds.studies.controlled import about_minds, controls_of
    from otherminds.studies.study import Desk, Subject

    desk, subject, questions = Desk(store, progress, seed=seed, budget=budget), Subject.of(model), about_minds(suite)
    found = calibrate(
        controls_of(suite),
        questions,
        lambda suites: desk.put_all(suites, subject, "controls"),
        cannot=subject.cannot,
        seed=seed,
        confirmed=CONFIRMED["standard"],
    )
    note(f"{model.name} {found.sentence}")
    return found.form.part(questions) or questions


def _unfinished(done: Run, missing: bool) -> str:
    """Why the exit code is not 0, and what to do."""
    if missing:
        return f"not finished: {done.manifest['stopped']}; give the same command again to go on"
    failed = [record for record in done.records if record.score.verdict == "error"]
    return f"{len(failed)} of {len(done)} items failed, the first with: {failed[0].score.why}"


def _truncated(done: Run) -> str:
    """How many texts had no room for an answer, and how to give them more; nothing if all had."""
    if not done.verdicts()["truncated"]:
        return ""
    cut = [record for record in done.records if record.score.verdict == "truncated"]
    who = done.manifest["identity"]
    # Whoever sets the length of every request by hand has no use for this.
    if not cut or {"extra", "max_completion_tokens"} & who.keys():
        return ""
    room = max([who.get("max_tokens", 0), *(prompt.max_tokens for prompt in cut[0].prompts)])
    more = max(4096, 4 * room)
    return f"{len(cut)} of {len(done)} texts were cut off at {room} tokens; -M max_tokens={more} gives them more room"


def as_data(done: Run) -> dict[str, Any]:
    """A run without its records, as JSON."""
    from otherminds.results.answers import Answers
    from otherminds.results.measures import leaning, splits

    answers = Answers.of([done])
    rows = [(split, answers.where(None, **split.tags).mean()) for split in splits(answers)]
    lean = leaning(answers)
    return {
        "run": done.id,
        "suite": done.suite,
        "model": done.model,
        "prompt": done.prompt,
        "score": done.score,
        "partial": done.partial,
        "items": len(done),
        "verdicts": done.verdicts(),
        "right": [
            {"items": split.label, "tags": dict(split.tags)} | (asdict(estimate) if estimate else {"value": None})
            for split, estimate in rows
        ],
        "weighing": asdict(lean) if lean else None,
        "manifest": dict(done.manifest),
    }


def _print_run(done: Run) -> None:
    from otherminds.results.answers import Answers
    from otherminds.results.labels import checks, versions
    from otherminds.results.measures import chance, leaning, splits

    answers = Answers.of([done])
    say(f"{done.suite} · {done.model} · {done.prompt}, {done.score} · run {done.id}")
    if not answers:
        return
    guess = chance(answers)
    kinds = splits(answers)
    shown = _first(kinds)
    rows = [[split.label, str(answers.where(None, **split.tags).mean() or "–")] for split in shown]
    print_table(["items", "right, with 95 % interval" + (f" (chance {guess:.2f})" if guess else "")], rows)
    if more := len(kinds) - len(shown):
        say(f"  {more} more kinds of items: see the report, or --json")
    say("  verdicts: " + ", ".join(f"{count} {verdict}" for verdict, count in done.verdicts().items() if count))
    lean = leaning(answers)
    if lean and lean.bias is not None and lean.consistent is not None:
        say(
            f"  mass {lean.mass:.2f} (of all choices together, median), bias to A {lean.bias:+.2f}"
            " (in log-probability),",
            f"  same answer in all orders {lean.consistent:.0%}",
        )
    elif lean:
        say(f"  mass {lean.mass:.2g} (of all choices together, median)")
    say(*_beside(done))
    calls, usage = done.manifest["calls"], done.manifest["usage"]
    say(
        f"  calls: {calls['made']} made, {calls['reused']} reused; tokens: {usage['prompt']:,} sent"
        f" ({usage['cached']:,} from a shared past), {usage['written']:,} written"
    )
    if calls["retried"] or calls["waited"]:
        say(f"  asked again: {calls['retried']} times; waited for the server: {calls['waited']:,.0f} s")
    if again := checks(done):
        made = calls.get("rechecked", 0) + calls.get("canaries", 0)
        say(f"  asked to see whether one model answers: {made} calls more; asked again: {again}")
    if (versions_told := versions(done)) and len(done.manifest["provenance"]["versions"]) > 1:
        say(f"  {versions_told}")
    if (in_all := calls["in_all"])["sittings"] > 1:
        say(
            f"  in all {in_all['sittings']} sittings: {in_all['made']} calls made, {in_all['errors']} without an answer"
        )


def _beside(done: Run) -> list[str]:
    """How sure its scores are that were drawn or lie within bounds, how many have none, and how long it thought."""
    import numpy as np

    from otherminds.formats.verdicts import USELESS
    from otherminds.formats.words import letter_prior
    from otherminds.results.annotations import judging

    said = [f"  {judge}"] if (judge := judging(done)) else []
    if epochs := done.manifest.get("epochs"):
        said.append(f"  every item was asked {epochs} times; its value is the mean")
    numbers = done.columns.numbers
    if "draws" in numbers and (prior := letter_prior(record.score for record in done.records)):
        drawn = int(np.nansum(numbers["draws"]))
        said.append(f"  sampled: {drawn} draws; letters by themselves got {prior} of them")
    if "S low" in numbers:
        widths = [width for width in (numbers["S high"] - numbers["S low"]).tolist() if not isnan(width)]
        useless = sum(width > USELESS for width in widths)
        within = f"half of them no wider than {median(widths):.3f}"
        said.append(f"  S lies within bounds for {len(widths) - useless} items, {within}")
        if useless:
            few = "the server reports too few next tokens; raise top_logprobs"
            said.append(f"  without S: {useless} items, whose bounds are wider than {USELESS} ({few})")
    if thought := int(np.nansum(numbers.get("thought", 0))):
        said.append(f"  thought before answering: {thought:,} tokens, which are not scored")
    return said


def _first(kinds: Sequence[Split]) -> list[Split]:
    """As many kinds of items as a screen holds, all values of a tag or none; the first tag is always there."""
    shown: list[Split] = []
    for _, some in groupby(kinds, key=lambda split: tuple(split.tags)):
        together = list(some)
        if len(shown) > 1 and len(shown) + len(together) > LINES:
            break
        shown += together
    return shown


def _show_forecast(forecast: Forecast, as_json: bool) -> None:
    if as_json:
        print_json(asdict(forecast))
        return
    unknown = "unknown until some calls are in the store"
    rows = [
        ["items", f"{forecast.items:,}"],
        ["calls to make", f"{forecast.calls:,}"],
        ["calls already in the store", f"{forecast.known:,}"],
        ["tokens to send, about", f"{forecast.prompt_tokens:,}"],
        ["tokens to be written, at most", f"{forecast.written_tokens:,}"],
        ["time, about", unknown if forecast.seconds is None else f"{forecast.seconds:,.0f} s"],
        ["money, about", "unknown without --prices" if forecast.money is None else f"{forecast.money:.4f}"],
    ]
    print_table(["dry run: nothing was asked", ""], rows)
