"""Page: what a model makes of people who think one thing and say another.

show(talks, [om.run(suite, model, seed=seed) for seed in range(5)]).save("dialogue.html")
"""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.files import read_words
from otherminds.minds.telling import listing
from otherminds.pages.report import Block, Cards, Cell, Folded, Report, Section, Table
from otherminds.results.grids import Grid
from otherminds.results.itembrowser import Links
from otherminds.results.labels import count
from otherminds.results.run_details import how_it_answered, what_was_run
from otherminds.runs.runs import Run
from otherminds.stats import Estimate, signed, span, sure
from otherminds.studies.dialogue import traits
from otherminds.studies.dialogue.measure import (
    ALL,
    CELLS,
    FALSE,
    FIRST,
    LEXICAL,
    PUBLISHED,
    SECOND,
    TRUE,
    Measures,
    measure,
    names,
)
from otherminds.studies.dialogue.page_talks import talk_blocks
from otherminds.studies.dialogue.page_words import artefact_blocks, overlap_blocks, trait_word_blocks
from otherminds.studies.study import study_page
from otherminds.talks import ablation
from otherminds.talks.talk import STATES, TRAITS, Talk

FEWEST = 6
"""Conversations; with fewer, resampling them hardly tells how sure a number is."""

_TEXTS = read_words("pages")["dialogue"]
LIMITS: str = _TEXTS["limits"]


def show(
    talks: Sequence[Talk],
    runs: Sequence[Run],
    *,
    readings: Sequence[ablation.Reading] = (),
    live: Section | None = None,
) -> Report:
    """The report of runs of questions about these talks; `live` is a section about a talk played just now."""
    return report(talks, measure(talks, runs, readings=readings), live=live)


def report(
    talks: Sequence[Talk], found: Measures, *, live: Section | None = None, links: Links | None = None
) -> Report:
    """The page of numbers that are there already; `links` lead to the answers behind them."""
    asked = [run for sitting in found.sittings for run in sitting.runs]
    labels = names(found.sittings)
    sections = [
        Section("", [_cards(found), *_unfair(found)]),
        Section("What this shows, and what it cannot", [LIMITS]),
        Section("By mental state", _by_state(found, links)),
        Section("Beside rules and published figures", _beside(found)),
        Section("By personality", _by_personality(found)),
        Section("Words in common", overlap_blocks(found.overlaps)),
        Section("Words that give answers away", artefact_blocks(found.words)),
        Section("Who is higher in a trait", [*_judged(found), *trait_word_blocks(talks)]),
        Section("What hiding does", _hidden(found)),
        Section("Conversations", talk_blocks(talks, found)),
        *([live] if live else []),
        Section("What was asked about", _counts(found)),
        Section("How answers ended", how_it_answered(asked, labels)),
        Section("What was run", what_was_run(asked, labels)),
    ]
    who = listing([sitting.label for sitting in found.sittings])
    return study_page("dialogue", f"What people think and do not say: {who}", lead(found), sections, asked)


def lead(found: Measures) -> str:
    """The answer in words, with its numbers."""
    counts = found.counts
    guess = found.chance[ALL, ALL]
    asked = f"{count(counts.questions, 'question')} about {count(counts.talks, 'conversation')}"
    said = [f"{asked}; guessing would give {guess:.2f}."]
    lexical = next(row for row in found.rules if row.label == LEXICAL).get(ALL)
    for row in found.models:
        parts = [f"{kind} {one.value:.2f}" for kind in (FIRST, SECOND, FALSE) if (one := row.get(kind))]
        whole = row.get(ALL)
        if whole is None:
            said.append(f"{row.label} gave no answer that could be scored.")
            continue
        over = f", mean of {row.runs} runs" if row.runs > 1 else ""
        share = f"{whole.value:.2f} [{whole.low:.2f}, {whole.high:.2f}]{over}"
        said.append(f"{row.label} is right in {share}: {', '.join(parts)}. {_against(whole, guess, lexical)}")
    if lexical:
        said.append(f"Choosing the option with the most words of the question would give {lexical.value:.2f}.")
    return " ".join(said)


def _against(whole: Estimate, guess: float, rule: Estimate | None) -> str:
    if whole.low <= guess <= whole.high:
        return "That cannot be told from guessing."
    if rule and guess < whole.low <= rule.value:
        return "The interval is clear of guessing, but not of choosing by words in common."
    side = "above" if whole.low > guess else "below"
    return f"The interval lies {side} guessing; one in twenty misses by chance."


