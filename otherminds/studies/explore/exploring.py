"""`om.explore`: stories that a model gets wrong, beside those that drawing at random finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from otherminds.calling.recorded import Recorded
from otherminds.heuristics.readers import Baseline
from otherminds.items import Suite
from otherminds.models import Model
from otherminds.pages.report import Report, Section, Table
from otherminds.showing.brief import plain
from otherminds.store.store import MEMORY, Store
from otherminds.stories.contexts import bank
from otherminds.stories.sets import choose_for, grid
from otherminds.studies.explore.material import build, folders
from otherminds.studies.explore.search.examine import Examiner
from otherminds.studies.explore.search.hunt import Found
from otherminds.studies.explore.search.search import Ways
from otherminds.studies.explore.search.versus import Outcome, versus
from otherminds.terminal.names import bars, model_of, store_of

TITLES = {"learn": "search that learns", "search": "A* search", "random": "random stories"}


@dataclass(frozen=True, repr=False)
class Exploration:
    """The stories that a search found against one model, and those of the baseline beside it."""

    model: str
    outcomes: tuple[Outcome, ...]
    """What each method found, the search first."""

    @property
    def found(self) -> tuple[Found, ...]:
        """The stories of the search, hardest first as confirmed by telling them afresh."""
        return tuple(sorted(self.outcomes[0].found, key=lambda one: (one.confirmed is None, one.confirmed)))

    @property
    def suite(self) -> Suite:
        """All questions about the stories found, ready to run."""
        return build.suite([one for outcome in self.outcomes for one in outcome.found])

    @property
    def weakness(self) -> str:
        """What the model is weak at, in words, or that nothing can be distinguished from chance."""
        return self.outcomes[0].says_of(self.model)

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(one.found)} by {one.method}" for one in self.outcomes)
        return plain(f"<Exploration of {self.model}: {counts}>")

    def report(self) -> Report:
        """The hardest stories with the accuracy that fresh tellings confirm, and what the model is weak at."""
        rows = [[one.confirmed and round(one.confirmed, 2), one.goal, one.story.text] for one in self.found]
        table = Table(["confirmed accuracy", "holds", "story"], rows, "Stories found, hardest first")
        return Report(f"Stories against {self.model}", self.weakness, [Section("", [table])])

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()

    def save(self, folder: str | Path) -> None:
        """Write the stories with events, beliefs and twins, their questions as a suite, and a data card."""
        searched = {"against": self.model, "methods": [one.to_dict() for one in self.outcomes]}
        folders.save(folder, [one for outcome in self.outcomes for one in outcome.found], searched=searched)


def explore(
    model: Model | str = "smollm2",
    *,
    stories: int = 8,
    budget: int = 50,
    sets: str = "tomi,all+asymmetric",
    goal: str = "",
    method: str = "learn",
    baseline: bool = True,
    score: str = "",
    seed: int = 0,
    store: Store | str | Path | None = None,
    quiet: bool = False,
) -> Exploration:
    """Search for stories that a model gets wrong, with `budget` stories to ask about for each that is to be found.

    `goal` says what a story must hold, such as "false-belief:2,pair"; an order that it names is that of the questions.
    `method` is learn, search (as published) or random. Unless `baseline` is off, as many random stories are asked about
    beside. Models in process are asked by cloze, servers and baselines in words, unless `score` says otherwise.
    """
    who = model_of(model, quiet=quiet)
    with store_of(MEMORY if store is None else store) as kept:
        by = score or ("cloze" if _weighs(who) else "text")
        asked = who.made_for if isinstance(who, Baseline) else Recorded(who, kept)
        examiner = Examiner(asked, prompt="direct" if by == "text" else "raw", score=by, seed=seed)
        with _one_a_method(quiet) as show:
            outcomes = versus(
                grid(choose_for(goal, sets)),
                bank(),
                examiner,
                stories=stories,
                ways=Ways(budget=budget),
                method=method,
                goal=goal,
                baseline=baseline,
                seed=seed,
                progress=show,
            )
    return Exploration(who.name, tuple(outcomes))


def _weighs(model: Model) -> bool:
    """Whether it is asked by log-probabilities: models in process are, which need not follow instructions for that."""
    served = isinstance(model, Baseline) or hasattr(model, "found_lacking")
    return not served and not {"weigh", "raw", "continuations"} & set(model.cannot)


@contextmanager
def _one_a_method(quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """One bar after another."""
    shown: dict[str, Callable[[int, int], None]] = {}
    with ExitStack() as under_way:

        def show(method: str, asked: int, most: int) -> None:
            if method not in shown:
                under_way.close()
                title = f"{TITLES.get(method, method)}: stories asked about, at most"
                shown[method] = under_way.enter_context(bars(quiet)(title))
            shown[method](asked, most)

        yield show
