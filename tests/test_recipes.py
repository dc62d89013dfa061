"""What CONTRIBUTING says of adding a thing is done here, row by row, in a copy of the repository, and it works.

Each recipe is proved alone, and shown to need each of its steps; then all of them are done in one copy, and what they
added goes the whole way: told, asked, run, shown, reported, linted, profiled, served.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.recipes import RECIPES, Edit, Recipe

ROOT = Path(__file__).parent.parent
COPIED = ("otherminds", "tests", "docs", "README.md", "CONTRIBUTING.md", "mkdocs.yml", "pyproject.toml")


def rows() -> dict[str, str]:
    """By what somebody wants to add, where it goes and when it is done."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = page.partition("| you want to add |")[2].partition("\n\n")[0]
    cells = [line.strip("| ").partition(" | ") for line in table.splitlines()[2:]]
    return {what: rest for what, _, rest in cells}


def test_every_row_has_a_recipe() -> None:
    assert list(RECIPES) == list(rows())


@pytest.mark.parametrize("what", RECIPES)
def test_a_recipe_does_all_that_its_row_says(what: str) -> None:
    recipe = RECIPES[what]
    done = " ".join([*recipe.steps, *recipe.tests, recipe.proof])
    for name in re.findall(r"`([\w./-]+)`", rows()[what]):
        here = [path for path in (name, f"otherminds/{name}") if (ROOT / path).exists()]
        assert not here or any(path in done for path in here), f"nothing is done about {name}"


def copy(into: Path) -> Path:
    for name in COPIED:
        skip = shutil.ignore_patterns("__pycache__")
        if (ROOT / name).is_dir():
            # Links are quick; what a recipe changes is written anew, so that nothing here is touched.
            shutil.copytree(ROOT / name, into / name, copy_function=os.link, ignore=skip)
        else:
            os.link(ROOT / name, into / name)
    return into


def follow(recipe: Recipe, folder: Path, *, without: str = "") -> None:
    for name, edit in recipe.steps.items():
        if name != without:
            change(folder / name, edit)


def change(path: Path, edit: Edit) -> None:
    text = edit if isinstance(edit, str) else path.read_text(encoding="utf-8")
    for words, others in () if isinstance(edit, str) else edit:
        assert text.count(words) == 1, f"{path.name} has {words!r} {text.count(words)} times"
        text = text.replace(words, others)
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_text(text, encoding="utf-8")


def python(folder: Path, *words: str) -> tuple[int, str]:
    env = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, *words], cwd=folder, env=env, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def prove(recipe: Recipe, folder: Path, without: str = "") -> tuple[int, str]:
    """Whether the proof holds in a copy of its own, where all steps but one are done."""
    folder.mkdir()
    follow(recipe, copy(folder), without=without)
    code, said = python(folder, "-c", recipe.proof)
    if not code and recipe.tests:
        code, said = python(folder, "-m", "pytest", "-p", "no:cacheprovider", *recipe.tests)
    return code, said


@pytest.mark.parametrize("what", RECIPES)
def test_a_recipe_works_and_needs_each_step(what: str, tmp_path: Path) -> None:
    recipe = RECIPES[what]
    with ThreadPoolExecutor(2) as pool:
        whole = pool.submit(prove, recipe, tmp_path / "whole")
        less = {name: pool.submit(prove, recipe, tmp_path / str(n), name) for n, name in enumerate(recipe.steps)}
    assert whole.result()[0] == 0, whole.result()[1]
    for name, proof in less.items():
        assert proof.result()[0], f"it works without {name}, so the recipe says too much"


