"""`otherminds judge`: which talks and questions are sound, and which beliefs are false; by a model, and by people."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from otherminds.errors import ModelError, UsageError
from otherminds.terminal.options import PARTIAL, common, model_options, open_model, store_option
from otherminds.terminal.screen import note, print_json, print_table, progress, say

if TYPE_CHECKING:
    from otherminds.items import Suite
    from otherminds.models import Model
    from otherminds.stats import Estimate
    from otherminds.store.store import Store
    from otherminds.talks.ablation import Misread
    from otherminds.talks.judge import Accord, Opinion, Sifted


@click.command()
@click.option("--talks", type=click.Path(path_type=Path), metavar="FILE.jsonl", help="Talks of your own.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="SUITE.jsonl")
@click.option(
    "--forms", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Only write what to ask."
)
@click.option("--only", metavar="NAME,…", help="Of misreads, coherence, safety and validity.  [default: all]")
@click.option(
    "--score",
    type=click.Choice(["letters", "text"]),
    help="How the judge answers.  [default: letters, or text if it cannot weigh]",
)
@click.option("--seed", type=int, default=0, show_default=True, help="For the questions, as `build dialogue` has it.")
@model_options
@store_option
@common
@click.pass_context
def judge(
    context: click.Context,
    talks: Path | None,
    output: Path | None,
    forms: Path | None,
    only: str | None,
    score: str | None,
    seed: int,
    spec: str,
    base_url: str | None,
    extra: tuple[str, ...],
    store_path: Path,
    as_json: bool,
) -> None:
    """Sift talks and their questions, and find false beliefs.

    The judge is the model of -m; on a server without log-probabilities, say --score text. Where people have answered
    the same forms (--forms DIR writes them, `otherminds annotate DIR/misreads.jsonl` puts them to people), most of them
    must agree with the judge, and how far they do is printed. What is left becomes SUITE.jsonl, with `false_belief` in
    its tags; what is removed is counted by reason. If nothing is left, the exit code is 1.

    Where the talks were played with more or less hidden (`otherminds play --ablation`), the share of misreadings is
    printed for each.
    """
    from otherminds.store.store import Store
    from otherminds.studies.dialogue.questions.build import build
    from otherminds.talks import bank
    from otherminds.talks import judge as judging
    from otherminds.talks.ablation import ablate, cell_of
    from otherminds.talks.talk import load

    if (output is None) == (forms is None):
        raise UsageError("say where to write: -o SUITE.jsonl for what is left, or --forms DIR for what to ask people")
    given = load(talks, people=bank.people(), scenes=bank.scenes()) if talks else bank.authored()
    suite = build(given, seed=seed, name=output.stem if output else "dialogue")
    asked = {name: judging.FORMS[name](suite if name == "validity" else given) for name in _wanted(only)}
    if forms:
        for name, form in asked.items():
            form.save(forms / f"{name}.jsonl")
            say(str(forms / f"{name}.jsonl"))
        return
    assert output is not None
    with Store(store_path) as store:
        people = {name: said for name, form in asked.items() if (said := _people(form, store))}
        model = open_model(spec, base_url, extra)
        failed: list[str] = []
        opinions = {name: _ask(form, model, store, score, failed) for name, form in asked.items()}
    sifted = judging.sift(given, suite, judge=opinions, people=people)
    accords = {name: judging.accord(asked[name], opinions[name], said) for name, said in people.items()}
    if sifted.items:
        replace(suite, items=sifted.items).save(output)
    several = len(set(map(cell_of, given))) > 1
    cells = ablate(judging.readings(given, opinions.get("misreads", {}), people.get("misreads"))) if several else []
    _tell(sifted, accords, cells, output, as_json)
    for sentence in failed:
        note(sentence)
    if not sifted.items or failed:
        context.exit(PARTIAL if sifted.items else 1)


def _wanted(only: str | None) -> list[str]:
    from otherminds.talks.judge import FORMS

    names = [name.strip() for name in only.split(",")] if only else list(FORMS)
    if unknown := [name for name in names if name not in FORMS]:
        raise UsageError(f"--only: nobody is asked about {unknown[0]!r}; there are {', '.join(FORMS)}")
    return names


def _people(form: Suite, store: Store) -> Opinion:
    from otherminds.results.annotations import AnnotationBatch
    from otherminds.talks.judge import votes

    return votes(form, AnnotationBatch(form, store).answers())


def _ask(form: Suite, model: Model, store: Store, score: str | None, failed: list[str]) -> Opinion:
    from otherminds.runs.runs import run
    from otherminds.talks.judge import suited, verdicts

    with progress(f"{model.name} · {form.name}") as bar:
        done = run(suited(form, model).using(score=score), model, store=store, progress=bar)
    if not done.values():
        why = next((record.score.why for record in done.records), "nothing was answered")
        advice = "" if done.score == "text" else "; if it cannot weigh letters, say --score text"
        raise ModelError(f"{model.name} gave no verdict on any item of {form.name}: {why}{advice}")
    if errors := done.verdicts()["error"]:
        failed.append(f"{errors} of {len(done)} calls on {form.name} failed; give the same command again to make these")
    return verdicts(done)


def _tell(sifted: Sifted, accords: dict[str, Accord], cells: list[Misread], output: Path, as_json: bool) -> None:
    false = [item.tags["false_belief"] for item in sifted.items if "false_belief" in item.tags]
    found = {
        "talks": len(sifted.talks),
        "questions": len(sifted.items),
        "false_beliefs": sum(map(bool, false)),
        "beliefs_judged": len(false),
        "by": dict(sifted.by),
        "removed": sifted.counts,
        "accord": {
            name: {
                "n": one.n,
                "shared": _numbers(one.shared),
                "kappa": _numbers(one.kappa),
            }
            for name, one in accords.items()
        },
        "misread": {
            cell.label: {
                "n": cell.share.n,
                "talks": cell.talks,
                "unjudged": cell.unjudged,
                "share": _numbers(cell.share),
                "less_hidden": _numbers(cell.less_hidden),
            }
            for cell in cells
        },
        "suite": str(output) if sifted.items else None,
    }
    if as_json:
        print_json(found)
        return
    rows = [[reason, str(times)] for reason, times in sifted.counts.items()] or [["nothing", "0"]]
    print_table(["asked", "decided by"], [list(pair) for pair in sifted.by.items()])
    print_table(["removed", "how many"], rows, right=["how many"])
    if cells:
        shown = [[cell.label, str(cell.share), str(cell.less_hidden or ""), str(cell.unjudged)] for cell in cells]
        print_table(["what was hidden", "misread", "less both hidden", "not judged"], shown)
    for name, one in accords.items():
        same, kappa = one.shared or "—", one.kappa or "—"
        say(f"  judge and most people on {name}: the same in {same}, Cohen's kappa {kappa}")
    say(f"  false beliefs: {found['false_beliefs']} of {len(false)} judged")
    note(f"{len(sifted.items)} questions about {len(sifted.talks)} talks are left")
    say(str(output) if sifted.items else "nothing is left, so nothing was written")


def _numbers(one: Estimate | None) -> list[float] | None:
    return [one.value, one.low, one.high] if one else None
