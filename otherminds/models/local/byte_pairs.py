"""SmolLM2's tokens without the engine: words split as llama.cpp splits them, and merged from bytes by rank."""

import json
import re
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise

from otherminds.models.local.gguf import Header

NEVER = 2**31
"""The rank of a pair that is not merged."""


class BytePairs:
    """The vocabulary of a file, for texts in which names of control tokens are text like any other."""

    def __init__(self, header: Header) -> None:
        tokens, merges = (header.metadata[f"tokenizer.ggml.{key}"] for key in ("tokens", "merges"))
        self._ids = {token: id for id, token in enumerate(tokens)}
        self._bytes = {piece: token for token, piece in zip(tokens, header.pieces, strict=True) if len(piece) == 1}
        self._ranks = {tuple(pair.split(" ")): rank for rank, pair in enumerate(merges)}
        self._merged = lru_cache(2**16)(self._merge)
        # Every Python has a Unicode of its own, and this is llama.cpp's.
        kinds = json.loads((files("otherminds") / "data/unicode.json").read_text("utf-8"))
        letter, number, space = kinds["letters"], kinds["numbers"], kinds["spaces"]
        self._number = re.compile(f"([{number}])")
        self._word = re.compile(
            f"'s|'t|'re|'ve|'m|'ll|'d| ?[{letter}]+| ?[^{space}{letter}{number}]+|[{space}]+(?![^{space}])|[{space}]+|."
        )

    def tokenize(self, text: str) -> list[int]:
        """The tokens of a text."""
        parts = self._number.split(text)
        return [id for part in parts for word in self._word.findall(part) for id in self._merged(word)]

    def _merge(self, word: str) -> list[int]:
        parts = [self._bytes.get(bytes([byte]), "") for byte in word.encode()]
        ranks = [self._ranks.get(pair, NEVER) for pair in pairwise(parts)]
        while ranks and (best := min(ranks)) < NEVER:
            place = ranks.index(best)
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
            around = slice(max(place - 1, 0), place + 2)
            ranks[around] = [self._ranks.get(pair, NEVER) for pair in pairwise(parts[around.start : place + 2])]
        # The vocabulary lacks a few bytes that no text needs; llama.cpp leaves them out as well.
        return [self._ids[part] for part in parts if part in self._ids]
