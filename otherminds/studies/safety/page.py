"""Page: what such scores cannot show comes first; then the confirmatory results, then the rest.

show(lineup, {"smollm2": asked.runs}).save("safety.html")
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from otherminds.files import write_text
from otherminds.minds.telling import listing
from otherminds.pages import sheets
from otherminds.pages.report import Block, Cards, Cell, Figure, Folded, Report, Section, Table
from otherminds.pages.violins import Panel, Violin, numbers, violins
from otherminds.results.labels import run_labels
from otherminds.results.run_details import what_was_run
from otherminds.results.trends import NO_TREND, STEEP, SeriesTrend
from otherminds.stats import sure
from otherminds.stats.significance import p_value
from otherminds.studies.safety.explored import sections as exploratory
from otherminds.studies.safety.explored import tested, three
from otherminds.studies.safety.lineups import NINE, SHORT, Runs
from otherminds.studies.safety.measure import Measures, Profile, measure
from otherminds.studies.safety.series import Lineup
from otherminds.studies.safety.table import as_csv, as_latex, as_table, as_text, rows
from otherminds.studies.study import study_page

NAMES = {
    "TB": "facts (TB)",
    "MA/INT": "hints (INT)",
    "MA/IR": "irony (IR)",
    "MA/FP": "faux pas (FP)",
    "FB/SA": "missed changes (SA)",
    "FB/HO": "thoughts about thoughts (HO)",
    "FB/D/V": "being deceived (D/V)",
    "FB/D/A": "deceiving (D/A)",
    "FB/D/CA": "helping or hindering (CA)",
}
"""What the tasks are about, for whoever has not seen the key yet."""
ENOUGH = 100
"""Items of a task; with fewer, only large effects can be seen."""

LIMITS = """**What these scores cannot show.** They are of reading about people, in the third person: what somebody in \
a story knows, means, wrongly believes, or will do. A high score is a skill that many good and bad uses need; it is no \
evidence that a model means to deceive, or would. **A low score is no evidence of safety**: a model can fail here and \
still mislead people, since it was never asked to act. Nothing here measures talk with a person, behaviour of a \
model's own, or anything beyond text.

Being right does not prove understanding, and being wrong does not disprove it: scores move with wording, labels and \
the order of options, and a small model may fail for want of reading alone. That is why every answer has a twin that \
turns it round, reading stands beside belief, and rules that understand nothing stand beside the model.

**S** is the share of the right option in the probability of both options, over both orders in which they can stand: \
0.5 is indifference, and a score clearly below 0.5 is a finding of its own. **Intervals** are 95 %, by 10,000 draws of \
whole groups of twins and by Student's t over these, whichever reaches further. Base models against their \
post-trained versions and trends within a series are **confirmatory**: that list was fixed beforehand, and their p are \
adjusted for its length. All else is **exploratory**."""


def show(lineup: Lineup, runs: Runs) -> Report:
    """The report on these models."""
    return report(lineup, measure(lineup, runs))


def report(lineup: Lineup, found: Measures) -> Report:
    """The page of numbers that are there already."""
    shown = [
        Section("", [_cards(found), LIMITS]),
        Section("Scores by task", _by_task(found, lineup)),
        Section("Confirmatory: base against post-trained", _pairs(found)),
        Section("Confirmatory: versions of a series", versions(found, lineup)),
        *exploratory(found),
        Section("What was run", _what(found)),
    ]
    who = [each.name for each in found.profiles]
    title = f"From reading to deception: {listing(who) if len(who) < 4 else f'{len(who)} models'}"
    return study_page("safety", title, lead(found), shown, found.profiles[0].sitting.runs())


def save(folder: str | Path, lineup: Lineup, found: Measures) -> list[Path]:
    """The page, the figure and the tables as files; the page comes first."""
    panels = _panels(found, lineup)
    texts = {"report.html": report(lineup, found).html(), "scores.csv": _scores_csv(found)}
    texts |= {"violins.svg": violins(panels, title=FIGURE), "violins.csv": numbers(panels)}
    if found.pairings:
        table = rows(found.pairings)
        page = Report("Base against post-trained", "", [Section("", [as_table(table, PAIRS)])])
        texts |= {"pairs.txt": as_text(table), "pairs.tex": as_latex(table)}
        texts |= {"pairs.csv": as_csv(table), "pairs.html": page.html()}
    if found.trends:
        texts["trends.csv"] = _trends_csv(found.trends)
    for name, text in texts.items():
        write_text(Path(folder) / name, text)
    return [Path(folder) / name for name in texts]


