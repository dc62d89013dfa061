"""The folders are the layers: imports point down, and never across from one column to another.

commands  cli       the verbs, as functions and as commands
web | python        pages that are served; how notebooks show what is public
profiles | bridges  all studies on some models; other people's benchmarks and tools
   | training       lessons and what learns from them; no study
studies             study.py, and a folder each; none imports another
terminal            options and printing, for commands
results | diagnosis what runs come to; which known readers they are like
talks | prose       instruments: conversations that models play, stories that they tell at length
runs                a suite put to a model, and what came back
calling             many calls at once, kept, counted and checked
heuristics          rules that answer without understanding, and models made of them
store | formats | stories   what is kept; how questions are put and answers read; random stories
minds | models | pages
items | stats       the waist; numbers from numbers
errors  files  showing
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import otherminds

PACKAGE = Path(otherminds.__file__).parent
FLOORS = [
    {"errors", "files", "plugins", "showing"},
    {"items", "stats"},
    {"minds", "models", "pages"},
    {"store", "formats", "stories"},
    {"heuristics"},
    {"calling"},
    {"runs"},
    {"results", "diagnosis"},
    {"terminal", "talks", "prose", "search"},
    {"studies"},
    {"profiles", "bridges", "training"},
    {"web", "python"},
    {"commands", "cli", "", "__main__"},  # `import otherminds` gathers everything, so only these may
]
"""Rooms from the ground up; those of one floor know nothing of each other."""
ENDS = (0, len(FLOORS) - 1)
BACKENDS, STUDIES = "models", "studies"
"""Where each folder inside is a room of its own, beside the files that all of them share."""


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def floor(module: str) -> int:
    """How high a module lies; a newcomer goes into a room, or is given a floor first."""
    room = module.partition(".")[0]
    for height, rooms in enumerate(FLOORS):
        if room in rooms:
            return height
    pytest.fail(f"otherminds/{room} has no floor yet: put its modules into a room, or add it in {Path(__file__).name}")


def inner(module: str) -> str:
    """The room inside a room: a study or a backend; empty for what these share."""
    room, _, rest = module.partition(".")
    folder = rest.partition(".")[0]
    return folder if room in (BACKENDS, STUDIES) and (PACKAGE / room / folder).is_dir() else ""


def may_import(module: str, target: str) -> bool:
    """Whether one module may know another."""
    one, other = module.partition(".")[0], target.partition(".")[0]
    if other == STUDIES and one not in (STUDIES, "") and inner(target):
        return False  # a study is known by its object alone
    if one != other:
        # At both ends of the house rooms are single files, which know each other.
        return floor(target) < floor(module) or (floor(target) == floor(module) and floor(module) in ENDS)
    # What hands rooms on by name may look into them; a room looks only into what all share.
    return not inner(module) or inner(target) in ("", inner(module))


def imported(tree: ast.AST) -> Iterator[str]:
    """Our own modules that a file imports, at the top or inside a function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written in full"
            targets = [node.module or ""]
            if node.module in ("otherminds", f"otherminds.{STUDIES}"):
                targets = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        else:
            continue
        for target in targets:
            if target == "otherminds" or target.startswith("otherminds."):
                yield target.removeprefix("otherminds").removeprefix(".")


MODULES = [
    path for path in sorted(PACKAGE.rglob("*.py")) if path != PACKAGE / "__init__.py" and "data" not in path.parts
]
ROOMS = [path.parent for path in MODULES if path.name == "__init__.py"]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_down(path: Path) -> None:
    for target in imported(ast.parse(path.read_text(encoding="utf-8"))):
        assert may_import(name_of(path), target), f"{name_of(path)} must not import {target}"


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(PACKAGE)))
def test_every_room_says_what_lives_there(room: Path) -> None:
    said = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8"))) or ""
    assert said.count(".") >= 1, f"otherminds/{room.name}/__init__.py should say what lives there"


def test_the_root_holds_six_files_at_most() -> None:
    assert len(list(PACKAGE.glob("*.py"))) <= 6


@pytest.mark.parametrize(
    ("module", "line", "allowed"),
    [
        ("stats.means", "from otherminds.items import Item", False),
        ("stats.means", "from otherminds.minds.story import Story", False),
        ("items.item", "from otherminds.models import Prompt", False),
        ("runs.runs", "from otherminds.models import Prompt", True),
        ("store.store", "from otherminds.profiles.page import pages", False),
        ("runs.runs", "from otherminds.cli import main", False),
        ("models.local.model", "from otherminds.models.api.endpoint import Endpoint", False),
        ("studies.explore.build", "from otherminds.studies.safety import build", False),
        ("studies.explore.build", "from otherminds.studies.study import Chapter", True),
        ("studies.explore.build", "from otherminds.runs.runs import run", True),
        ("studies.explore.commands", "from otherminds.terminal.options import common", True),
        ("studies.explore.commands", "from otherminds.commands.build import build", False),
        ("commands.build", "from otherminds.studies.builds import Build", True),
        ("commands.build", "from otherminds.studies.explore.build import suite", False),
        ("commands.build", "from otherminds.studies.explore import build", False),
        ("commands.build", "from otherminds.studies import explore", False),
        ("training.lessons", "from otherminds.stories.grow import Grower", True),
        ("training.lessons", "from otherminds.studies.safety import build", False),
        ("profiles.page", "from otherminds.training.lessons import Recipe", False),
        ("cli", "from otherminds.studies.explore.commands import explore", False),
    ],
)
def test_the_rule_itself(module: str, line: str, allowed: bool) -> None:
    (target,) = imported(ast.parse(line))
    assert may_import(module, target) is allowed


def test_a_newcomer_must_be_placed() -> None:
    with pytest.raises(pytest.fail.Exception, match="has no floor yet"):
        floor("newcomer.module")
