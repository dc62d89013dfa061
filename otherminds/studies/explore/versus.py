"""Versus: the search, and beside it what the same budget finds by drawing stories at random and keeping the worst."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from otherminds.studies.explore.contexts import Context
from otherminds.studies.explore.examine import Examiner
from otherminds.studies.explore.hunt import Found, hunt
from otherminds.studies.explore.search import PUBLISHED, Ways
from otherminds.studies.explore.sets import Cell

Progress = Callable[[str, int, int], None]
"""Called with the method, the stories put to the model so far and the most there can be."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one method found, and what it took."""

    method: str
    found: tuple[Found, ...]
    asked: int
    """Stories put to the model."""
    verdicts: dict[str, int]
    stopped: str = ""
    """Why it did not go on to the end."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON, without the stories."""
        from otherminds import stats

        accuracies = [each.accuracy for each in self.found]
        return {
            "method": self.method,
            "stories": len(self.found),
            "asked": self.asked,
            "accuracy": asdict(stats.mean(accuracies)) if accuracies else None,
            "verdicts": self.verdicts,
            "stopped": self.stopped,
        }


def versus(
    cells: Sequence[Cell],
    contexts: Sequence[Context],
    examiner: Examiner,
    *,
    stories: int,
    ways: Ways = PUBLISHED,
    baseline: bool = True,
    seed: int = 0,
    width: int = 8,
    progress: Progress | None = None,
) -> list[Outcome]:
    """The search; then, unless it was stopped, the baseline: for each story that was found, the budget of one more."""

    def go(method: str, stories: int) -> Outcome:
        own, pool = replace(examiner), stories * ways.budget
        show = None if progress is None else lambda _, __, asked: progress(method, asked, pool)
        found = hunt(
            cells,
            contexts,
            own,
            stories=stories,
            ways=ways,
            method=method,
            seed=seed,
            width=width,
            progress=show,
        )
        return Outcome(method, tuple(found), own.asked, dict(own.verdicts), own.stopped)

    searched = go("search", stories)
    if not baseline or searched.stopped:
        return [searched]
    return [searched, go("overgenerate", len(searched.found) or stories)]
