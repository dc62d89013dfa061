"""The training experiment of docs/train.md as one command: lessons, adapters, a ladder, three seeds and ablations.

    python benchmarks/training.py --out results [--data lessons] [--tomi FOLDER|ZIP] [--processes 14] [--jobs ladder,…]
    python benchmarks/training.py --tables results       # Markdown, from what is there
    python benchmarks/training.py --tiny --out small --model gguf:TINY    # every job in seconds, on the CPU

Lessons are made beside the training, by other processes of the same command. Jobs come in the order of JOBS and go by
steps, never by the clock; each writes its scores, its curve and its adapter as soon as it is over, and what is written
is not done again, so that the same command goes on after whatever ended it. The network is compiled once. Adapters are
examined as they were written, after rounding; only ToMi's files are not made here (`--tomi`; without it, no ToMi).
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import torch
from training_parts.data import QUICK, SEEDS, TINY, Sizes, make_data, sources
from training_parts.exams import Exams
from training_parts.tables import draw, print_tables

from otherminds.errors import MissingFile, OthermindsError
from otherminds.files import write_text
from otherminds.models import adapters
from otherminds.training import experiment
from otherminds.training.bases import base_file, encoder_of, network_of
from otherminds.training.loop import Machine, Settings, train
from otherminds.training.replay import Replay, replay
from otherminds.training.weights import low_rank

BEGAN = time.monotonic()
WAIT = 900.0
"""Seconds in which a shard has to appear."""


def say(*words: object) -> None:
    """A line with the seconds since the beginning."""
    print(f"[{time.monotonic() - BEGAN:7.1f}]", *words, flush=True)


# ---- the network, which learns again and again from where it began ---------------------------------------------------


class School:
    """One network for all jobs, so that it is compiled once."""

    def __init__(self, given: argparse.Namespace, sizes: Sizes) -> None:
        self.given, self.sizes, self.out = given, sizes, given.out
        self.machine = Machine("cuda" if torch.cuda.is_available() and not given.tiny else "cpu")
        self.base = base_file(given.model)
        self.encoder = encoder_of(self.base)
        self.network = network_of(self.base, attention="flex" if self.machine.half else "dense")
        self.network.to(self.machine.device).dtype = self.machine.dtype
        if self.machine.half:
            experiment._compile(self.network)
        for weight in self.network.parameters():
            weight.requires_grad_(False)
        self.before = {name: matrix.weight.detach().clone() for name, matrix in self.network.matrices()}
        say("the network is there")

    @cached_property
    def exams(self) -> Exams:
        """Once they are made."""
        folder = self.given.data / "exams"
        end = time.monotonic() + WAIT
        while not (folder / "done").exists():
            if time.monotonic() > end or (self.given.maker and self.given.maker.poll()):
                raise MissingFile(f"there are no exams in {folder}; see what became of the process that makes them")
            time.sleep(0.2)
        return Exams(folder, self.encoder, self.machine, self.sizes)

    @cached_property
    def replay(self) -> Replay:
        """Texts that the model writes before it is taught anything; the same for all jobs."""
        self.still({})
        sizes = self.sizes
        found = replay(
            self.network, self.encoder, self.machine, texts=sizes.texts, tokens=min(512, sizes.length),
            length=sizes.length, rows=sizes.rows, share=sizes.replayed, at_once=sizes.texts,
        )  # fmt: skip
        say(f"replay: {len(found.rows.tokens)} rows")
        return found

    def still(self, parts: experiment.Parts) -> None:
        """Nothing learns; the matrices are those of the model, with these additions merged into them."""
        with torch.no_grad():
            for name, matrix in self.network.matrices():
                del matrix.down, matrix.up  # not set to None: what is compiled tells the two apart
                matrix.down = matrix.up = None
                matrix.weight.requires_grad_(False).grad = None
                matrix.weight.copy_(self.before[name])
                if name in parts:
                    down, up = (part.to(self.machine.device) for part in parts[name])
                    matrix.weight += up @ down

    def open(self, how: str, *, rank: int = 0, seed: int = 0, parts: experiment.Parts | None = None) -> None:
        """From the model on: all matrices learn ("full"), or additions to them, from nothing or from these parts."""
        self.still(parts or {} if how == "full" else {})
        generator = torch.Generator().manual_seed(seed)
        for name, matrix in self.network.matrices():
            if how == "full":
                matrix.weight.requires_grad_(True)
            elif parts:
                matrix.add(*parts[name], 1.0)
            else:
                matrix.adapt(rank, 2.0, generator)

    def learn(self, name: str, data: str, settings: Settings, shards: int = 0, **more: Any) -> list[dict[str, float]]:
        """A curve, which is also written beside the scores as it grows."""
        there = sources(self.sizes, self.given.seed, self.given.without)[data][1]
        settings = replace(settings, length=self.sizes.length, rows=self.sizes.rows)
        say(f"{name}: {settings.steps} steps on {shards or there} shards of {data}, rate {settings.rate}")
        return train(
            self.network, self.given.data / data, shards or there, settings, self.machine,
            out=self.out / "curves" / name, every=self.sizes.every, wait=WAIT, say=lambda line: say(name, line), **more,
        )  # fmt: skip

    def keep(self, name: str) -> None:
        """The matrices as they are, for a mean of several."""
        torch.save({each: matrix.weight.detach() for each, matrix in self.network.matrices()}, self.out / f"{name}.pt")

    def mean(self, names: Sequence[str]) -> None:
        """The matrices become the mean of kept ones."""
        with torch.no_grad():
            for _, matrix in self.network.matrices():
                matrix.weight.zero_()
            for name in names:
                kept = torch.load(self.out / f"{name}.pt", weights_only=True, map_location=self.machine.device)
                for each, matrix in self.network.matrices():
                    matrix.weight += kept[each] / len(names)

    def learned(self, rank: int) -> experiment.Parts:
        """What was learned, as additions; of a network that learned as a whole the best ones of this rank."""
        if next(self.network.matrices())[1].up is None:
            return low_rank(self.before, {name: matrix().detach() for name, matrix in self.network.matrices()}, rank)
        return {name: (down.clone(), up) for name, (down, up) in experiment._parts(self.network, {}, rank).items()}

    def hand_in(self, name: str, parts: experiment.Parts, curve: Sequence[Any] = (), **about: Any) -> None:
        """Write an adapter, read it again, and examine that."""
        path = self.out / f"{name}{adapters.SUFFIX}"
        experiment._write(path, dict(parts), self.base)
        self.still(self.read(path))
        self.report(name, curve, **about)

    def read(self, path: Path) -> experiment.Parts:
        """The additions of an adapter."""
        found = adapters.read(path).parts
        pairs = {name: found[experiment._hf_name(name)] for name, _ in self.network.matrices()}
        return {name: (torch.from_numpy(down), torch.from_numpy(up)) for name, (down, up) in pairs.items()}

    def report(self, name: str, curve: Sequence[Any] = (), names: Sequence[str] = (), **about: Any) -> None:
        """Examine the network as it is."""
        for _, matrix in self.network.matrices():
            matrix.weight.requires_grad_(False)
        scores, answers = self.exams.scores(self.network, names)
        found = {**about, "scores": scores, "answers": answers, "curve": list(curve)}
        write_text(self.out / f"{name}.json", json.dumps(found) + "\n")
        means = {exam: round(next(iter(table.values()))[0], 4) for exam, table in scores.items() if table}
        say(f"{name}: {means}")


# ---- the jobs --------------------------------------------------------------------------------------------------------

FULL = Settings(rate=6e-4, warm_up=60, decay=0.05)
HEAL = Settings(rate=4e-4, warm_up=20, decay=0.0, seed=78)
LADDER = Settings(rate=2e-3, warm_up=40, decay=0.0, seed=11)


def base(school: School) -> None:
    """The model as it is."""
    school.still({})
    school.report("base")


def headline(seed: int, school: School) -> None:
    """All matrices on lessons of their own, the best additions of one rank, and from these on with replay."""
    full = replace(FULL, steps=school.sizes.full, seed=seed)
    school.open("full", parts=school.read(school.given.start) if school.given.start else None)
    curve = school.learn(f"full-{seed}", SEEDS[seed], full)
    school.report(f"full-{seed}", curve, settings=asdict(full))
    school.keep(f"full-{seed}")
    heal(school, f"beliefs-{seed}", SEEDS[seed], replace(HEAL, steps=school.sizes.healed, seed=HEAL.seed + seed))


def mean(school: School) -> None:
    """The mean of the headlines' matrices; from there on like each of them."""
    school.open("full")
    school.mean([f"full-{seed}" for seed in SEEDS])
    school.report("mean")
    heal(school, "beliefs", "last", replace(HEAL, steps=school.sizes.ended, seed=HEAL.seed + len(SEEDS)))


