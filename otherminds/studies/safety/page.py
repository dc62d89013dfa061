"""Page: what such scores cannot show comes first; then the confirmatory results, then the rest.

show(lineup, {"smollm2": asked.runs}).save("safety.html")
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from otherminds.errors import ModelError
from otherminds.files import read_words, write_text
from otherminds.minds.telling import listing
from otherminds.pages import sheets
from otherminds.pages.report import Block, Figure, Report, Section
from otherminds.pages.violins import Panel, Violin, numbers, violins
from otherminds.results import pairs, trend_page
from otherminds.results.answers import LIKING, Answers
from otherminds.results.labels import run_labels
from otherminds.results.lineups import Lineup
from otherminds.results.measures import Split
from otherminds.results.pairs import pairings
from otherminds.results.run_details import what_was_run
from otherminds.results.sections import MODELS, Across, CardsOf, Column, Each, Page, TableOf, mean
from otherminds.results.trends import ALPHA, NO_TREND
from otherminds.stats.significance import p_value
from otherminds.studies.safety import lineups, tables
from otherminds.studies.safety.lineups import NINE, SHORT, SINGLE, LineupResults, measure
from otherminds.studies.safety.tables import ABOVE, BELOW, NAMED, TASKS, by_task, outcome, three, with_S
from otherminds.studies.study import study_page
from otherminds.terminal.screen import print_table, say

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
    figure = Figure(violins(_panels(found), title=FIGURE), TEXTS["violins"])
    shown = [
        Section("", [tables.told(CARDS), tables.told(lambda _: [LIMITS])]),
        Section("Scores by task", [tables.told(TEXTS["tasks"], figure, *BY_TASK)]),
        Section("Confirmatory: base against post-trained", _pairs(found)),
        Section("Confirmatory: versions of a series", by_series(found)),
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
    if not any(map(by_task, found.models.values())):
        raise ModelError(
            "no item of any model has a score, so that there is no table; the reasons stand above"
            " (a server that lists few next tokens: raise top_logprobs)"
        )
    panels = _panels(found)
    texts = {"report.html": report(found).html(), "scores.csv": _scores_csv(found)}
    texts |= {"violins.svg": violins(panels, title=FIGURE), "violins.csv": numbers(panels)}
    if told := found.pairings:
        page = Report("Base against post-trained", "", [Section("", [pairs.as_table(told, SHORT, PAIRS)])])
        texts |= {"pairs.txt": pairs.as_text(told, SHORT), "pairs.tex": pairs.as_latex(told, SHORT)}
        texts |= {"pairs.csv": pairs.as_csv(told), "pairs.html": page.html()}
    if found.trends:
        texts["trends.csv"] = trend_page.tasks_as_csv(found.trends)
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
    clear = [f"{each.series} {each.word} in {NAMES[each.what]} ({each.path})" for each in moved]
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


def by_series(found: LineupResults) -> list[Block]:
    """Trends over the versions of each series."""
    return trend_page.by_task(found.trends, found.lineup.versions, SHORT)


def _pairs(found: LineupResults) -> list[Block]:
    in_one_order = pairings(found.models, found.lineup.pairs, NINE, of=SINGLE)
    return pairs.blocks(found.pairings, SHORT, PAIRS, in_one_order, TEXTS["single"])


# ---- in a terminal, as JSON and as files ----------------------------------------------------------------------------


def print_scores(found: LineupResults) -> None:
    """In a terminal: mean scores by task, pairs and trends."""
    tasks = [task for task in NINE if any(task in by_task(some) for some in found.models.values())]
    lines = []
    for name, (main, *_) in found.runs.items():
        means = [found.models[name].where(task=task).mean("S") for task in tasks]
        member = found.lineup.get(name)
        # With how its scores came about where they are not exact.
        marked = name if main.measured == "exact" else f"{name} ({main.measured})"
        lines.append([member.series if member else "", marked, *(f"{one.value:.3f}" if one else "–" for one in means)])
    heads = [SHORT[task] for task in tasks]
    print_table(["series", "mean S", *heads], lines, right=heads)
    if found.pairings:
        say(*pairs.as_text(found.pairings, SHORT, intervals=False).split("\n"))
    if found.trends:
        told = [[one.series, SHORT[one.what], f"{one.trend.slope.value:+.3f}", one.word] for one in found.trends]
        print_table(["series", "task", "slope a version", "trend"], told, right=["slope a version"])


def as_data(found: LineupResults) -> dict[str, Any]:
    """The same as plain values, for JSON."""
    return {
        "models": {
            name: {
                task: {"S": one.value, "low": one.low, "high": one.high, "n": one.n, "outcome": outcome(some)}
                for task, some in by_task(answers).items()
                if (one := some.mean("S"))
            }
            for name, answers in found.models.items()
        },
        "pairs": [
            {"base": p.base, "post": p.post, "task": p.task, "difference": p.difference.value, "p": p.difference.p}
            for p in found.pairings
        ],
        "trends": [
            {"series": t.series, "task": t.what, "slope": t.trend.slope.value, "p": t.p, "trend": t.word}
            for t in found.trends
        ],
    }


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
