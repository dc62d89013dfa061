"""The exploratory part of the page: what nobody predicted, and what the scores hang on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

from otherminds import stats
from otherminds.items import Item, Suite
from otherminds.pages import plots
from otherminds.pages.report import Block, Cell, Figure, Section, Table
from otherminds.stats import Difference, Estimate, proportion
from otherminds.stats.significance import p_text
from otherminds.studies.safety.measure import FAINT, Bin, Calibration, Measures, Profile, mean_over
from otherminds.studies.safety.oracles import RULES
from otherminds.studies.safety.sittings import NINE, SHORT

SERIES = 4
"""The most models in one plot."""


def sections(found: Measures) -> list[Section]:
    """Every exploratory section that there is something for."""
    made = {
        "twins": _twins(found),
        "the ladder": _ladder(found),
        "letters and cloze": _cloze(found),
        "parts of tasks": _parts(found),
        "what the letters are worth": _letters(found),
        "calibration": _calibration(found),
        "other ways to ask": _wordings(found),
        "controls": _controls(found),
        "refusals": _refusals(found),
        "rules without a mind": _rules(found),
    }
    return [Section(f"Exploratory: {title}", blocks) for title, blocks in made.items() if blocks]


def three(estimate: Estimate | None, signed: bool = False) -> str | None:
    """A score with its interval, to three decimals; a dash for an interval that says nothing."""
    if estimate is None:
        return None
    if signed:
        return stats.signed(estimate, 3)
    value, low, high = (f"{part:z.3f}" for part in (estimate.value, estimate.low, estimate.high))
    return f"{value} [{low}, {high}]" if isfinite(estimate.low) and isfinite(estimate.high) else f"{value} [–]"


def tested(difference: Difference | None) -> str | None:
    """A signed difference with its interval and p."""
    if difference is None:
        return None
    return f"{three(difference, signed=True)}, {p_text(difference.p)}"


def _rows(found: Measures, cells: Mapping[str, Sequence[tuple[str, Sequence[Cell]]]]) -> list[list[Cell]]:
    """Lines of several models, with the model's name in front where there are several."""
    several = len(found.profiles) > 1
    return [[*([name] if several else []), label, *line] for name, lines in cells.items() for label, line in lines]


def _head(found: Measures, *columns: str) -> list[str]:
    return [*(["model"] if len(found.profiles) > 1 else []), *columns]


def _twins(found: Measures) -> list[Block]:
    lines = {
        each.name: [
            (SHORT[t.label], [three(t.flip, True), three(t.all_right), three(t.false), three(t.true)])
            for t in each.twins
        ]
        for each in found.profiles
    }
    columns = _head(found, "task", "flip sensitivity", "all twins right", "S, false belief", "S, true belief")
    return [
        "Twins differ in a detail that turns the right answer round. **Flip sensitivity** is the mean of S of an item"
        " and of its twin, less 1: 0 for always the same answer, 1 at best. Whoever always picks the ordinary act, or"
        " always what is really so, has a mean near 0.5 and a flip sensitivity of 0. **All twins right** is the share"
        " of groups without a mistake.",
        Table(columns, _rows(found, lines), "Twins", note="Intervals are 95 %, drawn by group."),
    ]


def _ladder(found: Measures) -> list[Block]:
    steps: list[list[Cell]] = [
        [each.name, tested(one.slope), tested(one.minds), tested(one.beliefs), tested(one.matched)]
        for each in found.profiles
        if (one := each.ladder).slope or one.minds or one.beliefs or one.matched
    ]
    given: list[list[Cell]] = [[each.name, each.given.read, each.given.misread] for each in found.profiles]
    blocks: list[Block] = []
    if steps:
        blocks += [
            "From reading (TB) over one mind (MA) to false belief (FB) the score should fall, if each step asks for"
            " more than the last.",
            Table(
                ["model", "a step", "MA less TB", "FB less TB", "SA less TB, same scripts"],
                steps,
                "The ladder",
                note="Differences of S. p of the first three by dealing out the steps anew over groups of twins; of the"
                " last by exchange within stories.",
            ),
        ]
    if any(line[1] or line[2] for line in given):
        blocks += [
            "TB and the transfer items of SA ask about the very same scripts. Right on beliefs **given** that every"
            " fact of the script was read right: text understood, and the mind, or not.",
            Table(
                ["model", "right on SA, facts read", "right on SA, facts misread"],
                given,
                "Belief given reading",
                note="Shares of right answers. n is small where a model seldom reads all facts right.",
            ),
        ]
    return blocks


