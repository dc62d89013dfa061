"""Tokens: a text as words with what stands before each, and back into a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Role = Literal["", "singular", "plural", "he", "they"]
"""What a subject asks of its verbs: third person, are for am, or nothing (it was he, or they, before)."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word with what stands before it; a subject that was replaced has a role."""

    gap: str
    text: str
    role: Role = ""
    person: Literal["", "whom", "whose"] = ""
    """One of the two people, and not as a subject."""

    @property
    def word(self) -> str:
        """The word as dictionaries have it."""
        return self.text.casefold().replace("’", "'")

    @property
    def begins(self) -> bool:
        """Whether a sentence ends before it."""
        return re.search(r"[.!?…;:]\s", self.gap) is not None


def split(text: str) -> tuple[list[Token], str]:
    """Words with what stands before each, and what stands after the last."""
    tokens, end = [], 0
    for hit in re.finditer(r"\w+(?:['’-]\w+)*", text):
        tokens.append(Token(text[end : hit.start()], hit.group()))
        end = hit.end()
    return tokens, text[end:]


def join(tokens: Sequence[Token], tail: str) -> str:
    """The tokens as one sentence, with a capital and a full stop."""
    text = "".join(token.gap + token.text for token in tokens if token.text) + tail
    return text[:1].upper() + text[1:] + "."
