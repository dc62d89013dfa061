"""What other packages add, by entry points: `otherminds.studies`, `.models`, `.scores`, `.prompts`, `.suites`,
`.heuristics` and `.commands`; and `.readers`, baselines made from a suite, as earlier versions had them.

[project.entry-points."otherminds.studies"]
gossip = "my_package.gossip:STUDY"
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

from otherminds.errors import UsageError

Kind = Literal["studies", "models", "scores", "prompts", "suites", "heuristics", "readers", "commands"]


@cache
def added(kind: Kind) -> dict[str, EntryPoint]:
    """By name, what installed packages add of a kind; nothing of it is imported yet."""
    return {each.name: each for each in entry_points(group=f"otherminds.{kind}")}


def load(kind: Kind, name: str) -> Any:
    """The thing that another package added under this name."""
    entry = added(kind)[name]
    try:
        return entry.load()
    except Exception as error:  # whatever a stranger's module raises
        package = entry.dist.name if entry.dist else entry.value
        raise UsageError(
            f"{name!r}, one of the {kind} that {package} adds, cannot be loaded ({error}); mend it or take it out"
        ) from error
