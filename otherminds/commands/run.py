"""`om.run` and `otherminds run`: one suite put to one model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import groupby
from math import isnan
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from otherminds.errors import UsageError
from otherminds.terminal.derived import Count, Share, command
from otherminds.terminal.names import bars, looked_at, model_of, prepared, store_of
from otherminds.terminal.options import DOUBTFUL, PARTIAL, STORE, dry_run_option, read_budget
from otherminds.terminal.screen import note, print_forecast, print_json, print_table, say, silent

if TYPE_CHECKING:
    from otherminds.calling.recorded import Progress
    from otherminds.items import Item, Suite
    from otherminds.models import Model
    from otherminds.models.specs import Spec
    from otherminds.results.measures import Split
    from otherminds.runs.runs import Budget, Forecast, Run
    from otherminds.runs.shards import Shard
    from otherminds.store.store import Store

LINES = 12
"""The most kinds of items that a screen tells apart."""
FORESEEN = ("suite", "model", "prompt", "score", "limit", "seed", "epochs", "shots", "recheck", "prices", "store")
"""What of a run tells what it would cost."""


def run(
    suite: Suite | str | Path,
    model: Model | str | Spec = "smollm2",
    *,
    prompt: str | None = None,
    score: str | None = None,
    limit: Count | None = None,
    seed: int = 0,
    controls: bool = False,
    draws: Count = 4,
    epochs: Count = 1,
    shots: int | str | Path | Suite | Sequence[Item] | None = None,
    judge: Model | str | Spec | None = None,
    shard: Shard | str | None = None,
    recheck: Share | None = None,
    budget: Budget | str | None = None,
    prices: str | Path | None = None,
    store: Store | str | Path | None = None,
    progress: Progress | None = None,
    quiet: bool = False,
) -> Run:
    """Put SUITE to a model.

    SUITE is the name of a study with a suite, such as starter or safety, or a .jsonl file. What the store has is not
    asked again, so a run that was stopped goes on when the same command is given again.

    prompt: How to ask: raw, shots, direct, cot or a json prompt. Default: as the suite says, if the model can.
    score: How to score: letters, cloze, answer, cloze-prior, answer-prior, sampled, open, text, judged, json or
      json-free. Default: as the suite says, if the model can.
    limit: Ask at most so many items, in whole groups of twins that fit.
    seed: For the order of choices and for --limit.
    controls: Put control questions in every form first, and ask in the best.
    draws: With score sampled: draw every order of the choices so often at most, more than once where orders disagree.
    epochs: Ask every item so often.
    shots (N|SUITE): Show solved examples first: so many of ours, or a suite's items.
    judge (MODEL): With score judged: who reads the words.
    shard (I/N): Ask part I of N alone; `otherminds merge` puts the parts together.
    recheck (SHARE): Ask this share of calls again, to see whether one model answers.  [default: 0.02 behind a server,
      else 0]
    budget (NAME=N,…): Stop cleanly at calls=, tokens=, seconds= or money=.
    store: Where answers are kept, as a store or its file; without one, nothing is kept.
    progress: Is called with what is answered and what is wanted, in place of a bar.
    """
    given = dict(locals())
    from otherminds.runs import runs
    from otherminds.runs.shards import Shard

    examples, spending = examples_of(shots), read_budget(budget, prices)
    part = Shard.read(shard) if isinstance(shard, str) else shard
    free = prompt is None and score is None
    if controls and not free:
        raise UsageError("--controls choose the form of asking; leave out --score and --prompt")
    free = free and isinstance(suite, str | Path)
    asked = suite_of(suite).using(prompt=prompt, score=score)
    who = model_of(model, suite=asked, quiet=quiet)
    with store_of(store) as kept:
        if wanted := untold(asked, who, free):
            who = prepared(model, store=kept, wanted=wanted, quiet=quiet)
        if controls:
            asked = _by_controls(asked, who, kept, seed, spending, quiet)
        elif free:
            asked = in_best_format(asked, who, silent if quiet else note)
        with bars(quiet, progress)(f"{asked.name} · {who.name} · {asked.score}") as show:
            return runs.run(
                asked,
                who,
                store=kept,
                shard=part,
                budget=spending,
                progress=show,
                shots=examples,
                judge=None if judge is None else model_of(judge, quiet=quiet),
                **{name: given[name] for name in ("limit", "seed", "draws", "epochs", "recheck")},
            )


def estimate(
    suite: Suite | str | Path,
    model: Model | str | Spec = "smollm2",
    *,
    prompt: str | None = None,
    score: str | None = None,
    prices: str | Path | None = None,
    store: Store | str | Path | None = None,
    shots: int | str | Path | Suite | Sequence[Item] | None = None,
    **options: Any,
) -> Forecast:
    """What a run with these options would ask and cost; nothing is asked."""
    from otherminds.runs import runs

    asked = suite_of(suite).using(prompt=prompt, score=score)
    who = model_of(model, suite=asked, here=True)
    table = runs.read_prices(prices) if prices else None
    if prompt is None and score is None and isinstance(suite, str | Path):
        asked = in_best_format(asked, who, note)
    with looked_at(store) as kept:
        return runs.estimate(asked, who, store=kept, prices=table, shots=examples_of(shots), **options)


@command(run, before={"store": [dry_run_option("Say what it would cost, and ask nothing.")]})
def run_command(as_json: bool, dry_run: bool, **given: Any) -> int:
    from otherminds.results.labels import not_clean
    from otherminds.runs.shards import Shard

    if dry_run:
        _show_forecast(estimate(**{name: given[name] for name in FORESEEN}), as_json)
        return 0
    done = run(**given)
    if as_json:
        print_json(as_data(done))
    else:
        _print_run(done)
        where = "" if given["store"] == STORE else f" --store {given['store']}"
        note("")
        rest = f"{done.id}{where}"
        note(f"otherminds show {rest}  ·  otherminds diagnose {rest}  ·  otherminds report {rest} -o report.html")
    for said in filter(None, (_truncated(done), not_clean(done))):
        note(said)
    failed = done.verdicts()["error"]
    # A shard that is asked is all that was wanted, so a script may go on.
    missing = done.partial and not (given["shard"] and done.manifest["stopped"] == Shard.read(given["shard"]).alone)
    if done.partial and not missing:
        note(f"shard {given['shard']} is asked; `otherminds merge` puts the stores of all shards together")
    if missing or failed:
        note(_unfinished(done, missing))
        return 1 if failed and failed == len(done) else PARTIAL
    return DOUBTFUL if done.doubts else 0


# ── what is asked ──


def examples_of(shots: int | str | Path | Suite | Sequence[Item] | None) -> Sequence[Item]:
    """So many built-in examples, or the items of a suite."""
    from otherminds.formats.plans import built_in
    from otherminds.items import Suite

    if shots is None or isinstance(shots, int) or (isinstance(shots, str) and shots.isdecimal()):
        return built_in(int(shots or 0))
    return suite_of(shots).items if isinstance(shots, str | Path | Suite) else shots


def suite_of(suite: Suite | str | Path) -> Suite:
    """A suite, or the one of that name or in that file."""
    from otherminds.items import Suite
    from otherminds.studies.suites import get_suite

    if isinstance(suite, Suite):
        return suite
    if not isinstance(suite, str | Path):
        raise UsageError(f"a suite is one of get_suite, its name, or a file; not a {type(suite).__name__}")
    return get_suite(suite)


def untold(suite: Suite, model: Model, free: bool) -> frozenset[str]:
    """What of a server has to be tried out before it can be asked this; nothing where letters are weighed as usual."""
    from otherminds.formats.question_formats import LETTERS_IN_CHAT, QuestionFormat
    from otherminds.formats.scores import scoring

    if not model.is_served:
        return frozenset()
    if free and not QuestionFormat.of(suite).suits(model.cannot):
        return frozenset({LETTERS_IN_CHAT})
    return frozenset({"schema"} if scoring(suite.score).verb == "ask" else ())


def in_best_format(suite: Suite, model: Model, tell: Callable[[str], Any]) -> Suite:
    """The suite in its own way of asking if the model can answer so, else in the best other one, which is told."""
    from otherminds.formats.question_formats import QuestionFormat, best_format

    if not model.is_served:
        return suite
    own = QuestionFormat.of(suite)
    form = best_format(suite, model.name, model.cannot)
    if form == own:
        return suite
    tell(f"{model.name} cannot be asked {own}, so it is asked {form} (score={form.score}, prompt={form.prompt})")
    return form.part(suite) or suite


def _by_controls(suite: Suite, model: Model, store: Store, seed: int, budget: Budget | None, quiet: bool) -> Suite:
    """The questions about minds, in the form in which the model answers control questions best, which is told."""
    from otherminds.runs.calibration import CONFIRMED, calibrate
    from otherminds.studies.controlled import about_minds, controls_of
    from otherminds.studies.study import Desk, Subject

    desk, subject, questions = Desk(store, bars(quiet), seed=seed, budget=budget), Subject.of(model), about_minds(suite)
    found = calibrate(
        controls_of(suite),
        questions,
        lambda suites: desk.put_all(suites, subject, "controls"),
        cannot=subject.cannot,
        seed=seed,
        confirmed=CONFIRMED["standard"],
    )
    (silent if quiet else note)(f"{model.name} {found.sentence}")
    return found.form.part(questions) or questions


# ── what came of it ──


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
    time = "unknown until some calls are in the store" if forecast.seconds is None else f"{forecast.seconds:,.0f} s"
    counts = {"items": forecast.items, "calls to make": forecast.calls, "calls already in the store": forecast.known}
    print_forecast(counts, forecast, time)
