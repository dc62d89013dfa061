"""Our own cost of a run, with a store on disk and a model that costs nothing.

    python benchmarks/run.py

Each item is weighed in both orders, so it makes two calls. Several runs, each in a new store; the best counts, and
the median beside it tells how busy the machine was. Processor time leaves out waiting, for the disk or for others.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from otherminds.items import Item, Suite
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted
from otherminds.runs.runs import run
from otherminds.store.store import Store

ITEMS = 2000
REPEATS = 5
LIMIT_MS = 0.5


def suite(items: int) -> Suite:
    """Items as long as those of the starter suite."""
    story = "Nora puts the letter into the drawer and leaves the room. Paul moves it to the box. " * 4
    return Suite(
        "benchmark",
        tuple(
            Item(
                id=f"item-{number}",
                context=f"{story}This is story {number}.",
                question="Where will Nora look for the letter first?",
                answer="drawer",
                choices=("drawer", "box"),
                cloze="Nora will look for the letter in the",
                tags={"story": f"story-{number // 2}", "false_belief": number % 2 == 0},
            )
            for number in range(items)
        ),
    )


def weigh(prompt: Prompt) -> dict[str, float]:
    """The first choice, a little."""
    return {choice: 0.6 if number == 0 else 0.4 for number, choice in enumerate(prompt.choices)}


def timed(work: Suite, store: Store) -> tuple[float, float]:
    """Milliseconds an item, by the clock and of the processor."""
    model = Scripted(lambda prompt: "A", name="free", weigh=weigh)
    wall, cpu = perf_counter(), process_time()
    run(work, model, store=store)
    return (perf_counter() - wall) * 1000 / len(work), (process_time() - cpu) * 1000 / len(work)


def main() -> int:
    """Print the cost of an item, asked and remembered; exit code 1 where it is above the limit."""
    work = suite(ITEMS)
    asked, remembered = [], []
    for _ in range(REPEATS):
        with TemporaryDirectory() as folder, Store(Path(folder) / "store.db") as store:
            asked.append(timed(work, store))
            remembered.append(timed(work, store))
    print(f"{ITEMS} items, 2 calls each, {REPEATS} runs; ms an item, limit {LIMIT_MS} by the clock")
    print(f"{'':18}{'best':>8}{'median':>8}{'processor':>11}")
    for name, times in (("asked and stored", asked), ("all remembered", remembered)):
        wall, cpu = zip(*times, strict=True)
        print(f"{name:18}{min(wall):8.3f}{median(wall):8.3f}{min(cpu):11.3f}")
    return int(min(wall for wall, _ in asked) > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
