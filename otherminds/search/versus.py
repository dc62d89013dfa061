"""Versus: a search, and beside it what is found by drawing stories at random and keeping the worst."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import ceil
from typing import Any

from otherminds import stats
from otherminds.errors import UsageError
from otherminds.search.examine import Examiner
from otherminds.search.hunt import Found, GoalOf, hunt
from otherminds.search.search import PUBLISHED, Ways
from otherminds.search.weakness import NO_WEAKNESS, Heard, Weakness, find_weakness
from otherminds.stats import Estimate
from otherminds.stories.contexts import Context
from otherminds.stories.sets import Cell

BESIDE = {"learn": "random", "search": "overgenerate", "random": ""}
"""What stands beside each method: as many random stories asked about; for the published search, its own baseline."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one method found, and what it took."""

    method: str
    found: tuple[Found, ...]
    asked: int
    """Stories put to the model on the way, those told again to confirm what was found not among them."""
    verdicts: dict[str, int]
    stopped: str = ""
    """Why it did not go on to the end."""
    confirming: int = 0
    """Tellings by which the stories found were confirmed."""
    weakness: Weakness | None = None
    heard: tuple[Heard, ...] = field(default=(), repr=False, compare=False)

    def says_of(self, model: str) -> str:
        """What the model is weak at, as a sentence."""
        weak = self.weakness
        if weak is None:
            return NO_WEAKNESS.format(model)
        return f"{model} is {weak}. These are {weak.stories} stories that this was not learned from."

    def to_dict(self) -> dict[str, Any]:
        """As JSON, without the stories."""
        chosen, confirmed = accuracies(self.found)
        return {
            "method": self.method,
            "stories": len(self.found),
            "asked": self.asked,
            "confirming": self.confirming,
            "accuracy": asdict(chosen) if chosen else None,
            "confirmed": asdict(confirmed) if confirmed else None,
            "weakness": self.weakness.to_dict() if self.weakness else None,
            "verdicts": self.verdicts,
            "stopped": self.stopped,
        }


def accuracies(found: Sequence[Found]) -> list[Estimate | None]:
    """The mean accuracy by which stories were chosen, and that of telling them afresh."""
    both = [each.accuracy for each in found], [each.confirmed for each in found if each.confirmed is not None]
    return [stats.mean(some) if some else None for some in both]


def stories_of(outcomes: Sequence[Outcome]) -> list[Found]:
    """The stories that were found, by whatever method."""
    return [each for outcome in outcomes for each in outcome.found]


def unanswered(outcomes: Sequence[Outcome]) -> str:
    """How many questions of a search got no answer; what was never asked is no failure."""
    verdicts = [outcome.verdicts for outcome in outcomes if not outcome.stopped]
    errors = sum(each.get("error", 0) for each in verdicts)
    return f"{errors} of {sum(sum(each.values()) for each in verdicts)} questions got no answer" if errors else ""


def versus(
    cells: Sequence[Cell],
    contexts: Sequence[Context],
    examiner: Examiner,
    *,
    stories: int,
    ways: Ways = PUBLISHED,
    method: str = "learn",
    goal: GoalOf | str = "",
    baseline: bool = True,
    seed: int = 0,
    width: int = 8,
    progress: Callable[[str, int, int], object] = lambda method, asked, most: None,
) -> list[Outcome]:
    """The search; then, unless it was stopped, the baseline.

    Beside the search that learns, as many random stories are asked about, spread over as many settings as the search
    had, and as many of the worst answered are kept; beside the published one, each story found has the budget of one
    more search, spent on random stories whether or not they come to an end. `progress` is called with the method, the
    stories put to the model so far and the most there can be.
    """
    if method not in BESIDE:
        raise UsageError(f"there is no way to search called {method!r}; there are {', '.join(BESIDE)}")

    def go(method: str, stories: int, ways: Ways, most: int) -> Outcome:
        own, heard = replace(examiner), list[Heard]()
        progress(method, 0, most)  # the first round may take long
        how: dict[str, Any] = {"ways": ways, "method": method, "goal": goal, "most": most, "seed": seed, "width": width}
        how |= {"progress": lambda _, __, asked: progress(method, asked, most), "listen": heard.append}
        found = tuple(hunt(cells, contexts, own, stories=stories, **how))
        verdicts = dict(own.verdicts)
        confirming = sum(each.tellings for each in found)
        return Outcome(method, found, own.asked - confirming, verdicts, own.stopped, confirming, heard=tuple(heard))

    searched = go(method, stories, ways, stories * ways.budget)
    if searched.stopped or not baseline or not BESIDE[method]:
        return [replace(searched, weakness=find_weakness(searched.heard))]
    wanted = len(searched.found) or stories
    if method == "learn":
        # Spread evenly over as many settings, in all exactly as many; then the choice is among as many again.
        settings = max(stories, len({each.search for each in searched.heard}))
        fair = replace(ways, budget=max(1, ceil(searched.asked / settings)))
        drawn = go(BESIDE[method], settings, fair, searched.asked)
        worst = sorted(drawn.found, key=lambda each: (-1 if ways.easiest else 1) * each.accuracy)[:wanted]
        drawn = replace(drawn, found=tuple(each for each in drawn.found if each in worst))
    else:
        drawn = go(BESIDE[method], wanted, ways, wanted * ways.budget)
    return [replace(searched, weakness=find_weakness(searched.heard, drawn.heard)), drawn]
