"""Does any change of who answers end as a clean run, and is any healthy server taken for another?

    python -m tests.integrity.switches            200 switches of 20 kinds, 200 runs on healthy servers
    python -m tests.integrity.switches --each 2   a sample

A switch that changes a field of the identity, or the answer to a canary, must end as an error, as a split that is
printed, or as a printed disagreement. Switches that change neither are counted. Healthy servers raise no alarm, though
half of them stray by 0.02 and break ties either way.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import otherminds as om
from otherminds.errors import OthermindsError
from otherminds.models.api.pool import serve
from otherminds.results.labels import versions
from otherminds.runs.runs import Run
from otherminds.store.store import Store
from tests.faults.bench import hastened, suite
from tests.faults.truth import fraction
from tests.integrity.switching_server import Plan, SwitchingServer, Version, always

ITEMS = 12
FORMS = (("letters", "raw"), ("letters", "direct"), ("cloze", "raw"), ("text", "direct"), ("text", "raw"))
CLEAN = "clean"
OLD = Version()


@dataclass(frozen=True)
class Case:
    """One run, and the prompt before which the server changes."""

    kind: str
    form: tuple[str, str]
    seed: int

    @property
    def prompts(self) -> int:
        """How many the suite has in this form."""
        return {"letters": 2 * ITEMS, "cloze": 2 * ITEMS, "text": ITEMS}[self.form[0]]

    @property
    def at(self) -> int:
        """Which of its prompts is the first that something else answers."""
        return 1 + int(fraction(self.kind, self.form, self.seed) * (self.prompts - 1))

    def from_here(self, new: Version, old: Version = OLD) -> Plan:
        return lambda asked: new if asked >= self.at else old


Way = Callable[["Bench", Case], str]
KINDS: dict[str, Way] = {}
NEITHER: dict[str, Way] = {}
"""Switches that change no field of the identity and no canary."""


class Bench:
    """A server, and a new store for every case."""

    def __init__(self, server: SwitchingServer, folder: Path) -> None:
        self.server, self._folder, self._number = server, folder, 0
        self.said = ""
        """What the last run printed, or its error."""

    def new_store(self) -> Path:
        self._number += 1
        return self._folder / f"{self._number}.db"

    def run(self, case: Case, path: Path | None = None, *, url: str = "", recheck: float = 0.0, **more: Any) -> str:
        """What comes of a run: clean, or what it is instead."""
        progress = more.pop("progress", None)
        score, prompt = case.form
        model = serve("m", base_url=url or self.server.url, api_key="", parallel=4, retries=3, patience=2000, **more)
        asked = suite(ITEMS).using(prompt=prompt, score=score)
        try:
            with Store(path or self.new_store()) as store:
                done = om.run(asked, model, store=store, recheck=recheck, progress=progress, quiet=True)
        except OthermindsError as error:
            self.said = str(error)
            return "error"
        return self._outcome(done)

    def _outcome(self, done: Run) -> str:
        self.said = "; ".join(done.doubts) or versions(done)
        if done.doubts:
            return "disagreement"
        if len(done.manifest["provenance"]["versions"]) > 1:
            return "split"
        return "item errors" if done.verdicts()["error"] else CLEAN


def kind(name: str, among: dict[str, Way] = KINDS) -> Callable[[Way], Way]:
    def add(way: Way) -> Way:
        among[name] = way
        return way

    return add


def _switch(name: str, *, outage: bool = False, **new: Any) -> None:
    """From some prompt on, another version answers."""

    @kind(name + (", with an outage" if outage else ""))
    def way(bench: Bench, case: Case) -> str:
        old = replace(OLD, fingerprint="fp_1") if "fingerprint" in new and new["fingerprint"] != "fp_new" else OLD
        bench.server.begin(case.from_here(replace(old, **new), old), outage=case.at if outage else -1)
        return bench.run(case)


_switch("another model name", model="another")
_switch("a fingerprint appears", fingerprint="fp_new")
_switch("another fingerprint", fingerprint="fp_2")
_switch("the fingerprint is gone", fingerprint="")
_switch("another name and other weights", model="another", weights=2)
_switch("another root", root="someone/else")
_switch("another version", version="1.0")
_switch("other weights alone", weights=2)
_switch("other weights alone", weights=2, outage=True)
_switch("another root and other weights", root="someone/else", weights=2, outage=True)
_switch("another version", version="1.0", outage=True)
_switch("another fingerprint", fingerprint="fp_2", outage=True)


@kind("back and forth")
def back_and_forth(bench: Bench, case: Case) -> str:
    """Other weights for the middle of the run, with another root; canaries at both ends see the first."""
    new, end = replace(OLD, fingerprint="fp_2", weights=2), case.at + case.prompts // 3 + 1
    bench.server.begin(lambda asked: new if case.at <= asked < end else OLD)
    return bench.run(case)


@kind("two sets of weights take turns")
def turns(bench: Bench, case: Case) -> str:
    server = bench.server
    server.begin(lambda asked: replace(OLD, weights=1 + (server.random.random() < 0.5)), seed=case.seed)
    return bench.run(case)


@kind("one reply of another model")
def one_reply(bench: Bench, case: Case) -> str:
    bench.server.begin(lambda asked: replace(OLD, model="another", weights=2) if asked == case.at else OLD)
    return bench.run(case)


@kind("killed, and taken up with other weights")
def taken_up(bench: Bench, case: Case) -> str:
    path = bench.new_store()

    def kill(done: int, _: int) -> None:
        if done >= min(max(case.at, 1), case.prompts - 2):
            raise KeyboardInterrupt

    bench.server.begin(always(OLD))
    try:
        bench.run(case, path, progress=kill)
    except KeyboardInterrupt:
        bench.server.begin(always(replace(OLD, weights=2)))
        return bench.run(case, path)
    return "was not killed"


@kind("another suite in the same store, with other weights")
def same_store(bench: Bench, case: Case) -> str:
    path = bench.new_store()
    bench.server.begin(always(OLD))
    first = bench.run(case, path)
    bench.server.begin(always(replace(OLD, weights=2)))
    # Some of the prompts are the same.
    score, prompt = case.form
    model = serve("m", base_url=bench.server.url, api_key="")
    with Store(path) as store:
        done = om.run(suite(ITEMS + 4).using(prompt=prompt, score=score), model, store=store, recheck=0, quiet=True)
    return bench._outcome(done) if first == CLEAN else f"first: {first}"


@kind("the temperature is ignored")
def drawing(bench: Bench, case: Case) -> str:
    case = replace(case, form=FORMS[3 + case.seed % 2])
    bench.server.begin(always(replace(OLD, drawing=True)))
    return bench.run(case)


@kind("the temperature is ignored from here on")
def drawing_later(bench: Bench, case: Case) -> str:
    case = replace(case, form=FORMS[3 + case.seed % 2])
    bench.server.begin(case.from_here(replace(OLD, drawing=True)))
    return bench.run(case)


@kind("two servers of one name with different weights")
def two_servers(bench: Bench, case: Case) -> str:
    bench.server.begin(always(OLD))
    with SwitchingServer(plan=always(replace(OLD, weights=2))).running() as other:
        return bench.run(case, url=f"{bench.server.url} {other.url}")


@kind("versions that may alternate")
def alternating(bench: Bench, case: Case) -> str:
    one, two = replace(OLD, fingerprint="fp_1"), replace(OLD, fingerprint="fp_2")
    bench.server.begin(lambda asked: two if asked % 2 else one)
    return bench.run(case, versions="any")


@kind("one reply of other weights", NEITHER)
def one_of_other_weights(bench: Bench, case: Case) -> str:
    bench.server.begin(lambda asked: replace(OLD, weights=2) if asked == case.at else OLD)
    return bench.run(case, recheck=0.5)


@kind("other weights for the middle alone", NEITHER)
def middle(bench: Bench, case: Case) -> str:
    end = case.at + case.prompts // 3 + 1
    bench.server.begin(lambda asked: replace(OLD, weights=2) if case.at <= asked < end else OLD)
    return bench.run(case, recheck=0.5)


def switches(bench: Bench, ways: dict[str, Way], each: int) -> tuple[dict[str, Counter[str]], list[str]]:
    """By kind, what came of it; and a line about every run that was clean."""
    found: dict[str, Counter[str]] = {}
    clean = []
    for name, way in ways.items():
        for seed in range(each):
            case = Case(name, FORMS[seed % len(FORMS)], seed)
            outcome = way(bench, case)
            found.setdefault(name, Counter())[outcome] += 1
            if outcome not in ("error", "split", "disagreement"):
                clean.append(f"{outcome}: {case}, from prompt {case.at} of {case.prompts}")
    return found, clean


def healthy(bench: Bench, runs: int) -> list[str]:
    """What was said of healthy servers that was not clean; every second one is noisy, and some have an outage."""
    alarms = []
    for seed in range(runs):
        case = Case("healthy", FORMS[seed // 2 % len(FORMS)], seed)
        noisy, outage = bool(seed % 2), case.at if seed % 20 in (4, 5) else -1
        version = replace(OLD, fingerprint="fp_1" if seed % 3 else "")
        bench.server.begin(always(version), noisy=noisy, outage=outage, seed=seed)
        path = bench.new_store()
        outcome = bench.run(case, path, recheck=0.3)
        if outcome == CLEAN and seed % 4 == 1:
            # Once more, in another program so to speak, with other questions: the store knows the canaries.
            case = replace(case, form=FORMS[(seed // 2 + 1) % len(FORMS)])
            outcome = bench.run(case, path, recheck=0.3)
        if outcome != CLEAN:
            alarms.append(f"{outcome}: {case}, {'noisy' if noisy else 'calm'}: {bench.said}")
    return alarms


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=10, help="switches of a kind")
    parser.add_argument("--healthy", type=int, default=200, help="runs on healthy servers")
    parser.add_argument("--kind", default="", help="only kinds with this in their name")
    given = parser.parse_args()
    logging.disable(logging.WARNING)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, hastened(), SwitchingServer().running() as server:
        bench = Bench(server, Path(folder))
        ways = {name: way for name, way in KINDS.items() if given.kind in name}
        found, clean = switches(bench, ways, given.each)
        others, _ = switches(bench, {} if given.kind else NEITHER, given.each)
        alarms = healthy(bench, given.healthy)
    for name, counts in (found | others).items():
        print(f"{name:55} {', '.join(f'{outcome} {often}' for outcome, often in counts.most_common())}")
    print(*clean, *alarms, sep="\n")
    unseen = sum(counts[CLEAN] for counts in others.values())
    total = sum(counts.total() for counts in others.values())
    print(f"switches that change the identity or a canary: {len(ways) * given.each}, ended clean: {len(clean)}")
    print(f"switches that change neither: {total}, not seen: {unseen}")
    print(f"runs on healthy servers: {given.healthy}, false alarms: {len(alarms)}")
    print(f"{time.monotonic() - began:.0f} s")
    return bool(clean or alarms)


if __name__ == "__main__":
    sys.exit(main())
