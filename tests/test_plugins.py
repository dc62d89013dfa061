"""What a third party adds by entry points, in a package of its own, is there by name and goes all the way."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.recipes import BACKEND, COMMAND, GOSSIP, HEURISTIC, NAMES, PROMPT, SCORE

ROOT = Path(__file__).parents[1]
READER = """

def last_choice(suite, *, seed=0):
    return reader("last_choice", suite, lambda item: item.choices[-1:], seed)
"""
PACKAGE = {
    "__init__.py": "",
    "names.json": NAMES,
    "gossip.py": GOSSIP.format(package="gossip_package", data="names.json"),
    "parrot.py": BACKEND,
    "asking.py": "from dataclasses import replace\n\nfrom otherminds.formats.prompts import direct\n"
    f"from otherminds.heuristics.readers import reader\n{PROMPT}{HEURISTIC}{READER}",
    "spoken.py": f'{SCORE}\n\nSPOKEN = SCORES["spoken"]\n',
    "whisper.py": COMMAND,
}
ENTRIES = """
[otherminds.studies]
gossip = gossip_package.gossip:STUDY
[otherminds.models]
parrot = gossip_package.parrot:parrot
[otherminds.scores]
spoken = gossip_package.spoken:SPOKEN
[otherminds.prompts]
loud = gossip_package.asking:loud
[otherminds.suites]
rumours = gossip_package.gossip:suite
broken = gossip_package.gossip:nothing
[otherminds.heuristics]
first_choice = gossip_package.asking:first_choice
[otherminds.readers]
last_choice = gossip_package.asking:last_choice
[otherminds.commands]
whisper = gossip_package.whisper:whisper
mumble = gossip_package.whisper:nothing
"""
WAY = ("--prompt", "loud", "--score", "spoken")


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A package as pip would leave it."""
    info, package = tmp_path / "site" / "gossip_package-1.0.dist-info", tmp_path / "site" / "gossip_package"
    for folder in (info, package):
        folder.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gossip-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    for name, text in PACKAGE.items():
        (package / name).write_text(text)
    return tmp_path


def otherminds(folder: Path, *words: str, code: int = 0) -> "subprocess.CompletedProcess[str]":
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder / "site"), str(ROOT)])}
    command = [sys.executable, "-m", "otherminds", *words]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == code, (words, done.stderr)
    assert "Traceback" not in done.stderr
    return done


def test_every_kind_is_there_by_name(installed: Path) -> None:
    for name, right in {"gossip": 12, "rumours": 6}.items():
        done = otherminds(installed, "run", name, "-m", "parrot:grey", *WAY, "--json")
        assert json.loads(done.stdout)["verdicts"]["correct"] == right
    other = otherminds(installed, "run", "gossip", "-m", "parrot:grey", "-M", "says=Nobody", "--json")
    assert json.loads(other.stdout)["verdicts"]["correct"] == 0
    read = otherminds(installed, "run", "gossip", "-m", "baseline:first_choice", "--json")
    assert json.loads(read.stdout)["verdicts"]["correct"] == 12
    older = otherminds(installed, "run", "gossip", "-m", "baseline:last_choice", "--json")
    assert json.loads(older.stdout)["verdicts"]["correct"] == 12
    tried = otherminds(installed, "lint", "starter", "--heuristics").stdout
    assert "answers with whatever an item names first" in tried
    assert otherminds(installed, "whisper", "hello").stdout == "psst: hello\n"


def test_a_study_goes_all_the_way(installed: Path) -> None:
    otherminds(installed, "build", "gossip", "--days", "6", "-o", "six.jsonl")
    assert "Make gossip." in otherminds(installed, "build", "--help").stdout
    assert "--days" in otherminds(installed, "build", "gossip", "--days", "0", "-o", "none.jsonl", code=2).stderr
    otherminds(installed, "run", "six.jsonl", "-m", "parrot:grey")
    assert "cues to look at" in otherminds(installed, "lint", "six.jsonl").stderr
    for words in (("show", "last"), ("report", "last"), ("runs",)):
        otherminds(installed, *words)
    assert "Who knows what is said" in (installed / "report.html").read_text()
    done = otherminds(installed, "profile", "-m", "baseline:oracle", "--json")
    assert "gossip" in {chapter["study"] for chapter in json.loads(done.stdout)["studies"]}


def test_what_cannot_be_loaded_is_a_sentence(installed: Path) -> None:
    done = otherminds(installed, "run", "broken", "-m", "parrot:grey", code=2)
    assert "'broken', one of the suites that gossip-package adds, cannot be loaded" in done.stderr
    assert "whisper" in otherminds(installed, "--help").stdout, "one that is broken hides no other"
    done = otherminds(installed, "mumble", code=2)
    assert "'mumble', one of the commands that gossip-package adds, cannot be loaded" in done.stderr
