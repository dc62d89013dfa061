"""Which models are measured, in what order they came out, and which base model each was trained from.

The models of the paper are in data/safety/models.json. A file of one's own is YAML; a model that is known there needs
its name only, and every field can be said anew:

    suite: {size: small, seed: 0}                 # may be left out
    models:
      - name: Llama-3-8B-Instruct                 # known: its base partner comes along
      - {name: ours-1, spec: "gguf:ours-1.gguf", series: ours, rank: 1, released: 2025-01-31, parameters: 0.14}
      - {name: ours-2, spec: smollm2, series: ours, rank: 2, partner: ours-base, settings: {seed: 1}}
      - {name: ours-base, spec: "hf:our/base", series: ours, post_trained: false, dtype: bfloat16, revision: v2}

A model with a rank is a version of its series: it is in the figure and in the trends. A base partner has none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from otherminds.errors import BadFile, MissingFile, UsageError
from otherminds.files import package_file, read_yaml
from otherminds.models.specs import read_spec
from otherminds.runs.runs import Run

PAPER = "paper"
"""In place of a file: the models of the paper."""
HIGHEST = 1_000_000
"""Of all ranks, which may be years; slopes are computed from them."""


@dataclass(frozen=True, slots=True)
class Member:
    """One model of a line-up."""

    name: str
    spec: str
    """As `otherminds run -m` takes it."""
    series: str
    rank: int | None = None
    """Its place among the versions of the series, from the oldest on; none for a base partner."""
    released: str = ""
    parameters: float | None = None
    """In thousand millions."""
    partner: str = ""
    """The base model that it was trained from."""
    post_trained: bool = True
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        size = f"{self.parameters:g} B" if self.parameters else ""
        about = " · ".join(filter(None, [self.released, size]))
        return f"{self.name} ({about})" if about else self.name


@dataclass(frozen=True, slots=True)
class Lineup:
    """The models of a comparison, and what they are asked."""

    members: tuple[Member, ...]
    size: str | int = "standard"
    tasks: tuple[str, ...] = ()
    """None named: all of them."""
    seed: int = 0

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every model that has a base partner, as (base, post-trained)."""
        return [(each.partner, each.name) for each in self.ordered if each.partner]

    @property
    def versions(self) -> dict[str, list[Member]]:
        """The versions of every series, oldest first."""
        found: dict[str, list[Member]] = {}
        for each in self.ordered:
            if each.rank is not None:
                found.setdefault(each.series, []).append(each)
        return found

    @property
    def ordered(self) -> list[Member]:
        """Series by series, as they first appear; by rank within; base partners last."""
        series = list(dict.fromkeys(each.series for each in self.members))
        last = 1 + max((each.rank or 0 for each in self.members), default=0)
        return sorted(self.members, key=lambda m: (series.index(m.series), last if m.rank is None else m.rank))

    def get(self, name: str) -> Member | None:
        """The model of that name."""
        return next((each for each in self.members if each.name == name), None)


def read_lineup(path: str | Path) -> Lineup:
    """The line-up of a YAML file, or of the paper; what is wrong with it is said with the model's name."""
    if str(path) == PAPER:
        return Lineup(tuple(known().values()))
    if not os.path.exists(path):
        raise MissingFile(f"there is no file {path}; for the models of the paper, say {PAPER}")
    data = read_yaml(path)
    if not isinstance(data, dict) or not isinstance(data.get("models"), list) or not data["models"]:
        raise BadFile(f"{path} should have a list `models` with at least one model")
    if odd := sorted(map(str, set(data) - {"models", "suite"})):
        raise BadFile(f"{path}: unknown field {odd[0]!r}; there are models and suite")
    members: dict[str, Member] = {}
    for number, entry in enumerate(data["models"], start=1):
        member = _member(entry, f"{path}, model {number}")
        if members.setdefault(member.name, member) is not member:
            raise BadFile(f"{path}: there are two models called {member.name}; names must differ")
    _partners(members, str(path))
    _ranks(list(members.values()), str(path))
    return Lineup(tuple(members.values()), **_suite(data.get("suite", {}), str(path)))


def places(lineup: Lineup, runs: Sequence[Run]) -> tuple[dict[str, list[Run]], list[Run]]:
    """By member, its runs, of those that asked the same suite most of them did; and the runs of nobody."""
    found: dict[str, list[Run]] = {}
    strangers: list[Run] = []
    for run in runs:
        own = [member.name for member in lineup.members if _is_of(member, run)]
        if len(own) > 1:
            names = " and ".join(own)
            raise UsageError(f"run {run.id} of {run.model} may be of {names}; tell them apart by their settings")
        several = found.setdefault(own[0], []) if own else strangers
        # The same may have been asked twice, of a server that says something else of itself by now.
        if not own or not any(
            (one.suite, one.score, one.prompt) == (run.suite, run.score, run.prompt) for one in several
        ):
            several.append(run)
    return {member.name: found[member.name] for member in lineup.ordered if member.name in found}, strangers


