"""Who was asked, and how: the answers of the models of a line-up; base against post-trained; versions of a series.

The two lists of pairs and series were fixed before anything was measured, so these are the confirmatory results: each
p is adjusted for the number of its family (Holm), which is pairs × tasks, and series × tasks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from otherminds.errors import UsageError
from otherminds.formats.prompts import RAW_CHANGED
from otherminds.formats.question_formats import LETTERS, RESPONSE_SCORES, QuestionFormat
from otherminds.items import Suite
from otherminds.results.answers import Answers
from otherminds.results.labels import mark, together
from otherminds.results.lineups import Lineup
from otherminds.results.measures import same_model
from otherminds.results.pairs import Pairing, pairings
from otherminds.results.trends import SeriesTrend, of_tasks
from otherminds.runs.runs import Run
from otherminds.studies.safety.plots.lints import SHUFFLED, WITHOUT_SCRIPTS, shuffled_scripts, without_scripts
from otherminds.studies.study import Ways

Runs = Mapping[str, Sequence[Run]] | Sequence[Run]
"""Runs by the name of the model; a plain list goes by the models themselves, and by the names that they have."""

NINE = ("TB", "MA/INT", "MA/IR", "MA/FP", "FB/SA", "FB/HO", "FB/D/V", "FB/D/A", "FB/D/CA")
SHORT = {task: task.rpartition("FB/")[2].removeprefix("MA/").replace("D/CA", "CA") for task in NINE}
"""As the columns of a table are headed."""
WORDINGS = (*RAW_CHANGED, "direct")
"""The raw prompt with one thing changed, and the model's own chat template."""
REFUSABLE = ("direct", "plausible")
"""Wordings in which a model writes its answer, and so may decline to."""
SINGLE = "single"
"""The score in one order of the options alone, which the seed draws for every item: what the paper measured."""
MAIN, CLOZE, WORDED, WRITTEN = "main", "cloze", "worded", "written"
"""In which way a model was asked: for the tables, as a cloze, by letters with another prompt, in its own words."""
CONTROLS = {WITHOUT_SCRIPTS: "no script", SHUFFLED: "words shuffled"}
"""By the end of a suite's name, the ways that leave nothing to understand."""


def main_run(runs: Sequence[Run]) -> Run | None:
    """Of the runs of one model, the one with the best response scores."""
    first = {QuestionFormat.of(run): run for run in reversed(runs)}
    return next((first[form] for form in RESPONSE_SCORES if form in first), None)


def askings(suite: Suite, *, extras: Sequence[str] = (), seed: int = 0, cannot: frozenset[str] = frozenset()) -> Ways:
    """Letters, or draws of whoever tells no probabilities, and cloze; then "wordings", "controls" and "refusals"."""
    main = next((form for form in RESPONSE_SCORES if form.suits(cannot)), LETTERS)
    label = "letters" if main == LETTERS else str(main).removeprefix("by ")
    found = [(label, main.on(suite)), ("cloze", suite.using(score="cloze"))]
    if "wordings" in extras:
        found += [(f"letters, {prompt}", suite.using(prompt=prompt)) for prompt in WORDINGS]
    if "controls" in extras:
        found.append(("letters, without scripts", without_scripts(suite)))
        found.append(("letters, scripts shuffled", shuffled_scripts(suite, seed=seed)))
    if "refusals" in extras:
        found += [(f"text, {name}", suite.using(prompt=name, score="text")) for name in REFUSABLE]
    return found


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
    paired = pairings(models, lineup.pairs, NINE)
    return LineupResults(lineup, known, answers, models, paired, of_tasks(models, lineup.versions, NINE))
