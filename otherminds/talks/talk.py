"""Talk: one conversation of two people, with what each of them thought.

A scene is a situation with two private goals; a casting puts two people into it. In a talk both think about the same
kind of mental state: one about their own (first order), the other about the partner's (second order).

On disk talks are JSON Lines, one talk a line; people and scenes are named by id where the bank has them, and written
out where it has not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from otherminds.errors import BadFile
from otherminds.items import read_lines, write_lines

State = Literal["belief", "intention", "desire", "emotion", "knowledge"]
STATES: tuple[State, ...] = get_args(State)
Pronoun = Literal["he", "she", "they"]
TRAITS = ("openness", "conscientiousness", "extraversion", "agreeableness", "neuroticism")
GREETINGS = ("Hi!", "Hi, how are you?")
"""Said before the first turn, without a thought; never asked about."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who talks; `traits` has H or L for each of the five factors, in the order of TRAITS."""

    id: str
    first: str
    last: str
    age: int
    occupation: str
    pronoun: Pronoun
    traits: str

    @property
    def name(self) -> str:
        """First and last name."""
        return f"{self.first} {self.last}".strip()

    @property
    def levels(self) -> dict[str, str]:
        """high or low, by factor."""
        return {trait: "high" if level == "H" else "low" for trait, level in zip(TRAITS, self.traits, strict=True)}


@dataclass(frozen=True, slots=True)
class Scene:
    """A situation that both know, without names, and what each of the two wants out of it."""

    id: str
    category: str
    situation: str
    goals: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Casting:
    """Two people in a scene; the first one speaks first and has the first goal."""

    scene: Scene
    people: tuple[Person, Person]

    @property
    def id(self) -> str:
        """The scene and who is in it."""
        return f"{self.scene.id}/{self.people[0].id}/{self.people[1].id}"


@dataclass(frozen=True, slots=True)
class Turn:
    """One message: what the speaker (0 or 1) thought, in the first person, and what the other heard."""

    speaker: int
    thought: str
    speech: str


@dataclass(frozen=True, slots=True)
class Talk:
    """One conversation; the people take turns, and person 0 begins."""

    id: str
    casting: Casting
    state: State
    turns: tuple[Turn, ...]
    first: int = 0
    """Who thinks about their own state; the other thinks about that person's."""
    made: Mapping[str, Any] = field(default_factory=dict)
    """How it came about: written, or played by which models with which settings."""

    def order(self, turn: int) -> int:
        """1 if the speaker of that turn thinks about themselves, 2 if about the partner."""
        return 1 if self.turns[turn].speaker == self.first else 2

    def speaker(self, turn: int) -> Person:
        """Who speaks."""
        return self.casting.people[self.turns[turn].speaker]

    def partner(self, turn: int) -> Person:
        """Who listens."""
        return self.casting.people[1 - self.turns[turn].speaker]

    @property
    def transcript(self) -> str:
        """What was said, one line a message, without a thought."""
        people = self.casting.people
        said = [(people[number], text) for number, text in enumerate(GREETINGS)]
        said += [(people[turn.speaker], turn.speech) for turn in self.turns]
        return "\n".join(f'{person.name}: "{text}"' for person, text in said)

    def to_dict(self) -> dict[str, Any]:
        """The talk as JSON, people and scene written out."""
        return {
            "id": self.id,
            "scene": asdict(self.casting.scene),
            "people": [asdict(person) for person in self.casting.people],
            "state": self.state,
            "first": self.first,
            "turns": [asdict(turn) for turn in self.turns],
            "made": dict(self.made),
        }

    @classmethod
    def from_dict(
        cls,
        data: Mapping[str, Any],
        *,
        where: str = "talk",
        people: Mapping[str, Person] | None = None,
        scenes: Mapping[str, Scene] | None = None,
    ) -> Talk:
        """A talk from JSON; ids are looked up, and `where` begins the sentence if something is wrong."""
        return _read_talk(data, where, people or {}, scenes or {})


def save(path: str | Path, talks: Iterable[Talk]) -> None:
    """Write talks; the file is there whole or not at all."""
    write_lines(path, (talk.to_dict() for talk in talks))