def _cloze(found: Measures) -> list[Block]:
    lines = {
        each.name: [
            (SHORT[task], [three(each.tasks[task].S), *map(three, each.cloze[task])])
            for task in each.tasks
            if task in each.cloze
        ]
        for each in found.profiles
    }
    if not any(lines.values()):
        return []
    columns = _head(found, "task", "letters", "cloze, whole ending", "cloze, mean of tokens")
    note = "A whole ending is the probability of all its words; the mean of its tokens evens out its length."
    return [
        "By **letters** the options are shown and a letter is weighed; as a **cloze** each option ends a sentence and"
        " none is shown. A finding that holds in one of them only is a finding about that way of asking.",
        Table(columns, _rows(found, lines), "S by letters and by cloze", note=note),
    ]


def _parts(found: Measures) -> list[Block]:
    lines = {
        each.name: [(part.label, [three(part.S), part.outcome, part.S.n]) for part in each.parts]
        for each in found.profiles
    }
    neutral: list[list[Cell]] = [[each.name, three(each.neutral)] for each in found.profiles if each.neutral]
    blocks: list[Block] = []
    if any(lines.values()):
        blocks.append(Table(_head(found, "part", "S", "against 0.5", "items"), _rows(found, lines), "Parts of tasks"))
    if neutral:
        note = "0.5 would be right: the scene does not say. Far above it, a good score on faux pas can be mere habit."
        columns = ["model", "share of “did not know”"]
        blocks.append(Table(columns, neutral, "Endings that tell nothing about who knew", note=note))
    return blocks


def _letters(found: Measures) -> list[Block]:
    lines = {
        each.name: [
            (
                SHORT[task],
                [
                    three(one.S),
                    three(one.single),
                    three(one.bias, True),
                    f"{one.bias_sd:.2f}" if one.bias else None,
                    three(one.consistent),
                    f"{one.mass:.3f}{' ⚠' * one.faint}",
                    f"{one.heavy:.2f}",
                    three(one.S_heavy),
                ],
            )
            for task, one in each.tasks.items()
        ]
        for each in found.profiles
    }
    columns = _head(
        found, "task", "S", "S, one order", "label bias", "its sd", "consistent", "mass", "mass ≥ 0.5", "S there"
    )
    faint = [f"{each.name}, {SHORT[task]}" for each in found.profiles for task, s in each.tasks.items() if s.faint]
    note = (
        "S is over both orders of the options, so that a liking for a letter drops out; in one order, drawn by the seed"
        " for every item, is what the paper measured. Label bias: what A gets more, in log-odds, with its standard"
        " deviation (sd); [–]: too few groups, or all alike. Consistent: the share of items where both orders prefer"
        " the same option, ties left out. Mass: the probability of both letters (median)."
    )
    if faint:
        note += f" ⚠ marks a median mass below {FAINT}: there S is a ratio of two tiny numbers."
    return [Table(columns, _rows(found, lines), "Order of the options, and the probability of the letters", note=note)]


def _calibration(found: Measures) -> list[Block]:
    with_bins = [(each.name, each.calibration) for each in found.profiles if each.calibration]
    rows: list[list[Cell]] = [[name, three(one.brier), three(one.log_loss)] for name, one in with_bins]
    if not rows:
        return []
    note = "For an indifferent model the Brier score is 0.25 and the log loss 0.693; lower is better."
    blocks: list[Block] = [Table(["model", "Brier score", "log loss"], rows, "S as a probability", note=note)]
    for name, one in with_bins[:SERIES]:
        blocks.append(_bins(name, one))
    return blocks


def _bins(name: str, one: Calibration) -> Table:
    rows: list[list[Cell]] = [
        [f"{each.low:.1f} to {each.low + 0.1:.1f}", each.n, f"{each.said:.3f}", three(_share(each))]
        for each in one.bins
    ]
    columns = ["probability of the first option", "items", "mean", "share where it is right"]
    note = "With Wilson's 95 % intervals, as if items were independent, which twins are not."
    return Table(columns, rows, f"Reliability of {name}", note=note)


def _share(each: Bin) -> Estimate:
    return proportion(round(each.right * each.n), each.n)


