"""The public names are those we meant, and each is what it says."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import otherminds as om


@pytest.mark.parametrize("name", om.__all__)
def test_every_public_name_is_there(name: str) -> None:
    value = getattr(om, name)
    assert value.__name__ == name
    assert value.__doc__, f"{name} has no docstring"


def test_the_lazy_table_and_the_list_agree() -> None:
    assert sorted(om._HOMES) == om.__all__
    assert len(om.__all__) <= 45


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(om.__file__).read_text(encoding="utf-8"))
    (guarded,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.name: node.module.removeprefix("otherminds.")
        for node in guarded.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    assert seen == om._HOMES


def test_nothing_public_hides_behind_a_module_of_its_name() -> None:
    # Importing otherminds.x sets the attribute x of the package, which would then hide a function called x.
    modules = {path.stem for path in Path(om.__file__).parent.iterdir()}
    assert not modules & set(om.__all__)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="sally"):
        om.sally  # noqa: B018


def test_importing_the_package_imports_nothing_else_of_ours() -> None:
    code = "import sys, otherminds; print(sorted(name for name in sys.modules if name.startswith('otherminds')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['otherminds']"
