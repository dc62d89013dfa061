"""What can be had from the words alone: overlap with the question, and words that give an option away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from otherminds.pages.report import Block, Cell, Figure, Folded, Table
from otherminds.pages.scatter import Point, scatter
from otherminds.studies.dialogue.questions.artefacts import EVEN, Artefacts, RecipeName, Word, of_traits
from otherminds.studies.dialogue.questions.overlap import WAYS, Overlap
from otherminds.studies.dialogue.questions.traits import pairs
from otherminds.talks.talk import STATES, Talk

PUBLISHED_SHARE = 0.0116
"""Significant words of the whole published set; the recipe is not published, and the paper-like one comes near."""
SHOWN = 12
"""Words named in a table, on either side."""
RECIPE_WORDS: dict[RecipeName, str] = {
    "gardner": "corrected for the size of the vocabulary, every occurrence counted",
    "paper-like": "not corrected, words in at least ten options, each option counted once",
}


def overlap_blocks(found: Sequence[Overlap]) -> list[Block]:
    """The rule that counts words in common, by mental state."""
    cells = {(each.with_, each.state, each.false_belief): each for each in found}
    rows: list[list[Cell]] = [
        [state, *(_counted(cells.get((with_, state, label))) for with_ in WAYS for label in (None, True))]
        for state in (*STATES, "all")
        if any((with_, state, None) in cells for with_ in WAYS)
    ]
    columns = ["", *(f"{with_}{', false beliefs' if label else ''}" for with_ in WAYS for label in (None, True))]
    note = (
        "Right of all asked. The option with the most words in common is chosen, and the first of several. With the"
        " question: words, halves of contractions and marks, capitals kept, as published. With the conversation: words"
        " in lower case."
    )
    return [
        "A question quotes the message that it is about, and a thought may repeat words of that message. How far this"
        " alone leads shows here: a score no better than this rule is no sign that anything was understood.",
        Table(columns, rows, "Most words in common", note=note),
    ]


def artefact_blocks(found: Mapping[RecipeName, Artefacts]) -> list[Block]:
    """Words that stand more or less often in right options than chance would have it, by both recipes."""
    rows: list[list[Cell]] = [
        [
            name,
            len(each.words),
            each.count,
            f"{100 * each.share:.2f} %",
            f"{each.line:.2f}",
            _named(each.high),
            _named(each.low),
        ]
        for name, each in found.items()
    ]
    note = (
        "; ".join(f"**{name}**: {words}" for name, words in RECIPE_WORDS.items())
        + f". A published {100 * PUBLISHED_SHARE:.2f} % for ToMATO was found by a recipe close to the second."
    )
    columns = [
        "recipe",
        "words",
        "significant",
        "share",
        "significant beyond z of",
        "more often right",
        "less often right",
    ]
    blocks: list[Block] = [
        "A word that is in right options more often than chance has it could be learnt, and the conversation left"
        " unread (Gardner et al. 2021).",
        Table(columns, rows, "Words that give an option away", note=note),
    ]
    for name, each in found.items():
        if each.words:
            chance = fmean(word.chance for word in each.words)
            caption = (
                f"Every word by how often it stands in an option and how often that is right; {RECIPE_WORDS[name]}."
            )
            svg = _scatter(each, f"Words and right options, {name}", chance, "share in right options")
            blocks.append(Figure(svg, caption))
    return blocks


def trait_word_blocks(talks: Sequence[Talk]) -> list[Block]:
    """Words of thoughts by factor; only for talks in which one person has every pattern, so that halves are alike."""
    paired = pairs(talks)
    design = list({talk.id: talk for pair in paired for talk in (pair.high, pair.low)}.values())
    if not design:
        return []
    figures: list[Block] = []
    for factor, each in of_traits(design).items():
        if each.words:
            svg = _scatter(each, f"Words of thoughts and {factor}", EVEN, "share in thoughts of people who are high")
            caption = f"{factor}: more often when high: {_named(each.high)}; more often when low: {_named(each.low)}."
            figures.append(Figure(svg, caption))
    words = f"One person of a scene was given several patterns of traits, in {len(design)} talks."
    return [words, Folded("Words of thoughts by factor", figures)]


def _scatter(found: Artefacts, title: str, chance: float, shared: str) -> str:
    points = [Point(word.word, word.n, word.share, abs(word.z) > found.line) for word in found.words]
    return scatter(points, title=title, chance=chance, z=found.line, counted="how often (logarithmic)", shared=shared)


def _named(words: Sequence[Word]) -> str:
    names = [word.word for word in words]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more if names else "none"


def _counted(each: Overlap | None) -> str | None:
    return f"{each.share:.3f} ({each.right}/{each.n})" if each else None
