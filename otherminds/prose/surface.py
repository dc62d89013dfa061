"""Surface: what can be seen to be wrong with a passage without a judge."""

from __future__ import annotations

import re
from collections.abc import Collection

from otherminds.files import read_words
from otherminds.prose.claims import Step

CAPITALS = frozenset(read_words("explore/wording")["capitals"])
"""Words in capitals that name nobody."""

_NOTES = re.compile(
    r"(?:^|[.!?(]\s*)(?:note|continuation|option|version|candidate|step)\s*\d*\s*:|\[[^\]]*\]"
    r"|^(?:sure|certainly|of course)[,!]|^here (?:is|are)\b[^.]*:|\bas an ai\b|\bstory so far\b",
    re.IGNORECASE | re.MULTILINE,
)
_LAYOUT = re.compile(r"^\s*(?:#|[-*•>]\s|\d+[.)]\s)|\*\*|__|[{}<>|]", re.MULTILINE)
_END = re.compile(r"[.!?…]+[\"'”’)]*(?=\s|$)")
_LEARNS = r"(?:knew|knows?|heard|hears?|learned|learnt|found out|(?:was|were|had been) told)"
_ALL = r"(?:every(?:body|one)|the (?:whole|entire) [a-z]+|all the others)"
_SPREADS = re.compile(
    rf"\b{_ALL}(?: else)?(?: (?:in|at|on) the [a-z]+)?(?: (?:soon|already|later|also))* {_LEARNS}\b"
    r"|\b(?:word|news|rumou?rs?|gossip)(?: of [^.,;!?]*)?"
    r" (?:(?:soon|quickly|had|got|has) )*(?:spread|travell?ed|round|about)\b"
    rf"|\b(?:soon|later|afterwards?|before long|by then)\b[^.!?]* {_LEARNS} (?:all about|of|about) (?:it|this)\b",
    re.IGNORECASE,
)
"""Endings by which those learn of something who were not there."""
_INSIDE = re.compile(r"(?<=[\w,;])\s+([^\W\d_][\w’'-]*)")


def surface_fault(passage: str, step: Step, *, least: int, names: Collection[str]) -> str:
    """What anyone can see to be wrong with a passage of so many sentences; empty if nothing.

    `names` are the words in capitals that may occur in it.
    """
    if found := _NOTES.search(passage):
        return f"a note by the writer ({found[0].strip()!r})"
    if _LAYOUT.search(passage):
        return "headings, points or marks instead of plain text"
    if sentence_count(passage) < least:
        return "not a whole sentence" if least == 1 else f"fewer than {least} sentences"
    for name in step.named:
        if not mentions(passage, name):
            return f"leaves out {step.after.the(name)}"
    for name in step.later:
        if mentions(passage, name):
            return f"brings in {name}, who comes later"
    if found := _SPREADS.search(passage):
        return f"tells those who are not there ({found[0]!r})"
    for word in _capitalised(passage):
        if word not in names and word not in CAPITALS:
            return f"brings in {word}"
    return ""


def sentence_count(text: str) -> int:
    """How many sentences a text has, by their ends."""
    return len(_END.findall(text))


def mentions(text: str, name: str) -> bool:
    """Whether a text has this name as whole words."""
    words = r"\s+".join(re.escape(word) for word in name.split())
    return re.search(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE) is not None


def _capitalised(text: str) -> list[str]:
    """Words in capitals inside a sentence: mostly names. Those at the beginning of one are left to the judge."""
    words = (re.split(r"[’'-]", word)[0] for word in _INSIDE.findall(text))
    return [word for word in words if word[:1].isupper()]
