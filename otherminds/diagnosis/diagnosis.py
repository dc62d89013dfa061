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

from otherminds.diagnosis.cells import MapCell, cells, happened
from otherminds.diagnosis.confusion import GUESS, NONE, Confusion
from otherminds.diagnosis.evidence import Evidence, ModelAnswers, answers_of, evidence
from otherminds.diagnosis.fitting import DRAWS, Fitted, fitted, refitted
from otherminds.diagnosis.words import sentences
from otherminds.items.tags import ORDER
from otherminds.runs.runs import Run
from otherminds.showing.brief import cut, plain
from otherminds.showing.notebook import Shown

FEWEST = 20
"""Items that an order or a kind of event must have to be fitted by itself."""


@dataclass(frozen=True, repr=False)
class Diagnosis(Fitted, Shown):
    """What a model does, as far as its answers tell."""

    model: str
    items: int
    """Those with an answer."""
    unread: int
    """Those without: tied, refused, cut off, unreadable, failed."""
    confusion: Confusion
    by_order: Mapping[int, Fitted]
    by_event: Mapping[str, Fitted]
    map: tuple[MapCell, ...]
    sentences: tuple[str, ...]
    """Up to five, each with its number; none where nothing can be said."""

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


def diagnose_answers(answers: ModelAnswers, *, draws: int = DRAWS, seed: int = 0) -> Diagnosis:
    """The same from answers alone."""
    given = evidence(answers)
    whole = fitted(given, draws=draws, seed=seed) if given.items else Fitted(0, {}, (), 1.0, 1.0)
    needed = tuple(name for name in whole.needed if name != NONE)
    # Who mostly follows no reader may follow one where a certain thing happens; orders have all of these in them.
    lost = NONE in whole.needed and whole.dominant == NONE
    events = _parts(given, [happened(item) for item in answers.items], None if lost else needed, draws, seed)
    orders = {} if lost else _parts(given, [item.tags.get(ORDER) for item in answers.items], needed, draws, seed)
    by_order = {order: part for order, part in orders.items() if isinstance(order, int)}
    by_event = {str(event): part for event, part in events.items()}
    return Diagnosis(
        **vars(whole),
        model=answers.model,
        items=len(answers.items),
        unread=answers.unread,
        confusion=given.confusion,
        by_order=by_order,
        by_event=by_event,
        map=cells(given, whole.needed),
        sentences=tuple(sentences(whole, by_order, by_event)),
    )


def _parts(
    given: Evidence, labels: Sequence[object], needed: tuple[str, ...] | None, draws: int, seed: int
) -> dict[object, Fitted]:
    """A fit for every label that enough items have, of the readers that are needed, or of all."""
    found = {}
    for label in sorted({each for each in labels if each is not None}, key=lambda each: (str(type(each)), each)):
        mine = np.array([labels[number] == label for number in given.which], dtype=bool)
        part = given.where(mine)
        if part.items >= FEWEST:
            fit = partial(fitted, part) if needed is None else partial(refitted, part, needed)
            found[label] = fit(draws=draws, seed=seed)
    return found
