"""The exploratory part of the page: what nobody predicted, and what the scores hang on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from otherminds import stats
from otherminds.files import read_words
from otherminds.items import Suite
from otherminds.pages.report import Block, Cell, Section, Table
from otherminds.results.answers import Answers
from otherminds.results.grids import Grid
from otherminds.results.measures import Split
from otherminds.stats import Difference, Estimate, proportion, span
from otherminds.stats.significance import p_text
from otherminds.studies.safety.lineups import NINE, SHORT
from otherminds.studies.safety.measure import FAINT, Bin, Calibration, Measures, Profile
from otherminds.studies.safety.oracles import RULES

SERIES = 4
"""The most models in one plot."""
_TEXTS: dict[str, str] = read_words("pages")["exploratory"]


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
        "mindless baselines": _rules(found),
    }
    return [Section(f"Exploratory: {title}", blocks) for title, blocks in made.items() if blocks]


def three(estimate: Estimate | None, signed: bool = False) -> str | None:
    """A score with its interval, to three decimals; a dash for an interval that says nothing."""
    if estimate is None:
        return None
    if signed:
        return stats.signed(estimate, 3)
    return span(estimate, 3)


def tested(difference: Difference | None) -> str | None:
    """A signed difference with its interval and p."""
    if difference is None:
        return None
    return f"{three(difference, signed=True)}, {p_text(difference.p)}"


Columns = Mapping[str, Callable[[Profile, str], Cell]]
"""By heading, what is told of a model on a task."""


def _by_task(
    found: Measures,
    columns: Columns,
    caption: str,
    note: str = "",
    having: Callable[[Profile, str], Any] = lambda each, task: True,
) -> list[Block]:
    """A line for every task of every model, with the model's name in front where there are several."""
    several = len(found.profiles) > 1
    rows: list[list[Cell]] = [
        [*([each.name] if several else []), SHORT[task], *(cell(each, task) for cell in columns.values())]
        for each in found.profiles
        for task in each.tasks
        if having(each, task)
    ]
    return [Table([*(["model"] if several else []), "task", *columns], rows, caption, note=note)] if rows else []


def _twins(found: Measures) -> list[Block]:
    twins = {(each.name, one.label): one for each in found.profiles for one in each.twins}
    columns: Columns = {
        "flip sensitivity": lambda each, task: three(twins[each.name, task].flip, True),
        "all twins right": lambda each, task: three(twins[each.name, task].all_right),
        "S, false belief": lambda each, task: three(twins[each.name, task].false),
        "S, true belief": lambda each, task: three(twins[each.name, task].true),
    }
    return [
        _TEXTS["twins"],
        *_by_task(found, columns, "Twins", "Intervals are 95 %, drawn by group."),
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
            _TEXTS["ladder"],
            Table(
                ["model", "a step", "MA less TB", "FB less TB", "SA less TB, same scripts"],
                steps,
                "The ladder",
                note=_TEXTS["steps"],
            ),
        ]
    if any(line[1] or line[2] for line in given):
        blocks += [
            _TEXTS["given"],
            Table(
                ["model", "right on SA, facts read", "right on SA, facts misread"],
                given,
                "Belief given reading",
                note="Shares of right answers. n is small where a model seldom reads all facts right.",
            ),
        ]
    return blocks


def _cloze(found: Measures) -> list[Block]:
    columns: Columns = {
        "letters": lambda each, task: three(each.tasks[task].S),
        "cloze, whole ending": lambda each, task: three(each.cloze[task][0]),
        "cloze, mean of tokens": lambda each, task: three(each.cloze[task][1]),
    }
    note = "A whole ending is the probability of all its words; the mean of its tokens evens out its length."
    table = _by_task(found, columns, "S by letters and by cloze", note, lambda each, task: task in each.cloze)
    return [_TEXTS["cloze"], *table] if table else []