# ---- the answer in words ------------------------------------------------------------------------------------------


def lead(found: Measures) -> str:
    """The answer in words, with its numbers."""
    said = [_on_one(each) for each in found.profiles] if len(found.profiles) < 4 else [_on_many(found)]
    said += _on_pairs(found)
    said += _on_trends(found)
    said += _on_measuring(found)
    few = {NAMES[task]: s.S.n for each in found.profiles for task, s in each.tasks.items() if s.S.n < ENOUGH}
    if few:
        least, most = min(few.values()), max(few.values())
        span = f"{least}" if least == most else f"{least} to {most}"
        where = (
            "" if all(NAMES[task] in few for each in found.profiles for task in each.tasks) else f" in {listing(few)}"
        )
        said.append(f"With {span} items a task, only large effects can be seen{where}.")
    said.append("These are scores of comprehension: they show neither intent nor safety.")
    return " ".join(said)


def _on_one(profile: Profile) -> str:
    steps = {"reading": ("TB",), "mental states": NINE[1:4], "false beliefs": NINE[4:]}
    parts = []
    for name, tasks in steps.items():
        known = [profile.tasks[task].S for task in tasks if task in profile.tasks]
        if known:
            total = sum(one.value * one.n for one in known) / sum(one.n for one in known)
            parts.append(f"{name} {total:.3f}")
    said = f"{profile.name}, mean response score S (0.5 is indifference): {', '.join(parts)}."
    for outcome in ("above", "systematically below", "not told from 0.5", "too few groups to tell"):
        some = [NAMES[task] for task, one in profile.tasks.items() if one.outcome == outcome]
        words = f"{outcome} 0.5" if outcome in ("above", "systematically below") else outcome
        said += f" {words.capitalize()}: {listing(some)}." if some else ""
    steady = [one.consistent for one in profile.tasks.values() if one.consistent]
    if steady:
        items = sum(one.n for one in steady)
        share = sum(one.value * one.n for one in steady) / items
        said += f" Both orders of the options lead to the same answer in {share:.0%} of {items} items."
    faint = [NAMES[task] for task, one in profile.tasks.items() if one.faint]
    return said + (f" The letters have little probability in {listing(faint)}, so mind those." if faint else "")


def _on_many(found: Measures) -> str:
    below: list[str] = []
    for task in NINE:
        scores = [each.tasks[task] for each in found.profiles if task in each.tasks]
        low = sum(one.outcome == "systematically below" for one in scores)
        high = sum(one.outcome == "above" for one in scores)
        if scores:
            below.append(f"{NAMES[task]} {high} above and {low} below")
    return f"{len(found.profiles)} models; off 0.5 with p of at most 0.05, by task: {'; '.join(below)}."


def _on_pairs(found: Measures) -> list[str]:
    if not found.pairings:
        return []
    clear = [each for each in found.pairings if each.difference.p <= 0.05]
    rise = sum(each.difference.value > 0 for each in clear)
    return [
        f"Post-training: of {len(found.pairings)} differences between a base model and its post-trained version, "
        f"{rise} are above zero and {len(clear) - rise} below, each with p of at most 0.05."
    ]


def _on_measuring(found: Measures) -> list[str]:
    """Whose scores are not exact, so that nobody takes all for one kind."""
    kinds: dict[str, list[str]] = {}
    for each in found.profiles:
        for run in each.sitting.main.runs:
            kinds.setdefault(run.measured, []).append(each.name)
    told = {"within bounds": "lies within bounds, which its intervals hold", "drawn": "is the share of draws"}
    return [f"S of {listing(names)} {told[how]}." for how, names in kinds.items() if how in told]


def _on_trends(found: Measures) -> list[str]:
    clear = [
        f"{each.series} {each.word} in {NAMES[each.what]} ({_path(each)})"
        for each in found.trends
        if each.word != NO_TREND
    ]
    if not found.trends:
        return []
    others = len(found.trends) - len(clear)
    said = f"Over versions: {'; '.join(clear)}" if clear else "Over versions: no clear trend anywhere"
    return [f"{said}{f'; no clear trend in {others} others' if clear and others else ''}."]


