"""`otherminds web`: the store in a browser; and how a command serves pages."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from otherminds.terminal.derived import File, Port, command
from otherminds.terminal.options import STORE
from otherminds.terminal.screen import note, print_json, say

if TYPE_CHECKING:
    from otherminds.web.serving import Server


@command()
def web(as_json: bool, *, port: Port | None = None, no_open: bool = False, store: File = STORE) -> None:
    """Look at the runs of the store in a browser.

    Runs to sort, filter, tag and compare, up to eight at once; every run with its report, every answer with its story,
    prompt and verdict; how far a run is that goes on meanwhile; and stories with their belief timelines. The pages can
    only be opened on this machine. Nothing in the store is changed: tags and notes are kept in a file beside it.

    port: Where the pages are; 0 takes any free port.
    no_open: Do not open a browser.
    """
    from otherminds.store.store import Store
    from otherminds.web.serving import Server
    from otherminds.web.site import Site

    with Store(store, read_only=True) as kept:
        runs = len(kept.runs())
    with Server(Site(store).respond, port=port or 0, read_only=True, takes=("/notes",)) as server:
        serve(server, server.url, remark=f"{runs} runs in {store}; Ctrl-C ends", no_open=no_open, as_json=as_json)


def serve(server: Server, address: str, *, remark: str, no_open: bool, as_json: bool) -> None:
    """Say where the pages are, open a browser if that is wanted, and answer until the program is interrupted."""
    import webbrowser

    if as_json:
        print_json({"url": address})
    else:
        say(address)
    note(remark)
    if not no_open:
        webbrowser.open(address)
    with suppress(KeyboardInterrupt):
        server.serve()
