"""`otherminds judge`: which talks and questions are sound, and which beliefs are false; by a model, and by people."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from otherminds.errors import UsageError
from otherminds.terminal.derived import File, Folder, command
from otherminds.terminal.names import bars, real_model, store_of
from otherminds.terminal.options import PARTIAL
from otherminds.terminal.screen import note, print_json, print_table, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otherminds.items import Suite
    from otherminds.models import Model
    from otherminds.models.specs import Spec
    from otherminds.store.store import Store
    from otherminds.talks.judge import Judged
    from otherminds.talks.talk import Talk


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
    from otherminds.talks.judge import judge

    given, suite, asked = _asked(talks, seed, Path(output).stem if output else "dialogue", only)
    with store_of(store) as kept:
        judged = judge(given, suite, asked, real_model(model, quiet=quiet), kept, bars=bars(quiet), score=score)
    if judged.sifted.items and output:
        replace(suite, items=judged.sifted.items).save(output)
    return judged


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


def _asked(
    talks: str | Path | None, seed: int, name: str, only: str | None
) -> tuple[Sequence[Talk], Suite, dict[str, Suite]]:
    """The talks, questions about them, and what is asked about both."""
    from otherminds.studies import STUDIES
    from otherminds.talks import bank
    from otherminds.talks.judge import forms_of

    given, questions = bank.read(talks), STUDIES["dialogue"]().suite
    assert questions is not None
    suite = replace(questions(talks=given, seed=seed), name=name)
    return given, suite, forms_of(given, suite, only)


def _tell(judged: Judged, output: Path | None, as_json: bool) -> None:
    sifted, accords, cells = judged.sifted, judged.accords, judged.cells
    found = judged.to_dict()
    if as_json:
        print_json(found | {"suite": str(output) if sifted.items else None})
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
    say(f"  false beliefs: {found['false_beliefs']} of {found['beliefs_judged']} judged")
    note(f"{len(sifted.items)} questions about {len(sifted.talks)} talks are left")
    say(str(output) if sifted.items else "nothing is left, so nothing was written")