def _cards(found: Measures) -> Cards:
    cards = []
    for each in found.profiles[:2]:
        for task in ("TB", "MA/IR", "FB/SA", "FB/D/V", "FB/D/A"):
            if one := each.tasks.get(task):
                name = f"S, {NAMES[task]}{f', {each.name}' if len(found.profiles) > 1 else ''}"
                cards.append((name, f"{one.S.value:.3f}", sure(one.S, 3)))
    return Cards(cards)


# ---- scores and confirmatory results ------------------------------------------------------------------------------

FIGURE = "Response scores by task"
PAIRS = "Base against post-trained: S over both orders"


def _panels(found: Measures, lineup: Lineup) -> list[Panel]:
    """A panel a task; every model that is a version of a series, or that no series knows."""
    members = {each.name: lineup.get(each.name) for each in found.profiles}
    drawn = [each for each in found.profiles if (m := members[each.name]) is None or m.rank is not None]
    drawn = drawn or list(found.profiles)
    panels: list[Panel] = []
    for task in NINE:
        row: list[Violin | None] = []
        for each in drawn:
            member, one = members[each.name], each.tasks.get(task)
            shares = each.sitting.main.where(task=task).numbers("S")
            row.append(Violin(each.name, member.series if member else each.name, shares, one.S) if one else None)
        if any(row):
            panels.append((task, row))
    return panels


def _by_task(found: Measures, lineup: Lineup) -> list[Block]:
    svg = violins(_panels(found, lineup), title=FIGURE)
    caption = (
        "S of every item. Bars at the least, the middle and the greatest value; the circle is the mean and the thick"
        " line its 95 % interval; fewer than five items, or all alike: points. The broken line is indifference."
        " Versions of a series share a colour."
    )
    blocks: list[Block] = ["**TB** facts of the story · " + TASKS, Figure(svg, caption)]
    if len(found.profiles) == 1:
        return [*blocks, _scores(found.profiles[0])]
    tasks = [task for task in NINE if any(task in each.tasks for each in found.profiles)]
    cells: list[list[Cell]] = [
        [each.name, *(three(each.tasks[task].S) if task in each.tasks else None for task in tasks)]
        for each in found.profiles
    ]
    cells.append(["items", *(_items(found, task) for task in tasks)])
    blocks.append(Table(["model", *(SHORT[task] for task in tasks)], cells, "Mean S, with 95 % intervals"))
    return [*blocks, Folded("Each model against 0.5", [_scores(each) for each in found.profiles])]


TASKS = (
    "**INT** what a hint is meant to bring about · **IR** whether a speaker means what is said · **FP** whether a"
    " speaker knew · **SA** where somebody looks who missed a change · **HO** what one thinks that another thinks ·"
    " **D/V** what somebody does who was deceived · **D/A** what somebody does to deceive · **CA** whether an act was"
    " meant to help or to hinder."
)


def _scores(profile: Profile) -> Table:
    lines: list[list[Cell]] = [
        [
            SHORT[task],
            three(one.S),
            three(one.single),
            three(one.accuracy),
            one.outcome,
            p_value(one.against.p),
            one.S.n,
        ]
        for task, one in profile.tasks.items()
    ]
    unscored = sum(one.unscored for one in profile.tasks.values())
    note = (
        "One order: the paper's score, by a seeded coin for every item. p is that of the difference from 0.5, with its"
        " interval over groups of twins, and of each task alone."
    )
    note += f" Without a score, and in no mean: {unscored} items." if unscored else ""
    columns = ["task", "S", "S, one order", "right", "against 0.5", "p", "items"]
    return Table(columns, lines, f"Scores of {profile.name}", note=note)


def _pairs(found: Measures) -> list[Block]:
    if not found.pairings:
        return []
    lines: list[list[Cell]] = [
        [
            f"{p.base} → {p.post}",
            SHORT[p.task],
            three(p.before),
            three(p.after),
            tested(p.difference),
            p_value(p.mcnemar),
        ]
        for p in found.pairings
    ]
    columns = ["pair", "task", "base", "post-trained", "difference", "right or wrong: McNemar's p"]
    return [
        as_table(rows(found.pairings), PAIRS),
        Folded(
            "The same in one order of the options, and with every number",
            [
                as_table(rows(found.single), "Base against post-trained: S in one order, as in the paper"),
                Table(columns, lines, "All differences", note="p is that of the interval, adjusted (Holm)."),
            ],
        ),
    ]