DRIVE = """
import json
from pathlib import Path
from threading import Thread
from urllib.request import urlopen

from click.testing import CliRunner

import otherminds as om
from otherminds.cli import cli
from otherminds.web.serving import PageServer
from otherminds.web.site import Site


def give(*words, code=0):
    done = CliRunner().invoke(cli, [str(word) for word in words])
    assert done.exit_code == code, (words, done.output)
    return done.stdout


# The event is told, and the question asked of it.
events = [
    {"do": "enter_room", "person": "Ann", "room": "den"},
    {"do": "enter_room", "person": "Bo", "room": "den"},
    {"do": "move_to_container", "person": "Ann", "object": "key", "container": "tin"},
    {"do": "hold_open", "person": "Bo", "container": "tin"},
    {"do": "enter_room", "person": "Bo", "room": "hall"},
]
Path("story.json").write_text(json.dumps({"title": "The tin", "events": events}))
told = give("tell", "story.json", "--questions", "--json")
assert "Bo held up the tin" in told and "In which room does Ann think Bo is?" in told, told
give("tell", "story.json", "--html", "story.html")
assert "Bo held up the tin" in Path("story.html").read_text()
om.quiz(om.load_story("story.json"), order=2, name="tin").save("tin.jsonl")

# Runs: of the story, by the new reader; of the new suite, by the new model in the new way.
assert json.loads(give("run", "tin.jsonl", "-m", "baseline:oracle", "--json"))["verdicts"]["incorrect"] == 0
give("run", "tin.jsonl", "-m", "baseline:first_choice")
way = ("--prompt", "loud", "--score", "spoken")
parroted = json.loads(give("run", "gossip", "-m", "parrot:grey", *way, "--json"))
assert parroted["verdicts"]["correct"] == 12, parroted
assert "psst: done" in give("whisper", "done")

# What becomes of them.
assert "WHO HEARD IT?" in give("show", "last", "gossip-0")
give("report", parroted["run"], "-o", "gossip.html")
page = Path("gossip.html").read_text()
assert "Who knows what is said" in page and "Right" in page and "<svg" in page
other = json.loads(give("run", "gossip", "-m", "baseline:first_choice", "--json"))
compared = json.loads(give("compare", other["run"], parroted["run"], "--json"))
assert "kind: gossip" in json.dumps(compared), compared
give("build", "gossip", "--days", 6, "-o", "six.jsonl")
loaded = om.Suite.load("six.jsonl")
assert (len(loaded), loaded.study) == (6, "gossip")
give("lint", "six.jsonl")
give("lint", "tin.jsonl")
give("lint", "gossip")
profiled = json.loads(give("profile", "-m", "baseline:oracle", "-m", "baseline:first_choice", "-o", "all", "--json"))
found = {each["study"]: each["findings"] for each in profiled["studies"]}["gossip"]
assert {"oracle", "first_choice"} <= {each["model"] for each in found}, found
assert {"Gossip right", "Heard less missed"} <= {each["what"] for each in found}, found
assert "Somebody who answers with who heard it" in Path("all/profile.html").read_text()
# A model, which is no baseline, answers comprehension checks first.
from otherminds.profiles.looking import look, steps_of
from otherminds.studies.study import Desk, Subject
from otherminds.terminal.bars import quietly

gossip = [step for step in steps_of(alone=False) if step.name == "gossip"]
with om.Store("checked.db") as store:
    subject = Subject.of(om.get_model("parrot:grey", says="Answer: Ann"))
    look(gossip, [subject], Desk(store, quietly), Path("checked"), tell=lambda said: None)
assert "Control questions" in Path("checked/profile.html").read_text()
with PageServer(Site("otherminds.db").respond, read_only=True) as server:
    Thread(target=server.serve, daemon=True).start()
    read = lambda path: urlopen(server.url + path).read().decode()
    assert "parrot:grey" in read("")
    assert "Who heard it?" in read(f"runs/{parroted['run']}/answer?item=gossip-0")
    server.stop()
"""


def test_what_was_added_goes_the_whole_way(tmp_path: Path) -> None:
    copy(tmp_path)
    for recipe in RECIPES.values():
        follow(recipe, tmp_path)
    code, said = python(tmp_path, "-c", DRIVE)
    assert code == 0, said
