"""The data card of the study: what is asked, what was left out and why, what gives answers away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from otherminds.files import read_words
from otherminds.heuristics.cards import ending, giveaways, table
from otherminds.items import Item, Suite
from otherminds.studies.dialogue.artefacts import RECIPES, of_options
from otherminds.studies.dialogue.overlap import WAYS, Overlap, scores
from otherminds.talks.talk import STATES, TRAITS

_TEXTS: dict[str, str] = read_words("dialogue/wording")["card"]
WRITTEN = _TEXTS["written"]
PLAYED = "The talks are those of a file; what each of them says about its making is kept with its questions"
PUBLISHED = _TEXTS["published"]

SORTS = {
    "first order": lambda item: item.tags["order"] == 1,
    "second order": lambda item: item.tags["order"] == 2,
    "false belief": lambda item: item.tags.get("false_belief") is True,
    "true belief": lambda item: item.tags.get("false_belief") is False,
    "all": lambda item: True,
}
"""Second-order questions are of a false or a true belief where somebody has labelled them."""


OVERLAP = ("in common with", *STATES, "all", "false belief")
ARTEFACTS = ("recipe", "words", "beyond chance", "share", "more often", "less often")


def card(suite: Suite, *, made: str, left_out: Mapping[str, int] | None = None) -> str:
    """A data card in Markdown; `made` says how the questions came about."""
    talks = {item.tags["story"] for item in suite}
    lines = [
        f"# {suite.name}",
        "",
        f"{len(suite)} questions about {len(talks)} conversations, digest `{suite.digest}`. {made}.",
        "",
        _TEXTS["options"],
        "",
        "## What is asked",
        "",
        *table(("", *SORTS), [_counted(state, _of(suite, state)) for state in (*STATES, "all")]),
        "",
        *table(("person asked about", "high", "low"), [_levels(suite, trait) for trait in TRAITS]),
        "",
        *_left_out(left_out),
        *giveaways(suite),
        "",
        "## Lexical overlap",
        "",
        _TEXTS["overlap"],
        "",
        *table(OVERLAP, [(with_, *map(_share, row)) for with_, row in overlaps(suite)]),
        "",
        "## Word artefacts",
        "",
        _TEXTS["words"],
        "",
        *table(ARTEFACTS, artefacts(suite)),
        "",
        *ending(suite),
    ]
    return "\n".join(lines)


def _of(suite: Suite, state: str) -> list[Item]:
    return [item for item in suite if state in ("all", item.tags["state"])]


def _counted(state: str, items: Sequence[Item]) -> tuple[str, ...]:
    return state, *(str(sum(map(belongs, items))) for belongs in SORTS.values())


def _levels(suite: Suite, trait: str) -> tuple[str, ...]:
    levels = [item.tags[trait] for item in suite]
    return trait, str(levels.count("high")), str(levels.count("low"))


def _left_out(left_out: Mapping[str, int] | None) -> list[str]:
    if left_out is None:
        return []
    rows = [(reason, str(number)) for reason, number in left_out.items()]
    told = table(("left out because", "messages"), rows) if rows else ["Every message is asked about."]
    return [*told, ""]


def shortcuts(suite: Suite) -> dict[str, Any]:
    """Overlap and artefacts as JSON."""
    words = {recipe: of_options(suite, recipe) for recipe in RECIPES}
    return {
        "overlap": [asdict(one) for one in scores(suite)],
        "artefacts": {
            recipe: {
                "words": len(found.words),
                "beyond_chance": found.count,
                "share": found.share,
                "more_often": [word.word for word in found.high],
                "less_often": [word.word for word in found.low],
            }
            for recipe, found in words.items()
        },
    }


def overlaps(suite: Suite) -> list[tuple[str, list[Overlap | None]]]:
    """For each text that options are compared with: how often the rule is right, by the columns of OVERLAP."""
    found = {(one.with_, one.state, one.false_belief): one for one in scores(suite)}
    columns: list[tuple[str, bool | None]] = [*((state, None) for state in (*STATES, "all")), ("all", True)]
    return [(with_, [found.get((with_, *column)) for column in columns]) for with_ in WAYS]


def _share(one: Overlap | None) -> str:
    return f"{one.right}/{one.n} = {one.share:.3f}" if one else "–"


def artefacts(suite: Suite) -> list[tuple[str, ...]]:
    """For each recipe, the words beyond chance, by the columns of ARTEFACTS."""
    rows = []
    for recipe in RECIPES:
        found = of_options(suite, recipe)
        sides = [", ".join(word.word for word in side) or "–" for side in (found.high, found.low)]
        rows.append((recipe, str(len(found.words)), str(found.count), f"{found.share:.2%}", *sides))
    return rows
