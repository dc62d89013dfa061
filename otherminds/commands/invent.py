"""`otherminds invent`: new contexts to set stories in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from otherminds.terminal.derived import Count, command, model_settings
from otherminds.terminal.names import CANNOT_WRITE, recorded, store_of
from otherminds.terminal.options import PARTIAL, STORE, read_budget
from otherminds.terminal.screen import note, print_json, print_table, say

if TYPE_CHECKING:
    from otherminds.models.specs import Spec


@command(
    before={"store": model_settings()},
    configured=("writer", "judge"),
    output={"metavar": "FILE.jsonl", "type": click.Path(path_type=Path, dir_okay=False)},
)
def invent(
    as_json: bool,
    *,
    writer: str | Spec,
    judge: str | Spec | None = None,
    number: Count = 10,
    seed: int = 0,
    output: Path,
    budget: str | None = None,
    prices: Path | None = None,
    store: Path = STORE,
) -> int:
    """Invent new contexts to set stories in.

    FILE.jsonl gets those that passed, as `otherminds explore --contexts` takes them. The n-th context of a seed is the
    same however many are asked for.

    writer (MODEL): Who invents.
    judge (MODEL): Who checks that the parts go together.  [default: the writer]
    number: How many to ask for.
    seed: For places and names.
    """
    from otherminds.items import write_lines
    from otherminds.prose.invent import invent as ask_for
    from otherminds.prose.invent import write_context

    with store_of(store) as kept:
        models = recorded([writer, judge or writer], kept, read_budget(budget, prices), lacks=CANNOT_WRITE)
        made = ask_for(models[0], number=number, judge=models[1], seed=seed)
    write_lines(output, [write_context(each) for each in made.contexts])
    if as_json:
        print_json({"file": str(output), "contexts": len(made.contexts), "rejected": dict(made.rejected)})
    else:
        print_table(["not taken because", "contexts"], [[why, str(n)] for why, n in made.rejected.most_common()])
        say(f"{len(made.contexts)} of {number} contexts were taken")
        say(str(output))
    if stopped := next((model.stopped for model in models if model.stopped), ""):
        note(f"not finished: {stopped}; the same command with more goes on from here")
        return PARTIAL
    if not made.contexts:
        note("none was taken, so the file is empty; another --writer may help")
        return 1
    return 0
