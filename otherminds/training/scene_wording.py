"""How scenes are put into words: for every beat many sentences, in files of their own.

`scenes` is trained on. `retold`, the same beats in sentences of their own, is kept back, to see what carries over.
"""

from __future__ import annotations

from otherminds.files import Wording, read_wording


def wording(name: str) -> Wording:
    """Sentences or questions, each kind under its name."""
    return read_wording(f"lessons/{name}")[0]


SCENES = "scenes"
RETOLD = "retold"
FAMILIES: dict[str, Wording] = {name: wording(name) for name in (SCENES, RETOLD)}
"""Both have the same beats."""
