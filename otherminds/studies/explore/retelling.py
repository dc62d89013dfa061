"""`otherminds retell`: stories that were found, told at length by a model."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otherminds.errors import UsageError
from otherminds.terminal.derived import Count, Folder, command, model_settings
from otherminds.terminal.names import CANNOT_WRITE, bars, model_of, recorded, store_of
from otherminds.terminal.options import PARTIAL, read_budget
from otherminds.terminal.screen import note, print_json, print_table, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otherminds.calling.costs import Budget
    from otherminds.models import Model
    from otherminds.models.specs import Spec
    from otherminds.store.store import Store


def tell_in_prose(
    folder: Folder,
    *,
    writer: Model | str | Spec | None = None,
    judges: Sequence[str] | Sequence[Model | Spec] = (),
    candidates: Count = 5,
    long: bool = False,
    trust: bool = False,
    ask: Model | str | Spec | None = None,
    limit: Count | None = None,
    contexts: str | Path | None = None,
    seed: int = 0,
    budget: Budget | str | None = None,
    prices: str | Path | None = None,
    store: Store | str | Path | None = None,
    quiet: bool = False,
) -> dict[str, Any]:
    """Tell the stories of FOUND in prose.

    FOUND is what `otherminds explore` wrote. It gets the stories in prose (prose.jsonl) and how the judges did on
    planted errors (judges.json); `otherminds build explore FOUND --prose` makes a suite of them. Every answer is in the
    store, so the same command, given again after whatever stopped it, goes on from there.

    folder (FOUND): What `explore` wrote.
    writer (MODEL): Who tells the stories in prose.
    judges (--judge MODEL): Who checks it; once or twice.  [default: the writer]
    candidates: Offers a step.
    long: Five sentences a step or more, with direct speech.
    trust: Take the judges even where they miss planted errors.
    ask (MODEL): Then put the questions to this model, about both tellings.
    limit: Only so many stories, the first.
    contexts: The contexts that the stories were found in.
    seed: For lengths and styles.
    """
    from otherminds.prose.judges import check_judge
    from otherminds.prose.retelling import retell_all
    from otherminds.stories.contexts import bank, read_contexts
    from otherminds.studies.explore.material.folders import load, save_prose

    place, spending = Path(folder), read_budget(budget, prices)
    found = load(place)[:limit]
    if not writer:
        raise UsageError("prose needs somebody who writes it; name a model with --writer")
    if len(judges) > 2:
        raise UsageError(f"{len(judges)} judges are named; prose is checked by one or two")
    with store_of(store) as kept:
        models = recorded([writer, *judges], kept, spending, lacks=CANNOT_WRITE, quiet=quiet)
        first, checkers = models[0], models[1:] or models[:1]
        checked = [check_judge(judge) for judge in dict.fromkeys(checkers)]
        if (doubts := [each.distrust for each in checked if each.distrust]) and not trust:
            raise UsageError(f"{'; '.join(doubts)}. Name another --judge, or take it all the same with --trust")
        places = {each.id: each for each in (read_contexts(contexts) if contexts else bank())}
        tasks = [(each.story, places.get(each.context)) for each in found]
        told = []
        with bars(quiet)("stories in prose") as show:
            for each in retell_all(tasks, first, judge=checkers, candidates=candidates, long=long, seed=seed):
                told.append(each)
                show(len(told), len(tasks))
        save_prose(place, found, told, checked)
        done = {
            "folder": str(place),
            "stories": len(told),
            "told": sum(not each.failed for each in told),
            "failed": {each.id: one.failed for each, one in zip(found, told, strict=True) if one.failed},
            "judges": [asdict(each) for each in checked],
            "stopped": next((model.stopped for model in models if model.stopped), ""),
        }
        return done | ({"asked": _both_tellings(place, ask, kept, quiet)} if ask and done["told"] else {})


def _both_tellings(folder: Path, asked: Model | str | Spec, store: Store, quiet: bool) -> dict[str, Any]:
    """One model's accuracy on the same questions about the bare words and about the prose."""
    from otherminds.runs.runs import run
    from otherminds.studies.explore.material.build import compare_tellings, suite_in_prose
    from otherminds.studies.explore.material.folders import load, load_prose

    suite = suite_in_prose(load(folder), load_prose(folder))
    model = model_of(asked, suite=suite, quiet=quiet)
    name = asked if isinstance(asked, str) else asked.name
    with bars(quiet)(f"both tellings · {name}") as show:
        done = run(suite, model, store=store, progress=show)
    values = {word: asdict(one) for word, one in compare_tellings(done).items()}
    return {"model": name, "run": done.id, "verdicts": done.verdicts(), **values}


@command(tell_in_prose, name="retell", before={"ask": model_settings()}, configured=("writer", "judges", "ask"))
def retell(as_json: bool, **given: Any) -> int:
    done = tell_in_prose(**given)
    print_json(done) if as_json else print_prose(done)
    return prose_exit(done)


def print_prose(done: dict[str, Any]) -> None:
    """What came of it, for a person."""
    from otherminds.stats import Difference, Estimate

    rows = [[each["judge"], *(str(Estimate(**each[of])) for of in ("found", "objected"))] for each in done["judges"]]
    print_table(["judge", "planted errors found", "sound passages objected to"], rows)
    for id, why in done["failed"].items():
        note(f"{id}: {why}")
    say(f"{done['told']} of {done['stories']} stories were told to their end")
    if asked := done.get("asked"):
        if "difference" not in asked:
            note(f"{asked['model']}: no question has a value in both tellings: {asked['verdicts']}")
        else:
            row = [asked["model"], *(str(Estimate(**asked[name])) for name in ("canonical", "infilled"))]
            columns = ["accuracy of", "canonical", "infilled", "infilled less canonical"]
            print_table(columns, [[*row, str(Difference(**asked["difference"]))]])
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