def _cards(found: Measures) -> Cards:
    cards = []
    for row in found.models:
        whose = f", {row.label}" if len(found.models) > 1 else ""
        for kind in (FIRST, SECOND, FALSE):
            if one := row.get(kind):
                cards.append((f"{kind.capitalize()}{whose}", f"{one.value:.2f}", sure(one)))
    lexical = next(row for row in found.rules if row.label == LEXICAL).get(ALL)
    if lexical:
        cards.append(("Words in common alone", f"{lexical.value:.2f}", f"with the question; {sure(lexical)}"))
    return Cards([*cards, ("Chance", f"{found.chance[ALL, ALL]:.2f}", "guessing among the options")])


def _unfair(found: Measures) -> list[Block]:
    return [
        f"**Not comparable**: {label} played the conversations of {own} of these questions itself, so that the thoughts"
        " asked for are its own. Such a score says how well it recognises itself, and stands apart from the others."
        for label, own in found.own.items()
    ]


# ---- right answers ------------------------------------------------------------------------------------------------


def _by_state(found: Measures, links: Links | None) -> list[Block]:
    blocks: list[Block] = []
    for sitting, row in zip(found.sittings, found.models, strict=True):
        kinds = [kind for kind in (FIRST, SECOND, FALSE) if row.get(kind)]
        if kinds:
            lines = [(state, [row.get(kind, state) for kind in kinds]) for state in (*STATES, ALL)]
            blocks.append(
                Grid(kinds, lines).filled.figure(
                    f"Right answers of {row.label} by mental state",
                    f"{row.label}: right answers, with 95 % intervals by conversation.",
                    reference=(found.chance[ALL, ALL], "chance"),
                    measure="share of right answers",
                )
            )
        cells = {_kind(*cell): (cell, tags) for cell, tags in CELLS.items() if cell in row.cells}
        own = Grid([row.label], [(label, [row.cells[cell]]) for label, (cell, _) in cells.items()])
        rules = [(label, [rule.cells.get(cell) for rule in found.rules]) for label, (cell, _) in cells.items()]
        behind = [(label, {row.label: sitting.answers.where(None, **tags)}) for label, (_, tags) in cells.items()]
        grid = own.linked(behind, links).beside(Grid([rule.label for rule in found.rules], rules).shown(span))
        note = (
            "False beliefs and right readings are both second order, as far as they are labelled. Rules answer every"
            " question that was asked."
        )
        note += f" Without a value, and so in no mean: {row.unscored} answers." if row.unscored else ""
        if any(one.clusters < FEWEST for one in row.cells.values()):
            note += f" Intervals that rest on fewer than {FEWEST} conversations say little, and some do."
        blocks.append(grid.table("", f"{row.label} by mental state", note=note))
    return blocks


def _beside(found: Measures) -> list[Block]:
    """All models and rules in one table, then differences, then figures from elsewhere."""
    kinds = [kind for kind in (ALL, FIRST, SECOND, FALSE, TRUE) if any(row.get(kind) for row in found.models)]
    rows: list[list[Cell]] = [[row.label, *(_short(row.get(kind)) for kind in kinds)] for row in found.models]
    rows += [[f"rule: {rule.label}", *(_short(rule.get(kind)) for kind in kinds)] for rule in found.rules]
    rows.append(["chance", *(f"{found.chance[ALL, kind]:.2f}" for kind in kinds)])
    rows.append(["questions", *(one.n if (one := found.rules[0].get(kind)) else 0 for kind in kinds)])
    blocks: list[Block] = [Table(["", *kinds], rows, "Right answers by kind of question")]
    repeated = [row for row in found.models if row.sd]
    if repeated:
        spread: list[list[Cell]] = [
            [row.label, row.runs, *(f"{row.sd[kind]:.3f}" if row.sd and kind in row.sd else None for kind in kinds)]
            for row in repeated
        ]
        blocks.append(Table(["", "runs", *kinds], spread, "Standard deviation over runs"))
    gaps: list[list[Cell]] = [[row.label, row.deeper, row.misread] for row in found.models if row.deeper or row.misread]
    if gaps:
        note = f"By conversation. {FALSE.capitalize()} less {TRUE}: below 0, misreadings are the harder ones."
        columns = ["", f"{SECOND} less {FIRST}", f"{FALSE} less {TRUE}"]
        blocks.append(Table(columns, gaps, "What makes it harder", note=note))
    elsewhere: list[list[Cell]] = [[name, f"{value:.3f}"] for name, value in PUBLISHED.items()]
    note = "Published for all questions of ToMATO, which Llama-3 70B played and people checked. "
    if all("published" in item.meta for item in found.suite):
        note += "If these are questions of it, Llama-3 70B's score is not comparable: the thoughts are its own."
    else:
        note += "These are other conversations, so that they can only give an idea of the size."
    return [*blocks, Table(["on ToMATO, all questions", "right"], elsewhere, "Published figures", note=note)]


