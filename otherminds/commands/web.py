"""`otherminds web`: the store in a browser."""

from __future__ import annotations

from pathlib import Path

import click

from otherminds.commands.serve import serve
from otherminds.terminal.options import common, store_option


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Where the pages are; 0 takes any free port.")
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@store_option
@common
def web(port: int, no_open: bool, store_path: Path, as_json: bool) -> None:
    """Look at the runs of the store in a browser.

    Runs to sort, filter, tag and compare, up to eight at once; every run with its report, every answer with its story,
    prompt and verdict; how far a run is that goes on meanwhile; and stories with their belief timelines. The pages can
    only be opened on this machine. Nothing in the store is changed: tags and notes are kept in a file beside it.
    """
    from otherminds.store.store import Store
    from otherminds.web.serving import PageServer
    from otherminds.web.site import Site

    with Store(store_path, read_only=True) as store:
        runs = len(store.runs())
    with PageServer(Site(store_path).respond, port=port, read_only=True, takes=("/notes",)) as server:
        remark = f"{runs} runs in {store_path}; Ctrl-C ends"
        serve(server, server.url, remark=remark, no_open=no_open, as_json=as_json)
