"""`otherminds retell`: stories that were found, told at length by a model and checked by judges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherminds.errors import UsageError
from otherminds.terminal.options import PARTIAL, common, model_settings, open_model, read_budget, store_option
from otherminds.terminal.screen import note, print_json, print_table, progress, say

if TYPE_CHECKING:
    from otherminds.calling.costs import Budget
    from otherminds.calling.recorded import Recorded
    from otherminds.store.store import Store
    from otherminds.studies.explore.search.hunt import Found


def prose_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Who writes, who judges, and how."""
    judges = "Who checks it; once or twice.  [default: the writer]"
    for option in (
        click.option("--trust", is_flag=True, help="Take the judges even where they miss planted errors."),
        click.option("--long", is_flag=True, help="Five sentences a step or more, with direct speech."),
        click.option("--candidates", type=click.IntRange(min=1), default=5, show_default=True, help="Offers a step."),
        click.option("--judge", "judges", multiple=True, metavar="MODEL", help=judges),
        click.option("--writer", metavar="MODEL", help="Who tells the stories in prose."),
    ):
        function = option(function)
    return function


@click.command()
@click.argument("folder", metavar="FOUND", type=click.Path(path_type=Path, file_okay=False))
@prose_options
@model_settings
@click.option("--ask", metavar="MODEL", help="Then put the questions to this model, about both tellings.")
@click.option("--limit", type=click.IntRange(min=1), help="Only so many stories, the first.")
@click.option("--contexts", type=click.Path(path_type=Path), help="The contexts that the stories were found in.")
@click.option("--seed", type=int, default=0, show_default=True, help="For lengths and styles.")
@click.option("--budget", metavar="NAME=N,…", help="Stop cleanly, for each model: calls=, tokens=, seconds=, money=.")
@click.option("--prices", type=click.Path(path_type=Path), help="A JSON table of prices a million tokens.")
@store_option
@common
@click.pass_context
def retell(context: click.Context, /, folder: Path, store_path: Path, as_json: bool, **given: Any) -> None:
    """Tell the stories of FOUND in prose.

    FOUND is what `otherminds explore` wrote. It gets the stories in prose (prose.jsonl) and how the judges did on
    planted errors (judges.json); `otherminds build explore FOUND --prose` makes a suite of them. Every answer is in the
    store, so the same command, given again after whatever stopped it, goes on from there.
    """
    from otherminds.store.store import Store
    from otherminds.studies.explore.material.folders import load

    with Store(store_path) as store:
        budget = read_budget(given["budget"], given["prices"])
        done = tell_in_prose(folder, load(folder)[: given["limit"]], store, given, budget)
        if given["ask"]:
            done |= {"asked": both_tellings(folder, given["ask"], store, given)}
    print_json(done) if as_json else print_prose(done)
    if code := prose_exit(done):
        context.exit(code)


def tell_in_prose(
    folder: Path, found: Sequence[Found], store: Store, given: dict[str, Any], budget: Budget | None
) -> dict[str, Any]:
    """Check the judges, let the writer tell the stories, and write both into the folder."""
    from otherminds.prose.judges import check_judge
    from otherminds.prose.retelling import retell_all
    from otherminds.stories.contexts import bank, read_contexts
    from otherminds.studies.explore.material.folders import save_prose

    if not given["writer"]:
        raise UsageError("prose needs somebody who writes it; name a model with --writer")
    if len(given["judges"]) > 2:
        raise UsageError(f"{len(given['judges'])} judges are named; prose is checked by one or two")
    models = opened([given["writer"], *given["judges"]], store, given, budget)
    writer, judges = models[0], models[1:] or models[:1]
    checked = [check_judge(judge) for judge in dict.fromkeys(judges)]
    if (doubts := [each.distrust for each in checked if each.distrust]) and not given["trust"]:
        raise UsageError(f"{'; '.join(doubts)}. Name another --judge, or take it all the same with --trust")
    places = {each.id: each for each in (read_contexts(given["contexts"]) if given["contexts"] else bank())}
    tasks = [(each.story, places.get(each.context)) for each in found]
    options = {name: given[name] for name in ("candidates", "long", "seed")}
    told = []
    with progress("stories in prose") as show:
        for number, each in enumerate(retell_all(tasks, writer, judge=judges, **options), start=1):
            told.append(each)
            show(number, len(tasks))
    save_prose(folder, found, told, checked)
    return {
        "folder": str(folder),
        "stories": len(told),
        "told": sum(not each.failed for each in told),
        "failed": {each.id: one.failed for each, one in zip(found, told, strict=True) if one.failed},
        "judges": [asdict(each) for each in checked],
        "stopped": next((model.stopped for model in models if model.stopped), ""),
    }


def opened(specs: Sequence[str], store: Store, given: dict[str, Any], budget: Budget | None) -> list[Recorded]:
    """The models with a memory; one that is named twice is one."""
    from otherminds.calling.recorded import Recorded

    found: dict[str, Recorded] = {}
    for spec in specs:
        if spec.startswith("baseline:"):
            raise UsageError("a baseline answers questions; it can neither write nor judge; take a model")
        if spec not in found:
            address = given["base_url"] if spec.startswith("api:") else None
            found[spec] = Recorded(open_model(spec, address, given["extra"]), store, budget=budget)
    return [found[spec] for spec in specs]


def both_tellings(folder: Path, spec: str, store: Store, given: dict[str, Any]) -> dict[str, Any]:
    """One model's accuracy on the same questions about the bare words and about the prose."""
    from otherminds.runs.runs import run
    from otherminds.studies.explore.material.build import compare_tellings, suite_in_prose
    from otherminds.studies.explore.material.folders import load, load_prose

    suite = suite_in_prose(load(folder), load_prose(folder))
    address = given["base_url"] if spec.startswith("api:") else None
    model = open_model(spec, address, given["extra"], suite=suite)
    with progress(f"both tellings · {spec}") as show:
        done = run(suite, model, store=store, progress=show)
    values = {name: asdict(found) for name, found in compare_tellings(done).items()}
    return {"model": spec, "run": done.id, "verdicts": done.verdicts(), **values}


def print_prose(done: dict[str, Any]) -> None:
    """What came of it, for a person."""
    from otherminds.stats import Difference, Estimate

    shares = ("found", "objected")
    rows = [[each["judge"], *(str(Estimate(**each[name])) for name in shares)] for each in done["judges"]]
    print_table(["judge", "planted errors found", "sound passages objected to"], rows)
    for id, why in done["failed"].items():
        note(f"{id}: {why}")
    say(f"{done['told']} of {done['stories']} stories were told to their end")
    if asked := done.get("asked"):
        if "difference" not in asked:
            note(f"{asked['model']}: no question has a value in both tellings: {asked['verdicts']}")
        else:
            row = [asked["model"], *(str(Estimate(**asked[name])) for name in ("canonical", "infilled"))]
            print_table(
                ["accuracy of", "canonical", "infilled", "infilled less canonical"],
                [[*row, str(Difference(**asked["difference"]))]],
            )
    say(str(Path(done["folder"]) / "prose.jsonl"))


def prose_exit(done: dict[str, Any]) -> int:
    """The exit code, with a sentence where it is not 0."""
    if done["stopped"]:
        note(f"not finished: {done['stopped']}; the same command with more goes on from here")
        return PARTIAL
    if failed := sum("no answer: " in why for why in done["failed"].values()):
        note(f"{failed} stories are not told because a call failed; the same command asks these calls again")
        return PARTIAL
    if not done["told"]:
        note("no story was told to its end; prose.jsonl says why, and another --writer may help")
        return 1
    return 0
