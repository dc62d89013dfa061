"""The pages about chains: whether they are right, and whether answers follow them."""

from __future__ import annotations

from otherminds.files import read_words
from otherminds.pages import plots
from otherminds.pages.report import Block, Cell, Figure, Table
from otherminds.stats import Correlation, signed, span
from otherminds.stats.significance import p_value
from otherminds.studies.perturbed.belief_tracks import class_name
from otherminds.studies.perturbed.calculus import CLASSES
from otherminds.studies.perturbed.faithfulness import FEWEST, GAIN, RATIOS, STRONG, SURE
from otherminds.studies.perturbed.intervene import EDITS, Followed
from otherminds.studies.perturbed.measure import Measures

_TEXTS: dict[str, str] = read_words("pages")["chains"]

GIVEN: dict[str, str] = {
    "notes": "**Notes**: the chain stands under the story, in the turn of whoever asks, as somebody's notes.",
    "prefill": "**Prefill**: the chain begins the model's own turn, as if the model had written it.",
}
"""Where a chain stands, by the way in which it is given."""
SCOPE_NAMES = {"focal": "focal", "all": "all beliefs"}


def are_chains_right(found: Measures) -> list[Block]:
    """By class, how right the chains are; the rules hold one belief from beginning to end."""
    blocks: list[Block] = []
    for each in (*found.models, *found.rules):
        rows: list[list[Cell]] = [
            [class_name(name), some.proper, *(f"{some.ratios[ratio].value:.2f}" for ratio in RATIOS)]
            for name in (*CLASSES, "all")
            if (some := each.chains.get(name))
        ]
        if rows:
            blocks.append(Table(["class", "proper", *RATIOS], rows, f"{each.label}: chains on focal items"))
    if not any(model.chains for model in found.models):
        return []
    return [_TEXTS["proper"], *blocks]


def are_they_followed(found: Measures) -> list[Block]:
    """Going together, the placebo, and what answers do when other chains are given."""
    if not any(model.faith for model in found.models):
        return []
    return [*_faithfulness(found), *_placebo(found), *_intervention(found)]


def _faithfulness(found: Measures) -> list[Block]:
    rows: list[list[Cell]] = []
    graded: list[list[Cell]] = []
    for each in (*found.models, *found.rules):
        for scope, faith in each.faith.items():
            counts = " / ".join(map(str, faith.table))
            ps = f"{p_value(faith.phi.p)} / {p_value(faith.phi.fisher)}" if faith.phi else None
            rows.append(
                [
                    *(each.label, SCOPE_NAMES[scope], faith.n, counts),
                    *(_value(faith.phi), ps, _said(faith.way)),
                    faith.verdict,
                ]
            )
            graded.append([each.label, SCOPE_NAMES[scope], *(_said(faith.ratios[ratio]) for ratio in RATIOS)])
    columns = ["", "items", "n", "both / chain / answer / neither", "phi", "p", "phi of the way (p)", "verdict"]
    note = _TEXTS["counts"].format(strong=STRONG, sure=SURE, fewest=FEWEST)
    return [
        _TEXTS["together"],
        Table(columns, rows, "Right chains and right answers", note=note),
        Table(
            ["", "items", *RATIOS],
            graded,
            "The graded measures and right answers",
            note="Point-biserial correlations with p by Student's t.",
        ),
    ]


def _value(found: Correlation | None) -> str | None:
    return f"{found.value:+z.2f}" if found else None


def _said(found: Correlation | None) -> str | None:
    return f"{found.value:+z.2f} ({p_value(found.p)})" if found else None


def _placebo(found: Measures) -> list[Block]:
    rows: list[list[Cell]] = []
    for each in (*found.models, *found.rules):
        for scope, parts in each.placebo.items():
            for part in parts:
                verdict = "" if part.proper else "placebo" if part.is_placebo else "none"
                rows.append(
                    [
                        *(each.label, SCOPE_NAMES[scope], "right" if part.proper else "wrong"),
                        *(part.n, part.vanilla, part.cot, signed(part.gain)),
                        *(f"{part.gained} / {part.lost} ({p_value(part.mcnemar)})", verdict),
                    ]
                )
    if not rows:
        return []
    columns = ["", "items", "chain", "n", "plain", "with chain", "gain", "gained / lost (McNemar's p)", "verdict"]
    note = _TEXTS["placebo"].format(gain=GAIN, sure=SURE)
    return [
        "Does reasoning help even where it is wrong? The items are parted by whether their chain is right.",
        Table(columns, rows, "What reasoning gains with right and with wrong chains", note=note),
    ]


def _intervention(found: Measures) -> list[Block]:
    if not found.followed:
        return []
    rows: list[list[Cell]] = [
        [
            *(each.label, each.edit, each.follow.n, span(each.follow), span(each.before)),
            *(_added(each), each.right.value, each.stays.value),
        ]
        for each in found.followed
    ]
    columns = ["", "chain", "n", "follows it", "said so before", "what the chain adds (p)", "right", "as before"]
    names = list(dict.fromkeys(each.label for each in found.followed))
    ways = dict.fromkeys(name.rpartition(", ")[2] for name in names)
    blocks: list[Block] = [
        _TEXTS["given"].format(given=" ".join(GIVEN[way] for way in ways)),
        Table(columns, rows, "Do answers follow a chain that is given?", note=_TEXTS["edits"]),
    ]
    for name in names:
        by_edit = {each.edit: each for each in found.followed if each.label == name}
        svg = plots.intervals(
            [(edit, [by_edit[edit].follow, by_edit[edit].before]) for edit in EDITS if edit in by_edit],
            title=f"How often the answers of {name} end as the chain does",
            series=("with the chain given", "its own answer before"),
            measure="share that ends as the chain does",
        )
        blocks.append(Figure(svg, f"{name}: answers that end as the chain does, with 95 % intervals by stage."))
    return blocks


def _added(each: Followed) -> str:
    """What the chain adds; nothing can be added to answers that were all the same already."""
    return "cannot be told" if each.before.value == 1 else f"{each.led.value:+z.2f} ({p_value(each.led.p)})"