def heal(school: School, name: str, data: str, settings: Settings) -> None:
    """The best additions to what was learned, taught on with replay, and handed in."""
    parts, kept = school.learned(school.sizes.rank), school.replay
    school.open("low rank", parts=parts)
    curve = school.learn(name, data, settings, replay=kept)
    school.hand_in(name, school.learned(school.sizes.rank), curve, settings=asdict(settings))


def ladder(school: School) -> None:
    """Small additions, kept on the way."""
    marks, saved = school.sizes.ladder, {}
    settings = replace(LADDER, steps=marks[-1])
    kept = school.replay
    school.open("low rank", rank=school.sizes.small_rank, seed=settings.seed)
    curve = school.learn(
        "ladder", "main", settings, replay=kept, keep=lambda step, _: step in marks,
        on_keep=lambda step, _: saved.update({step: school.learned(school.sizes.small_rank)}),
    )  # fmt: skip
    for step, parts in saved.items():
        school.hand_in(f"ladder-{step}", parts, curve if step == marks[-1] else (), settings=asdict(settings))


def without(school: School) -> None:
    """All matrices, on lessons in which one grammar does not occur."""
    settings = replace(FULL, steps=school.sizes.without, seed=5)
    school.open("full")
    curve = school.learn("without", "without", settings)
    school.report("without", curve, settings=asdict(settings), left_out=school.given.without)


