"""Sittings: the runs of one model, each in its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from otherminds.asking.runs import Record, Run
from otherminds.errors import UsageError
from otherminds.items import Item
from otherminds.items.tags import EVENTS, ORDER, TASK
from otherminds.results.labels import tell_apart
from otherminds.results.measures import same_model
from otherminds.studies.safety.build import NEUTRAL
from otherminds.studies.safety.ways_of_asking import SHUFFLED, WORDINGS, main_run

Runs = Mapping[str, Sequence[Run]] | Sequence[Run]
"""Runs by the name of the model; a plain list goes by the models themselves, and by the names that they have."""

NINE = ("TB", "MA/INT", "MA/IR", "MA/FP", "FB/SA", "FB/HO", "FB/D/V", "FB/D/A", "FB/D/CA")
SHORT = {task: task.rpartition("FB/")[2].removeprefix("MA/").replace("D/CA", "CA") for task in NINE}
"""As the columns of a table are headed."""
SINGLE = "single"
"""The score in one order of the options alone, which the seed draws for every item: what the paper measured."""


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
    """One model: the main run, by letters in both orders, and whatever else it was asked."""

    name: str
    main: Run
    cloze: Run | None = None
    wordings: Mapping[str, Run] = field(default_factory=dict)
    """By letters with another prompt."""
    without_scripts: Run | None = None
    shuffled: Run | None = None
    written: Mapping[str, Run] = field(default_factory=dict)
    """In the model's own words, by prompt."""

    def runs(self) -> list[Run]:
        """All of them."""
        single = (self.main, self.cloze, self.without_scripts, self.shuffled)
        return [each for each in (*single, *self.wordings.values(), *self.written.values()) if each is not None]


def sit(runs: Runs) -> tuple[Sitting, ...]:
    """A sitting for every model that has a main run; all must have been asked the same suite, and each way once."""
    found = []
    for name, several in _by_model(runs).items():
        scored = [run for run in several if run.records]
        _check_once(name, scored)
        if main := main_run([run for run in scored if not _control(run)]):
            found.append(_sitting(name, main, scored))
    if not found:
        raise UsageError("none of these runs asked the suite by letters or drew its answers; make such a run first")
    for each in found[1:]:
        if each.main.digest != found[0].main.digest:
            raise UsageError(
                f"{each.name} and {found[0].name} were asked different suites, so they cannot be compared; "
                "run both on one suite"
            )
    return tuple(found)


def value(record: Record, of: str = "S") -> float | None:
    """A number of one record; `single` is S in the order that was drawn first."""
    if of != SINGLE:
        return record.value(of)
    orders = record.score.detail.get("S_orders")
    return None if orders is None else float(orders[0])


def values(run: Run, of: str = "S", *, task: str = "") -> dict[str, float]:
    """By item id, the numbers of a task, or of all nine."""
    wanted = (task,) if task else NINE
    found = {r.item.id: value(r, of) for r in run.records if r.item.tags[TASK] in wanted}
    return {id: number for id, number in found.items() if number is not None}


def items(run: Run) -> dict[str, Item]:
    """The items of a run by id, those left out that have no right answer."""
    return {record.item.id: record.item for record in run.records if record.item.tags[TASK] != NEUTRAL}


def _by_model(runs: Runs) -> Mapping[str, Sequence[Run]]:
    if isinstance(runs, Mapping):
        return runs
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(same_model(run), []).append(run)
    names = tell_apart([(first.model, f" ({first.fingerprint[:6]})") for first, *_ in found.values()])
    return dict(zip(names, found.values(), strict=True))


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
    return run.suite.endswith((SHUFFLED, "-without-scripts"))


def _sitting(name: str, main: Run, runs: Sequence[Run]) -> Sitting:
    plain = [run for run in runs if not _control(run)]
    letters = [run for run in runs if (run.score, run.prompt) == ("letters", "raw")]
    return Sitting(
        name=name,
        main=main,
        cloze=next((run for run in plain if run.score == "cloze"), None),
        wordings={run.prompt: run for run in plain if run.score == "letters" and run.prompt in WORDINGS},
        without_scripts=next((run for run in letters if run.suite.endswith("-without-scripts")), None),
        shuffled=next((run for run in letters if run.suite.endswith(SHUFFLED)), None),
        written={run.prompt: run for run in plain if run.score == "text"},
    )