def _wordings(found: Measures) -> list[Block]:
    blocks: list[Block] = []
    for each in found.profiles:
        if not each.wordings:
            continue
        rows: list[list[Cell]] = []
        for task, one in each.tasks.items():
            others = [by_task[task].value for by_task in each.wordings.values() if task in by_task]
            if others:
                span = [one.S.value, *others]
                rows.append(
                    [
                        SHORT[task],
                        f"{one.S.value:.3f}",
                        *(f"{by[task].value:.3f}" if task in by else None for by in each.wordings.values()),
                        f"{min(span):.3f} to {max(span):.3f}",
                    ]
                )
        columns = ["task", "raw", *each.wordings, "range"]
        blocks.append(Table(columns, rows, f"S of {each.name} under other wordings"))
    if blocks:
        blocks.insert(
            0,
            "The same items with one thing changed: a space at the end, an empty line before the options, digits or X"
            " and Y for letters, a question after what is more plausible, or the model's own chat template"
            " (`direct`). A conclusion that does not hold over the range is one about the prompt.",
        )
    return blocks


def _controls(found: Measures) -> list[Block]:
    lines = {
        each.name: [
            (SHORT[task], [three(one.S), *(three(by.get(task)) for by in each.controls.values())])
            for task, one in each.tasks.items()
        ]
        for each in found.profiles
        if each.controls
    }
    if not lines:
        return []
    names = next(list(each.controls) for each in found.profiles if each.controls)
    return [
        "Without the script, or with its words in a random order, nothing is left to understand, and S should be near"
        " 0.5. Far from it, the options give the answer away, or the items were seen in training.",
        Table(_head(found, "task", "S", *names), _rows(found, lines), "S without what has to be understood"),
    ]


def _refusals(found: Measures) -> list[Block]:
    lines = {
        f"{each.name}, {prompt}": [
            (SHORT[one.label], [three(one.refused), three(one.unclear), three(one.right), one.n]) for one in ends
        ]
        for each in found.profiles
        for prompt, ends in each.refusals.items()
    }
    if not lines:
        return []
    rows: list[list[Cell]] = [[name, label, *line] for name, some in lines.items() for label, line in some]
    return [
        "Scoring by probabilities cannot be refused, and so can hide a model that would refuse. Here the model writes"
        " its answer: to the plain question (`direct`), and asked which answer is more plausible (`plausible`).",
        Table(["model, wording", "task", "refused", "no clear answer", "right", "items"], rows, "Refusals"),
    ]


def _rules(found: Measures) -> list[Block]:
    asked: dict[str, Item] = {}
    for each in found.profiles:
        asked |= {r.item.id: r.item for r in each.sitting.main.records if r.item.tags["task"] in NINE}
    suite = Suite("safety", tuple(asked.values()))
    rows: list[tuple[str, list[Estimate | None]]] = [(each.name, _right(each)) for each in found.profiles]
    for name, make in RULES.items():
        values = make(suite).values(suite.items)
        right = [(item, values[item.id]) for item in suite if item.id in values]
        rows.append((name, [mean_over([one for one in right if one[0].tags["task"] == task]) for task in NINE]))
    kept = [index for index in range(len(NINE)) if any(line[index] for _, line in rows)]
    heads = [SHORT[NINE[index]] for index in kept]
    whole = {index: max(one.n for _, line in rows if (one := line[index])) for index in kept}
    cells: list[list[Cell]] = [
        [name, *(_short(one, whole[index]) if (one := line[index]) else None for index in kept)] for name, line in rows
    ]
    cells.append(["items", *whole.values()])
    spread = [
        (heads[place], [line[index] for _, line in rows[: len(found.profiles)]][:SERIES])
        for place, index in enumerate(kept)
    ]
    svg = plots.intervals(
        spread,
        title="Right answers by task",
        series=[each.name for each in found.profiles[:SERIES]],
        reference=(0.5, "chance"),
        measure="share of right answers",
    )
    return [
        "Shares of right answers beside rules whose scores are known. The **omniscient** answers with what is so and"
        " fails every false belief; the **first order** reader asks only what the last mind thinks; **last mention**"
        " and **option only** understand nothing.",
        Figure(svg, "Share of right answers (both orders together), with 95 % intervals by groups of twins."),
        Table(
            ["", *heads],
            cells,
            "Right answers, models and rules",
            note="Intervals are 95 %, by groups of twins. Where options are tied there is no answer: n says how many"
            " are left, and a dash that none is.",
        ),
    ]


def _short(one: Estimate, whole: int) -> str:
    some = f", n = {one.n}" if one.n < whole else ""
    return f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]{some}"


def _right(profile: Profile) -> list[Estimate | None]:
    return [profile.tasks[task].accuracy if task in profile.tasks else None for task in NINE]
