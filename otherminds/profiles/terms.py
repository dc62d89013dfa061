"""The words of a profile, explained at its end."""

from __future__ import annotations

from otherminds.files import read_words
from otherminds.pages.heatmap import Glossary, explained

TERMS: dict[str, str] = read_words("terms")


def term(words: str, of: str = "") -> str:
    """Words that lead to what a term means."""
    return explained(words, of or words)


def glossary() -> Glossary:
    """The block at the end of a page."""
    return Glossary(TERMS)
