"""Diagnose: which known ways of reading a model's answers are like.

found = om.diagnose(run)
print(found.confusion.names)      # what can be told apart on these items
print(*found.sentences, sep="\\n")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from otherminds.diagnosis.cells import Cell, cells, happened
from otherminds.diagnosis.confusion import Confusion
from otherminds.diagnosis.evidence import Evidence, evidence
from otherminds.diagnosis.fitting import DRAWS, Fitted, fitted, refitted
from otherminds.diagnosis.predictions import GUESS, NONE, Answered, answers_of
from otherminds.diagnosis.words import Part, sentences
from otherminds.items.tags import ORDER
from otherminds.runs.runs import Run
from otherminds.showing.brief import cut, plain
from otherminds.showing.notebook import Shown
from otherminds.stats import Estimate

FEWEST = 20
"""Items that an order or a kind of event must have to be fitted by itself."""


@dataclass(frozen=True, repr=False)
class Diagnosis(Shown):
    """What a model does, as far as its answers tell."""

    model: str
    items: int
    """Those with an answer."""
    unread: int
    """Those without: tied, refused, cut off, unreadable, failed."""
    disagree: int
    """Items where readers disagree; all shares are of these."""
    confusion: Confusion
    shares: Mapping[str, Estimate]
    """By reader, or by set of readers that cannot be told apart, its share; guessing among them."""
    needed: tuple[str, ...]
    """Those without which the answers would be clearly less likely."""
    signal: float
    """How probable it would be that somebody who guesses answers as much like any reader."""
    misfit: float
    """How probable it would be that answers of these readers hang together as much."""
    by_order: Mapping[int, Part]
    by_event: Mapping[str, Part]
    map: tuple[Cell, ...]
    sentences: tuple[str, ...]
    """Up to five, each with its number; none where nothing can be said."""

    @property
    def dominant(self) -> str:
        """The largest share; empty where no reader says anything about these items."""
        return max(self.needed, key=lambda name: self.shares[name].value) if self.disagree else ""

    @property
    def slip(self) -> float | None:
        """How often whoever follows the dominant reader guesses instead, if all guesses are its slips."""
        if self.dominant in ("", GUESS, NONE):
            return None
        guess = self.shares[GUESS].value
        return guess / (guess + self.shares[self.dominant].value)

    @property
    def says(self) -> bool:
        """Whether there is anything to say."""
        return bool(self.sentences)

    def __repr__(self) -> str:
        said = self.sentences[0] if self.sentences else "nothing can be said"
        return plain(f"<Diagnosis of {cut(self.model, 100)}, {self.items} items: {cut(said, 400)}>")


def diagnose(runs: Run | Sequence[Run], *, draws: int = DRAWS, seed: int = 0) -> Diagnosis:
    """Fit known readers to what one model answered in one or more runs."""
    return diagnose_answers(answers_of([runs] if isinstance(runs, Run) else runs), draws=draws, seed=seed)


def diagnose_answers(answers: Answered, *, draws: int = DRAWS, seed: int = 0) -> Diagnosis:
    """The same from answers alone."""
    given = evidence(answers)
    whole = fitted(given, draws=draws, seed=seed) if given.items else Fitted({}, (), 1.0, 1.0)
    needed = tuple(name for name in whole.needed if name != NONE)
    # Who mostly follows no reader may follow one where a certain thing happens; orders have all of these in them.
    lost = NONE in whole.needed and whole.first == NONE
    events = _parts(given, [happened(item) for item in answers.items], None if lost else needed, draws, seed)
    orders = {} if lost else _parts(given, [item.tags.get(ORDER) for item in answers.items], needed, draws, seed)
    by_order = {order: part for order, part in orders.items() if isinstance(order, int)}
    by_event = {str(event): part for event, part in events.items()}
    return Diagnosis(
        model=answers.model,
        items=len(answers.items),
        unread=answers.unread,
        disagree=given.items,
        confusion=given.confusion,
        shares=whole.shares,
        needed=whole.needed,
        signal=whole.signal,
        misfit=whole.misfit,
        by_order=by_order,
        by_event=by_event,
        map=cells(given, whole.needed),
        sentences=tuple(sentences(whole, given.items, by_order, by_event)),
    )


def _parts(
    given: Evidence, labels: Sequence[object], needed: tuple[str, ...] | None, draws: int, seed: int
) -> dict[object, Part]:
    """A fit for every label that enough items have, of the readers that are needed, or of all."""
    found = {}
    for label in sorted({each for each in labels if each is not None}, key=lambda each: (str(type(each)), each)):
        mine = np.array([labels[number] == label for number in given.which], dtype=bool)
        part = given.where(mine)
        if part.items >= FEWEST:
            fit = partial(fitted, part) if needed is None else partial(refitted, part, needed)
            found[label] = Part(part.items, fit(draws=draws, seed=seed))
    return found
