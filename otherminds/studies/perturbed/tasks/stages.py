"""Stages and their tasks, read from `data/perturbed/`.

    stage   a setting: two people, two values that can change places, a container or a thing with two places
    task    one story of a stage, told in four variants: the base story, or the base story perturbed in one way
            focal        the target is misled, or would be but for the perturbation
            access       the target looks inside, or watches the move
            consistent   label and contents agree, or nothing is moved
            informed     somebody trusted tells the target the truth

Texts hold symbols only: {O1} is what is really so at the end of the focal story, {O2} the decoy, {X} and {Y} are the
people. Words are put in last, so that swapping the two values can never hit anything else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, TypeVar

from otherminds.errors import BadFile
from otherminds.files import BY_HAND, parse_json, read_text
from otherminds.studies.perturbed.calculus import VARIANTS, Event, fold, read_event

STAGES = ("UC-A", "UC-B", "UC-C", "UC-D", "UT-E", "UT-F", "UT-G")
DEMONSTRATION = "demo"
"""The stage that shows models the form of an answer; nobody is ever measured on it."""
CANARY = "otherminds-perturbed-canary 8d1c6a52-7f0e-4b1e-9d1b-2f6c0c5a9e11"
SYMBOL = re.compile(r"\{([^{}]*)\}")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, what it does to the target, and the states a careful reader may ascribe to the target after it."""

    text: str
    events: tuple[Event, ...]
    gold: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """One story of a stage in its four variants, with its two questions."""

    perturbation: str
    target: str
    """X or Y: whose belief is asked for."""
    questions: Mapping[str, str]
    variants: Mapping[str, tuple[Sentence, ...]]
    form: str | None = None
    """For an uninformative label: U, there is no other evidence; P, the target has seen it being filled."""
    testimony: str | None = None
    """For untrustworthy testimony: discount, the words have no weight; invert, the contrary is believed."""
    extra: bool = False
    """Belongs to the full grid only."""


@dataclass(frozen=True, slots=True)
class TaskStage:
    """A setting with its tasks."""

    name: str
    kind: str
    """UC: unexpected contents, a label misleads. UT: unexpected transfer, a thing is moved out of sight."""
    setting: str
    people: Mapping[str, str]
    values: tuple[str, str]
    aliases: Mapping[str, tuple[str, ...]]
    tasks: tuple[Task, ...]

    def words(self, *, swap: bool = False) -> dict[str, str]:
        """The word for every symbol; a swap binds the two values the other way round."""
        first, second = reversed(self.values) if swap else self.values
        capitals = {"O1^": first.capitalize(), "O2^": second.capitalize()}
        return {"O1": first, "O2": second, **capitals, **self.people}


def render(text: str, words: Mapping[str, str]) -> str:
    """The text with words for its symbols."""
    return SYMBOL.sub(lambda symbol: words[symbol[1]], text)


@cache
def load() -> tuple[TaskStage, ...]:
    """The seven stages that come with the package, checked."""
    with as_file(files("otherminds") / "data" / "perturbed") as folder:
        return tuple(read_stage(folder / f"{name}.json") for name in STAGES)


@cache
def load_demonstration() -> tuple[TaskStage, Mapping[str, list[int]]]:
    """The eighth stage, and for its variants the sentences that tell what the target perceives."""
    with as_file(files("otherminds") / "data" / "perturbed" / f"{DEMONSTRATION}.json") as path:
        perceived: Mapping[str, list[int]] = _json(path)["perceived"]
        return read_stage(path), perceived


def read_stage(path: str | Path) -> TaskStage:
    """A stage from its file; one that breaks a rule is refused."""
    from otherminds.studies.perturbed.tasks.rules import faults

    place = Path(path)
    data = _json(place)
    stage = _stage(data, str(place))
    broken = faults(stage)
    if stage.name != place.stem:
        broken.insert(0, f"the file should be called {stage.name}.json, after its stage")
    if data.get("canary") != CANARY:
        broken.insert(0, "the canary, by which this text is known in training data, is missing or changed")
    if broken:
        more = f" (and {len(broken) - 1} more)" if len(broken) > 1 else ""
        raise BadFile(f"{place}, stage {stage.name}: {broken[0]}{more}")
    return stage


def _json(path: Path) -> dict[str, Any]:
    try:
        data = parse_json(read_text(path, most=BY_HAND))
    except ValueError as error:
        raise BadFile(f"{path} is not a stage: {error}") from None
    return _typed(data, dict, str(path))