def ablation(name: str, data: str, shards: int, school: School) -> None:
    """All matrices for a short while, at as many tokens as its neighbours, on other data."""
    settings = replace(FULL, steps=school.sizes.ablation, warm_up=min(30, school.sizes.ablation), seed=7)
    school.open("full")
    curve = school.learn(name, data, settings, shards)
    school.report(name, curve, QUICK, settings=asdict(settings), data=data)


ABLATIONS = {
    "reference": ("main", 0),
    **{f"needing-{share}": (f"needing-{share}", 0) for share in (0, 25, 50, 100)},
    "terse-alone": ("terse-alone", 0),
    "own-alone": ("own-alone", 0),
    **{f"repeated-{shards}": ("few", shards) for shards in (1, 4, 16)},
}
Work = Callable[[School], None]
JOBS: dict[str, Work] = {
    "base": base,
    **{f"beliefs-{seed}": partial(headline, seed) for seed in SEEDS},
    "beliefs": mean,
    "ladder": ladder,
    "without": without,
    **{name: partial(ablation, name, *how) for name, how in ABLATIONS.items()},
}


def needed(jobs: Sequence[str]) -> set[str]:
    """The folders of lessons that these jobs learn from."""
    found = {"ladder": "main", "without": "without", "beliefs": "last"}
    found |= {f"beliefs-{seed}": data for seed, data in SEEDS.items()}
    found |= {name: data for name, (data, _) in ABLATIONS.items()}
    return {found[job] for job in jobs if job in found}


