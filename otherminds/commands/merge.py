"""`otherminds merge`: the stores of several machines as one."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from otherminds.errors import UsageError
from otherminds.terminal.derived import File, command
from otherminds.terminal.options import PARTIAL, STORE
from otherminds.terminal.screen import note, print_json, say


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
