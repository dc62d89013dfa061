"""Imports point down, and never across from one column to another.

surfaces            cli  commands/  web
studies             a registry that knows them all; none imports another
asking              items meet models, and findings
minds | models | findings
errors  files  sheets
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import otherminds

PACKAGE = Path(otherminds.__file__).parent

# Every module has a place: its height, then its group. A module imports what lies lower, or its own group.
LAYERS: list[tuple[int, str, str]] = [
    (0, "ground", "errors files sheets"),
    (1, "minds", "world sightings news events notation story stories setting telling questions beliefs"),
    (1, "minds", "items lint cards"),
    (1, "models", "models"),
    (
        1,
        "findings",
        "significance stats trends raters drawing plots violins scatter timeline report table_files",
    ),
    (2, "asking", "prompts answers scores plans tables store budgets recorded estimates runs baselines starter"),
    (2, "asking", "json_prompts json_answers locks packing soundness"),
    (2, "asking", "measures reading leads summary storybook"),  # these also write findings: about runs, about stories
    (2, "asking", "annotations annotation_files exports inspect_logs"),
    (2, "asking", "chapters ways_of_asking rehearsals meters itembrowser profiles profile_page"),
    (4, "registry", "suites"),
    (5, "surfaces", "__main__ cli commands serving annotate web"),
]
PLACES = {name: (height, group) for height, group, names in LAYERS for name in names.split()}
STUDIES = 3
REGISTRY = 4  # `studies` itself knows all studies, and none of them knows it
# `import otherminds` gathers everything, so only the surfaces may.
PUBLIC = (5, "surfaces")


def place(module: str) -> tuple[int, str]:
    """Where a module such as `models.api` belongs; a newcomer must be placed above first."""
    if not module:
        return PUBLIC
    head, _, rest = module.partition(".")
    if head == "studies":
        return (STUDIES, f"study {rest.partition('.')[0]}") if rest else (REGISTRY, "registry")
    if head not in PLACES:
        pytest.fail(f"otherminds/{head} has no place yet: add it to LAYERS in {Path(__file__).name}")
    return PLACES[head]


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(tree: ast.AST) -> Iterator[str]:
    """Our own modules that a file imports, at the top or inside a function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written in full"
            targets = [node.module or ""]
            if targets == ["otherminds"]:
                targets = [f"otherminds.{alias.name}" for alias in node.names]
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


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_down(path: Path) -> None:
    height, group = place(name_of(path))
    for target in imported(ast.parse(path.read_text(encoding="utf-8"))):
        below, other = place(target)
        assert below < height or other == group, f"{name_of(path)} ({group}) must not import {target} ({other})"


@pytest.mark.parametrize(
    ("module", "line", "allowed"),
    [
        ("stats", "from otherminds.items import Item", False),
        ("items", "from otherminds.models import Prompt", False),
        ("runs", "from otherminds.models import Prompt", True),
        ("runs", "from otherminds.cli import main", False),
        ("studies.explore.build", "from otherminds.studies.safety import build", False),
        ("studies.explore.build", "from otherminds.runs import run", True),
    ],
)
def test_the_rule_itself(module: str, line: str, allowed: bool) -> None:
    height, group = place(module)
    (target,) = imported(ast.parse(line))
    below, other = place(target)
    assert (below < height or other == group) is allowed


def test_a_newcomer_must_be_placed() -> None:
    with pytest.raises(pytest.fail.Exception, match="has no place yet"):
        place("newcomer")
