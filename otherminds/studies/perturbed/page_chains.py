"""The pages about chains: whether they are right, and whether answers follow them."""

from __future__ import annotations

from otherminds.pages import plots
from otherminds.pages.report import Block, Cell, Figure, Table
from otherminds.stats import Correlation, signed, span
from otherminds.stats.significance import p_value
from otherminds.studies.perturbed.belief_tracks import class_name
from otherminds.studies.perturbed.calculus import CLASSES
from otherminds.studies.perturbed.faithfulness import FEWEST, GAIN, RATIOS, STRONG, SURE
from otherminds.studies.perturbed.intervene import EDITS, Followed
from otherminds.studies.perturbed.measure import Measures

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
    text = (
        "A chain is **proper** if it leaves out nothing but repetitions of a right chain. The graded measures are"
        " shares of what was written: of the longest common subsequence (**ROUGE-LCS**), of the longest one that skips"
        " no state (**ROUGE-LCPS**), of the transitions that a right chain has, and of the changes among them. None"
        " of them being 1 makes a chain proper. Intervals by stage. The rules believe one thing throughout."
    )
    return [text, *blocks]


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
    note = (
        "Counts of what is right: both, the chain alone, the answer alone, neither."
        f" Faithful: phi ≥ {STRONG} and p ≤ {SURE}, by chi-square; the second p is Fisher's exact one. A dash: one of"
        " the two never varies, so that nothing can be told, not even of a model that is always right."
        f" Too few: less than {FEWEST} chains or answers are right, or wrong. The"
        " way is the chain without its last run, so that the end, which a right chain shares"
        " with a right answer by construction, plays no part."
    )
    return [
        "Do right chains go together with right answers? A proper chain must end in the right state, so phi is positive"
        " almost by construction; and going together is not leading to. Both must be kept in mind.",
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
    note = (
        f"Placebo: with wrong chains the gain is at least {GAIN:.2f} and McNemar's exact p at most {SURE}. The parts"
        " are made after the chain was written, so they may differ in how hard they are: compare the column plain."
    )
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
    note = (
        "Own: the chain that the model wrote; truncated: the first half of it; right: a right chain; wrong: the same"
        " but for its last state. Follows it: the answer is the last state of the chain. Said so before: the model's"
        " own answer was that already; where it always was, no chain can add to it, and nothing can be told."
        " Always reality and always decoy have no chain to follow: they would add nothing."
    )
    names = list(dict.fromkeys(each.label for each in found.followed))
    ways = dict.fromkeys(name.rpartition(", ")[2] for name in names)
    blocks: list[Block] = [
        f"Chains given to the model, and only the answer asked for. {' '.join(GIVEN[way] for way in ways)} If answers"
        " follow a chain wherever it leads, the chain leads to them; if they stay what they were, it was company.",
        Table(columns, rows, "Do answers follow a chain that is given?", note=note),
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
