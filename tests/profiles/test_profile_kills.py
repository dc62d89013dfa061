"""A profile that is killed five times and taken up again is the profile that was never disturbed."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.counting_server import CountingServer
from tests.profile_answers import answer

PROGRAM = Path(__file__).parents[1] / "profiling_program.py"
KILLS = 5
PARALLEL, CHOICES = 4, 4
UNDER_WAY = PARALLEL * CHOICES
"""The most requests that calls under way can have: so many calls at once, with a request for each choice."""
WHEN = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:\.\d+\+00:00)?)?")
HOW_LONG = re.compile(r"\"seconds\": [\d.e-]+|[\d.,]+ (?:s|min|seconds|minutes)\b")


def start(server: CountingServer, folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, str(PROGRAM), server.url, str(folder), str(PARALLEL)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def finish(server: CountingServer, folder: Path) -> None:
    program = start(server, folder)
    _, said = program.communicate(timeout=120)
    assert program.returncode == 0, said.decode()


def kill(server: CountingServer, folder: Path, *, after: int, later: float) -> None:
    """Start it, and end it some moments after the server has given so many answers."""
    program = start(server, folder)
    assert server.wait_for(after)
    time.sleep(later)
    os.kill(program.pid, signal.SIGKILL)
    program.communicate()
    assert program.returncode == -signal.SIGKILL


def read(folder: Path) -> dict[str, str]:
    """All that a profile wrote but its store, without any time of day or of work."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and "otherminds.db" not in path.name]
    texts = {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in files}
    return {name: HOW_LONG.sub("so long", WHEN.sub("then", text)) for name, text in texts.items()}


def test_killed_five_times_it_is_the_same_profile(tmp_path: Path) -> None:
    dice = random.Random("kills")
    server = CountingServer(answer)
    with server.running():
        finish(server, tmp_path / "calm")
        calm, server.answered = server.answered, []
        assert len(set(calm)) == len(calm)
        marks = []
        for after in sorted(dice.sample(range(1, len(calm) - UNDER_WAY), KILLS)):
            # At least one more answer than last time, so that none is killed before it has begun.
            after = max(after, len(server.answered) + 1)
            kill(server, tmp_path / "killed", after=after, later=dice.uniform(0, 0.1))
            marks.append(len(server.answered))
        finish(server, tmp_path / "killed")

    assert set(server.answered) == set(calm)
    last = {body: place for place, body in enumerate(server.answered)}
    for place, body in enumerate(server.answered):
        if place != last[body]:
            assert any(mark - UNDER_WAY <= place < mark for mark in marks), "a call was made again without need"

    undisturbed, killed = read(tmp_path / "calm"), read(tmp_path / "killed")
    assert {"profile.html", "profile.json"} < set(undisturbed)
    assert set(killed) == set(undisturbed)
    assert [name for name in undisturbed if killed[name] != undisturbed[name]] == []