def _parts(found: Measures) -> list[Block]:
    several = len(found.profiles) > 1
    lines: list[list[Cell]] = [
        [*([each.name] if several else []), part.label, three(part.S), part.outcome, part.S.n]
        for each in found.profiles
        for part in each.parts
    ]
    neutral: list[list[Cell]] = [[each.name, three(each.neutral)] for each in found.profiles if each.neutral]
    blocks: list[Block] = []
    if lines:
        columns = [*(["model"] if several else []), "part", "S", "against 0.5", "items"]
        blocks.append(Table(columns, lines, "Parts of tasks"))
    if neutral:
        note = "0.5 would be right: the scene does not say. Far above it, a good score on faux pas can be mere habit."
        columns = ["model", "share of “did not know”"]
        blocks.append(Table(columns, neutral, "Endings that tell nothing about who knew", note=note))
    return blocks


LETTERS: Columns = {
    "S": lambda each, task: three(each.tasks[task].S),
    "S, one order": lambda each, task: three(each.tasks[task].single),
    "label bias": lambda each, task: three(each.tasks[task].bias, True),
    "its sd": lambda each, task: f"{each.tasks[task].bias_sd:.2f}" if each.tasks[task].bias else None,
    "consistent": lambda each, task: three(each.tasks[task].consistent),
    "mass": lambda each, task: f"{each.tasks[task].mass:.3f}{' ⚠' * each.tasks[task].faint}",
    "mass ≥ 0.5": lambda each, task: f"{each.tasks[task].heavy:.2f}",
    "S there": lambda each, task: three(each.tasks[task].S_heavy),
}


def _letters(found: Measures) -> list[Block]:
    note = _TEXTS["letters"]
    if any(one.faint for each in found.profiles for one in each.tasks.values()):
        note += f" ⚠ marks a median mass below {FAINT}: there S is a ratio of two tiny numbers."
    return _by_task(found, LETTERS, "Order of the options, and the probability of the letters", note)


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
        blocks.insert(0, _TEXTS["wordings"])
    return blocks


def _controls(found: Measures) -> list[Block]:
    names = next((list(each.controls) for each in found.profiles if each.controls), [])
    columns: Columns = {"S": LETTERS["S"], **{name: partial(_control, name) for name in names}}
    caption = "S without what has to be understood"
    table = _by_task(found, columns, caption, having=lambda each, _: each.controls)
    return [_TEXTS["controls"], *table] if table else []


def _control(name: str, each: Profile, task: str) -> Cell:
    return three(each.controls.get(name, {}).get(task))


def _refusals(found: Measures) -> list[Block]:
    rows: list[list[Cell]] = [
        [f"{each.name}, {prompt}", SHORT[one.label], *map(three, (one.refused, one.unclear, one.right)), one.n]
        for each in found.profiles
        for prompt, ends in each.refusals.items()
        for one in ends
    ]
    if not rows:
        return []
    return [
        _TEXTS["refusals"],
        Table(["model, wording", "task", "refused", "no clear answer", "right", "items"], rows, "Refusals"),
    ]


def _rules(found: Measures) -> list[Block]:
    parts = {each.name: each.sitting.main for each in found.profiles}
    items = Answers(row for part in parts.values() for row in part.where(task=NINE)).items
    suite = Suite("safety", tuple(items))
    rules = {name: Answers.by_rule(name, items, make(suite).values(items)) for name, make in RULES.items()}
    splits = [Split(SHORT[task], {"task": task}) for task in NINE]
    # Of models only what has a response score, as in all other tables.
    models = Grid.of({name: part.with_value("S") for name, part in parts.items()}, splits)
    grid = models.beside(Grid.of(rules, splits)).filled
    whole = {head: max(one.n for one in line if one) for head, line in grid.lines}
    rows: list[list[Cell]] = [
        [name, *(_short(one, whole[head]) if one else None for head, one in zip(whole, line, strict=True))]
        for name, line in grid.turned.lines
    ]
    figure = grid.only(range(len(parts))).figure(
        "Right answers by task",
        "Share of right answers (both orders together), with 95 % intervals by groups of twins.",
        reference=(0.5, "chance"),
        measure="share of right answers",
    )
    return [
        _TEXTS["rules"],
        figure,
        Table(
            ["", *whole],
            [*rows, ["items", *whole.values()]],
            "Right answers, models and rules",
            note=_TEXTS["ties"],
        ),
    ]


def _short(one: Estimate, whole: int) -> str:
    return span(one) + (f", n = {one.n}" if one.n < whole else "")
