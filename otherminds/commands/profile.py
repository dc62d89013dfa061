"""`otherminds profile`: the whole way from a model to a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from otherminds.commands.options import PARTIAL, common, model_options, open_model, read_budget
from otherminds.commands.screen import note, print_json, progress
from otherminds.errors import ModelError

if TYPE_CHECKING:
    from otherminds.items import Suite
    from otherminds.models import Model
    from otherminds.runs import Budget, Run
    from otherminds.store import Store

WAYS = (
    ("letters", "raw", {"weigh", "raw"}),
    ("cloze", "raw", {"weigh", "raw"}),
    ("text", "direct", {"chat"}),
)
"""How the starter suite is asked: score, prompt, and what a model must be able to do for that."""


@click.command()
@model_options
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False), default=Path("profile"), show_default=True
)
@click.option("--limit", type=click.IntRange(min=1), help="Ask at most so many items, in whole groups of twins.")
@click.option("--seed", type=int, default=0, show_default=True, help="For the order of choices and for --limit.")
@click.option("--budget", metavar="NAME=N,…", help="For each way of asking: calls=, tokens=, seconds=.")
@common
@click.pass_context
def profile(
    context: click.Context,
    spec: str,
    base_url: str | None,
    extra: tuple[str, ...],
    output: Path,
    limit: int | None,
    seed: int,
    budget: str | None,
    as_json: bool,
) -> None:
    """From a model to a report: the starter suite in several ways.

    Everything goes into the folder given by -o: the store and report.html, whose path is the last line printed.
    Given again, the same command asks only what is missing.
    """
    from otherminds.store import Store
    from otherminds.suites import get_suite
    from otherminds.summary import summarise

    suite = get_suite("starter")
    spending = read_budget(budget, None)
    model = open_model(spec, base_url, extra, suite=suite)
    page = output / "report.html"
    with Store(output / "otherminds.db") as store:
        done, failed = _ask(suite, model, store, limit=limit, seed=seed, budget=spending)
    summarise(done).save(page)
    partial = bool(failed) or any(run.partial for run in done)
    if partial:
        note("not finished; give the same command again to go on")
    if as_json:
        print_json({"report": str(page), "runs": [run.id for run in done], "partial": partial, "failed": failed})
    else:
        print(page)
    if partial:
        context.exit(PARTIAL)


def _ask(
    suite: Suite, model: Model, store: Store, *, limit: int | None, seed: int, budget: Budget | None
) -> tuple[list[Run], dict[str, str]]:
    """A run for every way of asking that works, and why others failed; if none works, the last reason is raised."""
    from otherminds import runs
    from otherminds.measures import mean_of

    done, failed = [], {}
    error = ModelError(f"{model.name} can neither weigh raw prompts nor chat, so there is nothing to ask it")
    for score, prompt, needs in WAYS:
        if missing := needs & model.cannot:
            note(f"{score}: left out, because {model.name} has no {' and no '.join(sorted(missing))}")
            continue
        way = suite.using(score=score, prompt=prompt)
        try:
            with progress(f"{model.name} · {score}") as show:
                run = runs.run(way, model, store=store, limit=limit, seed=seed, budget=budget, progress=show)
        except ModelError as found:
            note(f"{score}: failed, because {found}")
            error, failed[score] = found, str(found)
            continue
        note(f"{score}: right {mean_of(run) or 'in nothing, since nothing could be scored'}")
        done.append(run)
    if not done:
        raise error
    return done, failed
