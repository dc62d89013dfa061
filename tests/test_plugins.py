"""What a third party adds by entry points, in a package of its own, is there by name and goes all the way."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = '''
"""A study, a model, a score, a prompt and a suite of somebody else's."""

import otherminds as om
from otherminds.asking.prompts import direct
from otherminds.asking.scores import SCORES
from otherminds.results.summary import summarise
from otherminds.studies.study import Chapter, Finding, Study, ask_each
from otherminds.results.measures import mean_of


def suite():
    made = []
    for day in range(4):
        heard, missed = ("Ann", "Bo") if day % 2 else ("Bo", "Ann")
        told = f"Day {day}. {heard} heard it, {missed} missed it, {heard} left."
        made.append(om.Item(f"gossip-{day}", "Who heard it?", heard, told, ("Ann", "Bo"), tags={"story": f"s{day}"}))
    return om.Suite("gossip", tuple(made), prompt="loud", score="spoken")


def loud(item, choices):
    return direct(item, choices)


SPOKEN = SCORES["text"]


def parrot(name, *, says="Ann"):
    return om.Scripted(lambda prompt: f"Answer: {says}", name=f"parrot:{name} {says}")


def look(subjects, desk):
    asked = ask_each(subjects, lambda subject: [desk.put(suite(), subject, "gossip")])
    runs = [run for some in asked.done.values() for run in some]
    return Chapter(summarise(runs), [Finding("Gossip", run.model, mean_of(run), 0.5, first=True) for run in runs], runs)


STUDY = Study(
    name="gossip",
    asks="Who knows what is said?",
    example=suite,
    build=lambda suite: suite,
    measure=lambda _, runs: [mean_of(run) for run in runs],
    show=lambda _, runs: summarise(runs),
    look=look,
    suite=suite,
)
'''
ENTRIES = """
[otherminds.studies]
gossip = gossip_package:STUDY
[otherminds.models]
parrot = gossip_package:parrot
[otherminds.scores]
spoken = gossip_package:SPOKEN
[otherminds.prompts]
loud = gossip_package:loud
[otherminds.suites]
rumours = gossip_package:suite
broken = gossip_package:nothing
"""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A package as pip would leave it."""
    info = tmp_path / "site" / "gossip_package-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gossip-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    (tmp_path / "site" / "gossip_package.py").write_text(PACKAGE)
    return tmp_path


def otherminds(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    paths = os.pathsep.join([str(folder / "site"), str(Path(__file__).parents[1])])
    command = [sys.executable, "-m", "otherminds", *words]
    return subprocess.run(command, cwd=folder, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True)


def test_all_five_kinds_are_there_by_name(installed: Path) -> None:
    for name in ("gossip", "rumours"):
        done = otherminds(installed, "run", name, "-m", "parrot:grey", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["verdicts"]["correct"] == 2
    other = otherminds(installed, "run", "gossip", "-m", "parrot:grey", "-M", "says=Nobody", "--json")
    assert json.loads(other.stdout)["verdicts"]["correct"] == 0


def test_a_study_goes_all_the_way(installed: Path) -> None:
    assert otherminds(installed, "run", "gossip", "-m", "parrot:grey").returncode == 0
    assert "cues to look at" in otherminds(installed, "lint", "gossip").stderr
    for words in (("show", "last"), ("report", "last"), ("runs",)):
        done = otherminds(installed, *words)
        assert done.returncode == 0, (words, done.stderr)
    done = otherminds(installed, "profile", "-m", "baseline:oracle", "--json")
    assert done.returncode == 0, done.stderr
    assert "gossip" in {chapter["study"] for chapter in json.loads(done.stdout)["studies"]}


def test_what_cannot_be_loaded_is_a_sentence(installed: Path) -> None:
    done = otherminds(installed, "run", "broken", "-m", "parrot:grey")
    assert done.returncode == 2
    assert "'broken', one of the suites that gossip-package adds, cannot be loaded" in done.stderr
    assert "Traceback" not in done.stderr
