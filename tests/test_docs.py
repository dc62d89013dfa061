"""README, docs and examples run as they stand: files are written, then Python is run and commands are given."""

import functools
import importlib
import inspect
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from statistics import fmean
from types import FrameType
from zlib import crc32

import click
import pytest
from click.testing import CliRunner

import otherminds
from otherminds import models
from otherminds.cli import cli
from otherminds.models import Model, Prompt
from otherminds.models.local import weights
from otherminds.models.scripted import Scripted
from otherminds.pages.report import Report, Section
from otherminds.results.lineups import Lineup
from otherminds.results.sections import Page
from otherminds.runs.runs import run
from otherminds.store.store import MEMORY, Store
from otherminds.studies.safety import lineups
from otherminds.studies.safety import page as safety_page
from otherminds.studies.safety.plots import build as safety_build
from tests.studies.test_study_contract import guess

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXTS = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("data/*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
# Whoever reads waits minutes for these; a test has them do less of the same.
SMALLER = {
    "profile": "--no-studies",
    "explore": "--stories 2 --budget 12 --endings 10 --people 2 --moves 2",
    "series": "--limit 4",
    "build training": "--number 200",
}
THOUGHTS = (
    "a quiet winter",
    "more money for the boat",
    "two tickets to the zoo",
    "an early lunch",
    "new shoes",
    "rain",
)
SERVING = ("annotate", "web")
"""What only Ctrl-C ends, unless it is asked for files."""
ON_A_GPU = ("train ", "build lessons -o")
"""Whose options are checked alone, unless it is lessons as text; `tests/training` gives such commands."""
FILES = {"--export", "--import", "--agreement"}


def blocks(page: Path) -> list[tuple[str, str, str]]:
    """Every block of a page as (language, name of the file it is, text), in the order in which they stand."""
    return re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


def commands(text: str) -> list[list[str]]:
    return [words for line in text.splitlines() if (words := shlex.split(line, comments=True))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that a reader would type, with a model that has no weights in place of every real one."""
    monkeypatch.chdir(tmp_path)
    without_weights(monkeypatch, tmp_path)
    names: dict[str, object] = {"__name__": page.stem}
    for _, file, text in blocks(page):
        if file:
            Path(file).write_text(text, encoding="utf-8")
    for number, (language, _, text) in enumerate(blocks(page), start=1):
        if language == "python":
            exec(compile(text, f"{page.name}, block {number}", "exec", dont_inherit=True), names)
        elif language == "console":
            for words in commands(text):
                give(words)
    for card in (ROOT / "docs" / "data").glob("*.md"):
        if (tmp_path / card.name).exists():
            made = (tmp_path / card.name).read_text(encoding="utf-8")
            assert made == card.read_text(encoding="utf-8"), f"keep the {card.name} of `otherminds build` in docs/data"


def give(words: list[str]) -> None:
    """One command, as it stands or smaller; it must do what it says."""
    program, *rest = words
    assert program == "otherminds", words
    check_options(words)
    if rest[0] in SERVING and not FILES & set(rest):
        return
    if " ".join(rest).startswith(ON_A_GPU) and "text" not in rest:
        return
    less = next((more for name, more in SMALLER.items() if " ".join(rest).startswith(name)), "")
    done = CliRunner().invoke(cli, [*rest, *shlex.split(less)])
    # A line-up may hold models that are too large for this machine; the others go on.
    fine = (0, 3) if rest[0] == "series" else (0,)
    assert done.exit_code in fine, f"{shlex.join(words)}\n{done.output}"


def check_options(words: list[str]) -> None:
    """The command exists, and has every option that is named."""
    command: click.Command = cli
    rest = words[1:]
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        found = command.get_command(click.Context(command), rest[0])
        assert found or command is not cli, f"{shlex.join(words)}: no {rest[0]}"
        if not found:
            break
        command, rest = found, rest[1:]
    options = {option for part in command.params for option in part.opts}
    assert {word for word in rest if word.startswith("-")} <= options, shlex.join(words)


def without_weights(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Every name and setting of a model stays what it is; behind it is a function."""
    for name, find in models.BACKENDS.items():
        monkeypatch.setitem(models.BACKENDS, name, lambda spec, find=find: stand_in(*find(spec)))
    monkeypatch.setattr(weights, "present", lambda name: True)
    monkeypatch.setattr(weights, "get", lambda name, **_: folder / f"{name}.gguf")


def stand_in(maker: Callable[..., Model], name: str | Path) -> tuple[Callable[..., Model], str | Path]:
    def make(name: str | Path, **settings: object) -> Model:
        return Scripted(speak, name=maker(name, **settings).name, weigh=guess)

    make.__signature__ = signature(maker)  # type: ignore[attr-defined]
    return make, name


def speak(prompt: Prompt) -> str:
    """A letter; in a conversation, another thought every time."""
    if not prompt.prefill.startswith("("):
        return "A"
    turn = sum(message.role == "assistant" for message in prompt.messages)
    return f' {THOUGHTS[turn % len(THOUGHTS)]}.) "That is message {turn}."'


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.name)
def test_commands_in_prose_are_real(page: Path) -> None:
    for text in re.findall(r"`(otherminds [^`]+)`", page.read_text(encoding="utf-8")):
        check_options(shlex.split(text))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_run(path: Path, tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, str(path)], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_no_page_leads_nowhere() -> None:
    for page in TEXTS:
        for target, part in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
            if "://" in target:
                continue
            other = page.parent / target if target else page
            assert other.exists(), f"{page.name} leads to {target}"
            if part:
                assert part in anchors(other), f"{page.name} leads to {target}#{part}"


def anchors(page: Path) -> set[str]:
    """The names that GitHub gives to headings."""
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_every_page_can_be_found() -> None:
    """In the menu of the site; the README leads to the pages to begin with."""
    menu = set(re.findall(r"[\w-]+\.md$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.M))
    assert {page.name for page in PAGES[1:]} <= menu
    begin = {"index.md", "gallery.md", "glossary.md", "profile.md", "diagnosis.md", "commands.md", "api.md", "cite.md"}
    assert begin <= set(re.findall(r"\]\(docs/([\w-]+\.md)", (ROOT / "README.md").read_text(encoding="utf-8")))


def test_api_reference_is_up_to_date() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "make_api.py"))
    assert set(" ".join(made["PUBLIC"].values()).split()) == set(otherminds.__all__)
    written = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert written == made["page"](), "run python docs/make_api.py"


def test_every_field_of_a_profile_is_told(tmp_path: Path) -> None:
    words = ["profile", "-m", "baseline:realist", "-m", "baseline:oracle", "--no-studies", "-o", str(tmp_path)]
    assert CliRunner().invoke(cli, words).exit_code == 0
    data = json.loads((tmp_path / "profile.json").read_text(encoding="utf-8"))
    study = data["studies"][0]
    parts = [data, study, *study["findings"], *study["runs"], study["runs"][0]["weighing"], *data["differences"]]
    told = set(re.findall(r"`(\w+)`", (ROOT / "docs" / "profile.md").read_text(encoding="utf-8")))
    assert {name for part in parts for name in part} <= told


def test_the_tree_is_the_real_one() -> None:
    told = re.findall(r"^[├└]── ([\w./]+)", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.M)
    package = Path(otherminds.__file__).parent
    real = {path.name + "/" * path.is_dir() for path in package.iterdir() if path.suffix in ("", ".py")}
    assert set(told) == real - {"__init__.py", "__pycache__/"}


BESIDE = {
    "draws names, scenes and the order of things": "studies/safety/plots/names_and_scenes.py",
    "one kind of event each, as handling.py is": "minds/events/going.py minds/events/looking.py",
    "refuses people that do not exist": "minds/cast.py",
    "events as JSON in an item, for whoever works out the views again": "minds/notation.py",
    "twins must not differ in their words": "items/lint.py",
    "parses one line of JSON": "files.py",
    "finds a score by its name": "formats/scores.py",
    "one part of several; this run has one": "runs/shards.py",
    "counts what calls cost": "calling/costs.py",
    "one model answers all": "calling/provenance.py models/api/provenance.py",
    "a lock that survives a fork": "models/forks.py",
    "keeps it and gives it back, unchanged": "store/store.py store/tables.py store/packing.py store/run_seals.py",
    "opens the file of the store": "store/opening.py",
    "names the way of asking of a run": "formats/question_formats.py",
    "orders and pairs models that a line-up names; there is none": "results/lineups.py results/pairs.py",
    "whether an item has a right answer": "items/tags.py",
    "series of versions; there is none": "results/trends.py",
    "distributions, and an estimate that is there already": "stats/significance.py stats/bounded.py",
    "marks what cannot be seen in a text": "pages/drawing.py",
}
"""Modules that run while the walk's number is made, and do not carry it: what they do instead."""


def test_the_walk_through_the_code_is_true() -> None:
    """A number of a study, made under a tracer: the stops run in their order, and no other module carries data."""
    walk = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## From an event")[2].partition("\n## ")[0]
    stops = re.findall(r"^\d+\. `([\w/]+\.py)` `([\w.]+)`", walk, re.MULTILINE)
    named = set(re.findall(r"`([\w/]+\.py)`", walk))
    beside = {path for paths in BESIDE.values() for path in paths.split()}
    assert 15 <= len(stops) <= 20
    calls = list(traced(one_number))
    first = [calls.index(called(path, name)) for path, name in stops]
    assert first == sorted(first), "the stops are not in the order of their first calls"
    ran = {path for path, _ in calls}
    assert not named & beside
    assert ran - beside == named - {"commands/run.py"}, "the walk names too few modules that data passes, or too many"
    assert beside <= ran, "a module that is beside the walk does not run at all"


def one_number() -> None:
    """The mean S of one task of safety, from events to a cell that stands on a page."""
    safety_build.written.cache_clear()
    suite = safety_build.build(tasks=["FB/SA"], size=4)
    with Store(MEMORY) as store:
        done = run(suite, Scripted(speak, name="walker", weigh=uneven), store=store)
        found = lineups.measure(Lineup(()), {"walker": [done]})
    page = Report("", "", Page(found.answers).sections([Section("Scores by task", safety_page.BY_TASK)])).html()
    scores = [record.score.detail["S"] for record in done.records]
    assert f"{fmean(scores):.3f}" in page


def uneven(prompt: Prompt) -> dict[str, float]:
    """Weights that no other test has, so that no number of them was worked out before."""
    return {choice: crc32(f"{prompt.text}{choice}walk".encode()) / 2**33 for choice in prompt.choices}


def called(path: str, name: str) -> tuple[str, str]:
    """The code behind a name in the walk: a function, or what makes a value of a class."""
    module = importlib.import_module("otherminds." + path.removesuffix(".py").replace("/", "."))
    found = functools.reduce(getattr, name.split("."), module)
    found = inspect.unwrap(found.__post_init__ if isinstance(found, type) else found)
    return path, found.__code__.co_qualname


def traced(do: Callable[[], None]) -> dict[tuple[str, str], None]:
    """Every function of the package that is called meanwhile, as (path, name), in the order of first calls."""
    package, found = f"{Path(otherminds.__file__).parent}{os.sep}", {}

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(package):
            found.setdefault((Path(code.co_filename.removeprefix(package)).as_posix(), code.co_qualname))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        do()
    finally:
        sys.setprofile(before)
    return found
