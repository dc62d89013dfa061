"""Who was asked, and how: the answers of the models of a line-up; base against post-trained; versions of a series.

The two lists of pairs and series were fixed before anything was measured, so these are the confirmatory results: each
p is adjusted for the number of its family (Holm), which is pairs × tasks, and series × tasks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from otherminds import stats
from otherminds.errors import UsageError
from otherminds.files import read_words
from otherminds.pages import sheets
from otherminds.pages.drawing import visible
from otherminds.pages.report import Table
from otherminds.results.answers import Answers, shared
from otherminds.results.labels import mark, together
from otherminds.results.measures import same_model
from otherminds.results.trends import ALPHA, SeriesTrend, adjusted, trend
from otherminds.runs.runs import Run
from otherminds.stats import Difference, Estimate
from otherminds.studies.safety.series import Lineup, Member
from otherminds.studies.safety.ways_of_asking import SHUFFLED, WORDINGS, main_run

Runs = Mapping[str, Sequence[Run]] | Sequence[Run]
"""Runs by the name of the model; a plain list goes by the models themselves, and by the names that they have."""

NINE = ("TB", "MA/INT", "MA/IR", "MA/FP", "FB/SA", "FB/HO", "FB/D/V", "FB/D/A", "FB/D/CA")
SHORT = {task: task.rpartition("FB/")[2].removeprefix("MA/").replace("D/CA", "CA") for task in NINE}
"""As the columns of a table are headed."""
SINGLE = "single"
"""The score in one order of the options alone, which the seed draws for every item: what the paper measured."""
MAIN, CLOZE, WORDED, WRITTEN = "main", "cloze", "worded", "written"
"""In which way a model was asked: for the tables, as a cloze, by letters with another prompt, in its own words."""
CONTROLS = {"-without-scripts": "no script", SHUFFLED: "words shuffled"}
"""By the end of a suite's name, the ways that leave nothing to understand."""


def named(runs: Runs, lineup: Lineup) -> dict[str, list[Run]]:
    """By model, its runs, of which the first is the main one; all must have been asked one suite, and each way once."""
    several = (
        runs.items() if isinstance(runs, Mapping) else together(runs, same_model, lambda run: (run.model, mark(run)))
    )
    found: dict[str, list[Run]] = {}
    for name, some in several:
        answered = [run for run in some if run.records]
        _check_once(name, answered)
        if main := main_run([run for run in answered if not run.suite.endswith(tuple(CONTROLS))]):
            ways: dict[tuple[str, str], Run] = {}
            for run in answered:
                if way := _way(run, main):
                    ways.setdefault((way, run.prompt if way in (WORDED, WRITTEN) else ""), run)
            found[name] = [run for way in _WAYS for (own, _), run in ways.items() if own == way]
    if not found:
        raise UsageError("none of these runs asked the suite by letters or drew its answers; make such a run first")
    (first, (main, *_)), *others = found.items()
    for name, (other, *_) in others:
        if other.digest != main.digest:
            raise UsageError(
                f"{name} and {first} were asked different suites, so they cannot be compared; run both on one suite"
            )
    order = [member.name for member in lineup.ordered]
    return dict(sorted(found.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order)))


def answers_of(runs: Mapping[str, Sequence[Run]]) -> Answers:
    """All answers of named runs; instead of its suite, a run tells in which way it asked."""
    return Answers.of(replace(run, model=name, suite=_way(run, some[0])) for name, some in runs.items() for run in some)


_WAYS = (MAIN, CLOZE, *CONTROLS.values(), WORDED, WRITTEN)


def _way(run: Run, main: Run) -> str:
    """In which way a run asked; empty where no table tells of it."""
    if run.id == main.id:
        return MAIN
    letters = run.score == "letters"
    for ending, label in CONTROLS.items():
        if run.suite.endswith(ending):
            return label if letters and run.prompt == "raw" else ""
    if letters:
        return WORDED if run.prompt in WORDINGS else ""
    return {"cloze": CLOZE, "text": WRITTEN}.get(run.score, "")


def _check_once(name: str, runs: Sequence[Run]) -> None:
    asked: dict[tuple[str, str, str], Run] = {}
    for run in runs:
        other = asked.setdefault((run.suite, run.score, run.prompt), run)
        if other.id != run.id:
            raise UsageError(
                f"{name} was asked {run.suite} by {run.score} ({run.prompt}) twice, in runs {other.id} and {run.id};"
                " give one of them"
            )


@dataclass(frozen=True, slots=True)
class LineupResults:
    """Everything that some runs tell; confirmatory are the pairings and the trends, all else is exploratory."""

    lineup: Lineup
    runs: Mapping[str, Sequence[Run]]
    """By model, of which the first run is the main one."""
    answers: Answers
    """The table of all of them."""
    models: Mapping[str, Answers]
    """By model, the main answers."""
    pairings: Sequence[Pairing]
    trends: Sequence[SeriesTrend]


def measure(lineup: Lineup, runs: Runs) -> LineupResults:
    """Everything that these runs tell; models that the line-up does not know are told of by themselves."""
    known = named(runs, lineup)
    answers = answers_of(known)
    models = answers.where(suite=MAIN).by("model")
    return LineupResults(lineup, known, answers, models, pairings(models, lineup), trends(models, lineup))


