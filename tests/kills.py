"""Kills programs at random moments, takes them up again, and compares what they leave with what a calm one leaves.

    python -m tests.kills --times 20 --seed 0

`run`, `play`, `explore` and `profile` ask a loopback server that counts, and each is killed a quarter of those times.
Then their stores and their files must be those of a program that nobody disturbed, times of day and of work aside; no
call that was kept may have been made again. Exits with 1 if anything differs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from otherminds.store.soundness import examine
from otherminds.store.store import Store
from tests.counting_server import CountingServer
from tests.profile_answers import answer

HERE = Path(__file__).parent
PARALLEL, CHOICES = 4, 4
UNDER_WAY = PARALLEL * CHOICES
"""The most requests that calls under way can have: so many calls at once, with a request for each choice."""
STORE = "otherminds.db"
TIMES = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:\+00:00)?)?"
    r"|\"seconds\": [\d.e-]+|[\d.,]+ (?:s|min|seconds|minutes)\b"
)
COUNTS = re.compile(r"\"(?:calls|usage)\": \{[^{}]*(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}[^{}]*)*\}")
"""What a sitting spent: the last one of several spends less than the only one."""


def program(*args: str) -> Callable[[str, Path], list[str]]:
    """A command of otherminds; FOLDER and URL stand for what they say."""

    def command(url: str, folder: Path) -> list[str]:
        model = ("-m", "api:scripted", "--base-url", url, "-M", f"parallel={PARALLEL}")
        words = [word.replace("FOLDER", str(folder)) for word in (*args, *model)]
        return [sys.executable, "-c", "from otherminds.cli import main; main()", *words]

    return command


def profile(url: str, folder: Path) -> list[str]:
    """A whole profile, with every study as small as it can be."""
    return [sys.executable, str(HERE / "profiling_program.py"), url, str(folder), str(PARALLEL)]


SEARCH = ("--sets", "tomi", "--stories", "4", "--budget", "8", "--endings", "5", "--score", "text")
COMMANDS: dict[str, Callable[[str, Path], list[str]]] = {
    "run": program("run", "starter", "--store", f"FOLDER/{STORE}"),
    "play": program("play", "--states", "desire", "--limit", "4", "--turns", "7", "-o", "FOLDER"),
    "explore": program("explore", *SEARCH, "--store", f"FOLDER/{STORE}", "-o", "FOLDER/found"),
    "profile": profile,
}


def start(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finish(command: list[str]) -> None:
    running = start(command)
    _, said = running.communicate(timeout=600)
    if running.returncode:
        raise SystemExit(f"{' '.join(command[2:5])} ended with {running.returncode}: {said.decode()[-500:]}")


def kill(command: list[str], server: CountingServer, after: int, later: float) -> bool:
    """Start it, and end it some moments after the server has given so many answers; whether it was still there."""
    running = start(command)
    server.wait_for(after)
    time.sleep(later)
    os.kill(running.pid, signal.SIGKILL)
    running.communicate()
    return running.returncode == -signal.SIGKILL


# ---- what is left ---------------------------------------------------------------------------------------------------


def rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    if not (folder / STORE).exists():
        return []
    with closing(sqlite3.connect(folder / STORE)) as db:
        try:
            return db.execute(query).fetchall()
        except sqlite3.OperationalError:  # killed before it had made the tables
            return []


def kept(folder: Path) -> dict[str, str]:
    """When each call was written."""
    return dict(rows(folder, "SELECT key, created FROM calls"))


def content(folder: Path) -> dict[str, str]:
    """All that a command left, its store row by row, without any time and without what its last sitting spent."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and STORE not in path.name:
            found[str(path.relative_to(folder))] = path.read_text(encoding="utf-8")
    for row in rows(folder, "SELECT key, fingerprint, verb, prompt, rendered, result FROM calls"):
        found[f"call {row[0]}"] = repr(row)
    for row in rows(folder, "SELECT run, position, item, calls, score FROM records"):
        found[f"record {row[0]} {row[1]}"] = repr(row)
    for id, *row in rows(folder, "SELECT id, suite, digest, model, prompt, score, finished != '', manifest FROM runs"):
        found[f"run {id}"] = repr(row)
    return {name: COUNTS.sub("spent", TIMES.sub("then", text)) for name, text in found.items()}


def differences(name: str, calm: Path, killed: Path) -> Iterator[str]:
    one, other = content(calm), content(killed)
    for key in sorted({*one, *other}):
        if one.get(key) != other.get(key):
            yield f"{key} is another"
    with Store(killed / STORE, create=False, read_only=True) as store:
        yield from (f"{flaw.table} {flaw.id}: {flaw.why}" for flaw in examine(store).flaws)
    if name in ("run", "explore"):
        ((made,),) = rows(killed, "SELECT total(made) FROM sittings")
        if made != len(kept(killed)):
            yield f"{made:g} calls are counted, and {len(kept(killed))} are kept"


# ---- one command ----------------------------------------------------------------------------------------------------


def harass(name: str, times: int, dice: random.Random, folder: Path) -> list[str]:
    """What is wrong with a command that is killed so many times and taken up again."""
    server = CountingServer(answer)
    with server.running():
        calm, killed = folder / "calm", folder / "killed"
        finish(COMMANDS[name](server.url, calm))
        whole, server.answered = server.answered, []
        command = COMMANDS[name](server.url, killed)
        wrong, marks, deaths = [], [], 0
        for after in sorted(dice.sample(range(len(whole)), min(times, len(whole)))):
            before = kept(killed)
            # At least one more answer than last time, so that none is killed before it has begun.
            after = min(max(after, len(server.answered) + 1), len(whole))
            deaths += kill(command, server, after, dice.uniform(0, 0.2))
            marks.append(len(server.answered))
            wrong += [f"call {key} was made again" for key, then in before.items() if kept(killed).get(key) != then]
        before = kept(killed)
        finish(command)
        wrong += [f"call {key} was made again" for key, then in before.items() if kept(killed).get(key) != then]
    if set(server.answered) != set(whole):
        wrong.append("other requests were made")
    last = {body: place for place, body in enumerate(server.answered)}
    for place, body in enumerate(server.answered):
        if place != last[body] and not any(mark - UNDER_WAY <= place < mark for mark in marks):
            wrong.append(f"request {place} was made again, and was not under way at a kill")
    wrong += differences(name, calm, killed)
    repeated = len(server.answered) - len(whole)
    print(f"{name}: {len(whole)} requests, killed {deaths} times, {repeated} under way were repeated: {verdict(wrong)}")
    return wrong


def verdict(wrong: list[str]) -> str:
    return "; ".join(wrong[:5]) if wrong else "the same as undisturbed"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--times", type=int, default=20)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    wrong = []
    for number, name in enumerate(COMMANDS):
        times = given.times // len(COMMANDS) + (number < given.times % len(COMMANDS))
        with TemporaryDirectory() as folder:
            wrong += harass(name, times, random.Random(json.dumps([given.seed, name])), Path(folder))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
