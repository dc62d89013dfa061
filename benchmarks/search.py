"""Three ways to find stories that a model gets wrong, at equal numbers of stories asked about.

    python benchmarks/search.py [--quick] [--seeds 16] [--budget 50] [--people 4] [--moves 4]
    python benchmarks/search.py --model smollm2 [--calls 800] [--stories 8] [--store calls.db]

Readers with a known weakness answer in the place of a model, so that thousands of stories can be asked about. Each
method has, for every reader and seed, one search in each of five sets of events, with the same goal and the same number
of stories to ask about. What counts is the *confirmed* accuracy: of the story that a search chose, told again with
fresh names and in fresh words. Beside it stands the accuracy that it was chosen by, which is lower by luck.

With a model instead of readers: what each method finds with the same goal and the same number of calls, those that
confirm included; with --store FILE, what was broken off is taken up by the same command. --quick for a small one.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from math import ceil
from statistics import fmean

from otherminds import stats
from otherminds.calling.recorded import Recorded
from otherminds.minds.questions import Question, matters
from otherminds.minds.story import Story
from otherminds.models import get_model
from otherminds.search.examine import Examiner
from otherminds.search.hunt import Found, hunt
from otherminds.search.search import Reply, Telling, Ways
from otherminds.store.store import MEMORY, Store
from otherminds.stories.contexts import bank
from otherminds.stories.sets import Cell, choose, grid
from otherminds.stories.structure import asked

METHODS = {"learn": "learn", "random": "random", "astar": "search"}
SETS = "tomi,tomi+asymmetric,tomi+room-changes,tomi+info-exchange,allbutfantom"
CONFIRM = 8
"""Tellings by which a story is confirmed: more than in a search, so that the table is not about luck."""
CALLS_EACH = 6
"""Questions about a story, or so: where to begin to look for the number of stories that takes so many calls."""
HUNTS = 6
"""Hunts by which that number is looked for; answers that the store has cost nothing."""
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
    known = (
        (each.answer for each in asked(story, len(question.minds)) if each.text == question.text)
        if matters(story)
        else ()
    )
    return next(iter(known), question.choices[-1])


def _matter(question: Question) -> tuple[str, str, object]:
    return question.about, question.property, question.tags.get("polarity")


READERS: dict[str, tuple[int, Says]] = {
    "realist": (1, lambda question, story, text: question.reality),
    "first-order": (2, lambda question, story, text: question.first_order),
    "last mention": (1, last_named),
    "noisy first-order": (2, noisy),
    "name bias": (1, name_bias),
    "coin": (2, lambda question, story, text: guess(question, text)),
    "forgets": (2, forgets),
    "mixes people up": (2, mixes_up),
    "odd deeds": (1, odd),
}
"""By name the order of the questions and what is answered; for the last three, no feature names the weakness."""


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
            each.text: float(self.says(each, telling.story, text) == each.answer)
            for each in asked(telling.story, order)
        }
        return Reply(fmean(right.values()) if right else None, right)


def cells(sets: str, people: int, moves: int, order: int) -> list[Cell]:
    """One setting of every set."""
    return [Cell(replace(each, order=order), people, moves) for each in choose(sets)]


def trial(options: argparse.Namespace, reader: str, seed: int) -> dict[str, tuple[list[Found], int]]:
    """One hunt by each method: what it found, and how many stories it asked about."""
    ways = Ways(budget=options.budget, endings=options.endings, draws=options.endings, confirm=options.confirm)
    order, says = READERS[reader]
    chosen = cells(options.sets, options.people, options.moves, order)
    outcome = {}
    for name, method in METHODS.items():
        spent = [0]
        found = list(
            hunt(
                chosen,
                bank(),
                Reader(says),  # type: ignore[arg-type]
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


Row = dict[str, tuple[list[float], list[float], int]]
"""By method: confirmed accuracies, those that the stories were chosen by, and stories asked about."""


def _one(task: tuple[argparse.Namespace, str, int]) -> tuple[str, Row]:
    options, reader, seed = task
    sizes = len(choose(options.sets))
    rows = {}
    for name, (found, spent) in trial(options, reader, seed).items():
        # A search that finds nothing that is answered wrong stands for stories that are answered right.
        nothing = [1.0] * (sizes - len(found))
        confirmed = [1.0 if each.confirmed is None else each.confirmed for each in found] + nothing
        rows[name] = confirmed, [each.accuracy for each in found] + nothing, spent
    return reader, rows


def compare(options: argparse.Namespace) -> None:
    """The table, every four seeds and after all."""
    seeds = range(options.first, options.first + options.seeds)
    tasks = [(options, reader, seed) for seed in seeds for reader in READERS]
    table: dict[str, list[Row]] = {reader: [] for reader in READERS}
    start = time.perf_counter()
    with ProcessPoolExecutor(options.processes) as pool:
        for number, (reader, row) in enumerate(pool.map(_one, tasks), start=1):
            table[reader].append(row)
            if number == len(tasks) or number % (4 * len(READERS)) == 0:
                show(table, options, time.perf_counter() - start)


def show(table: dict[str, list[Row]], options: argparse.Namespace, seconds: float) -> None:
    """Every reader, then all of them together."""
    seeds = len(next(iter(table.values())))
    print(
        f"\n{seeds} seeds × {len(choose(options.sets))} sets, {options.people} people, {options.moves} moves, goal"
        f" {options.goal!r}, at most {options.budget} stories asked about for each to be found, confirmed by"
        f" {options.confirm} tellings ({seconds:.0f} s)\n"
        "confirmed accuracy (that it was chosen by) stories asked about in a search"
    )
    names = "".join(f"{name:24}" for name in METHODS)
    print(f"{'reader':18}{names}{'learn less random':28}learn less astar")
    for reader, rows in (*table.items(), ("all readers", [row for some in table.values() for row in some])):
        print(line(reader, rows, len(choose(options.sets))), flush=True)


def line(name: str, rows: Sequence[Row], searches: int) -> str:
    """One reader. Intervals are 95 %, by seed: the searches of a seed share what is learned."""
    words = f"{name:18}"
    for method in METHODS:
        confirmed = fmean(value for row in rows for value in row[method][0])
        chosen = fmean(value for row in rows for value in row[method][1])
        cell = f"{confirmed:.3f} ({chosen:.3f}) {fmean(row[method][2] for row in rows) / searches:.0f}"
        words += f"{cell:24}"
    means = {method: [fmean(row[method][0]) for row in rows] for method in METHODS}
    for other in ("random", "astar"):
        gap = stats.difference(means["learn"], means[other])
        words += f"{f'{gap.value:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]':28}"
    return words.rstrip()


@dataclass
class Bill:
    """What a hunt against a model found, the stories that it asked about and the calls of the whole."""

    found: list[Found]
    asked: int
    calls: int


def hunt_model(options: argparse.Namespace, method: str, most: int) -> Bill:
    """One hunt in which at most so many stories are asked about, beside those that confirm what was found."""
    ways = Ways(ceil(most / options.stories), endings=options.endings, draws=options.endings, confirm=options.confirm)
    with Store(options.store) as store:
        model = Recorded(get_model(options.model), store)
        examiner = Examiner(model, prompt="raw", score="cloze")
        chosen = grid(choose("tomi,all+asymmetric"), people=(2, 3), moves=(2, 3))
        found = list(
            hunt(
                chosen,
                bank(),
                examiner,
                stories=options.stories,
                ways=ways,
                method=method,
                goal=options.goal,
                most=most,
                seed=options.first,
            )
        )
        return Bill(found, examiner.asked - sum(each.tellings for each in found), model.made + model.reused)


def at_calls(options: argparse.Namespace, method: str) -> Bill:
    """The hunt of those tried that took the most calls within the limit: how many a story takes shows only then."""
    most, tried = max(options.stories, options.calls // CALLS_EACH), dict[int, Bill]()
    while most not in tried and len(tried) < HUNTS:
        bill = tried[most] = hunt_model(options, method, most)
        most = max(options.stories, int(most * options.calls / bill.calls))
    within = [bill for bill in tried.values() if bill.calls <= options.calls]
    return max(within, key=lambda bill: bill.calls) if within else min(tried.values(), key=lambda bill: bill.calls)


def with_model(options: argparse.Namespace) -> None:
    """The three methods against a real model, each with as many calls."""
    print(
        f"{options.model}: {options.stories} stories wanted, at most {options.calls} calls, goal {options.goal!r},"
        f" confirmed by {options.confirm} tellings\n"
        f"{'method':10}{'found':>6}{'asked about':>13}{'calls':>8}   when chosen; confirmed"
    )
    for name, method in METHODS.items():
        bill = at_calls(options, method)
        means = [_mean([getattr(each, part) for each in bill.found]) for part in ("accuracy", "confirmed")]
        print(f"{name:10}{len(bill.found):6}{bill.asked:13}{bill.calls:8}   {'; '.join(means)}", flush=True)


def _mean(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return str(stats.mean(known)) if known else "–"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Three ways to find stories that a model gets wrong.")
    parser.add_argument(
        "--quick", action="store_true", help="A sample: 2 seeds, 20 stories to ask about; 300 calls of a model."
    )
    numbers = {
        "seeds": 16,
        "first": 0,
        "budget": 50,
        "people": 4,
        "moves": 4,
        "endings": 20,
        "stories": 8,
        "calls": 800,
        "processes": 2,
        "confirm": CONFIRM,
    }
    for name, number in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=number)
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--goal", default="none", help="As of `otherminds explore`.")
    parser.add_argument("--model", help="A model instead of readers.")
    parser.add_argument("--store", default=MEMORY, help="Where the model's answers are kept.")
    options = parser.parse_args()
    if options.quick and options.model:
        options.calls, options.confirm = 300, 2
    elif options.quick:
        options.seeds, options.budget = 2, 20
    (with_model if options.model else compare)(options)


if __name__ == "__main__":
    main()
