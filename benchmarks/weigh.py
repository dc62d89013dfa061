"""What sharing a beginning is worth: prompts a second with and without it, and how far the numbers move.

    python benchmarks/weigh.py [--prompts 200] [--group 10]

Two-choice prompts come in groups on one story, each question in both orders of its options. Three ways of weighing
them, by numpy and by llama.cpp on the same 16-bit weights: one prompt a call; all in batches, nothing shared; all in
batches, beginnings shared. The distance is the greatest change of S = p(A) / (p(A) + p(B)), to numpy one by one.
On a busy machine trust the CPU seconds, with OMP_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import exp
from typing import NamedTuple

from otherminds.models import Prompt, Weighing, weighing
from otherminds.models.local import weights
from otherminds.models.local.engine import Engine
from otherminds.models.local.model import Local
from otherminds.models.weighing import Tree

PEOPLE = ("Sally", "Anne", "Ben", "Carla", "Dan", "Eve", "Finn", "Gail")
THINGS = ("marble", "key", "letter", "apple", "coin", "ring")
PLACES = ("basket", "box", "drawer", "bag", "jar", "cupboard", "tin", "chest")
ASIDES = (
    "The rain has stopped and the windows of the kitchen are open.",
    "A radio plays an old song in the room next door.",
    "Somebody has left a half-finished puzzle on the table.",
    "The cat is asleep on the chair and takes no notice of anyone.",
    "There is a smell of fresh bread from the bakery across the road.",
)


class Unshared(Tree):
    """A tree in which every sequence stands alone."""

    def add(self, sequence: Sequence[int]) -> list[int]:
        """The places of the sequence's tokens, all new."""
        self._children.clear()
        return super().add(sequence)


def make_prompts(count: int, group: int, *, seed: int = 0) -> list[Prompt]:
    """So many prompts, in groups of `group` on one story."""
    draw = random.Random(seed)
    prompts: list[Prompt] = []
    while len(prompts) < count:
        (a, b), thing, (first, second) = draw.sample(PEOPLE, 2), draw.choice(THINGS), draw.sample(PLACES, 2)
        story = (
            f"{a} and {b} are in the kitchen. {a} puts the {thing} into the {first}. {' '.join(draw.sample(ASIDES, 4))}"
            f" {a} leaves the kitchen to fetch some water. While {a} is away, {b} takes the {thing} out of the {first}"
            f" and puts it into the {second}. Then {a} comes back into the kitchen and wants the {thing}."
        )
        questions = [f"Where will {a} look for the {thing} first?", f"Where is the {thing} now?"]
        questions += [f"Where does {b} think that {a} will look?", f"Where was the {thing} at the beginning?"]
        questions += [f"Where does {a} believe the {thing} to be?"]
        orders = [(first, second), (second, first)]
        asked = [(question, order) for question in questions for order in orders]
        for number in range(min(group, count - len(prompts))):
            question, (one, two) = asked[number % len(asked)]
            text = f"{story}\nQuestion: {question}\nA. {one}\nB. {two}\nAnswer:"
            prompts.append(Prompt(text=text, choices=("A", "B"), labels=True))
    return prompts


@contextmanager
def nothing_shared() -> Iterator[None]:
    """Weigh as if no prompt knew of another."""
    kept, weighing.Tree = weighing.Tree, Unshared  # type: ignore[misc]
    try:
        yield
    finally:
        weighing.Tree = kept  # type: ignore[misc]


class Timed(NamedTuple):
    """What came out, and what it took: by the clock, and of all cores together."""

    found: list[Weighing]
    seconds: float
    cpu: float


def weigh(model: Local, prompts: Sequence[Prompt], size: int) -> Timed:
    """Weigh these in calls of `size`."""
    start, cpu = time.perf_counter(), time.process_time()
    found = [one for first in range(0, len(prompts), size) for one in model.weigh(prompts[first : first + size])]
    return Timed(found, time.perf_counter() - start, time.process_time() - cpu)


def share(one: Weighing) -> float:
    """S of the first option."""
    return 1 / (1 + exp(one.logprobs["B"] - one.logprobs["A"]))


def by_llama_cpp() -> Local:
    """The default model, weighed by llama.cpp instead of numpy."""
    model = Local("smollm2")
    path = weights.expand(weights.get("smollm2"), sha256=weights.WEIGHTS["smollm2"].sha256)
    model.__dict__["_scorer"] = Engine(path, context=4096)
    return model


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--prompts", type=int, default=200)
    options.add_argument("--group", type=int, default=10)
    given = options.parse_args()
    prompts = make_prompts(given.prompts, given.group)
    reference: list[Weighing] = []
    print(f"{'scorer':<8} {'way':<24} {'prompts/s':>9} {'ratio':>6} {'CPU s':>7} {'ratio':>6} {'tokens':>7} max |dS|")
    for name, model in (("numpy", Local("smollm2")), ("cyllama", by_llama_cpp())):
        model.weigh(prompts[:1])
        alone = weigh(model, prompts, 1)
        with nothing_shared():
            apart = weigh(model, prompts, model.batch)
        shared = weigh(model, prompts, model.batch)
        reference = reference or alone.found
        ways = {"one prompt a call": alone, "batches, nothing shared": apart, "batches, shared": shared}
        for way, (found, seconds, cpu) in ways.items():
            tokens = sum(one.usage.prompt - one.usage.cached for one in found)
            moved = max(abs(share(one) - share(other)) for one, other in zip(found, reference, strict=True))
            speed = (
                f"{len(prompts) / seconds:>9.2f} {alone.seconds / seconds:>6.2f} {cpu:>7.1f} {alone.cpu / cpu:>6.2f}"
            )
            print(f"{name:<8} {way:<24} {speed} {tokens:>7} {moved:.6f}", flush=True)


if __name__ == "__main__":
    main()
