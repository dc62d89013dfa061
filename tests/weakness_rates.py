"""How often a weakness is named of a model that has none, and of one in which it was planted.

    python -m tests.weakness_rates [--seeds 40] [--stories 40]

Random stories in five sets of events are heard twice over: some by the search, others fresh. A model that guesses gets
every answer by a seeded die; one with a planted weakness is right, but for the questions of the planted condition.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice

from otherminds.minds.questions import Question, matters
from otherminds.search.search import drawn
from otherminds.search.weakness import Heard, find_weakness
from otherminds.stories.contexts import bank, setting
from otherminds.stories.features import FLAGS, rows
from otherminds.stories.goals import Goal
from otherminds.stories.grow import Grower
from otherminds.stories.sets import Cell, choose
from otherminds.stories.structure import asked

SETS = "tomi,tomi+asymmetric,tomi+room-changes,tomi+info-exchange,allbutfantom"
Right = Callable[[Question, bool, random.Random], float]
"""How right an answer is, given whether the planted condition holds."""
PLANTED = "missed something"


@lru_cache(maxsize=4)
def pool(stories: int) -> tuple[Heard, ...]:
    """So many stories of every set, without answers; half of them in even searches."""
    found = []
    for number, each in enumerate(choose(SETS)):
        cell = Cell(each, 3, 3)
        stage = setting(bank()[number], cell, seed=0)
        grower = Grower(stage, Goal.of(cell), random.Random(number))
        made = islice(drawn(grower, lambda story: bool(matters(story))), stories)
        found += [Heard(story, 1, {}, at % 2) for at, story in enumerate(made)]
    return tuple(found)


def guesses(question: Question, planted: bool, rng: random.Random) -> float:
    """Right by chance."""
    return float(rng.random() < 1 / len(question.choices))


def noisy(question: Question, planted: bool, rng: random.Random) -> float:
    """Right three times in four, whatever is asked."""
    return float(rng.random() < 0.75)


def weak(question: Question, planted: bool, rng: random.Random) -> float:
    """Right nine times in ten, and one time in four where the planted condition holds."""
    return float(rng.random() < (0.25 if planted else 0.9))


def answered(right: Right, seed: int, stories: int) -> Iterator[Heard]:
    """The stories with a model's answers."""
    rng, flag = random.Random(seed), 1 + [*FLAGS.values()].index(f"the person asked about {PLANTED}")
    for each in pool(stories):
        pairs = zip(asked(each.story, each.order), rows(each.story, each.order), strict=True)
        yield each._replace(right={q.text: right(q, bool(row[flag] > 0), rng) for q, row in pairs})


def named(right: Right, seeds: int, stories: int) -> list[str]:
    """What is named as a weakness, seed by seed; empty where nothing is."""
    found = []
    for seed in range(seeds):
        heard = list(answered(right, seed, stories))
        fresh = [each for each in heard if each.search]
        weakness = find_weakness([each for each in heard if not each.search], fresh)
        found.append("" if weakness is None else str(weakness))
    return found


def main() -> None:
    """Print the rates."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--seeds", type=int, default=40)
    words.add_argument("--stories", type=int, default=40, help="of each of the five sets")
    options = words.parse_args()
    for right in (guesses, noisy, weak):
        found = named(right, options.seeds, options.stories)
        print(f"{right.__name__}: a weakness named in {sum(map(bool, found))} of {options.seeds} seeds")
        print(*(f"  {text}" for text in dict.fromkeys(found) if text), sep="\n")


if __name__ == "__main__":
    main()
