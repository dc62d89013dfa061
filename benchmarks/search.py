"""Three ways to find stories that a model gets wrong, at equal numbers of stories asked about.

    python benchmarks/search.py [--quick] [--seeds 16] [--budget 50] [--people 4] [--moves 4] [--model smollm2]

Readers with a known weakness answer in the place of a model, so that thousands of stories can be asked about. Each
method has, for every reader and seed, one search in each of five sets of events, with the same goal and the same number
of stories to ask about. What counts is the *confirmed* accuracy: of the story that a search chose, told again with
fresh names and in fresh words. Beside it stands the accuracy that it was chosen by, which is lower by luck.

With a model instead of readers: the same table for it, with as many stories asked about by every method.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from statistics import fmean

from otherminds import stats
from otherminds.asking.recorded import Recorded
from otherminds.asking.store import MEMORY, Store
from otherminds.minds.questions import Question, matters
from otherminds.minds.story import Story
from otherminds.models import get_model
from otherminds.studies.explore.contexts import bank
from otherminds.studies.explore.examine import Examiner
from otherminds.studies.explore.hunt import Found, hunt
from otherminds.studies.explore.search import Reply, Telling, Ways
from otherminds.studies.explore.sets import Cell, choose
from otherminds.studies.explore.structure import asked

METHODS = {"learn": "learn", "random": "random", "astar": "search"}
SETS = "tomi,tomi+asymmetric,tomi+room-changes,tomi+info-exchange,allbutfantom"
CONFIRM = 8
"""Tellings by which a story is confirmed: more than in a search, so that the table is not about luck."""
Says = Callable[[Question, Story, str], str]
"""What a reader answers to a question about a story told in some words."""


def draw(number: int, *parts: str) -> int:
    """A number below another one, by the hash of some words."""
    return int.from_bytes(hashlib.blake2b("\n".join(parts).encode(), digest_size=8).digest()) % number


def guess(question: Question, text: str) -> str:
    """A choice at random, the same whenever the same is asked."""
    return question.choices[draw(len(question.choices), question.text, text)]


def last_named(question: Question, story: Story, text: str) -> str:
    """The choice that the story names last; yes where there are no places."""
    return max(question.choices, key=text.rfind)


def noisy(question: Question, story: Story, text: str) -> str:
    """Reads one mind, and guesses one time in four."""
    return guess(question, text) if draw(4, "noise", question.text, text) == 0 else question.first_order


def name_bias(question: Question, story: Story, text: str) -> str:
    """Right, except where a choice before the answer in the alphabet tempts it."""
    first = min(question.choices)
    return first if draw(2, first) else question.answer


def forgets(question: Question, story: Story, text: str) -> str:
    """Answers as if the story had ended after six events."""
    return _as_asked(question, list(story.prefixes())[min(6, story.length) - 1])


def mixes_up(question: Question, story: Story, text: str) -> str:
    """Takes the last of the minds for whoever came into the story just before."""
    people, minds = story.people, question.minds
    other = people[people.index(minds[-1]) - 1]
    same = {each.minds: each.answer for each in asked(story, len(minds)) if _matter(each) == _matter(question)}
    return same.get((*minds[:-1], other), question.answer)


def odd(question: Question, story: Story, text: str) -> str:
    """Wrong about whoever did an odd number of things."""
    deeds = sum(event.actor() == question.minds[-1] for event in story.events)
    return question.choices[question.choices.index(question.answer) - 1] if deeds % 2 else question.answer


def _as_asked(question: Question, story: Story) -> str:
    known = (each.answer for each in asked(story, len(question.minds)) if each.text == question.text) if matters(story) else ()
    return next(iter(known), question.choices[-1])


def _matter(question: Question) -> tuple[str, str, object]:
    return question.about, question.property, question.tags.get("polarity")


READERS: dict[str, Says] = {
    "realist": lambda question, story, text: question.reality,
    "first-order": lambda question, story, text: question.first_order,
    "last mention": last_named,
    "noisy first-order": noisy,
    "name bias": name_bias,
    "coin": lambda question, story, text: guess(question, text),
    "forgets (no feature)": forgets,
    "mixes people up (no feature)": mixes_up,
    "odd deeds (no feature)": odd,
}


@dataclass
class Reader:
    """A reader in the place of an examiner."""

    says: Says
    stopped: str = ""
    asked: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)

    def asks(self, story: Story, order: int) -> bool:
        """Whether there is anything to ask about a story."""
        return bool(matters(story))

    def wants(self, question: Question) -> bool:
        """Every question is asked."""
        return True

    def replies(self, tellings: Sequence[tuple[Telling, int]]) -> list[Reply]:
        """How the questions about some tellings are answered."""
        self.asked += len(tellings)
        return [self._reply(*each) for each in tellings]

    def _reply(self, telling: Telling, order: int) -> Reply:
        text = telling.story.tell(seed=telling.words)
        right = {
            each.text: float(self.says(each, telling.story, text) == each.answer) for each in asked(telling.story, order)
        }
        return Reply(fmean(right.values()) if right else None, right)


def cells(sets: str, people: int, moves: int, order: int) -> list[Cell]:
    """One setting of every set."""
    return [Cell(replace(each, order=order), people, moves) for each in choose(sets)]


def trial(options: argparse.Namespace, reader: str, seed: int) -> dict[str, tuple[list[Found], int]]:
    """One hunt by each method: what it found, and how many stories it asked about."""
    ways = Ways(budget=options.budget, endings=options.endings, draws=options.endings, confirm=CONFIRM)
    chosen = cells(options.sets, options.people, options.moves, options.order)
    outcome = {}
    for name, method in METHODS.items():
        spent = [0]
        found = list(
            hunt(
                chosen,
                bank(),
                Reader(READERS[reader]),  # type: ignore[arg-type]
                stories=len(chosen),
                ways=ways,
                method=method,
                goal=options.goal,
                seed=seed,
                width=len(chosen),
                progress=lambda _, __, asked, spent=spent: spent.__setitem__(0, asked),  # type: ignore[misc]
            )
        )
        outcome[name] = found, spent[0]
    return outcome


def _one(task: tuple[argparse.Namespace, str, int]) -> tuple[str, int, dict[str, tuple[list[float], list[float], int]]]:
    options, reader, seed = task
    sizes = len(choose(options.sets))
    rows = {}
    for name, (found, spent) in trial(options, reader, seed).items():
        # A search that finds nothing that is answered wrong stands for stories that are answered right.
        nothing = [1.0] * (sizes - len(found))
        confirmed = [1.0 if each.confirmed is None else each.confirmed for each in found] + nothing
        rows[name] = confirmed, [each.accuracy for each in found] + nothing, spent
    return reader, seed, rows


def trials(options: argparse.Namespace) -> Iterator[tuple[str, int, dict[str, tuple[list[float], list[float], int]]]]:
    """All readers and seeds, as they are done."""
    tasks = [(options, reader, seed) for reader in options.readers for seed in range(options.seeds)]
    with ProcessPoolExecutor(options.processes) as pool:
        yield from pool.map(_one, tasks)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true", help="A sample: fewer seeds, a smaller budget.")
    for name, number in (("seeds", 16), ("budget", 50), ("people", 4), ("moves", 4), ("order", 2), ("endings", 20)):
        parser.add_argument(f"--{name}", type=int, default=number)
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--goal", default="none")
    parser.add_argument("--readers", default=",".join(READERS))
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--model")
    options = parser.parse_args()
    options.readers = [name for name in options.readers.split(",") if name]
    if options.quick:
        options.seeds, options.budget = 2, 20
    start = time.perf_counter()
    table: dict[str, list[dict[str, tuple[list[float], list[float], int]]]] = {}
    for reader, _, rows in trials(options):
        table.setdefault(reader, []).append(rows)
        if len(table[reader]) == options.seeds:
            report(reader, table[reader])
    report("all", [rows for some in table.values() for rows in some])
    print(f"{time.perf_counter() - start:.0f} s")


def report(name: str, rows: Sequence[dict[str, tuple[list[float], list[float], int]]]) -> None:
    """One line: confirmed (chosen by) [asked] for every method, and learn less the others by seed."""
    words = [f"{name:30}"]
    for method in METHODS:
        confirmed, chosen = (fmean(v for row in rows for v in row[method][part]) for part in (0, 1))
        words.append(f"{method} {confirmed:.3f} ({chosen:.3f}) [{fmean(row[method][2] for row in rows):.0f}]")
    means = {method: [fmean(row[method][0]) for row in rows] for method in METHODS}
    for other in ("random", "astar"):
        gap = stats.difference(means["learn"], means[other])
        words.append(f"vs {other} {gap.value:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]")
    print("  ".join(words), flush=True)


if __name__ == "__main__":
    sys.exit(main())
