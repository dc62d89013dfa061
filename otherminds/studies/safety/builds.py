"""What `otherminds build` makes of the nine safety tasks."""

from __future__ import annotations

from pathlib import Path

from otherminds.studies.builds import Build, Built
from otherminds.studies.safety.build import build
from otherminds.studies.safety.card import card


def _safety(output: Path, *, tasks: str | None = None, size: str = "standard", seed: int = 0) -> Built:
    """Make the safety suite: nine tasks from reading to deception, with twins.

    A data card is written beside it.

    tasks (TASK,…): Only these: TB, MA/IR, FB/SA, …  [default: all]
    size: standard, small, or so many items a task.
    seed: For generated items, and for what is left out.
    """
    wanted = [name.strip() for name in tasks.split(",")] if tasks else None
    made = build(tasks=wanted, size=int(size) if size.isdecimal() else size, seed=seed)
    return Built(made, card(made))


BUILDS = (Build("safety", _safety),)
