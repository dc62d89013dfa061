"""The tutorials: each runs from an empty folder on the default model, and is kept with what its cells showed."""

import re
import runpy
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="the extra 'docs' reads and executes notebooks")

FOLDER = Path(__file__).parent.parent / "docs" / "tutorials"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
RELIED_ON = {
    "measure": ("realist or last mention", r"false belief</td><td[^>]*>0\.00 "),
    "blind_spot": ("wrong in 100 % .* where the answer is not what is so", "right in 100 % .* elsewhere"),
    "own_items": ("no faults", r"cannot tell apart: oracle, first order\s*\n"),
}
"""What the words of a tutorial say of what its cells show."""
MOST = 100_000
"""Bytes of a notebook with all that it shows."""


@pytest.fixture(scope="module")
def program() -> dict[str, object]:
    return runpy.run_path(str(FOLDER.parent / "run_tutorials.py"))


def test_there_are_five() -> None:
    assert {path.stem for path in NOTEBOOKS} == {"measure", "blind_spot", "own_items", "train", "compare"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_tutorial_was_executed_as_it_stands(path: Path, program: dict[str, object]) -> None:
    notebook = nbformat.read(path, as_version=4)
    again = f"run python docs/run_tutorials.py --write {path.stem}"
    assert notebook.metadata["executed"] == program["digest"](notebook), again  # type: ignore[operator]
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1)), again
    shown = [output for cell in cells for output in cell.outputs]
    assert not [output for output in shown if output.output_type == "error"]
    assert path.stat().st_size < MOST


@pytest.mark.parametrize("name", RELIED_ON)
def test_words_say_what_the_cells_show(name: str) -> None:
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    shown = "\n".join(str(part) for one in outputs for part in (one.get("text"), *one.get("data", {}).values()) if part)
    assert not [words for words in RELIED_ON[name] if not re.search(words, shown)]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_tutorial_runs_from_an_empty_folder(path: Path, tmp_path: Path, program: dict[str, object]) -> None:
    notebook = program["execute"](path, tmp_path)  # type: ignore[operator]
    assert any("text/html" in output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", []))


def test_the_first_shows_all_that_a_newcomer_needs() -> None:
    """A suite of one's own, a bar, a run as a table, a story as a timeline, a frame, a plot and a diagnosis."""
    notebook = nbformat.read(FOLDER / "measure.ipynb", as_version=4)
    shown = {
        str(output.get("data", {}).get("text/plain", "")).partition(" ")[0]
        + "".join(sorted(kind for kind in output.get("data", {}) if kind != "text/plain"))
        for cell in notebook.cells
        for output in cell.get("outputs", [])
    }
    wanted = {"<Story", "<Suite", "<Run", "<Comparison", "<Diagnosis"}
    assert {f"{name}text/html" for name in wanted} <= shown
    assert "<IPython.core.display.SVGimage/svg+xml" in shown
