"""How fast stories grow, and what they weigh, beside the published tracker.

    python benchmarks/minds.py

A story is grown by drawing one legal event after another; every event makes a new story and leaves the old one whole,
as a search needs it. One process, CPU time, median of several repeats.

The published tracker is not ours to ship, so its figures are constants: measured once on a quiet machine, in turns with
this engine, when this engine grew 6,200 stories/s at 4 people and 10 events and 783 at 8 and 40: 37 and 41 times as
many. A ratio is only sound within one run; the one printed here has this run's figure over that constant, so it is
right to within what one machine and one day differ from another.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
from collections.abc import Callable
from statistics import mean, median
from time import process_time

from otherminds.minds.questions import questions, quiz
from otherminds.minds.setting import Setting
from otherminds.minds.story import Story

REPEATS = 7
# The kinds of event of the published sets of these names.
SETS = {
    "all": (
        "enter",
        "leave",
        "move",
        "carry",
        "topic",
        "topic aloud",
        "container",
        "container aloud",
        "room",
        "room aloud",
    ),
    "tomi": ("enter", "leave", "move"),
}
# People, rooms, events; and the stories/s of the published tracker, which copies its state for every attempt. At 4
# people and 10 events it grows 538 without copies, but then no story can be branched.
PUBLISHED = {
    ("all", 4, 2, 10): 169,
    ("all", 8, 2, 10): None,
    ("all", 8, 2, 40): 18.9,
    ("all", 4, 2, 40): None,
    ("tomi", 4, 2, 10): None,
    ("tomi", 8, 2, 10): None,
    ("tomi", 8, 2, 40): None,
    ("tomi", 4, 2, 40): None,
}
# Milliseconds of the published tracker for all questions of order 1 and 2 about such a story; it has no third order.
PUBLISHED_QUIZ = {2: 0.20, 3: None}
TARGETS = {("all", 4, 2, 10): 10_000, ("all", 8, 2, 40): 1500}
TARGETS_QUIZ = {2: 1.5, 3: 10.0}
BRANCHES = 100_000
TARGET_MB = 1000


def setting(kinds: str, people: int, rooms: int) -> Setting:
    """One thing and as many containers as people, as in the published settings."""
    return Setting.of(people=people, rooms=rooms, things=1, containers=4, topics=2, kinds=SETS[kinds])


def grow(where: Setting, length: int, rng: random.Random, *, checked: bool = True) -> Story:
    """A random story, branched at each event; `checked`: each event is tried again, though it is known to be legal."""
    story = Story(premises=where.premises)
    while story.length < length and (event := where.step(story, rng)) is not None:
        story = story.then(event) if checked else story.after(event)
    return story


def seconds(work: Callable[[], object]) -> float:
    """Median CPU seconds of some work; the first time does not count."""
    work()
    times = []
    for _ in range(REPEATS):
        start = process_time()
        work()
        times.append(process_time() - start)
    return median(times)


def growth(kinds: str, people: int, rooms: int, length: int, *, checked: bool = True) -> float:
    """Seconds for one story."""
    where = setting(kinds, people, rooms)
    count = max(20, 2000 // length)

    def work() -> None:
        rng = random.Random(0)
        for _ in range(count):
            grow(where, length, rng, checked=checked)

    return seconds(work) / count


def grown(kinds: str, people: int, rooms: int, length: int) -> float:
    """Events in a story, on average: where nothing can happen any more that leads anywhere, it ends early."""
    where = setting(kinds, people, rooms)
    return mean(len(where.story(length, seed=seed)) for seed in range(200))


def stories() -> None:
    """Stories in a second, with `then` and with `after`; µs for an event and the ratio are those of `after`."""
    print("set   people rooms events   drawn   then/s  after/s   µs/event   published/s    ratio   wanted")
    for case, theirs in PUBLISHED.items():
        kinds, people, rooms, length = case
        checked, time, drawn = growth(*case), growth(*case, checked=False), grown(*case)
        ratio = f"{1 / time / theirs:.0f} ×" if theirs else "-"
        wanted = TARGETS.get(case)
        verdict = f"{wanted:,} {'ok' if 1 / time >= wanted else 'MISSED'}" if wanted else ""
        print(
            f"{kinds:5} {people:6} {rooms:5} {length:6} {drawn:7.1f} {1 / checked:8,.0f} {1 / time:8,.0f}"
            f" {time / drawn * 1e6:10.1f} {theirs or '-':>13} {ratio:>8}   {verdict}"
        )


def flatness() -> None:
    """Whether an event costs more in long stories. Drawing does, where there is talk: fewer have yet to hear it."""
    print("\nµs for one event, by events in a story (4 people, 2 rooms)")
    for kinds in SETS:
        lengths = (5, 10, 20, 40, 80)
        events = [grown(kinds, 4, 2, length) for length in lengths]
        drawn = [growth(kinds, 4, 2, length, checked=False) / n for length, n in zip(lengths, events, strict=True)]
        given = [replay(kinds, length) / n for length, n in zip(lengths, events, strict=True)]
        for name, times in (("drawn", drawn), ("given", given)):
            told = "   ".join(f"{length}: {time * 1e6:.1f}" for length, time in zip(lengths, times, strict=True))
            print(f"{kinds:5} {name}   {told}")


def replay(kinds: str, length: int) -> float:
    """Seconds for one story whose events are given, each checked."""
    where = setting(kinds, 4, 2)
    lines = [where.story(length, seed=seed).events for seed in range(max(20, 2000 // length))]
    return seconds(lambda: [Story.of(*events) for events in lines]) / len(lines)


def quizzes() -> None:
    """All questions of a story, answered, by order."""
    print("\nquiz of a 10-event, 4-person story, in ms")
    print("order   questions   ms bare   ms as items   published   wanted")
    where = setting("all", 4, 2)
    tales = [where.story(10, seed=seed) for seed in range(100)]
    tales = [tale for tale in tales if len(tale.people) == 4 and tale.things]
    for order, theirs in PUBLISHED_QUIZ.items():
        count = median(len(questions(tale, order=order)) for tale in tales)
        bare, items = (_answering(tales, ask, order) for ask in (questions, quiz))
        verdict = f"{TARGETS_QUIZ[order]} {'ok' if items <= TARGETS_QUIZ[order] else 'MISSED'}"
        print(f"{order:5} {count:11.0f} {bare:9.2f} {items:13.2f} {theirs or '-':>11}   {verdict}")


def _answering(tales: list[Story], ask: Callable[..., object], order: int) -> float:
    """Milliseconds for one story of which no view was worked out yet, so that nothing is had for nothing."""
    fresh = iter([[Story.of(*tale.events) for tale in tales] for _ in range(REPEATS + 1)])
    return seconds(lambda: [ask(tale, order=order) for tale in next(fresh)]) / len(tales) * 1e3


def branch() -> None:
    """Hold many stories that share their pasts, and say what this process has come to weigh."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    where, rng = setting("all", 4, 2), random.Random(0)
    held = [Story()]
    while len(held) < BRANCHES:
        story = held[rng.randrange(len(held))]
        if len(story) < 15 and (event := where.step(story, rng)) is not None:
            held.append(story.then(event))
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)


def memory() -> None:
    """In a process of its own, so that nothing else counts."""
    told = subprocess.run([sys.executable, __file__, "--branch"], check=True, capture_output=True, text=True).stdout
    weight = float(told)
    verdict = "ok" if weight < TARGET_MB else "MISSED"
    print(f"\n{BRANCHES:,} branched stories: {weight:.0f} MB; wanted under {TARGET_MB} MB {verdict}")


if __name__ == "__main__":
    if "--branch" in sys.argv:
        branch()
    else:
        stories()
        flatness()
        quizzes()
        memory()
