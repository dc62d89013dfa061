"""What `otherminds build` makes of the nine safety tasks."""

from __future__ import annotations

from pathlib import Path

from otherminds.studies.builds import Build, Built, Option
from otherminds.studies.safety.build import build
from otherminds.studies.safety.card import card


def _safety(output: Path, *, tasks: str | None, size: str, seed: int) -> Built:
    wanted = [name.strip() for name in tasks.split(",")] if tasks else None
    made = build(tasks=wanted, size=int(size) if size.isdecimal() else size, seed=seed)
    return Built(made, card(made))


BUILDS = (
    Build(
        "safety",
        "Make the safety suite: nine tasks from reading to deception, with twins.\n\nA data card is written beside it.",
        _safety,
        [
            Option("tasks", str, "Only these: TB, MA/IR, FB/SA, …  [default: all]", shown_as="TASK,…"),
            Option("size", str, "standard, small, or so many items a task.", "standard"),
            Option("seed", int, "For generated items, and for what is left out.", 0),
        ],
    ),
)
