"""The data card of the study: what is asked, what was left out and why, what gives answers away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from otherminds.cards import ending, giveaways, table
from otherminds.items import Item, Suite
from otherminds.studies.dialogue.artefacts import RECIPES, of_options
from otherminds.studies.dialogue.overlap import WAYS, scores
from otherminds.studies.dialogue.talks import STATES, TRAITS

WRITTEN = (
    "The talks were written for this package, thoughts and all, with the asymmetry of the protocol: neither of the two "
    "reads the other's thoughts. They were not produced by role-playing models. Two blind passes over all 280 "
    "second-order thoughts found the same 115 misreadings, and these are the ones that were meant; a blind pass over "
    "the questions, before some wordings were polished, answered each of 554 as keyed. Such passes check the key: "
    "there is no human baseline. For a set of your own, let models talk with `otherminds play` and give its talks to "
    "`otherminds build dialogue --talks`"
)
PLAYED = "The talks are those of a file; what each of them says about its making is kept with its questions"
PUBLISHED = (
    "The questions are those of a published file, taken as they are; its licence, its notices and its terms of use go "
    "with them"
)

SORTS = {
    "first order": lambda item: item.tags["order"] == 1,
    "second order": lambda item: item.tags["order"] == 2,
    "false belief": lambda item: item.tags.get("false_belief") is True,
    "true belief": lambda item: item.tags.get("false_belief") is False,
    "all": lambda item: True,
}
"""Second-order questions are of a false or a true belief where somebody has labelled them."""


def card(suite: Suite, *, made: str, left_out: Mapping[str, int] | None = None) -> str:
    """A data card in Markdown; `made` says how the questions came about."""
    talks = {item.tags["story"] for item in suite}
    lines = [
        f"# {suite.name}",
        "",
        f"{len(suite)} questions about {len(talks)} conversations, digest `{suite.digest}`. {made}.",
        "",
        "The right option is what the speaker thought at the message that is asked about; the wrong ones are three "
        "other thoughts of the same speaker in the same conversation. A belief is false where the speaker misreads "
        "the partner.",
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
        "The option with the most words in common with the question, which quotes the message, or with the "
        "conversation; one of several is the first.",
        "",
        *table(("in common with", *STATES, "all", "false belief"), _overlaps(suite)),
        "",
        "Words that stand more or less often in right options than chance would have it (z test of each word).",
        "",
        *table(("recipe", "words", "beyond chance", "share", "more often", "less often"), _artefacts(suite)),
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


def _overlaps(suite: Suite) -> list[tuple[str, ...]]:
    found = {
        (one.with_, one.state, one.false_belief): f"{one.right}/{one.n} = {one.share:.3f}" for one in scores(suite)
    }
    columns: list[tuple[str, bool | None]] = [*((state, None) for state in (*STATES, "all")), ("all", True)]
    return [(with_, *(found.get((with_, *column), "–") for column in columns)) for with_ in WAYS]


def _artefacts(suite: Suite) -> list[tuple[str, ...]]:
    rows = []
    for recipe in RECIPES:
        found = of_options(suite, recipe)
        sides = [", ".join(word.word for word in side) or "–" for side in (found.high, found.low)]
        rows.append((recipe, str(len(found.words)), str(found.count), f"{found.share:.2%}", *sides))
    return rows
