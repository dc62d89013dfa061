"""Why a thought is not told: each reason for which the rules give up rather than guess."""

from __future__ import annotations

EMPTY = "no words"
MARKS = "quotation marks, brackets or a direct question"
CONTRACTION = "a contraction that can be read in two ways"
CASE = "a you or her whose part in the sentence cannot be told"
STRANGER = "a he, she, they or you that may be somebody else"
BOTH = "a we or they that cannot be put into names"
TENSE = "a verb whose tense cannot be told"
VERB = "a subject whose verb cannot be found"
JOINED = "a word after and, but or or that may be a verb"
LEFT = "a first or second person that no rule covers"


class Unsure(Exception):
    """The rules cannot tell how a text goes on in the third person; the reason is one of the above."""
