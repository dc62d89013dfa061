"""`otherminds store` and `merge`: whether all that a store keeps is as it was written; several stores as one."""

from __future__ import annotations

from collections import defaultdict
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherminds.errors import UsageError
from otherminds.terminal.derived import File, command
from otherminds.terminal.options import PARTIAL, STORE, common
from otherminds.terminal.screen import note, print_json, print_table, say

if TYPE_CHECKING:
    from otherminds.store.soundness import Discarded, Examined

FIRST = 3
"""Of the rows with one flaw, how many are named."""
CALLED = {"calls": "call", "records": "answer", "runs": "run"}


@command()
def verify(as_json: bool, *, discard: bool = False, store: File = STORE) -> int:
    """Find what is damaged in a store.

    Every call, answer and run is read: whether its checksum is right, whether a call lies under the key of what was
    asked, whether its answer is one that a model can give, whether every score has its calls, and whether every run has
    the answers that it was sealed with. The exit code is 3 if anything is wrong.

    With --discard it is removed, runs that lose an answer are unfinished from then on, and their commands, given
    again, ask for just what is missing.

    discard: Remove what is damaged, so that it is asked again.
    """
    from otherminds.store import soundness
    from otherminds.store.store import Store

    with Store(store, create=False, read_only=not discard) as opened:
        found = soundness.examine(opened)
        removed = soundness.discard(opened, found) if discard and found.flaws else None
    if as_json:
        print_json(_as_data(store, found, removed))
    else:
        _print(store, found)
    if not found.flaws:
        return 0
    if removed is None:
        note("--discard removes what is damaged; then the same commands, given again, ask for just that")
    else:
        runs = f"; unfinished now: {', '.join(removed.unfinished)}" if removed.unfinished else ""
        note(f"removed {removed.calls} calls, {removed.records} answers and {removed.runs} runs{runs}")
        note("the commands that made them, given again, ask for just what is missing")
    return PARTIAL


def _by_flaw(found: Examined) -> dict[tuple[str, str], list[str]]:
    """By table and flaw, the rows that have it."""
    ids: dict[tuple[str, str], list[str]] = defaultdict(list)
    for flaw in found.flaws:
        ids[flaw.table, flaw.why].append(flaw.id)
    return ids


def _as_data(path: File, found: Examined, removed: Discarded | None) -> dict[str, Any]:
    return {
        "store": str(path),
        "rows": dict(found.rows),
        "without_checksum": dict(found.unmarked),
        "not_sealed": list(found.unsealed),
        "flaws": [
            {"table": table, "why": why, "rows": len(ids), "first": ids[:FIRST]}
            for (table, why), ids in _by_flaw(found).items()
        ],
        "discarded": asdict(removed) if removed else None,
    }


def _print(path: File, found: Examined) -> None:
    rows = [
        [f"{CALLED[table]}: {why}", f"{len(ids):,}", ", ".join(ids[:FIRST]) + (" …" if len(ids) > FIRST else "")]
        for (table, why), ids in _by_flaw(found).items()
    ]
    if rows:
        print_table(["what is wrong", "rows", "first"], rows, right=["rows"])
    held = ", ".join(f"{n:,} {name}{'s' * (n != 1)}" for table, name in CALLED.items() for n in [found.rows[table]])
    say(f"{path}: {held}; {'nothing' if not rows else len(found.flaws)} damaged")
    if unmarked := sum(found.unmarked.values()):
        say(f"{unmarked:,} of these have no checksum: an older otherminds wrote them")
    if found.unsealed:
        say(f"not sealed, so that nothing tells whether they are complete: {', '.join(found.unsealed)}; ask them again")


@click.group(commands=[verify])
@common
def store(as_json: bool) -> None:
    """Check what a store keeps."""


@command()
def merge(as_json: bool, paths: tuple[File, ...], *, store: File = STORE) -> int:
    """Put all that some stores keep into the one that --store names.

    Shards of one run (`otherminds run --shard 1/4`) become the run that one machine would have made. What is in the
    store already stays, and the stores that are read are left as they are.

    paths (STORE…): The stores that are read.
    """
    from otherminds.runs import shards
    from otherminds.store.store import Store

    if Path(store).resolve() in {Path(path).resolve() for path in paths}:
        raise UsageError(f"{store} is both read and written; name another file with --store")
    with ExitStack() as opened:
        sources = [opened.enter_context(Store(path, create=False, read_only=True)) for path in paths]
        done = shards.merge(opened.enter_context(Store(store)), sources)
    if as_json:
        print_json({"store": str(store), **asdict(done)})
    else:
        say(f"{store}: {done.calls:,} calls and {done.records:,} answers of {len(done.runs):,} runs added")
    if done.unfinished:
        note(f"not finished: {', '.join(done.unfinished)}; ask the shards that are missing, and merge their stores too")
    return PARTIAL if done.unfinished else 0
