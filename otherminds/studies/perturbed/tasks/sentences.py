"""Sentences: the beginning of one that ends with the answer, for every question of the stages."""

from __future__ import annotations

import re

from otherminds.items.controls import verb

_SENTENCES = (
    (r"What is in the (.+)\?", "The {0} is full of"),
    (r"Where (?:is|are) the (.+)\?", "The {0} {be} in the"),
    (r"What (?:is lying|lies) on the (.+)\?", "What lies on the {0} is the"),
    (r"What (?:is|does) the (.+) (?:lying|lie) on\?", "The {0} lies on the"),
    (r"On what (?:is|are) the (.+) lying\?", "The {0} {be} lying on the"),
    (r"What does (\S+) think is in the (.+)\?", "{0} thinks that the {1} is full of"),
    (r"Where will (\S+) look for the (.+) first\?", "{0} will first look for the {1} in the"),
    (r"What does (\S+) think (?:is lying|lies) on the (.+)\?", "{0} thinks that what lies on the {1} is the"),
    (r"What does (\S+) think the (.+) (?:is lying|lies) on\?", "{0} thinks that the {1} lies on the"),
    (r"On what does (\S+) think the (.+) (?:is|are) lying\?", "{0} thinks that the {1} {be} lying on the"),
)
"""Every question of the stages, and the beginning of a sentence that ends with one of the two words."""


def sentence(question: str) -> str:
    """The beginning of a sentence that ends with the answer; empty for a question of another sort."""
    for pattern, text in _SENTENCES:
        if found := re.fullmatch(pattern, question):
            words = found.groups()
            return text.format(*words, be=verb(words[-1]))
    return ""
