"""Names, scenes and sentences of our own, from which the generated stories are made, all in files of words."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from otherminds.files import read_wording, read_words

WORDING, WORDING_TABLES = read_wording("safety/wording")
"""How scripts are told: several sentences for each thing that happens."""
QUESTIONS = read_words("safety/questions")
_WORDS, _ = read_wording("safety/scenes")
NAMES, FILLERS = _WORDS["names"], _WORDS["fillers"]


@dataclass(frozen=True, slots=True)
class ContainerScene:
    """Where stories of a kind can happen, and with what."""

    domain: str
    room: str
    containers: tuple[str, ...]
    things: tuple[str, ...]


def read_scenes(name: str) -> tuple[ContainerScene, ...]:
    """Return the scenes of a list in the file of scenes."""
    found = []
    for line in _WORDS[name]:
        domain, room, containers, things = line.split("; ")
        found.append(ContainerScene(domain, room, tuple(containers.split(", ")), tuple(things.split(", "))))
    return tuple(found)


SCENES = read_scenes("scenes")


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw from the lists: a seeded source of chance, a scene, and people in any number."""

    key: str
    rng: random.Random
    scene: ContainerScene
    people: tuple[str, ...]
    containers: tuple[str, ...]
    things: tuple[str, ...]

    @classmethod
    def of(cls, key: str, *, scenes: Sequence[ContainerScene] = SCENES) -> Draw:
        """The same for the same key."""
        rng = random.Random(key)
        scene = rng.choice(scenes)
        containers, things = (tuple(rng.sample(names, len(names))) for names in (scene.containers, scene.things))
        return cls(key, rng, scene, tuple(rng.sample(NAMES, 5)), containers, things)

    def rng_for(self, what: str) -> random.Random:
        """A source of chance that is the same for all twins of a group."""
        return random.Random(f"{self.key}:{what}")
