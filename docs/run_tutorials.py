"""Executes the tutorials, each in an empty folder: `python docs/run_tutorials.py [--write] [NAME …]`.

A cell that fails ends it. With --write, what the cells showed is kept in the notebooks, together with a digest of the
cells that showed it.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "tutorials"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LONGEST = 600
"""Seconds that a cell may take, on a machine that has much else to do."""


def execute(path: Path, folder: Path) -> NotebookNode:
    """The notebook with what its cells show when they are executed in this folder, from the first to the last."""
    notebook = nbformat.read(path, as_version=4)
    place = {"metadata": {"path": str(folder)}}
    client = NotebookClient(notebook, timeout=LONGEST, resources=place, extra_arguments=["--log-level=ERROR"])
    client.execute(env={**os.environ, **surroundings()})
    return notebook


def surroundings() -> dict[str, str]:
    """Whichever otherminds this belongs to is the one that notebooks import and that their shell finds; plain text."""
    paths = {
        "PYTHONPATH": ROOT,
        "PATH": Path(sys.executable).parent,
    }
    found = {name: os.pathsep.join([str(path), os.environ.get(name, "")]) for name, path in paths.items()}
    return {**found, "TERM": "dumb"}


def digest(notebook: NotebookNode) -> str:
    """Changes when code does; words may be mended without executing it again."""
    cells = "\0".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    return hashlib.sha256(cells.encode()).hexdigest()[:16]


def keep(notebook: NotebookNode, path: Path) -> None:
    """Write the notebook without what differs from one machine to the next."""
    for cell in notebook.cells:
        cell.metadata = {}
        for output in cell.get("outputs", []):
            output.get("metadata", {}).clear()
    spec = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook.metadata = {"kernelspec": spec, "executed": digest(notebook)}
    nbformat.write(notebook, path)


def main(words: list[str]) -> None:
    names = [word for word in words if word != "--write"]
    for path in (FOLDER / f"{name}.ipynb" for name in names) if names else NOTEBOOKS:
        began = time.monotonic()
        with TemporaryDirectory() as folder:
            notebook = execute(path, Path(folder))
        if "--write" in words:
            keep(notebook, path)
        print(f"{path.name}: {time.monotonic() - began:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
