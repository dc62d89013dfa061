"""Who was asked: the answers of one model, each in its place; base against post-trained, and versions of a series.

The two lists of pairs and series were fixed before anything was measured, so these are the confirmatory results: each
p is adjusted for the number of its family (Holm), which is pairs × tasks, and series × tasks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from otherminds import stats
from otherminds.errors import UsageError
from otherminds.items import Item
from otherminds.items.tags import EVENTS, ORDER, TASK
from otherminds.results.answers import Answers, shared
from otherminds.results.labels import mark, together
from otherminds.results.measures import same_model
from otherminds.results.trends import SeriesTrend, adjusted, trend
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
WITHOUT_SCRIPTS = "-without-scripts"


def generated(item: Item) -> bool:
    """Whether an item comes from the belief engine, with the events that prove its label."""
    return EVENTS in item.meta


PARTS: dict[str, Callable[[Item], bool]] = {
    "SA, a thing is moved": lambda item: item.tags[TASK] == "FB/SA" and generated(item),
    "SA, everyday": lambda item: item.tags[TASK] == "FB/SA" and not generated(item),
    "D/V, told or labelled": lambda item: item.tags[TASK] == "FB/D/V" and generated(item),
    "D/V, everyday": lambda item: item.tags[TASK] == "FB/D/V" and not generated(item),
    "HO, order 2": lambda item: item.tags[TASK] == "FB/HO" and item.tags.get(ORDER) == 2,
    "HO, order 3": lambda item: item.tags[TASK] == "FB/HO" and item.tags.get(ORDER) == 3,
    "HO, order 4": lambda item: item.tags[TASK] == "FB/HO" and item.tags.get(ORDER) == 4,
    "FP, is the listener hurt": lambda item: item.tags[TASK] == "MA/FP-hurt",
}
"""What is reported apart from the nine."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """One model: its main answers, by letters or draws in both orders, and whatever else it was asked."""

    name: str
    main: Answers
    cloze: Answers = field(default_factory=Answers)
    wordings: Mapping[str, Answers] = field(default_factory=dict)
    """By letters with another prompt."""
    controls: Mapping[str, Answers] = field(default_factory=dict)
    """Without what has to be understood."""
    written: Mapping[str, Answers] = field(default_factory=dict)
    """In the model's own words, by prompt."""

    def runs(self) -> list[Run]:
        """All of them."""
        several = (*self.controls.values(), *self.wordings.values(), *self.written.values())
        return [run for some in (self.main, self.cloze, *several) for run in some.runs]


def sit(runs: Runs) -> tuple[Sitting, ...]:
    """A sitting for every model that has a main run; all must have been asked the same suite, and each way once."""
    found: list[tuple[str, Sitting]] = []
    named = (
        runs.items() if isinstance(runs, Mapping) else together(runs, same_model, lambda run: (run.model, mark(run)))
    )
    for name, several in named:
        scored = [run for run in several if run.records]
        _check_once(name, scored)
        if main := main_run([run for run in scored if not _control(run)]):
            found.append((main.digest, _sitting(name, main, scored)))
    if not found:
        raise UsageError("none of these runs asked the suite by letters or drew its answers; make such a run first")
    for digest, each in found[1:]:
        if digest != found[0][0]:
            raise UsageError(
                f"{each.name} and {found[0][1].name} were asked different suites, so they cannot be compared; "
                "run both on one suite"
            )
    return tuple(each for _, each in found)


def _check_once(name: str, runs: Sequence[Run]) -> None:
    asked: dict[tuple[str, str, str], Run] = {}
    for run in runs:
        other = asked.setdefault((run.suite, run.score, run.prompt), run)
        if other.id != run.id:
            raise UsageError(
                f"{name} was asked {run.suite} by {run.score} ({run.prompt}) twice, in runs {other.id} and {run.id};"
                " give one of them"
            )


def _control(run: Run) -> bool:
    return run.suite.endswith((SHUFFLED, WITHOUT_SCRIPTS))


def _sitting(name: str, main: Run, runs: Sequence[Run]) -> Sitting:
    plain = [(run, Answers.of([run])) for run in runs if not _control(run) and run.id != main.id]
    letters = [run for run in runs if (run.score, run.prompt) == ("letters", "raw")]
    controls = {"no script": WITHOUT_SCRIPTS, "words shuffled": SHUFFLED}
    return Sitting(
        name=name,
        main=Answers.of([main]),
        cloze=next((some for run, some in plain if run.score == "cloze"), Answers()),
        wordings={run.prompt: some for run, some in plain if run.score == "letters" and run.prompt in WORDINGS},
        controls={
            label: Answers.of([run])
            for label, ending in controls.items()
            for run in letters
            if run.suite.endswith(ending)
        },
        written={run.prompt: some for run, some in plain if run.score == "text"},
    )


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


def pairings(sittings: Sequence[Sitting], lineup: Lineup, *, of: str = "S") -> tuple[Pairing, ...]:
    """Every pair of the line-up of which both were asked."""
    asked = {each.name: each for each in sittings}
    found = []
    for base, post in lineup.pairs:
        if base in asked and post in asked:
            both = asked[base], asked[post]
            found += [one for task in NINE if (one := _pairing(*both, task, of))]
    ps = stats.holm([each.difference.p for each in found])
    return tuple(replace(each, difference=replace(each.difference, p=p)) for each, p in zip(found, ps, strict=True))


def _pairing(base: Sitting, post: Sitting, task: str, of: str) -> Pairing | None:
    old, new = shared(*(each.main.where(task=task) for each in (base, post)), of=of)
    before, after, difference = old.mean(of), new.mean(of), new.less(old, of)
    if not before or not after or not difference:
        return None
    sides = Counter((one.value, other.value) for one, other in zip(old, new, strict=True))
    changed = stats.mcnemar(sides[0, 1], sides[1, 0])
    return Pairing(base.name, post.name, task, before, after, difference, changed)


def trends(sittings: Sequence[Sitting], lineup: Lineup) -> tuple[SeriesTrend, ...]:
    """Every series of which at least two versions were asked."""
    asked = {each.name: each for each in sittings}
    found = []
    for series, members in lineup.versions.items():
        present = [each for each in members if each.name in asked]
        if len(present) > 1:
            found += [one for task in NINE if (one := _trend(series, present, asked, task))]
    return adjusted(found)


def _trend(series: str, members: Sequence[Member], asked: Mapping[str, Sitting], task: str) -> SeriesTrend | None:
    versions = {each.name: asked[each.name].main.where(task=task) for each in members}
    sizes = [each.parameters for each in members if each.parameters]
    return trend(series, task, versions, [each.rank or 0 for each in members], of="S", sizes=sizes)