def _stage(data: Mapping[str, Any], where: str) -> TaskStage:
    values = _texts(_get(data, "values", list, where), f"{where}: values")
    if len(values) != 2:
        raise BadFile(f"{where}: values should be two words, not {len(values)}")
    aliases = _get(data, "aliases", dict, where)
    people = _get(data, "agents", dict, where)
    if set(people) != {"X", "Y"} or set(aliases) != set(values):
        raise BadFile(f"{where}: agents should name X and Y, and aliases should be given for both values")
    name = _get(data, "stage", str, where)
    tasks = [_typed(task, dict, f"{where}: task") for task in _get(data, "tasks", list, where)]
    return TaskStage(
        name=name,
        kind=_get(data, "kind", str, where),
        setting=_get(data, "setting", str, where),
        people={symbol: _get(people, symbol, str, where) for symbol in ("X", "Y")},
        values=(values[0], values[1]),
        aliases={value: tuple(_texts(some, f"{where}: aliases")) for value, some in aliases.items()},
        tasks=tuple(_task(task, f"{where}, stage {name}") for task in tasks),
    )


def _task(data: Mapping[str, Any], where: str) -> Task:
    name = _get(data, "class", str, where)
    where = f"{where}, class {name}"
    questions = _get(data, "questions", dict, where)
    variants: dict[str, tuple[Sentence, ...]] = {}
    for variant in VARIANTS:
        lines = _get(data, variant, list, where)
        variants[variant] = _variant(lines, variants.get("focal"), f"{where}, {variant}")
    marks = {mark: data.get(mark) for mark in ("form", "testimony")}
    for mark, value in marks.items():
        if value is not None:
            _typed(value, str, f"{where}: {mark}")
    return Task(
        perturbation=name,
        target=_get(data, "target", str, where),
        questions={kind: _get(questions, kind, str, where) for kind in ("reality", "belief")},
        variants=variants,
        extra=_get(data, "extra", bool, where),
        **marks,
    )


def _variant(lines: Sequence[Any], focal: tuple[Sentence, ...] | None, where: str) -> tuple[Sentence, ...]:
    """The sentences of a variant; a number stands for a sentence of the focal story."""
    places = [f"{where}, sentence {number}" for number in range(1, len(lines) + 1)]
    if focal is None:
        return tuple(map(_sentence, lines, places))
    sentences = [_edit(line, focal, place) for line, place in zip(lines, places, strict=True)]
    derived = fold(sentence.events for sentence in sentences)
    # The same words have the same gold: up to the first change, the sets of the focal story hold.
    shared = next((n for n, line in enumerate(lines) if line != n + 1), len(lines))
    return tuple(
        sentence if number < shared else replace(sentence, gold=(state,), note="")
        for number, (sentence, state) in enumerate(zip(sentences, derived, strict=True))
    )


def _edit(line: Any, focal: tuple[Sentence, ...], where: str) -> Sentence:
    if isinstance(line, int) and not isinstance(line, bool):
        if not 1 <= line <= len(focal):
            raise BadFile(f"{where}: there is no focal sentence {line}; there are {len(focal)}")
        return focal[line - 1]
    data = _typed(line, dict, where)
    if "gold" in data:
        raise BadFile(f"{where}: gold sets belong to the focal story; here the events alone decide")
    return Sentence(_get(data, "text", str, where), _events(data, where), ())


def _sentence(line: Any, where: str) -> Sentence:
    data = _typed(line, dict, where)
    gold = tuple(_texts(_get(data, "gold", list, where), f"{where}: gold"))
    return Sentence(_get(data, "text", str, where), _events(data, where), gold, str(data.get("note") or ""))


def _events(data: Mapping[str, Any], where: str) -> tuple[Event, ...]:
    events = []
    for tag in _texts(_get(data, "events", list, where), f"{where}: events"):
        event = read_event(tag)
        if event is None:
            raise BadFile(f"{where}: {tag!r} is no event of the belief calculus")
        events.append(event)
    if not events:
        raise BadFile(f"{where}: every sentence needs at least one event; NARRATOR if it changes nothing")
    return tuple(events)


def _get(data: Mapping[str, Any], name: str, kind: type[T], where: str) -> T:
    if name not in data:
        raise BadFile(f"{where}: {name} is missing")
    return _typed(data[name], kind, f"{where}: {name}")


def _typed(value: Any, kind: type[T], what: str) -> T:
    if not isinstance(value, kind):
        raise BadFile(f"{what} should be a {_NAMES[kind]}, not {value!r:.60}")
    return value


_NAMES: Mapping[type, str] = {dict: "object", list: "list", str: "text", bool: "true or false"}


def _texts(values: Sequence[Any], what: str) -> list[str]:
    return [_typed(value, str, what) for value in values]
