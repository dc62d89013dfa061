"""`otherminds profile`: the whole way from a model to a report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from otherminds.commands.options import PARTIAL, common, model_options, open_model, read_budget
from otherminds.commands.screen import note, print_json, progress
from otherminds.errors import ModelError

if TYPE_CHECKING:
    from otherminds.items import Suite
    from otherminds.models import Model
    from otherminds.report import Block, Report
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
@click.option("--budget", metavar="NAME=N,…", help="For each way of asking and each study: calls=, tokens=, seconds=.")
@click.option("--no-studies", is_flag=True, help="Ask the starter suite alone.")
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
    no_studies: bool,
    as_json: bool,
) -> None:
    """From a model to a report, through every study in a small size.

    The starter suite is asked in several ways first; then each study looks at the model for a few minutes.
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
        # A baseline is made from one suite, and knows no other.
        studied = not no_studies and not spec.startswith("baseline:")
        chapters = _study(model, store, failed, seed=seed, budget=spending) if studied else []
    _bound(summarise(done), chapters).save(page)
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


def _study(
    model: Model, store: Store, failed: dict[str, str], *, seed: int, budget: Budget | None
) -> list[tuple[str, Report]]:
    """A report of every study, under the question that it asks; why others failed is added to `failed`."""
    from otherminds.studies import STUDIES

    chapters = []
    for name, make in STUDIES.items():
        study = make()
        try:
            report = study.quick(model, store, progress, seed=seed, budget=budget)
        except ModelError as found:
            note(f"{name}: failed, because {found}")
            failed[name] = str(found)
            continue
        if report is None:
            failed[name] = "the budget was spent before there was anything to report"
            note(f"{name}: {failed[name]}")
            continue
        note(f"{name}: {report.lead}")
        chapters.append((study.asks, report))
    return chapters


def _bound(report: Report, chapters: list[tuple[str, Report]]) -> Report:
    """The report with each study as a section of its own: the answer and the first numbers, the rest folded."""
    from otherminds.report import Folded, Section

    sections = list(report.sections)
    for asks, chapter in chapters:
        first = next((section.blocks for section in chapter.sections if not section.title), ())
        rest = [Folded(section.title, section.blocks) for section in chapter.sections if section.title]
        blocks: list[Block] = [chapter.lead, *first, *rest]
        sections.append(Section(asks, blocks))
    return replace(report, sections=sections)