def versions(found: Measures, lineup: Lineup) -> list[Block]:
    """Trends over the versions of each series."""
    if not found.trends:
        return []
    lines: list[list[Cell]] = [
        [
            *(one.series, SHORT[one.what], _path(one)),
            *(three(one.trend.slope, True), three(one.by_size, True) if one.by_size else None),
            *(f"{one.trend.statistic:g}", p_value(one.p), one.word, one.trend.blocks),
        ]
        for one in found.trends
    ]
    steps: list[list[Cell]] = [
        [one.series, SHORT[one.what], f"{old} → {new}", tested(step)]
        for one in found.trends
        for old, new, step in zip(one.versions[:-1], one.versions[1:], one.steps, strict=True)
    ]
    note = (
        "p is that of the slope, over groups of twins, adjusted (Holm) over series and tasks. **Rises** or **falls**:"
        f" p of at most 0.05, a slope of at least {STEEP} a version, and no version against it; where one is, the means"
        " **go up and down**. The slope is the mean of the items' own; by size, over the logarithm of the parameters."
    )
    columns = ["series", "task", "means", "slope a version", "slope a tenfold size", "L", "p", "trend", "groups"]
    confounds = [
        f"**{series}**: {', '.join(_described(each.name, lineup) for each in members)}."
        for series, members in lineup.versions.items()
        if any(one.series == series for one in found.trends)
    ]
    return [
        "Versions differ in more than their date: size, training data and template change with them, so a trend is one"
        " of the whole, not of its cause. " + " ".join(confounds),
        Table(columns, lines, "Trends", note=note),
        Folded(
            "Neighbours", [Table(["series", "task", "versions", "difference"], steps, "Each version less the last")]
        ),
    ]


def _path(trend: SeriesTrend) -> str:
    return " → ".join(f"{mean.value:.3f}" for mean in trend.means)


def _described(name: str, lineup: Lineup) -> str:
    member = lineup.get(name)
    size = f"{member.parameters:g} B" if member and member.parameters else ""
    about = " · ".join(filter(None, [member.released if member else "", size]))
    return f"{name} ({about})" if about else name


def _what(found: Measures) -> list[Block]:
    runs = {run.id: run for each in found.profiles for run in each.sitting.runs()}
    called = {run.id: replace(run, model=each.name) for each in found.profiles for run in each.sitting.runs()}
    return what_was_run(list(runs.values()), run_labels(list(called.values())))


def _items(found: Measures, task: str) -> str:
    """How many items a column rests on; models may lack a score for some."""
    numbers = [each.tasks[task].S.n for each in found.profiles if task in each.tasks]
    least, most = min(numbers), max(numbers)
    return f"{most}" if least == most else f"{least}–{most}"


# ---- numbers as files ---------------------------------------------------------------------------------------------


def _scores_csv(found: Measures) -> str:
    head = ["model", "task", "n", "groups", "S", "low", "high", "p", "outcome", "S_single", "accuracy", "bias"]
    head += ["consistent", "mass", "mass_share_half"]
    lines = [
        [
            *(each.name, one.label, one.S.n, one.S.clusters, one.S.value, one.S.low, one.S.high),
            *(one.against.p, one.outcome, one.single and one.single.value, one.accuracy and one.accuracy.value),
            *(one.bias and one.bias.value, one.consistent and one.consistent.value, one.mass, one.heavy),
        ]
        for each in found.profiles
        for one in (*each.tasks.values(), *each.parts)
    ]
    return sheets.as_csv([head, *lines])


def _trends_csv(trends: Sequence[SeriesTrend]) -> str:
    head = ["series", "task", "versions", "means", "slope", "low", "high", "L", "p", "p_holm", "trend", "groups"]
    lines = [
        [
            *(one.series, one.what, " ".join(one.versions), " ".join(f"{mean.value:.6f}" for mean in one.means)),
            *(one.trend.slope.value, one.trend.slope.low, one.trend.slope.high, one.trend.statistic, one.trend.slope.p),
            *(one.p, one.word, one.trend.blocks),
        ]
        for one in trends
    ]
    return sheets.as_csv([head, *lines])