def _by_personality(found: Measures) -> list[Block]:
    blocks: list[Block] = []
    for order, name in ((1, FIRST), (2, SECOND)):
        some = [split for split in found.splits if split.order == order]
        labels = [label for label in dict.fromkeys(split.label for split in some) if label != LEXICAL]
        if not some:
            continue
        table = Table(
            ["factor", "", "high", "low", "high less low"],
            [[each.factor, each.label, each.high, each.low, signed(each.gap)] for each in some],
            f"By level of the person asked about, {name}",
            note="A person is high or low for a whole conversation, so intervals are wide and no test is made. Of five"
            " factors in two orders, one whose interval leaves out 0 is no surprise.",
        )
        gaps = {(split.label, split.factor): split.gap for split in some}
        figure = Grid(labels, [(factor, [gaps.get((label, factor)) for label in labels]) for factor in TRAITS]).figure(
            f"Right answers about people high in a factor, less those about people low in it, {name}",
            f"Above 0, people high in the factor are read better; {name}, with 95 % intervals.",
            reference=(0.0, "no difference"),
            axis=(-1.0, 1.0),
            measure="difference in right answers",
        )
        blocks += [figure, table] if order == 1 else [Folded(f"The same for {name}", [figure, table])]
    if blocks:
        blocks.insert(0, "Whether the personality of the one asked about makes their thoughts easier to tell.")
    return blocks


# ---- what else was tried ------------------------------------------------------------------------------------------


def _judged(found: Measures) -> list[Block]:
    if not found.judged:
        return []
    rows: list[list[Cell]] = [
        [label, one.factor, one.right, one.both_orders, *(f"{value:.3f}" for value in traits.PUBLISHED[one.factor])]
        for label, judged in found.judged.items()
        for one in judged
    ]
    note = (
        "Pairs of conversations that differ in one factor of one person; chance is 0.5. Published: on ToMATO's own"
        " conversations, by GPT-4o mini and by people."
    )
    columns = ["judge", "factor", "right", "right in both orders", "published, model", "published, people"]
    return [Table(columns, rows, "Who is higher in a factor", note=note)]


def _hidden(found: Measures) -> list[Block]:
    if not found.ablated:
        return []
    rows: list[list[Cell]] = [
        [
            *(one.label, one.share, one.less_hidden, one.talks, one.unjudged),
            *(f"{value:.3f}" for value in ablation.PUBLISHED[one.cell]),
        ]
        for one in found.ablated
    ]
    note = (
        "Intervals by casting, differences turn by turn against the cell with both hidden. Published: on ToMATO's own"
        " conversations, judged by GPT-4o mini and by people."
    )
    columns = ["", "misread", "less both hidden", "talks", "not judged", "published, model", "published, people"]
    return [Table(columns, rows, "How often the second misreads the first", note=note)]


def _counts(found: Measures) -> list[Block]:
    counts = found.counts
    rows: list[list[Cell]] = [
        ["questions", f"{counts.questions:,}"],
        ["conversations", f"{counts.talks:,}"],
        ["second-order questions", f"{counts.second_order:,}"],
        ["of these labelled", f"{counts.labelled:,}"],
        ["false beliefs", f"{counts.false_beliefs:,}"],
        ["utterances a conversation, greetings included", f"{counts.utterances:.1f}"],
        ["words an utterance", f"{counts.words:.1f}"],
        ["words and marks an utterance", f"{counts.tokens:.1f}"],
    ]
    return [Table(["", "number"], rows, "Questions and conversations")]


def _short(one: Estimate | None) -> str | None:
    return span(one) if one else None


def _kind(state: str, kind: str) -> str:
    """What a line is about; what holds for all is not said."""
    return ", ".join(part for part in (state, kind) if part != ALL) or ALL
