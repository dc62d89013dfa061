"""Page: what such scores cannot show comes first; then the confirmatory results, then the rest.

show(lineup, {"smollm2": asked.runs}).save("safety.html")
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from otherminds.files import read_words, write_text
from otherminds.minds.telling import listing
from otherminds.pages import sheets
from otherminds.pages.report import Block, Cell, Figure, Folded, Report, Section, Table
from otherminds.pages.violins import Panel, Violin, numbers, violins
from otherminds.results.answers import LIKING, Answers
from otherminds.results.labels import run_labels
from otherminds.results.measures import Split
from otherminds.results.run_details import what_was_run
from otherminds.results.sections import MODELS, Across, CardsOf, Column, Each, Page, TableOf, mean
from otherminds.results.trends import ALPHA, NO_TREND, STEEP, SeriesTrend
from otherminds.stats.significance import p_value
from otherminds.studies.safety import lineups, tables
from otherminds.studies.safety.lineups import NINE, SHORT, SINGLE, LineupResults, as_table, measure
from otherminds.studies.safety.series import Lineup, Member
from otherminds.studies.safety.tables import ABOVE, BELOW, NAMED, TASKS, by_task, outcome, three, with_S
from otherminds.studies.study import study_page

TEXTS = read_words("pages")["safety"]
NAMES: dict[str, str] = TEXTS["names"]
"""What the tasks are about, for whoever has not seen the key yet."""
ENOUGH = 100
"""Items of a task; with fewer, only large effects can be seen."""
LIMITS: str = TEXTS["limits"]
FIGURE = "Response scores by task"
PAIRS = "Base against post-trained: S over both orders"
STEPS = {"reading": NINE[:1], "mental states": NINE[1:4], "false beliefs": NINE[4:]}


def show(lineup: Lineup, runs: lineups.Runs) -> Report:
    """The report on these models."""
    return report(measure(lineup, runs))


def report(found: LineupResults) -> Report:
    """The page of answers that are in a table already."""
    shown = [
        Section("", [tables.told(CARDS), tables.told(lambda _: [LIMITS])]),
        Section("Scores by task", [tables.told(TEXTS["tasks"], _violins(found), *BY_TASK)]),
        Section("Confirmatory: base against post-trained", _pairs(found)),
        Section("Confirmatory: versions of a series", versions(found)),
        *tables.SECTIONS,
    ]
    runs = [run for some in found.runs.values() for run in some]
    labels = run_labels([replace(run, model=name) for name, some in found.runs.items() for run in some])
    sections = [*Page(found.answers).sections(shown), Section("What was run", what_was_run(runs, labels))]
    who = list(found.runs)
    title = f"From reading to deception: {listing(who) if len(who) < 4 else f'{len(who)} models'}"
    return study_page("safety", title, lead(found), sections, runs)


def save(folder: str | Path, found: LineupResults) -> list[Path]:
    """The page, the figure and the tables as files; the page comes first."""
    panels = _panels(found)
    texts = {"report.html": report(found).html(), "scores.csv": _scores_csv(found)}
    texts |= {"violins.svg": violins(panels, title=FIGURE), "violins.csv": numbers(panels)}
    if pairs := found.pairings:
        page = Report("Base against post-trained", "", [Section("", [as_table(pairs, PAIRS)])])
        texts |= {"pairs.txt": lineups.as_text(pairs), "pairs.tex": lineups.as_latex(pairs)}
        texts |= {"pairs.csv": lineups.as_csv(pairs), "pairs.html": page.html()}
    if found.trends:
        texts["trends.csv"] = _trends_csv(found.trends)
    for name, text in texts.items():
        write_text(Path(folder) / name, text)
    return [Path(folder) / name for name in texts]


# ---- the answer in words ------------------------------------------------------------------------------------------


def lead(found: LineupResults) -> str:
    """The answer in words, with its numbers."""
    models = {name: by_task(some) for name, some in found.models.items()}
    said = [_on_many(models)] if len(models) > 3 else list(map(_on_one, found.models, found.models.values()))
    said += [*_on_pairs(found), *_on_trends(found), *_on_measuring(found)]
    numbers = [(NAMES[task], len(some)) for tasks in models.values() for task, some in tasks.items()]
    if few := {name: n for name, n in numbers if n < ENOUGH}:
        where = "" if all(name in few for name, _ in numbers) else f" in {listing(few)}"
        said.append(f"With {_from_to(few.values(), ' to ')} items a task, only large effects can be seen{where}.")
    return " ".join([*said, "These are scores of comprehension: they show neither intent nor safety."])


def _from_to(numbers: Iterable[int], to: str) -> str:
    """The least and the greatest, or the one that there is."""
    return to.join(map(str, sorted({min(known := [*numbers]), max(known)})))


def _on_one(name: str, every: Answers) -> str:
    tasks = by_task(every)
    steps = {step: every.where(task=some).mean("S") for step, some in STEPS.items()}
    parts = [f"{step} {mean.value:.3f}" for step, mean in steps.items() if mean]
    said = f"{name}, mean response score S (0.5 is indifference): {', '.join(parts)}."
    for end in tables.OUTCOMES:
        some = [NAMES[task] for task, answers in tasks.items() if outcome(answers) == end]
        words = f"{end} 0.5" if end in (ABOVE, BELOW) else end
        said += f" {words.capitalize()}: {listing(some)}." if some else ""
    if steady := tables.scored(every).mean("consistent"):
        share = f"{steady.value:.0%} of {steady.n} items"
        said += f" Both orders of the options lead to the same answer in {share}."
    faint = [NAMES[task] for task, answers in tasks.items() if median(answers.numbers("mass")) < tables.FAINT]
    return said + (f" The letters have little probability in {listing(faint)}, so mind those." if faint else "")


def _on_many(models: Mapping[str, Mapping[str, Answers]]) -> str:
    ends = {task: [outcome(tasks[task]) for tasks in models.values() if task in tasks] for task in NINE}
    counts = [f"{NAMES[t]} {some.count(ABOVE)} above and {some.count(BELOW)} below" for t, some in ends.items() if some]
    return f"{len(models)} models; off 0.5 with p of at most 0.05, by task: {'; '.join(counts)}."


def _on_pairs(found: LineupResults) -> Iterator[str]:
    clear = [each.difference.value > 0 for each in found.pairings if each.difference.p <= ALPHA]
    if found.pairings:
        yield TEXTS["post_training"].format(all=len(found.pairings), above=sum(clear), below=len(clear) - sum(clear))


def _on_trends(found: LineupResults) -> Iterator[str]:
    moved = [each for each in found.trends if each.word != NO_TREND]
    clear = [f"{each.series} {each.word} in {NAMES[each.what]} ({_path(each)})" for each in moved]
    others = len(found.trends) - len(clear)
    if found.trends:
        rest = f"; no clear trend in {others} others" if clear and others else ""
        yield f"Over versions: {'; '.join(clear) or 'no clear trend anywhere'}{rest}."


def _on_measuring(found: LineupResults) -> Iterator[str]:
    """Whose scores are not exact, so that nobody takes all for one kind."""
    kinds = {name: main.measured for name, (main, *_) in found.runs.items()}
    for how in dict.fromkeys(kinds.values()):
        if how in TEXTS["measured"]:
            yield f"S of {listing(name for name, kind in kinds.items() if kind == how)} {TEXTS['measured'][how]}."


# ---- scores and confirmatory results ------------------------------------------------------------------------------


def _panels(found: LineupResults) -> list[Panel]:
    """A panel a task; every model that is a version of a series, or that no series knows."""
    members = {name: found.lineup.get(name) for name in found.models}
    drawn = [name for name, member in members.items() if member is None or member.rank is not None] or list(members)
    panels: list[Panel] = []
    for task in NINE:
        row: list[Violin | None] = []
        for name in drawn:
            member, some = members[name], found.models[name].where(task=task)
            mean = some.mean("S")
            row.append(Violin(name, member.series if member else name, some.numbers("S"), mean) if mean else None)
        if any(row):
            panels.append((task, row))
    return panels


def _violins(found: LineupResults) -> Figure:
    return Figure(violins(_panels(found), title=FIGURE), TEXTS["violins"])


def _if_several(page: Page) -> Iterable[Block]:
    """Models side by side."""
    return page.blocks([MEANS]) if len(NAMED.of(page.answers)) > 1 else []


def _note(answers: Answers) -> str:
    """What one order is, and how many items of tasks that have scores lack one."""
    lacking = sum(len(some) - n for task in TASKS.splits if (n := len(with_S(some := task.of(answers)))))
    return f"{TEXTS['one_order']}{f' Without a score, and in no mean: {lacking} items.' if lacking else ''}"


CARDS = CardsOf({f"S, {NAMES[t]}": mean("S", task=t) for t in ("TB", "MA/IR", "FB/SA", "FB/D/V", "FB/D/A")}, digits=3)
MEANS = TableOf(
    [NAMED],
    [Across(TASKS, mean("S"), three)],
    "Mean S, with 95 % intervals",
    foot={"items": lambda some: _from_to((len(with_S(each)) for each in some.by("model").values()), "–")},
    compact=True,
)
SCORES = TableOf(
    [TASKS],
    [
        tables.S,
        Column("S, one order", mean(SINGLE), three),
        Column("right", lambda some: with_S(some).mean(), three),
        tables.OUTCOME,
        Column("p", tables.against_half, lambda found: p_value(found.p)),
        tables.ITEMS,
    ],
    "Scores of {}",
    _note,
    keep=mean("S"),
)
BY_TASK = [_if_several, Each(MODELS, [SCORES], fold="Each model against 0.5")]


def _pairs(found: LineupResults) -> list[Block]:
    lines: list[list[Cell]] = [
        [
            *(f"{p.base} → {p.post}", SHORT[p.task], three(p.before), three(p.after)),
            *(three(p.difference), p_value(p.mcnemar)),
        ]
        for p in found.pairings
    ]
    if not lines:
        return []
    columns = ["pair", "task", "base", "post-trained", "difference", "right or wrong: McNemar's p"]
    every = [
        as_table(lineups.pairings(found.models, found.lineup, of=SINGLE), TEXTS["single"]),
        Table(columns, lines, "All differences", note="p is that of the interval, adjusted (Holm)."),
    ]
    return [
        as_table(found.pairings, PAIRS),
        Folded("The same in one order of the options, and with every number", every),
    ]


def versions(found: LineupResults) -> list[Block]:
    """Trends over the versions of each series."""
    if not found.trends:
        return []
    lines: list[list[Cell]] = [
        [
            *(one.series, SHORT[one.what], _path(one)),
            *(tables.three_signed(one.trend.slope), tables.three_signed(one.by_size) if one.by_size else None),
            *(f"{one.trend.statistic:g}", p_value(one.p), one.word, one.trend.blocks),
        ]
        for one in found.trends
    ]
    steps: list[list[Cell]] = [
        [one.series, SHORT[one.what], f"{old} → {new}", three(step)]
        for one in found.trends
        for old, new, step in zip(one.versions[:-1], one.versions[1:], one.steps, strict=True)
    ]
    columns = ["series", "task", "means", "slope a version", "slope a tenfold size", "L", "p", "trend", "groups"]
    confounds = [
        f"**{series}**: {', '.join(map(_described, members))}."
        for series, members in found.lineup.versions.items()
        if any(one.series == series for one in found.trends)
    ]
    neighbours = Table(["series", "task", "versions", "difference"], steps, "Each version less the last")
    return [
        " ".join([TEXTS["versions"], *confounds]),
        Table(columns, lines, "Trends", note=TEXTS["trends"].format(steep=STEEP)),
        Folded("Neighbours", [neighbours]),
    ]


def _path(trend: SeriesTrend) -> str:
    return " → ".join(f"{mean.value:.3f}" for mean in trend.means)


def _described(member: Member) -> str:
    size = f"{member.parameters:g} B" if member.parameters else ""
    about = " · ".join(filter(None, [member.released, size]))
    return f"{member.name} ({about})" if about else member.name


# ---- numbers as files ---------------------------------------------------------------------------------------------


def _scores_csv(found: LineupResults) -> str:
    head = ["model", "task", "n", "groups", "S", "low", "high", "p", "outcome", "S_single", "accuracy", "bias"]
    head += ["consistent", "mass", "mass_share_half"]
    splits = [*(Split(task, {"task": task}) for task in NINE), *tables.PARTS.splits]
    lines = []
    for name, answers in found.models.items():
        for split in splits:
            some = with_S(split.of(answers))
            if (one := some.mean("S")) and (against := tables.against_half(some)):
                rest = [found and found.value for found in map(some.mean, (SINGLE, "value", LIKING, "consistent"))]
                masses = some.numbers("mass")
                numbers = [one.n, one.clusters, one.value, one.low, one.high, against.p, outcome(some)]
                lines.append([name, split.label, *numbers, *rest, median(masses), tables.share_heavy(some)])
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