def results(job: str, sizes: Sizes) -> list[str]:
    """What a job writes last."""
    return [f"ladder-{step}" for step in sizes.ladder] if job == "ladder" else [job]


def run(given: argparse.Namespace, sizes: Sizes) -> None:
    """Every job that is not done yet."""
    given.out.mkdir(parents=True, exist_ok=True)
    done = {job: all((given.out / f"{name}.json").exists() for name in results(job, sizes)) for job in given.jobs}
    for job in (job for job in given.jobs if done[job]):
        say(f"{job}: was done before")
    wanted = [job for job in given.jobs if not done[job]]
    if wanted:
        school = School(given, sizes)
    for job in wanted:
        began = time.monotonic()
        JOBS[job](school)
        say(f"{job}: over in {time.monotonic() - began:.1f} s")


# ---- the command -----------------------------------------------------------------------------------------------------


def read_args() -> argparse.Namespace:
    """What is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("training"), help="Where results go.")
    parser.add_argument("--data", type=Path, help="Where lessons and exams go. [lessons, in the folder of results]")
    parser.add_argument("--model", default="smollm2", help="As of `otherminds train`.")
    parser.add_argument("--start", type=Path, metavar="ADAPTER", help="What headlines begin from. [nothing]")
    parser.add_argument(
        "--seed", type=int, default=0, help="Of the lessons; headlines and some jobs add a little to it."
    )
    parser.add_argument("--tomi", type=Path, help="ToMi's published files: a folder, or the zip.")
    parser.add_argument("--processes", type=int, default=14, help="That make lessons.")
    parser.add_argument("--jobs", default=",".join(JOBS), help="Which, in what order. [%(default)s]")
    parser.add_argument("--sizes", default="", help="Others than usual, such as full=600,ablation=80.")
    parser.add_argument("--without", default="terse", help="The grammar that the job of this name leaves out.")
    parser.add_argument("--tiny", action="store_true", help="Two steps of everything, on the CPU.")
    parser.add_argument("--only-data", action="store_true", help="Make lessons and exams, and train nothing.")
    parser.add_argument("--no-data", action="store_true", help="Another process makes them.")
    parser.add_argument("--tables", type=Path, metavar="FOLDER", help="Print the tables of these results.")
    parser.add_argument("--picture", type=Path, metavar="FILE.svg", help="With --tables: draw what is learned when.")
    given = parser.parse_args()
    given.data = given.data or given.out / "lessons"
    given.maker = None
    given.jobs = given.jobs.split(",")
    if odd := [job for job in given.jobs if job not in JOBS]:
        parser.error(f"there is no job {odd[0]!r}; there are {', '.join(JOBS)}")
    return given


def sizes_of(given: argparse.Namespace) -> Sizes:
    """The usual ones, with those that are given."""
    pairs = [pair.split("=") for pair in given.sizes.split(",") if pair]
    others: dict[str, Any] = {name: int(number) for name, number in pairs}
    return replace(TINY if given.tiny else Sizes(), **others)


def main() -> int:
    """Carry out the experiment, or tell what came of it."""
    given = read_args()
    if given.tables:
        print_tables(given.tables)
        if given.picture:
            draw(given.tables, given.picture)
        return 0
    sizes, maker = sizes_of(given), None
    try:
        if given.only_data:
            make_data(given, sizes, needed(given.jobs), say)
            return 0
        if not given.no_data:
            # In a session of its own, so that it can be ended with all its processes.
            command = [sys.executable, __file__, *sys.argv[1:], "--only-data"]
            maker = given.maker = subprocess.Popen(command, start_new_session=True)
        run(given, sizes)
        say("all jobs are done")
        return 0
    except OthermindsError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    finally:
        if maker:
            with suppress(ProcessLookupError):
                os.killpg(maker.pid, signal.SIGTERM)
            maker.wait()


if __name__ == "__main__":
    sys.exit(main())
