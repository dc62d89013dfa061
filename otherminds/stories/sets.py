"""Action sets and the grid of settings: which events a story may use, and which of them it is about.

A set is about a premise if its stories have clear containers, somebody who is not believed, or lies. The twin of such a
story has the same events without the premise: nothing can be seen through, everybody is believed, or one lie was never
told. Where all questions have the same answers in both, the premise is mere decoration.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, reduce
from itertools import product

from otherminds.errors import InvalidEvent, UsageError
from otherminds.files import package_file
from otherminds.minds.questions import questions
from otherminds.minds.setting import kind_of
from otherminds.minds.sightings import NOBODY
from otherminds.minds.story import Story
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
    for name, fields in json.loads(package_file("explore/sets.json")).items():
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


# ---- without the premise of a set -----------------------------------------------------------------------------------


def premise_twin(story: Story, about: ActionSet) -> tuple[Story, str] | None:
    """The story without the premise of its set, and the first question that then has another answer."""
    order = max(about.order, 2)
    asked = {each.text: each.answer for each in questions(story, order=order) if each.minds}
    for twin in _without(story, about):
        for each in questions(twin, order=order):
            if asked.get(each.text, each.answer) != each.answer:
                return twin, each.text
    return None


def premise_matters(story: Story, about: ActionSet) -> bool:
    """Whether some question has another answer without the premise; so also where the set has none."""
    return not about.premise or premise_twin(story, about) is not None


def _without(story: Story, about: ActionSet) -> Iterator[Story]:
    if about.premise == "lies":
        yield from _without_a_lie(story)
    elif about.premise:
        premises = story.premises
        left_out = replace(premises, clear=NOBODY) if about.clear else replace(premises, distrust=frozenset())
        yield Story.of(*story.events, premises=left_out)


def _without_a_lie(story: Story) -> Iterator[Story]:
    before = Story(premises=story.premises)
    for number, part in enumerate(story.prefixes()):
        if kind_of(story.events[number], before).startswith("lie"):
            with suppress(InvalidEvent):  # where what came later hangs on it
                yield reduce(Story.then, story.events[number + 1 :], before)
        before = part