def _is_of(member: Member, run: Run) -> bool:
    """Whether a run asked this member: by its name, and by all of its settings that the run knows of."""
    spec, own = read_spec(member.spec)
    settings = {**own, **member.settings}
    named = {str(settings.get("name", spec)), spec.removeprefix("baseline:"), f"gguf:{Path(spec).name}"}
    identity = run.manifest["identity"]
    plain = {key: value for key, value in settings.items() if isinstance(value, str | int | float)}
    if "base_url" in plain:
        plain["base_url"] = str(plain["base_url"]).rstrip("/")
    return run.model in named and all(identity.get(key, value) == value for key, value in plain.items())


@cache
def known() -> Mapping[str, Member]:
    """The models of the paper, by name."""
    return {entry["name"]: Member(**entry) for entry in json.loads(package_file("safety/models.json"))["models"]}


_SETTINGS = ("dtype", "revision", "base_url")
"""Settings that may stand beside the others, since most line-ups have them."""
_TYPES = {
    **dict.fromkeys((*(part.name for part in fields(Member)), *_SETTINGS), (str,)),
    "rank": (int,),
    "parameters": (int, float),
    "post_trained": (bool,),
    "settings": (dict,),
}


def _member(entry: Any, where: str) -> Member:
    """One entry, filled up from what is known of the model."""
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str) or not entry["name"]:
        raise BadFile(f"{where} should have a name and further fields, not {entry!r}")
    name = entry["name"]
    where = f"{where} ({name})"
    if odd := sorted(map(str, set(entry) - set(_TYPES))):
        raise BadFile(f"{where}: unknown field {odd[0]!r}; there are {', '.join(_TYPES)}")
    given: dict[str, Any] = {
        key: value.isoformat() if isinstance(value, date) else value for key, value in entry.items()
    }
    for key, value in given.items():
        odd_bool = isinstance(value, bool) and bool not in _TYPES[key]
        if odd_bool or not isinstance(value, _TYPES[key]):
            raise BadFile(f"{where}: {key} should be {_TYPES[key][0].__name__}, not {value!r}")
    if beside := {key: given.pop(key) for key in _SETTINGS if key in given}:
        given["settings"] = {**given.get("settings", {}), **beside}
    if before := known().get(name):
        given = {part.name: getattr(before, part.name) for part in fields(Member)} | given
    for key in ("spec", "series"):
        if not given.get(key):
            raise BadFile(f"{where}: {key} is missing")
    return Member(**given)


def _partners(members: dict[str, Member], path: str) -> None:
    """Add partners that the package knows; refuse those that nobody knows, and circles."""
    for member in list(members.values()):
        if member.partner and member.partner not in members:
            if member.partner not in known():
                raise BadFile(
                    f"{path}: {member.name} names the partner {member.partner!r}, which is neither in the file nor"
                    " among the models of the paper; add it to the file"
                )
            members[member.partner] = known()[member.partner]
    for member in members.values():
        line = [member.name]
        while partner := members[line[-1]].partner:
            if partner in line:
                circle = " → ".join([*line[line.index(partner) :], partner])
                raise BadFile(f"{path}: partners go in a circle: {circle}; a base model has no partner among these")
            line.append(partner)


def _ranks(members: Sequence[Member], path: str) -> None:
    bases = {member.partner for member in members}
    taken: dict[tuple[str, int], str] = {}
    for member in members:
        if member.rank is None:
            if member.name not in bases:
                raise BadFile(
                    f"{path}: {member.name} has no rank and is nobody's partner, so nothing compares it; give it a rank"
                )
            continue
        if abs(member.rank) > HIGHEST:
            raise BadFile(f"{path}: {member.name} cannot have the rank {member.rank}; count the versions from 1")
        other = taken.setdefault((member.series, member.rank), member.name)
        if other != member.name:
            raise BadFile(f"{path}: {other} and {member.name} are both number {member.rank} of {member.series}")


def _suite(data: Any, path: str) -> dict[str, Any]:
    if not isinstance(data, dict) or not set(data) <= {"size", "tasks", "seed"}:
        raise BadFile(f"{path}: suite should have size, tasks and seed, or some of them, not {data!r}")
    tasks = data.get("tasks", [])
    if not isinstance(tasks, list) or not all(isinstance(task, str) for task in tasks):
        raise BadFile(f"{path}: tasks should be a list such as [TB, FB/SA], not {tasks!r}")
    if not isinstance(data.get("seed", 0), int):
        raise BadFile(f"{path}: seed should be a whole number, not {data['seed']!r}")
    return {**data, "tasks": tuple(tasks)}