def load(
    path: str | Path, *, people: Mapping[str, Person] | None = None, scenes: Mapping[str, Scene] | None = None
) -> list[Talk]:
    """Read talks; a bad line is refused by number and field."""
    found: dict[str, Talk] = {}
    for number, data in read_lines(path):
        talk = _read_talk(data, f"{path}, line {number}", people or {}, scenes or {})
        if talk.id in found:
            raise BadFile(f"{path}, line {number}: there are two talks called {talk.id!r}; ids must differ")
        found[talk.id] = talk
    return list(found.values())


def read_person(data: Any, where: str) -> Person:
    """A person from JSON."""
    _check(data, Person, where)
    if data["pronoun"] not in get_args(Pronoun):
        raise BadFile(f"{where}: pronoun should be he, she or they, not {data['pronoun']!r}")
    if len(data["traits"]) != len(TRAITS) or set(data["traits"]) - set("HL"):
        raise BadFile(f"{where}: traits should be five letters H or L, not {data['traits']!r}")
    return Person(**data)


def read_scene(data: Any, where: str) -> Scene:
    """A scene from JSON."""
    _check(data, Scene, where)
    goals = data["goals"]
    if len(goals) != 2 or not all(isinstance(goal, str) and goal.strip() for goal in goals):
        raise BadFile(f"{where}: goals should be two texts, not {goals!r}")
    return Scene(**{**data, "goals": tuple(goals)})


_KINDS: dict[str, type | tuple[type, ...]] = {"age": int, "goals": (list, tuple)}


def _check(data: Any, kind: type, where: str) -> None:
    """Every field there, of its kind, and no other."""
    if not isinstance(data, dict):
        raise BadFile(f"{where}: {kind.__name__.lower()} should be an object or a known id, not {data!r}")
    wanted = kind.__dataclass_fields__  # type: ignore[attr-defined]
    if strange := sorted(set(data) ^ set(wanted)):
        raise BadFile(f"{where}: {kind.__name__.lower()} field {strange[0]!r} is missing or unknown")
    for name, value in data.items():
        if not isinstance(value, _KINDS.get(name, str)) or not str(value).strip():
            raise BadFile(f"{where}: {kind.__name__.lower()} {name} cannot be {value!r}")


def _read_talk(data: Mapping[str, Any], where: str, people: Mapping[str, Person], scenes: Mapping[str, Scene]) -> Talk:
    id, state, first, turns = data.get("id"), data.get("state"), data.get("first", 0), data.get("turns")
    if not isinstance(id, str) or not id:
        raise BadFile(f"{where}: id is missing")
    if state not in STATES:
        raise BadFile(f"{where}: state should be one of {', '.join(STATES)}, not {state!r}")
    if first not in (0, 1):
        raise BadFile(f"{where}: first should be 0 or 1, not {first!r}")
    cast = data.get("people")
    if not isinstance(cast, list) or len(cast) != 2:
        raise BadFile(f"{where}: people should be two, not {cast!r}")
    both = [_find_person(one, where, people) for one in cast]
    scene = data.get("scene")
    placed = scenes.get(scene) if isinstance(scene, str) else read_scene(scene, where)
    if placed is None:
        raise BadFile(f"{where}: there is no scene {scene!r} in the bank")
    if not isinstance(turns, list) or not turns:
        raise BadFile(f"{where}: turns should be a list of messages, not {turns!r}")
    made = data.get("made", {})
    if not isinstance(made, dict):
        raise BadFile(f"{where}: made should be an object, not {made!r}")
    silent = made.get("inner") is False
    read = tuple(_read_turn(turn, number, f"{where}, turn {number}", silent) for number, turn in enumerate(turns))
    return Talk(id, Casting(placed, (both[0], both[1])), state, read, first, made)


def _find_person(data: Any, where: str, people: Mapping[str, Person]) -> Person:
    if not isinstance(data, str):
        return read_person(data, where)
    if data not in people:
        raise BadFile(f"{where}: there is no person {data!r} in the bank")
    return people[data]


def _read_turn(data: Any, number: int, where: str, silent: bool) -> Turn:
    if not isinstance(data, dict):
        raise BadFile(f"{where} should be an object with thought and speech, not {data!r}")
    for name in ("thought", "speech"):
        # Where it was played without thoughts there are none to be missed.
        wanted = name == "speech" or not silent
        if not isinstance(data.get(name), str) or (wanted and not data[name].strip()):
            raise BadFile(f"{where}: {name} is missing")
    if data.get("speaker", number % 2) != number % 2:
        raise BadFile(f"{where}: the two should take turns, so speaker should be {number % 2}")
    return Turn(number % 2, data["thought"], data["speech"])
