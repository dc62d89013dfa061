"""Runs a small suite against every kind of fault, and tells where a score changed, was lost or ended the run.

    python -m tests.faults.matrix --rates 10,30,50 --kinds 429,twice --forms letters-raw --modes chance,sticky --jobs 2

Every item must be as in a calm run or an error with a reason; the store may keep nothing else; and when all is well
again, the same command must come to what the calm run came to. Exits with 1 where any of this fails.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from multiprocessing import get_context

from tests.faults.bench import Bench, Cell, Outcome, hastened
from tests.faults.command_line import COMMANDS, Ending, run_command
from tests.faults.kinds import FORMS, KINDS
from tests.faults.server import FaultServer

MODES = ("chance", "sticky", "start", "crowd", "latency")
ALWAYS = "always"
"""A server that never gets well is no part of the matrix: what it does may be how it is."""
STARTS = ("500", "404", "hang-forever")
COLUMNS = "{:<26} {:<22} {:<12} {:>6} {:>6} {:>6} {:>5} {:>8} {:>7} {:>9} {:>6}  {}"


def cells(kinds: Sequence[str], forms: Sequence[str], modes: Sequence[str], rates: Sequence[int]) -> Iterator[Cell]:
    """All cells of these kinds, forms, modes and rates; modes without a rate have cells of their own."""
    for form in forms:
        for kind in kinds:
            if not KINDS[kind].applies(FORMS[form]):
                continue
            for mode in modes:
                if mode in ("chance", "sticky"):
                    yield from (Cell(kind, form, mode, rate) for rate in rates)
                elif mode == ALWAYS:
                    yield Cell(kind, form, mode, 100)
                elif mode == "start" and kind in STARTS:
                    yield from (Cell(kind, form, mode, first) for first in (1, 2, 4))
                elif mode == "crowd" and kind == "429":
                    yield from (Cell(kind, form, mode, most) for most in (4, 16))
                elif mode == "latency" and kind == "429":
                    most = 1000 if form == "letters-raw" else 128
                    yield from (Cell(kind, form, mode, parallel) for parallel in (16, most))


_bench: Bench
_stack = ExitStack()


def _begin(items: int, limit: float) -> None:
    """A server for each process."""
    global _bench
    _stack.enter_context(hastened())
    _bench = Bench(_stack.enter_context(FaultServer().running()), items=items, limit=limit)


def _run(cell: Cell) -> Outcome:
    return _bench.run(cell)


def row(outcome: Outcome) -> str:
    """A line of the table."""
    cell = outcome.cell
    more = [
        f"stopped: {outcome.stopped}" if outcome.stopped else "",
        "another fingerprint" if outcome.renamed else "",
        *outcome.faults,
        outcome.example if outcome.bad else "",
    ]
    return COLUMNS.format(
        *(cell.kind, cell.form, f"{cell.mode} {cell.rate}", outcome.struck, outcome.equal, outcome.errors),
        *(outcome.said, outcome.changed, outcome.stored, outcome.unhealed, f"{outcome.seconds:.1f}"),
        "; ".join(filter(None, [f"ABORTED {outcome.aborted}" if outcome.aborted else "", *more]))[:230] or "ok",
    )


def summary(outcomes: Sequence[Outcome]) -> list[str]:
    """For every kind with a bad cell, how many and what is wrong with them; then all together."""
    by_kind: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        by_kind[outcome.cell.kind].append(outcome)
    lines = []
    for kind, some in by_kind.items():
        bad = [outcome for outcome in some if outcome.bad]
        if bad:
            wrong = Counter[str]()
            for outcome in bad:
                for name in ("changed", "stored", "unhealed", "aborted"):
                    wrong[name] += bool(getattr(outcome, name))
                wrong.update(outcome.faults)
            told = ", ".join(f"{count} {name}" for name, count in wrong.items() if count)
            lines.append(f"  {KINDS[kind].group:<18} {kind:<26} {len(bad):>4} of {len(some):>4} cells bad: {told}")
        # Struck by chance, a request would have been answered at the next try.
        chance = [outcome for outcome in some if outcome.cell.mode == "chance"]
        lost = sum(outcome.errors for outcome in chance)
        asked = lost + sum(outcome.equal for outcome in chance)
        if lost > asked / 50:
            lines.append(f"  {KINDS[kind].group:<18} {kind:<26} {lost / asked:>4.0%} of items lost to chance alone")
    items = {name: sum(getattr(outcome, name) for outcome in outcomes) for name in ("equal", "errors", "changed")}
    vacuous = sum(not outcome.struck and outcome.cell.mode != "latency" for outcome in outcomes)
    bad_cells = sum(outcome.bad for outcome in outcomes)
    lines.append(
        f"{len(outcomes)} cells, {bad_cells} bad; items: {items['equal']} equal, {items['errors']} errors,"
        f" {items['changed']} changed; {sum(bool(outcome.aborted) for outcome in outcomes)} runs aborted;"
        f" in {vacuous} cells nothing was struck"
    )
    return lines


def _names(text: str, known: Sequence[str]) -> list[str]:
    """Names between commas; those that begin so where a name ends in a star."""
    chosen: list[str] = []
    for name in text.split(","):
        found = [each for each in known if each == name or (name.endswith("*") and each.startswith(name[:-1]))]
        if not found:
            sys.exit(f"there is no {name!r}; there are {', '.join(known)}")
        chosen += found
    return chosen


def main() -> None:
    """Run the matrix."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--rates", default="10,30,50", help="shares of requests or prompts that are struck, in %%")
    words.add_argument("--kinds", default="*", help="kinds of faults, or the beginning of their names and a star")
    words.add_argument("--groups", default="*", help="groups of kinds")
    words.add_argument("--forms", default="*", help=f"some of {', '.join(FORMS)}")
    words.add_argument("--modes", default=",".join(MODES), help=f"some of {', '.join((*MODES, ALWAYS))}")
    words.add_argument("--seed", type=int, default=0, help="another seed strikes other requests")
    words.add_argument("--items", type=int, default=24)
    words.add_argument("--jobs", type=int, default=2)
    words.add_argument("--limit", type=float, default=30.0, help="seconds after which a run is said to hang")
    words.add_argument("--bad", action="store_true", help="print only cells in which something is wrong")
    words.add_argument("--no-commands", action="store_true", help="leave out the runs of the command line")
    given = words.parse_args()
    groups = _names(given.groups, list(dict.fromkeys(kind.group for kind in KINDS.values())))
    kinds = [name for name in _names(given.kinds, list(KINDS)) if KINDS[name].group in groups]
    rates = [int(rate) for rate in given.rates.split(",")]
    chosen = cells(kinds, _names(given.forms, list(FORMS)), _names(given.modes, (*MODES, ALWAYS)), rates)
    planned = [replace(cell, seed=given.seed) for cell in chosen]
    began, outcomes = time.monotonic(), []
    print(f"{len(planned)} cells of {given.items} items")
    heads = ("struck", "equal", "errors", "said", "changed", "stored", "unhealed", "s")
    print(COLUMNS.format("kind", "form", "mode, rate", *heads, "what went wrong"))
    with ProcessPoolExecutor(
        given.jobs, mp_context=get_context("spawn"), initializer=_begin, initargs=(given.items, given.limit)
    ) as pool:
        for outcome in pool.map(_run, planned):
            outcomes.append(outcome)
            if outcome.bad or not given.bad:
                print(row(outcome), flush=True)
    print("\n" + "\n".join(summary(outcomes)) + f"; {time.monotonic() - began:.0f} s")
    endings = [] if given.no_commands else list(_commands())
    sys.exit(1 if any(outcome.bad for outcome in outcomes) or any(ending.wrong for ending in endings) else 0)


def _commands() -> Iterator[Ending]:
    print("\nthe command line")
    with FaultServer().running() as server:
        for cell in COMMANDS:
            ending = run_command(server, cell)
            print(f"  {cell!s:<50} exit {ending.code}  {ending.wrong or 'ok'}  ({ending.last})", flush=True)
            yield ending


if __name__ == "__main__":
    main()
