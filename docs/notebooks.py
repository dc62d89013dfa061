"""Tutorials as pages: what a notebook says, asks for and shows, as Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ANSI = re.compile(r"\x1b\[[\d;]*m")
BLANK_LINES = re.compile(r"\n\s*\n")


def page(path: Path) -> str:
    """The whole notebook, with a link to it."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    title, *others = [part for cell in cells for part in parts(cell)]
    heading, _, rest = title.partition("\n")
    leads = f"[Take it as a notebook :material-download:]({path.name}){{ .notebook }}"
    return "---\nhide: [toc]\n---\n\n" + "\n\n".join([heading, leads, rest.strip(), *others]) + "\n"


def parts(cell: dict[str, Any]) -> Iterator[str]:
    """Words as they are; code, and below it what it showed."""
    source = joined(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
        return
    yield fenced(source, "python")
    yield from (shown(output) for output in cell["outputs"])


def shown(output: dict[str, Any]) -> str:
    """One output: a table or a picture if it has one, else text."""
    data = output.get("data", {})
    rich = data.get("text/html") or data.get("image/svg+xml")
    if rich is None:
        return fenced(ANSI.sub("", joined(output.get("text") or data["text/plain"])).strip("\n"), "text")
    # Markdown would take up again after an empty line.
    inner = BLANK_LINES.sub("\n", joined(rich)).strip()
    return f'<div class="shown">{inner[inner.find("<svg") :] if inner.startswith("<?xml") else inner}</div>'


def joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def fenced(text: str, language: str) -> str:
    return f"```{language}\n{text}\n```"
