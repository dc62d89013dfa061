"""How a command serves pages: the address on stdout, a browser if wanted, until Ctrl-C."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from otherminds.terminal.screen import note, print_json, say

if TYPE_CHECKING:
    from otherminds.web.serving import PageServer


def serve(server: PageServer, address: str, *, remark: str, no_open: bool, as_json: bool) -> None:
    """Say where the pages are, and answer until the program is interrupted."""
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
