"""Action sets and the grid of settings: which events a story may use, and which of them it is about."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import product

from otherminds.errors import UsageError
from otherminds.stories.structure import read_structure

MOVES = frozenset({"move", "carry", "change", "topic", "topic aloud"})
"""The kinds of event that count as moves; coming, going and telling facts do not."""

ASYMMETRIC = "+asymmetric"


@dataclass(frozen=True, slots=True)
class ActionSet:
    """The kinds of event of a story, and those of which it needs at least one."""

    name: str
    kinds: tuple[str, ...]
    differentiating: frozenset[str]
    rooms: int = 1
    order: int = 1
    """The order of the questions that the search goes by."""
    clear: bool = False
    """Half of the containers can be seen through."""
    distrust: bool = False
    """Half of the people do not believe one of the others."""
    ours: bool = False
    """Not among the nine published sets."""

    @property
    def premise(self) -> str:
        """What must make a difference to an answer in every story of the set: clear, distrust or lies, if any."""
        if self.clear or self.distrust:
            return "clear" if self.clear else "distrust"
        return "lies" if any(kind.startswith("lie") for kind in self.kinds) else ""

    @property
    def asymmetric(self) -> bool:
        """Whether exactly one event is secretly watched, or missed by somebody distracted."""
        return self.name.endswith(ASYMMETRIC)


@dataclass(frozen=True, slots=True)
class Cell:
    """One setting of the grid: an action set with so many people, moves and rooms."""

    set: ActionSet
    people: int
    moves: int
    sentences: int = 15

    @property
    def name(self) -> str:
        return f"{self.set.name}/p{self.people}/m{self.moves}"


@cache
def action_sets() -> dict[str, ActionSet]:
    """All sets by name, each also with the secrecy of one event: NAME+asymmetric."""
    found = {}
    data = json.loads(files("otherminds").joinpath("data/explore/sets.json").read_text(encoding="utf-8"))
    for name, fields in data.items():
        secret = fields.pop("secret", fields["differentiating"])
        kinds, differentiating = tuple(fields.pop("kinds")), frozenset(fields.pop("differentiating"))
        found[name] = ActionSet(name, kinds, differentiating, **fields)
        twins = tuple(f"{kind}*" for kind in secret)
        # Where the secret falls on another kind of event than the set is about, the set stays about its own.
        about = frozenset(twins) if frozenset(secret) == differentiating else differentiating
        found[name + ASYMMETRIC] = ActionSet(name + ASYMMETRIC, (*kinds, *twins), about, **fields)
    return found


def choose(names: str) -> list[ActionSet]:
    """Sets by a list of names with commas; "published", "ours" and "every" stand for several."""
    known = action_sets()
    groups = {
        "published": [each for each in known.values() if not each.ours],
        "ours": [each for each in known.values() if each.ours],
        "every": list(known.values()),
    }
    chosen: list[ActionSet] = []
    for name in filter(None, (part.strip() for part in names.split(","))):
        if name not in known and name not in groups:
            raise UsageError(f"there is no action set {name!r}; there are {', '.join([*groups, *known])}")
        chosen += groups.get(name) or [known[name]]
    if not chosen:
        raise UsageError(f"no action set was named; there are {', '.join([*groups, *known])}")
    return list(dict.fromkeys(chosen))


def choose_for(goal: str, names: str, *, order: int | None = None) -> list[ActionSet]:
    """Sets by their names as a goal needs them: asked about at its order, unless another is given, and with secrets."""
    sets, wanted = choose(names), read_structure(goal, order=0)
    if wanted.asymmetric:
        # Only in these sets can anybody see or miss anything in secret.
        sets = list(dict.fromkeys(action_sets()[each.name.removesuffix(ASYMMETRIC) + ASYMMETRIC] for each in sets))
    asked = wanted.order if order is None else order
    return sets if asked is None else [replace(each, order=asked) for each in sets]


def grid(
    sets: list[ActionSet], *, people: tuple[int, ...] = (2, 3, 4), moves: tuple[int, ...] = (2, 3, 4)
) -> list[Cell]:
    """Every set with every number of people and moves; for the 18 published sets, the 162 published settings."""
    return [Cell(each, *numbers) for each, *numbers in product(sets, people, moves)]
