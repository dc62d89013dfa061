"""What a study offers to `otherminds build`.

def _gossip(output: Path, *, days: Count = 4) -> Suite:
    '''Make questions about gossip.

    days: How many.
    '''
    return suite(days)


Build("gossip", _gossip)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from otherminds.items import Suite


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
    make: Callable[..., Built | Suite]
    """Called with the path that is to be written. Its other parameters become options, and its docstring their help."""
    folder: bool = False
    """Whether it writes a folder by itself, and the suite is only told of."""
