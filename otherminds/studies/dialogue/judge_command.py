"""`otherminds judge`: which talks and questions are sound, and which beliefs are false; by a model, and by people."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from otherminds.errors import ModelError, UsageError
from otherminds.terminal.derived import File, Folder, command
from otherminds.terminal.names import bars, real_model, store_of
from otherminds.terminal.options import PARTIAL
from otherminds.terminal.screen import note, print_json, print_table, say

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otherminds.items import Suite
    from otherminds.models import Model
    from otherminds.models.specs import Spec
    from otherminds.stats import Estimate
    from otherminds.store.store import Store
    from otherminds.talks.ablation import Misread
    from otherminds.talks.judge import Accord, Opinion, Sifted


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge, and people beside it, made of talks and questions."""

    sifted: Sifted
    accords: Mapping[str, Accord]
    cells: Sequence[Misread]
    """By what was hidden, how often thoughts were misread."""
    failed: Sequence[str]
    """Which calls got no answer, in sentences."""


def judge_talks(
    *,
    talks: str | Path | None = None,
    output: File | None = None,
    only: str | None = None,
    score: Literal["letters", "text"] | None = None,
    seed: int = 0,
    model: Model | str | Spec = "smollm2",
    store: Store | str | Path | None = None,
    quiet: bool = False,
) -> Judged:
    """Sift talks and their questions, and find false beliefs.

    The judge is the model of -m; on a server without log-probabilities, say --score text. Where people have answered
    the same forms (--forms DIR writes them, `otherminds annotate DIR/misreads.jsonl` puts them to people), most of them
    must agree with the judge, and how far they do is printed. What is left becomes SUITE.jsonl, with `false_belief` in
    its tags; what is removed is counted by reason. If nothing is left, the exit code is 1.

    Where the talks were played with more or less hidden (`otherminds play --ablation`), the share of misreadings is
    printed for each.

    talks (FILE.jsonl): Talks of your own.
    only (NAME,…): Of misreads, coherence, safety and validity.  [default: all]
    score: How the judge answers.  [default: letters, or text if it cannot weigh]
    seed: For the questions, as `build dialogue` has it.
    """
    from otherminds.talks import judge as judging
    from otherminds.talks.ablation import ablate, cell_of

    given, suite, asked = _asked(talks, seed, Path(output).stem if output else "dialogue", only)
    with store_of(store) as kept:
        people = {name: said for name, form in asked.items() if (said := _people(form, kept))}
        who = real_model(model, quiet=quiet)
        failed: list[str] = []
        opinions = {name: _ask(form, who, kept, score, failed, quiet) for name, form in asked.items()}
    sifted = judging.sift(given, suite, judge=opinions, people=people)
    accords = {name: judging.accord(asked[name], opinions[name], said) for name, said in people.items()}
    if sifted.items and output:
        replace(suite, items=sifted.items).save(output)
    several = len(set(map(cell_of, given))) > 1
    cells = ablate(judging.readings(given, opinions.get("misreads", {}), people.get("misreads"))) if several else []
    return Judged(sifted, accords, cells, failed)


def write_forms(
    forms: Folder, *, talks: str | Path | None = None, only: str | None = None, seed: int = 0
) -> list[Path]:
    """Write what people are to be asked, a suite for each matter."""
    asked = _asked(talks, seed, "dialogue", only)[2]
    written = [Path(forms) / f"{name}.jsonl" for name in asked]
    for form, path in zip(asked.values(), written, strict=True):
        form.save(path)
    return written


FORMS = click.option(
    "--forms", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Only write what to ask."
)


@command(judge_talks, name="judge", before={"only": [FORMS]}, output={"metavar": "SUITE.jsonl"})
def judge(as_json: bool, output: Path | None, forms: Path | None, **given: Any) -> int:
    if (output is None) == (forms is None):
        raise UsageError("say where to write: -o SUITE.jsonl for what is left, or --forms DIR for what to ask people")
    if forms:
        say(*map(str, write_forms(forms, **{name: given[name] for name in ("talks", "only", "seed")})))
        return 0
    found = judge_talks(output=output, **given)
    _tell(found, output, as_json)
    for sentence in found.failed:
        note(sentence)
    return 1 if not found.sifted.items else PARTIAL if found.failed else 0


def _asked(talks: str | Path | None, seed: int, name: str, only: str | None) -> tuple[Any, Suite, dict[str, Suite]]:
    """The talks, questions about them, and what is asked about both."""
    from otherminds.studies.dialogue.questions.build import build
    from otherminds.talks import bank
    from otherminds.talks import judge as judging
    from otherminds.talks.talk import load

    given = load(talks, people=bank.people(), scenes=bank.scenes()) if talks else bank.authored()
    suite = build(given, seed=seed, name=name)
    wanted = [word.strip() for word in only.split(",")] if only else list(judging.FORMS)
    if unknown := [word for word in wanted if word not in judging.FORMS]:
        raise UsageError(f"--only: nobody is asked about {unknown[0]!r}; there are {', '.join(judging.FORMS)}")
    return given, suite, {each: judging.FORMS[each](suite if each == "validity" else given) for each in wanted}


def _people(form: Suite, store: Store) -> Opinion:
    from otherminds.results.annotations import AnnotationBatch
    from otherminds.talks.judge import votes

    return votes(form, AnnotationBatch(form, store).answers())


def _ask(form: Suite, model: Model, store: Store, score: str | None, failed: list[str], quiet: bool) -> Opinion:
    from otherminds.runs.runs import run
    from otherminds.talks.judge import suited, verdicts

    with bars(quiet)(f"{model.name} · {form.name}") as bar:
        done = run(suited(form, model).using(score=score), model, store=store, progress=bar)
    if not done.values():
        why = next((record.score.why for record in done.records), "nothing was answered")
        advice = "" if done.score == "text" else "; if it cannot weigh letters, say --score text"
        raise ModelError(f"{model.name} gave no verdict on any item of {form.name}: {why}{advice}")
    if errors := done.verdicts()["error"]:
        failed.append(f"{errors} of {len(done)} calls on {form.name} failed; give the same command again to make these")
    return verdicts(done)


def _tell(judged: Judged, output: Path | None, as_json: bool) -> None:
    sifted, accords, cells = judged.sifted, judged.accords, judged.cells
    false = [item.tags["false_belief"] for item in sifted.items if "false_belief" in item.tags]
    found = {
        "talks": len(sifted.talks),
        "questions": len(sifted.items),
        "false_beliefs": sum(map(bool, false)),
        "beliefs_judged": len(false),
        "by": dict(sifted.by),
        "removed": sifted.counts,
        "accord": {
            name: {"n": one.n, "shared": _numbers(one.shared), "kappa": _numbers(one.kappa)}
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
