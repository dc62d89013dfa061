"""The bank: the people, scenes and written talks that come with the package, and who meets whom."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from importlib.resources import as_file, files
from itertools import product
from pathlib import Path

from otherminds.errors import BadFile, UsageError
from otherminds.items import read_lines
from otherminds.talks import talk as talks
from otherminds.talks.talk import TRAITS, Casting, Person, Scene, Talk

PATTERNS = tuple("".join(levels) for levels in product("HL", repeat=len(TRAITS)))
"""Every way to be high or low in each of the traits."""


def people() -> dict[str, Person]:
    """Everybody in the bank, by id."""
    return dict(_people())


def scenes(category: str | None = None) -> dict[str, Scene]:
    """The scenes of one category, or of all, by id."""
    found = _scenes()
    categories = sorted({scene.category for scene in found.values()})
    if category is not None and category not in categories:
        raise UsageError(f"there is no category {category!r}; there are {', '.join(categories)}")
    return {id: scene for id, scene in found.items() if category in (None, scene.category)}


def castings(*, limit: int | None = None, pairs: int = 1, seed: int = 0) -> list[Casting]:
    """Every scene with so many pairs of people, drawn evenly; a shorter list is the beginning of a longer one."""
    if limit is not None and limit < 1:
        raise UsageError(f"the limit should be at least 1, not {limit}")
    return cast(list(_scenes().values()), list(_people().values()), pairs=pairs, seed=seed)[:limit]


def cast(scenes: Sequence[Scene], people: Sequence[Person], *, pairs: int = 1, seed: int = 0) -> list[Casting]:
    """Put people into scenes, evenly over categories and people, and no two of them twice into the same scene."""
    half = len(people) // 2
    if not 1 <= pairs <= half:
        raise UsageError(f"with {len(people)} people a scene can have 1 to {half} pairs, not {pairs}")
    rng = random.Random(f"castings:{seed}")
    order = _by_turns(scenes, rng) * pairs
    met: dict[str, set[frozenset[str]]] = {scene.id: set() for scene in scenes}
    found: list[Casting] = []
    while len(found) < len(order):
        shuffled = rng.sample(people, len(people))
        # Once as drawn and once the other way round, so that everybody is the first as often as the second.
        for ones, others in ((shuffled[:half], shuffled[half:]), (shuffled[half:], shuffled[:half])):
            here = order[len(found) : len(found) + half]
            for scene, one, other in _pair(here, ones, others, met, rng):
                met[scene.id].add(frozenset((one.id, other.id)))
                found.append(Casting(scene, (one, other)))
    return found


def _by_turns(scenes: Sequence[Scene], rng: random.Random) -> list[Scene]:
    """The scenes in any order, but one category after another, so that every beginning of the list is even."""
    groups: dict[str, list[Scene]] = {}
    for scene in rng.sample(scenes, len(scenes)):
        groups.setdefault(scene.category, []).append(scene)
    longest = max(map(len, groups.values()), default=0)
    return [groups[name][number] for number in range(longest) for name in sorted(groups) if number < len(groups[name])]


def _pair(
    scenes: Sequence[Scene],
    ones: Sequence[Person],
    others: Sequence[Person],
    met: dict[str, set[frozenset[str]]],
    rng: random.Random,
) -> list[tuple[Scene, Person, Person]]:
    """One meeting for every scene; drawn again as a whole if two have met in that scene before."""
    while True:
        ones, others = rng.sample(ones, len(ones)), rng.sample(others, len(others))
        meetings = list(zip(scenes, ones, others, strict=False))
        if not any(frozenset((one.id, other.id)) in met[scene.id] for scene, one, other in meetings):
            return meetings


def patterns(casting: Casting, *, who: int = 0) -> list[Casting]:
    """The same casting 32 times, one of the two with every pattern of traits."""
    made = []
    for traits in PATTERNS:
        person = casting.people[who]
        other = replace(person, id=f"{person.id}-{traits}", traits=traits)
        people = (other, casting.people[1]) if who == 0 else (casting.people[0], other)
        made.append(replace(casting, people=people))
    return made


def authored() -> list[Talk]:
    """The talks that were written for the package, thoughts and all."""
    with _folder() as folder:
        found = [
            talk
            for path in sorted((folder / "talks").glob("*.jsonl"))
            for talk in talks.load(path, people=_people(), scenes=_scenes())
        ]
    return [replace(talk, made={"how": "written"}) for talk in found]


def read(path: str | Path | None) -> list[Talk]:
    """The talks of a file, which may name people and scenes of the package; without one, those of the package."""
    return talks.load(path, people=people(), scenes=scenes()) if path else authored()


def labels() -> dict[tuple[str, int], bool]:
    """By talk and turn, whether the thought misreads the partner: so it is where both readers say so."""
    with _folder() as folder:
        path = folder / "labels.jsonl"
        if not path.exists():
            return {}
        found: dict[tuple[str, int], bool] = {}
        for number, data in read_lines(path):
            talk, turn = data.get("talk"), data.get("turn")
            said = [data.get(reader) for reader in ("first", "second")]
            if not isinstance(talk, str) or not isinstance(turn, int) or not all(isinstance(one, bool) for one in said):
                raise BadFile(f"{path}, line {number}: a label needs talk, turn, and true or false by first and second")
            found[talk, turn] = all(said)
    return found


@contextmanager
def _folder() -> Iterator[Path]:
    with as_file(files("otherminds").joinpath("data/dialogue")) as folder:
        yield folder


@cache
def _people() -> dict[str, Person]:
    with _folder() as folder:
        path = folder / "people.jsonl"
        return {data["id"]: talks.read_person(data, f"{path}, line {number}") for number, data in read_lines(path)}


@cache
def _scenes() -> dict[str, Scene]:
    with _folder() as folder:
        return {
            data["id"]: talks.read_scene(data, f"{path}, line {number}")
            for path in sorted((folder / "scenes").glob("*.jsonl"))
            for number, data in read_lines(path)
        }
