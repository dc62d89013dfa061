"""What a study offers to `otherminds build`: options as data, and what is made with them.

Build("gossip", "Make questions about gossip.", lambda output, days: suite(days), [Option("days", int, "How many.", 4)])
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from otherminds.items import Suite


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that can be chosen, on a command line or anywhere else."""

    name: str
    """As it is typed, with dashes; whoever makes the suite gets it with underscores."""
    kind: type | Sequence[str] = str
    """bool is a flag; int, float, str or Path is a value; several words are those to choose from."""
    help: str = ""
    default: Any = None
    least: int | None = None
    """The smallest number that makes sense."""
    shown_as: str | None = None
    """What stands for the value in the help, such as FILE.jsonl."""
    required: bool = False
    positional: bool = False
    """Given by its place, without a name."""


@dataclass(frozen=True, slots=True)
class Built:
    """What was made, and what there is to tell of it."""

    suite: Suite
    card: str = ""
    """The data card, in Markdown; empty for the usual one."""
    files: Sequence[Path] = ()
    """What was written besides the suite and its card."""
    numbers: Mapping[str, Any] = field(default_factory=dict)
    """For --json, beside what lint says."""
    tables: Sequence[tuple[Sequence[str], Sequence[Sequence[str]]]] = ()
    """For the screen: heads and rows."""


@dataclass(frozen=True, slots=True)
class Build:
    """One thing that a study can make: a suite, or a folder of files."""

    name: str
    help: str
    """One line; after an empty one, what else there is to know."""
    make: Callable[..., Built | Suite]
    """Called with the path that is to be written and, by name, every option."""
    options: Sequence[Option] = ()
    folder: bool = False
    """Whether it writes a folder by itself, and the suite is only told of."""
