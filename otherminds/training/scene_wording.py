"""How scenes are put into words: for every beat many sentences, in files of their own.

`scenes` is trained on. `retold`, the same beats in sentences of their own, is kept back, to see what carries over.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

Wording = Mapping[str, tuple[str, ...]]


def read_words(name: str) -> dict[str, Any]:
    """A file of words for lessons."""
    return tomllib.loads((files("otherminds") / "data" / "lessons" / f"{name}.toml").read_text(encoding="utf-8"))


def wording(name: str) -> Wording:
    """Sentences or questions, each kind under its name."""
    return {kind: tuple(forms) for kind, forms in read_words(name).items()}


SCENES = "scenes"
RETOLD = "retold"
FAMILIES: dict[str, Wording] = {name: wording(name) for name in (SCENES, RETOLD)}
"""Both have the same beats."""
