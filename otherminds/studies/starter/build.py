"""The starter suite: two classic kinds of false belief, each story told twice.

Unexpected transfer (a thing is moved while someone is away) and unexpected contents (a label that misleads). In the
twin the same person knows, and the answer flips. Both choices are named equally often in every text, and neither is
always last, so that no reading short of the story itself does better than a coin.
"""

from __future__ import annotations

from importlib.resources import as_file, files

from otherminds.items import Suite


def starter() -> Suite:
    """48 items in 24 pairs of twins, written for this package."""
    with as_file(files("otherminds") / "data" / "starter.jsonl") as path:
        return Suite.load(path)