# ---- confirmatory results -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pairing:
    """One base model and what post-training made of it, on one task, over the items that both have."""

    base: str
    post: str
    task: str
    before: Estimate
    after: Estimate
    difference: Difference
    """After less before; p adjusted."""
    mcnemar: float
    """Of right and wrong answers, exact; as if items were independent."""


def pairings(asked: Mapping[str, Answers], lineup: Lineup, *, of: str = "S") -> list[Pairing]:
    """Every pair of the line-up of which both were asked."""
    tasks = [(*pair, task) for pair in lineup.pairs if asked.keys() >= {*pair} for task in NINE]
    found = [one for base, post, task in tasks if (one := _pairing(asked, base, post, task, of))]
    ps = stats.holm([each.difference.p for each in found])
    return [replace(each, difference=replace(each.difference, p=p)) for each, p in zip(found, ps, strict=True)]


def _pairing(asked: Mapping[str, Answers], base: str, post: str, task: str, of: str) -> Pairing | None:
    old, new = shared(*(asked[name].where(task=task) for name in (base, post)), of=of)
    before, after, difference = old.mean(of), new.mean(of), new.less(old, of)
    if not before or not after or not difference:
        return None
    sides = Counter(zip(old.values.tolist(), new.values.tolist(), strict=True))
    return Pairing(base, post, task, before, after, difference, stats.mcnemar(sides[0, 1], sides[1, 0]))


def trends(asked: Mapping[str, Answers], lineup: Lineup) -> tuple[SeriesTrend, ...]:
    """Every series of which at least two versions were asked."""
    versions = {name: [each for each in some if each.name in asked] for name, some in lineup.versions.items()}
    tasks = [(name, some, task) for name, some in versions.items() if len(some) > 1 for task in NINE]
    return adjusted([one for name, some, task in tasks if (one := _trend(name, some, asked, task))])


def _trend(series: str, members: Sequence[Member], asked: Mapping[str, Answers], task: str) -> SeriesTrend | None:
    versions = {each.name: asked[each.name].where(task=task) for each in members}
    sizes = [each.parameters for each in members if each.parameters]
    return trend(series, task, versions, [each.rank or 0 for each in members], of="S", sizes=sizes)


# ---- pairs as a table ---------------------------------------------------------------------------------------------


def grid(pairings: Sequence[Pairing], *, intervals: bool = True) -> list[list[str]]:
    """The head, then the lines of every pair, as the paper's Table IV sets them: two rows a pair, and ours below.

    model                  TB          INT  …
    Llama-2-7b-hf       0.537        0.506         the base model's mean
    Llama-2-7b-chat-hf +0.046*      -0.001         how far post-training moved it, always with its sign
                       [+0.01, +0.08] …            95 %, paired; * where Holm's p is at most 0.05
    """
    rows: dict[tuple[str, str], dict[str, Pairing]] = {}
    for each in pairings:
        rows.setdefault((each.base, each.post), {})[each.task] = each
    tasks = [task for task in NINE if any(task in row for row in rows.values())]
    lines = [["model", *(SHORT[task] for task in tasks)]]
    for (base, post), row in rows.items():
        cells = [row.get(task) for task in tasks]
        lines.append([visible(base), *(f"{cell.before.value:.3f}" if cell else "–" for cell in cells)])
        moved = [cell and cell.difference for cell in cells]
        lines.append([visible(post), *(f"{m.value:+z.3f}{'*' * (m.p <= ALPHA)}" if m else "–" for m in moved)])
        if intervals:
            lines.append(["", *(f"[{m.low:+z.2f}, {m.high:+z.2f}]" if m else "" for m in moved)])
    return lines


def as_text(pairings: Sequence[Pairing], *, intervals: bool = True) -> str:
    """For a terminal: columns of one width, numbers to the right."""
    lines = grid(pairings, intervals=intervals)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    shown = [
        "  ".join(
            [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]
        )
        for line in lines
    ]
    return "\n".join([shown[0], "-" * len(shown[0]), *shown[1:]]) + "\n"


def as_latex(pairings: Sequence[Pairing]) -> str:
    """A tabular that needs no package."""
    head, *lines = grid(pairings)
    out = [rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}", r"\hline", " & ".join(head) + r" \\", r"\hline"]
    for line in lines:
        name = line[0].replace("_", r"\_")
        cells = [
            f"${cell.replace('*', '^{*}')}$" if cell and cell != "–" else cell.replace("–", "--") for cell in line[1:]
        ]
        out.append(" & ".join([name, *cells]) + r" \\")
    return "\n".join([*out, r"\hline", r"\end{tabular}"]) + "\n"


def as_csv(pairings: Sequence[Pairing]) -> str:
    """A line for every pair and task, with all its numbers."""
    lines = [["base", "post_trained", "task", "base_mean", "difference", "low", "high", "marked"]]
    for each in pairings:
        moved = each.difference
        numbers = [f"{each.before.value:.6f}", f"{moved.value:+.6f}", f"{moved.low:.6f}", f"{moved.high:.6f}"]
        lines.append([each.base, each.post, each.task, *numbers, "yes" if moved.p <= ALPHA else "no"])
    return sheets.as_csv(lines)


def as_table(pairings: Sequence[Pairing], caption: str) -> Table:
    """For the report."""
    head, *lines = grid(pairings)
    return Table(head, lines, caption, note=read_words("pages")["safety"]["pairs"])
