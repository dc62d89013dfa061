"""Page: what a model makes of people who think one thing and say another.

show(talks, [om.run(suite, model, seed=seed) for seed in range(5)]).save("dialogue.html")
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from otherminds.files import read_words
from otherminds.items import Suite
from otherminds.minds.telling import listing
from otherminds.pages.report import Block, Cards, Cell, Figure, Folded, Report, Section, Table
from otherminds.pages.scatter import Point, scatter
from otherminds.results.answers import Answers
from otherminds.results.itembrowser import Links
from otherminds.results.labels import count
from otherminds.results.measures import Split, chance, twins_right
from otherminds.results.run_details import how_it_answered, what_was_run
from otherminds.results.sections import Axis, Column, Page, PictureOf, TableOf
from otherminds.results.sections import figure as drawn
from otherminds.runs.runs import Run
from otherminds.stats import Estimate, interval_note, signed, span, sure
from otherminds.studies.dialogue.answered import (
    LEXICAL,
    PUBLISHED,
    STATES_AND_KINDS,
    DialogueAnswers,
    less,
    levels,
    right,
    size,
    spread,
)
from otherminds.studies.dialogue.conversations import talk_blocks
from otherminds.studies.dialogue.questions import artefacts, overlap, traits
from otherminds.studies.dialogue.questions.artefacts import Artefacts
from otherminds.studies.dialogue.questions.sample import ALL, FALSE, FIRST, KINDS, SECOND, TRUE
from otherminds.studies.study import study_page
from otherminds.talks import ablation
from otherminds.talks.talk import STATES, TRAITS, Talk

FEWEST = 6
"""Conversations; with fewer, resampling them hardly tells how sure a number is."""
NAMED = 12
"""Words that a table or caption names, on either side."""
_TEXTS = read_words("pages")["dialogue"]
SHOWN = [Split(kind, KINDS[kind]) for kind in (FIRST, SECOND, FALSE)]
"""The kinds of question that the first numbers are about."""


def show(
    talks: Sequence[Talk],
    runs: Sequence[Run],
    *,
    readings: Sequence[ablation.Reading] = (),
    live: Sequence[Block] = (),
    links: Links | None = None,
) -> Report:
    """The report of runs of questions about these talks, as far as these are at hand; `links` lead to the answers.

    `readings` are talks played with more or less hidden, and which messages in them misread the partner; `live` is
    about a talk that was played just now.
    """
    judging = [run for run in runs if any("factor" in record.item.tags for record in run.records)]
    found = DialogueAnswers.of([run for run in runs if run not in judging])
    asked = [run for some in found.models.values() for run in some.runs]
    method = interval_note(one for some in found.models.values() if (one := right(some)))
    sections = [
        Section("", [_cards(found), *_unfair(found, talks)]),
        Section("What this shows, and what it cannot", [_TEXTS["limits"].format(method=method)]),
        Section("By mental state", [block for label in found.models for block in _by_state(found, label)]),
        Section("Beside rules and published figures", list(_beside(found))),
        Section("By personality", _by_personality(found)),
        Section("Words in common", _overlaps(found.suite)),
        Section("Words that give answers away", _artefacts(found.suite)),
        Section("Who is higher in a trait", [*_judged(judging), *_trait_words(talks)]),
        Section("What hiding does", _hidden(ablation.ablate(readings))),
        Section("Conversations", talk_blocks(talks, found)),
        Section("Played live", live),
        Section(
            "What was asked about",
            [Table(["", "number"], list(size(found.suite).items()), "Questions and conversations")],
        ),
        Section("How answers ended", how_it_answered(asked, found.labels)),
        Section("What was run", what_was_run(asked, found.labels)),
    ]
    title = f"What people think and do not say: {listing(list(found.models))}"
    return study_page("dialogue", title, _lead(found), Page(found.everybody, links).sections(sections), asked)


# ---- the answer in words ------------------------------------------------------------------------------------------


def _lead(found: DialogueAnswers) -> str:
    guess = chance(found.suite.items) or 0.0
    talks = {item.context for item in found.suite}
    asked = f"{count(len(found.suite), 'question')} about {count(len(talks), 'conversation')}"
    said = [f"{asked}; guessing would give {guess:.2f}."]
    lexical = right(found.rules[LEXICAL])
    for label, some in found.models.items():
        whole = right(some)
        if whole is None:
            said.append(f"{label} gave no answer that could be scored.")
            continue
        parts = [f"{split.label} {one.value:.2f}" for split in SHOWN if (one := right(split.of(some)))]
        over = f", mean of {len(some.runs)} runs" if len(some.runs) > 1 else ""
        said.append(f"{label} is right in {span(whole)}{over}: {', '.join(parts)}. {_against(whole, guess, lexical)}")
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


def _cards(found: DialogueAnswers) -> Cards:
    cards = []
    for label, some in found.models.items():
        whose = f", {label}" if len(found.models) > 1 else ""
        told = {split.label: one for split in SHOWN if (one := right(split.of(some)))}
        cards += [(f"{kind.capitalize()}{whose}", f"{one.value:.2f}", sure(one)) for kind, one in told.items()]
    if lexical := right(found.rules[LEXICAL]):
        cards.append(("Words in common alone", f"{lexical.value:.2f}", f"with the question; {sure(lexical)}"))
    guess = chance(found.suite.items) or 0.0
    return Cards([*cards, ("Chance", f"{guess:.2f}", "guessing among the options")])


def _unfair(found: DialogueAnswers, talks: Sequence[Talk]) -> list[str]:
    return [_TEXTS["unfair"].format(label=label, own=own) for label, own in found.own(talks).items()]


# ---- right answers ------------------------------------------------------------------------------------------------


def _by_state(found: DialogueAnswers, label: str) -> list[PictureOf | TableOf]:
    model = found.part(label)
    own = model.of(found.everybody)
    states = [Split(state, {"state": state}) for state in STATES]
    numbers = [one for split in STATES_AND_KINDS if (one := right(split.of(own)))]
    unscored = len(own.averaged) - len(own.averaged.numbers())
    note = _TEXTS["by_state"]
    note += f" Without a value, and so in no mean: {unscored} answers." if unscored else ""
    if any(one.clusters < FEWEST for one in numbers):
        note += f" Intervals that rest on fewer than {FEWEST} conversations say little, and some do."
    rules = [Column(rule, right, span, part=found.part(rule)) for rule in found.rules]
    return [
        PictureOf(
            Axis("", [*states, Split(ALL)]),
            Axis("", [split for split in SHOWN if right(split.of(own))]),
            right,
            f"Right answers of {label} by mental state",
            f"{label}: right answers, with 95 % intervals by conversation.",
            "share of right answers",
            reference=(chance(found.suite.items) or 0.0, "chance"),
            of=model.of,
        ),
        TableOf(
            [Axis("", STATES_AND_KINDS)],
            [Column(label, right, behind=Answers.with_value, part=model), *rules],
            f"{label} by mental state",
            note=note,
            keep=lambda line: right(model.of(line)),
        ),
    ]


def _beside(found: DialogueAnswers) -> Iterator[TableOf | Table]:
    """All models and rules in one table, then differences, then figures from elsewhere."""
    models = [found.part(label) for label in found.models]
    kinds = [Split(kind, KINDS[kind]) for kind in (ALL, FIRST, SECOND, FALSE, TRUE)]
    kinds = [kind for kind in kinds if any(right(kind.of(some)) for some in found.models.values())]
    yield TableOf(
        [Axis("", [*models, *(found.part(rule, f"rule: {rule}") for rule in found.rules)])],
        [Column(kind.label, right, span, part=kind) for kind in kinds],
        "Right answers by kind of question",
        keep=len,
        foot={"chance": lambda some: f"{chance(some):.2f}", "questions": lambda some: len(some.once)},
    )
    repeated = [found.part(label) for label, some in found.models.items() if len(some.runs) > 1]
    yield TableOf(
        [Axis("", repeated)],
        [
            Column("runs", lambda some: len(some.runs)),
            *(Column(kind.label, spread, lambda sd: f"{sd:.3f}", part=kind) for kind in kinds),
        ],
        "Standard deviation over runs",
    )
    yield TableOf(
        [Axis("", models)],
        [Column(f"{one} less {other}", less(one, other)) for one, other in ((SECOND, FIRST), (FALSE, TRUE))],
        "What makes it harder",
        note=f"By conversation. {FALSE.capitalize()} less {TRUE}: below 0, misreadings are the harder ones.",
    )
    theirs = all("published" in item.meta for item in found.suite)
    note = _TEXTS["published"] + _TEXTS["theirs" if theirs else "others"]
    figures = [(name, f"{value:.3f}") for name, value in PUBLISHED.items()]
    yield Table(["on ToMATO, all questions", "right"], figures, "Published figures", note=note)


def _by_personality(found: DialogueAnswers) -> list[Block]:
    blocks: list[Block] = []
    people = {**found.models, LEXICAL: found.rules[LEXICAL]}
    for order, name in ((1, FIRST), (2, SECOND)):
        gaps = {
            (label, factor): one
            for factor in TRAITS
            for label, some in people.items()
            if (one := levels(some.where(order=order), factor))
        }
        if not gaps:
            continue
        rows: list[list[Cell]] = [
            [factor, label, high, low, signed(gap)] for (label, factor), (high, low, gap) in gaps.items()
        ]
        caption = f"By level of the person asked about, {name}"
        table = Table(["factor", "", "high", "low", "high less low"], rows, caption, note=_TEXTS["levels"])
        labels = [label for label in dict.fromkeys(label for label, _ in gaps) if label != LEXICAL]
        lines = [
            (factor, [gaps[label, factor][2] if (label, factor) in gaps else None for label in labels])
            for factor in TRAITS
        ]
        figure = drawn(
            lines,
            labels,
            f"Right answers about people high in a factor, less those about people low in it, {name}",
            f"Above 0, people high in the factor are read better; {name}, with 95 % intervals.",
            counts="difference in right answers",
            reference=(0.0, "no difference"),
            scale=(-1.0, 1.0),
        )
        blocks += [figure, table] if order == 1 else [Folded(f"The same for {name}", [figure, table])]
    if blocks:
        blocks.insert(0, "Whether the personality of the one asked about makes their thoughts easier to tell.")
    return blocks


# ---- what else was tried ------------------------------------------------------------------------------------------


def _judged(runs: Sequence[Run]) -> list[TableOf]:
    if not runs:
        return []
    labels = DialogueAnswers.of(runs).labels
    judges = [Split(labels[run.id], {"run": run.id}) for run in runs]
    return [
        TableOf(
            [Axis("judge", judges), Axis("factor", [Split(factor, {"factor": factor}) for factor in TRAITS])],
            [
                Column("right", Answers.mean),
                Column("right in both orders", twins_right),
                Column("published, model", lambda some: _published(some, 0)),
                Column("published, people", lambda some: _published(some, 1)),
            ],
            "Who is higher in a factor",
            note=_TEXTS["judged"],
            of=lambda _: Answers.of(runs),
        )
    ]


def _published(judged: Answers, place: int) -> str | None:
    return f"{traits.PUBLISHED[judged[0].tag('factor')][place]:.3f}" if judged else None


def _hidden(found: Sequence[ablation.Misread]) -> list[Block]:
    rows = [
        [
            one.label,
            one.share,
            one.less_hidden,
            one.talks,
            one.unjudged,
            *map("{:.3f}".format, ablation.PUBLISHED[one.label]),
        ]
        for one in found
    ]
    columns = ["", "misread", "less both hidden", "talks", "not judged", "published, model", "published, people"]
    return [Table(columns, rows, "How often the second misreads the first", note=_TEXTS["hidden"])] if rows else []


# ---- what the words alone tell ------------------------------------------------------------------------------------


def _overlaps(suite: Suite) -> list[Block]:
    """The rule that counts words in common, by mental state."""
    found = overlap.scores(suite)
    parts = [(with_, label) for with_ in overlap.WAYS for label in (None, True)]
    rows: list[list[Cell]] = [
        [state, *(f"{one.share:.3f} ({one.right}/{one.n})" if one else None for one in cells)]
        for state in (*STATES, ALL)
        if any(cells := [found.get((with_, state, label)) for with_, label in parts])
    ]
    columns = ["", *(f"{with_}{', false beliefs' if label else ''}" for with_, label in parts)]
    return [_TEXTS["overlap"], Table(columns, rows, "Most words in common", note=_TEXTS["overlap_rule"])]


def _artefacts(suite: Suite) -> list[Block]:
    """Words that stand more or less often in right options than chance would have it, by both recipes."""
    found = {recipe: artefacts.of_options(suite, recipe) for recipe in artefacts.RECIPES}
    rows: list[list[Cell]] = [
        [
            name,
            len(each.words),
            each.count,
            f"{100 * each.share:.2f} %",
            f"{each.line:.2f}",
            *(artefacts.named(side, NAMED, "none") for side in (each.high, each.low)),
        ]
        for name, each in found.items()
    ]
    told = "; ".join(f"**{name}**: {recipe.words}" for name, recipe in artefacts.RECIPES.items())
    columns = ["recipe", "words", "significant", "share", "significant beyond z of"]
    columns += ["more often right", "less often right"]
    blocks: list[Block] = [
        _TEXTS["artefacts"],
        Table(columns, rows, "Words that give an option away", note=_TEXTS["artefact_recipes"].format(told)),
    ]
    for name, each in found.items():
        if each.words:
            caption = f"{_TEXTS['artefact']}; {artefacts.RECIPES[name].words}."
            chance = fmean(word.chance for word in each.words)
            blocks.append(_words(each, f"Words and right options, {name}", caption, chance, "share in right options"))
    return blocks


def _trait_words(talks: Sequence[Talk]) -> list[Block]:
    """Words of thoughts by factor; only for talks in which one person has every pattern, so that halves are alike."""
    design = list({talk.id: talk for pair in traits.pairs(talks) for talk in (pair.high, pair.low)}.values())
    figures: list[Block] = []
    for factor, each in artefacts.of_traits(design).items():
        if each.words:
            high, low = (artefacts.named(side, NAMED, "none") for side in (each.high, each.low))
            caption = f"{factor}: more often when high: {high}; more often when low: {low}."
            title, shared = f"Words of thoughts and {factor}", "share in thoughts of people who are high"
            figures.append(_words(each, title, caption, artefacts.EVEN, shared))
    words = f"One person of a scene was given several patterns of traits, in {len(design)} talks."
    return [words, Folded("Words of thoughts by factor", figures)] if design else []


def _words(found: Artefacts, title: str, caption: str, chance: float, shared: str) -> Figure:
    """Every word by how often it stands somewhere, and how often that is as looked for."""
    points = [Point(word.word, word.n, word.share, abs(word.z) > found.line) for word in found.words]
    counted = "how often (logarithmic)"
    return Figure(scatter(points, title=title, chance=chance, z=found.line, counted=counted, shared=shared), caption)
