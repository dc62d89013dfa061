"""`otherminds invent`: new contexts for stories, by a writer and a judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from otherminds.studies.explore.retell_command import opened
from otherminds.terminal.options import PARTIAL, common, model_settings, read_budget, store_option
from otherminds.terminal.screen import note, print_json, print_table, say


@click.command()
@click.option("--writer", required=True, metavar="MODEL", help="Who invents.")
@click.option("--judge", metavar="MODEL", help="Who checks that the parts go together.  [default: the writer]")
@click.option("--number", type=click.IntRange(min=1), default=10, show_default=True, help="How many to ask for.")
@click.option("--seed", type=int, default=0, show_default=True, help="For places and names.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), required=True, metavar="FILE.jsonl")
@click.option("--budget", metavar="NAME=N,…", help="Stop cleanly, for each model: calls=, tokens=, seconds=, money=.")
@click.option("--prices", type=click.Path(path_type=Path), help="A JSON table of prices a million tokens.")
@model_settings
@store_option
@common
@click.pass_context
def invent(context: click.Context, /, output: Path, store_path: Path, as_json: bool, **given: Any) -> None:
    """Invent new contexts to set stories in.

    FILE.jsonl gets those that passed, as `otherminds explore --contexts` takes them. The n-th context of a seed is the
    same however many are asked for.
    """
    from otherminds.items import write_lines
    from otherminds.store.store import Store
    from otherminds.studies.explore.material.invent import invent as ask_for
    from otherminds.studies.explore.material.invent import write_context

    with Store(store_path) as store:
        budget = read_budget(given["budget"], given["prices"])
        models = opened([given["writer"], given["judge"] or given["writer"]], store, given, budget)
        made = ask_for(models[0], number=given["number"], judge=models[1], seed=given["seed"])
    write_lines(output, [write_context(each) for each in made.contexts])
    told = {"file": str(output), "contexts": len(made.contexts), "rejected": dict(made.rejected)}
    if as_json:
        print_json(told)
    else:
        print_table(["not taken because", "contexts"], [[why, str(n)] for why, n in made.rejected.most_common()])
        say(f"{len(made.contexts)} of {given['number']} contexts were taken")
        say(str(output))
    if stopped := next((model.stopped for model in models if model.stopped), ""):
        note(f"not finished: {stopped}; the same command with more goes on from here")
        context.exit(PARTIAL)
    if not made.contexts:
        note("none was taken, so the file is empty; another --writer may help")
        context.exit(1)
