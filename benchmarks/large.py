"""What a large run costs: asking, asking again, and every way of looking at it.

    python benchmarks/large.py                   # 20,000 items
    python benchmarks/large.py --items 100000

Every line is a command in a process of its own, so that its memory is its own; the page is asked of a site that has
answered nothing before, and then once more. Processor time leaves out waiting, for the disk or for others.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

from otherminds.items import Item, Suite

ITEMS = 20_000
PAGE = """
import sys
from time import process_time
from otherminds.store.store import Store
from otherminds.web.serving import PageRequest
from otherminds.web.site import Site

site, path = Site(sys.argv[1]), sys.argv[2]
with Store(sys.argv[1], read_only=True) as store:
    newest, older = [row.id for row in store.runs()]
request = PageRequest("GET", path.format(newest), {"a": newest, "b": older}, {}, "")
began = process_time()
reply = site.respond(request)
again = process_time()
site.respond(request)
assert reply.status == 200, reply.text[-500:]
print(f"the page {again - began:.1f}, again {process_time() - again:.1f}; {len(reply.text) / 1e6:.1f} MB of HTML")
"""


class Cost(NamedTuple):
    """What a command took: by the clock, of the processor, and the most memory it held."""

    seconds: float
    processor: float
    megabytes: float
    said: str


def suite(items: int) -> Suite:
    """Twins of two items a story, as long as those of the starter suite, with tags to tell them apart by."""
    story = "Nora puts the letter into the drawer and leaves the room. Paul moves it to the box. " * 4
    return Suite("large", tuple(_item(number, f"{story}This is story {number}.") for number in range(items)))


def _item(number: int, context: str) -> Item:
    return Item(
        id=f"item-{number}",
        context=context,
        question="Where will Nora look for the letter first?",
        answer="box" if number % 2 else "drawer",
        choices=("drawer", "box"),
        cloze="Nora will look for the letter in the",
        tags={
            "story": f"story-{number // 2}",
            "twin": f"story-{number // 2}",
            "false_belief": number % 2 == 0,
            "order": 1 + number // 2 % 3,
        },
        meta={"reality": "box"},
    )


def cost(*command: str) -> Cost:
    """A command of Python's, run to its end."""
    began = perf_counter()
    process = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, error = process.stdout, process.stderr
    assert out
    assert error
    said = out.read()
    complaint = error.read()
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command[:4])} failed: {complaint[-500:]}")
    return Cost(perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, said)


def main() -> int:
    """Print what each command takes."""
    options = argparse.ArgumentParser(description="What a large run costs.")
    options.add_argument("--items", type=int, default=ITEMS)
    options.add_argument("--write", help=argparse.SUPPRESS)
    given = options.parse_args()
    items = given.items
    if given.write:
        suite(items).save(given.write)
        return 0
    with TemporaryDirectory() as folder:
        file, store, page = (str(Path(folder, name)) for name in ("large.jsonl", "store.db", "page.html"))
        # In a process of its own, too: what this one held would be counted for all that it starts.
        cost(__file__, "--items", str(items), "--write", file)
        ask = ["-m", "otherminds", "run", file, "--store", store, "-m"]
        first = [*ask, "baseline:realist"]
        steps = {
            "run": first,
            "the same again": first,
            "another reader": [*ask, "baseline:longest_option"],
            "show last": ["-m", "otherminds", "show", "last", "--store", store],
            "runs": ["-m", "otherminds", "runs", "--store", store],
            "report": ["-m", "otherminds", "report", "last", "--store", store, "-o", page],
            "page of the run": ["-c", PAGE, store, "/runs/{}"],
            "page of two runs": ["-c", PAGE, store, "/compare"],
            "list of runs": ["-c", PAGE, store, "/"],
        }
        print(f"{items:,} items, 2 calls each\n{'':18}{'seconds':>9}{'processor':>11}{'MB':>8}")
        for name, command in steps.items():
            found = cost(*command)
            also = f"   {found.said.strip()}" if command[0] == "-c" else ""
            print(f"{name:18}{found.seconds:9.1f}{found.processor:11.1f}{found.megabytes:8.0f}{also}", flush=True)
        ids = _ids(store)
        found = cost("-m", "otherminds", "compare", *ids, "--store", store)
        print(f"{'compare':18}{found.seconds:9.1f}{found.processor:11.1f}{found.megabytes:8.0f}")
    return 0


def _ids(path: str) -> list[str]:
    from otherminds.store.store import Store

    with Store(path, read_only=True) as store:
        return [row.id for row in store.runs()]


if __name__ == "__main__":
    sys.exit(main())
