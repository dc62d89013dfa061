"""`otherminds merge`: the stores of several machines as one."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

import click

from otherminds.errors import UsageError
from otherminds.terminal.options import PARTIAL, common, store_option
from otherminds.terminal.screen import note, print_json, say


@click.command()
@click.argument("paths", metavar="STORE…", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False))
@store_option
@common
@click.pass_context
def merge(context: click.Context, paths: tuple[Path, ...], store_path: Path, as_json: bool) -> None:
    """Put all that some stores keep into the one that --store names.

    Shards of one run (`otherminds run --shard 1/4`) become the run that one machine would have made. What is in the
    store already stays, and the stores that are read are left as they are.
    """
    from otherminds.runs import shards
    from otherminds.store.store import Store

    if store_path.resolve() in {path.resolve() for path in paths}:
        raise UsageError(f"{store_path} is both read and written; name another file with --store")
    with ExitStack() as opened:
        sources = [opened.enter_context(Store(path, create=False, read_only=True)) for path in paths]
        store = opened.enter_context(Store(store_path))
        done = shards.merge(store, sources)
    if as_json:
        print_json({"store": str(store_path), **asdict(done)})
    else:
        say(f"{store_path}: {done.calls:,} calls and {done.records:,} answers of {len(done.runs):,} runs added")
    if done.unfinished:
        note(f"not finished: {', '.join(done.unfinished)}; ask the shards that are missing, and merge their stores too")
        context.exit(PARTIAL)
