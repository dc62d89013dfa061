"""Whether a diagnosis finds out what a simulated model does, on the items of a quick profile.

    python benchmarks/recovery.py [MODELS]

Models follow one reader, or two by turns, with slips from 0 to 0.3; or they guess, or like a letter. Three more follow
something that no reader does. And models that guess are asked 50 items, of which nothing should be said.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from statistics import fmean
from time import perf_counter

import numpy as np

import otherminds as om
from otherminds.diagnosis.confusion import GUESS, NAMES, NONE
from otherminds.diagnosis.diagnosis import Diagnosis, diagnose_answers
from otherminds.diagnosis.evidence import Asked, ModelAnswers, evidence, predict
from otherminds.formats.letters import pose_letters
from otherminds.formats.plans import limited
from otherminds.formats.words import pose_text
from otherminds.heuristics.rules import named
from otherminds.items import Item
from otherminds.studies.controlled import QUICK, about_minds, balanced
from otherminds.studies.dialogue.questions.sample import drawn as drawn_talks
from otherminds.studies.dialogue.questions.sample import part
from otherminds.studies.dialogue.questions.sample import suite as dialogue_suite
from otherminds.studies.explore.chapter import example as explore_example
from otherminds.studies.explore.material.build import suite as explore_suite
from otherminds.studies.explore.material.controls import stories as explore_stories
from otherminds.studies.perturbed.tasks.build import drawn as drawn_tasks
from otherminds.studies.perturbed.tasks.build import suite as perturbed_suite
from otherminds.studies.safety.chapter import SMALL
from otherminds.studies.safety.plots.build import build as build_safety

MODELS = 200
NAMED, HELD, SILENT = 0.95, 0.90, 0.95
"""What is wanted of: the reader named, the shares within their intervals, nothing said where there is nothing."""
SLIPS = (0.0, 0.1, 0.2, 0.3)
LOW = 0.6
"""The least share of the one that dominates."""


@dataclass(frozen=True)
class Questions:
    """Items, and how each is put: in all orders of its options, or in one."""

    items: tuple[Item, ...]
    asked: tuple[Asked, ...]

    def answered(self, chosen: Sequence[int], name: str = "simulated") -> ModelAnswers:
        """With answers."""
        return ModelAnswers(name, self.items, self.asked, np.array(chosen), (None,) * len(self.items))


def questions(limit: int | None = None, seed: int = 0) -> Questions:
    """What a quick profile asks, or some of it."""
    scored, by_letters = _quick()
    kept = limited(scored, limit=limit, seed=seed)
    return Questions(kept, tuple(_asked(kept, by_letters)))


@cache
def _quick() -> tuple[tuple[Item, ...], frozenset[str]]:
    """The items, and which are put by letters; the search for stories is stood in for by a few that were found."""
    letters = [*om.get_suite("starter"), *build_safety(size=SMALL, seed=0)]
    letters += part(dialogue_suite(drawn_talks(0)), 0)
    letters += balanced(about_minds(explore_stories(0)), QUICK, seed=0)
    texts = [*perturbed_suite(drawn_tasks(0)), *explore_suite(explore_example())]
    scored = (item for item in (*letters, *texts) if item.tags.get("scored") is not False and len(item.choices) > 1)
    return tuple(scored), frozenset(item.id for item in letters)


def _asked(items: Sequence[Item], by_letters: frozenset[str]) -> Iterator[Asked]:
    for number, item in enumerate(items):
        pose = pose_letters if item.id in by_letters else pose_text
        for posed in pose(item, prompt="raw", seed=0):
            yield number, posed.choices


def simulate(given: Questions, shares: Mapping[str, float], seed: int) -> ModelAnswers:
    """A model that follows a reader drawn for each item; what no share is left for is guessed."""
    dice = np.random.default_rng(seed)
    predicted = predict(given.items, given.asked)
    which = np.array([number for number, _ in given.asked])
    ends = np.cumsum(list(shares.values()))
    follows = np.searchsorted(ends, dice.random(len(given.items)))[which]
    luck = dice.random(len(given.items))[which]
    rules = [NAMES.index(name) for name in shares]
    chosen = []
    for place, (number, turn) in enumerate(zip(which, follows, strict=True)):
        count = len(given.items[number].choices)
        odds = predicted[place, rules[turn]] if turn < len(rules) else np.full(count, 1 / count)
        chosen.append(int(np.searchsorted(np.cumsum(odds)[: count - 1], luck[place], side="right")))
    return given.answered(chosen)


def alphabet(item: Item) -> str:
    """The option that comes first in the alphabet."""
    return min(item.choices)


def second_mention(item: Item) -> str:
    """The option that the text names as the second, counting every mention; else the second in the list."""
    hits = sorted((place, choice) for choice, places in named(item).items() for place in places)
    return hits[1][1] if len(hits) > 1 else item.choices[1]


def parity(item: Item) -> str:
    """The first or the last in the alphabet, by whether the story has an even number of words."""
    return (min, max)[len(item.context.split()) % 2](item.choices)


OUTSIDE: dict[str, Callable[[Item], str]] = {
    "first in the alphabet": alphabet,
    "second mention": second_mention,
    "parity of story length": parity,
}


def follow(given: Questions, rule: Callable[[Item], str], slip: float, seed: int) -> ModelAnswers:
    """A model that follows a rule of its own, and guesses now and then."""
    dice = random.Random(seed)
    picks = [
        dice.randrange(len(item.choices)) if dice.random() < slip else item.choices.index(rule(item))
        for item in given.items
    ]
    return given.answered([picks[number] for number, _ in given.asked])


# ---- who is simulated ---------------------------------------------------------------------------------------------


def models(given: Questions, count: int) -> list[dict[str, float]]:
    """Shares of readers: each alone, pairs that can be told apart, guessing; slips from 0 to 0.3."""
    known = evidence(given.answered([0] * len(given.asked))).confusion
    first = [one[0] for one in known.merged if not set(one) <= set(known.rare)]
    against = {frozenset(pair) for pair in known.opposites}
    names = {one[0]: name for one, name in zip(known.merged, known.names, strict=True)}
    pairs = [pair for pair in combinations(first, 2) if frozenset(names[one] for one in pair) not in against]
    dice = random.Random(0)
    found: list[dict[str, float]] = []
    while len(found) < count:
        slip = dice.choice(SLIPS)
        kind = len(found) % 10
        if kind == 9:
            found.append({})
        elif kind < 5:
            found.append({first[(len(found) // 10 * 5 + kind) % len(first)]: 1 - slip})
        else:
            one, other = dice.sample(dice.choice(pairs), 2)
            part = dice.uniform(LOW, 0.9)
            found.append({one: part * (1 - slip), other: (1 - part) * (1 - slip)})
    return found


def truth(shares: Mapping[str, float], said: Diagnosis) -> dict[str, float]:
    """The shares by the names of the sets in a diagnosis."""
    found = dict.fromkeys(said.confusion.names, 0.0)
    for reader, share in shares.items():
        found[next(name for name, one in zip(found, said.confusion.merged, strict=True) if reader in one)] += share
    return {**found, GUESS: 1 - sum(shares.values())}


def recovered(said: Diagnosis, shares: Mapping[str, float]) -> tuple[bool, list[bool]]:
    """Whether the one that dominates is named, and which shares that are not 0 lie within their intervals."""
    true = truth(shares, said)
    best = max(true, key=true.__getitem__)
    ends = {
        name: (said.shares[name].low - 0.005, said.shares[name].high + 0.005) for name, share in true.items() if share
    }
    return said.dominant == best, [low <= true[name] <= high for name, (low, high) in ends.items()]


KINDS = ("guessing", "one reader", "two readers")


def report(count: int) -> int:
    """Print the table; the exit code is 1 where something falls short."""
    given = questions()
    began = perf_counter()
    held: list[bool] = []
    named: dict[str, list[bool]] = {kind: [] for kind in KINDS}
    for number, shares in enumerate(models(given, count)):
        said = diagnose_answers(simulate(given, shares, number))
        right, within = recovered(said, shares)
        held += within
        named[KINDS[len(shares)]].append(right)
        if not right:
            print(f"  missed: { ({name: round(share, 2) for name, share in shares.items()}) }, named {said.dominant}")
    seconds = (perf_counter() - began) / count
    print(f"{len(given.items)} items, {count} simulated models, {seconds:.2f} s each")
    for kind, each in named.items():
        print(f"  {kind:28} named right {sum(each)} of {len(each)}")
    every = [right for each in named.values() for right in each]
    print(f"  {'dominant reader named right':28} {fmean(every):.3f}, wanted {NAMED}")
    print(f"  {'shares within 95 % intervals':28} {fmean(held):.3f} of {len(held)} that are not 0, wanted {HELD}")
    _rare(given)
    outside = [_outside(given, name, rule) for name, rule in OUTSIDE.items()]
    quiet = [not diagnose_answers(simulate(questions(50, seed), {}, seed)).says for seed in range(count)]
    print(f"  {'50 items, guessing: silent':28} {fmean(quiet):.3f}, wanted {SILENT}")
    return int(fmean(every) < NAMED or fmean(held) < HELD or not all(outside) or fmean(quiet) < SILENT)


def _rare(given: Questions) -> None:
    """Readers with an opinion on few items, of which a diagnosis says beforehand that it can hardly tell them."""
    known = evidence(given.answered([0] * len(given.asked))).confusion
    for reader in known.rare:
        every = [{reader: 1 - slip} for slip in SLIPS]
        hits = sum(
            recovered(diagnose_answers(simulate(given, shares, seed)), shares)[0] for seed, shares in enumerate(every)
        )
        count = known.opinions[known.readers.index(reader)]
        print(f"  {reader:28} an opinion on {count} items only: named right {hits} of {len(every)}, not counted")


def _outside(given: Questions, name: str, rule: Callable[[Item], str]) -> bool:
    said = [diagnose_answers(follow(given, rule, slip, seed)) for seed, slip in enumerate(SLIPS)]
    hits = sum(one.dominant == NONE for one in said)
    print(f"  {name:28} none of these in {hits} of {len(said)}, slips {', '.join(map(str, SLIPS))}")
    return hits == len(said)


if __name__ == "__main__":
    sys.exit(report(int(sys.argv[1]) if len(sys.argv) > 1 else MODELS))
