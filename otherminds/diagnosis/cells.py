"""The map: items by order, by what happened in the story and by whether the belief is false."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from otherminds import stats
from otherminds.diagnosis.confusion import GUESS
from otherminds.diagnosis.evidence import Evidence
from otherminds.files import read_words
from otherminds.formats.plans import groups
from otherminds.items import Item
from otherminds.items.tags import EVENTS, FALSE_BELIEF, KIND, ORDER
from otherminds.minds.events import EVENTS as IN_FILES
from otherminds.minds.events import KINDS

CLEARLY = 2.3
"""In log-likelihood: what is less likely by more than that, ten times, is left out."""
FEWEST = 5
MOST = 2
"""Readers named in one cell; where more are as likely, none is."""


Key = tuple[int | None, str, bool | None]
"""The order of a question, what happens in its story, and whether the belief is false."""


@dataclass(frozen=True, slots=True)
class MapCell:
    """Some items that are alike, how many are right, and which reader answers most like the model."""

    order: int | None
    happened: str
    false_belief: bool | None
    right: stats.Estimate
    chance: float
    """What guessing would get on them."""
    reader: str
    """Empty where nothing is clearly more likely."""
    ids: tuple[str, ...]
    """Exactly the items that are counted; one that was asked in two runs is there twice."""

    @property
    def key(self) -> Key:
        """Where it is on the map."""
        return self.order, self.happened, self.false_belief


_KEYS = read_words("keys")
STORY_TYPES: dict[str, dict[str, str]] = _KEYS["story_types"]
EVENT_TYPES: dict[str, str] = _KEYS["event_types"]


def happened(item: Item) -> str:
    """What sort of thing happens in the story, as far as the item tells."""
    for tag, types in STORY_TYPES.items():
        if tag in item.tags:
            value = str(item.tags[tag])
            return types.get(value) or types.get("*") or value.replace("_", " ")
    events = item.meta.get(EVENTS)
    if isinstance(events, list) and events and all(isinstance(event, dict) for event in events):
        return _of_events(events)
    return str(item.tags.get(KIND, "other"))


def _of_events(events: list[dict[str, object]]) -> str:
    if any(event.get("peekers") or event.get("distracted") for event in events):
        return "secret or missed"
    kinds = {_kind(str(event.get("do", ""))) for event in events}
    if strange := sorted(kinds - EVENT_TYPES.keys()):
        return f"events of the kind {strange[0]}"
    return next(words for kind, words in EVENT_TYPES.items() if kind in kinds)


def _kind(do: str) -> str:
    """The kind of an event, by its name in files or in settings; what we do not know keeps its name."""
    kind = IN_FILES[do][0] if do in IN_FILES else KINDS.get(do)
    return kind.__name__ if kind else do


def key_of(item: Item) -> Key:
    """Where an item is on the map."""
    order, belief = item.tags.get(ORDER), item.tags.get(FALSE_BELIEF)
    return order if isinstance(order, int) else None, happened(item), belief if isinstance(belief, bool) else None


def cells(given: Evidence, needed: Sequence[str]) -> tuple[MapCell, ...]:
    """The map of everything with a right answer; of readers as likely in a cell, those that are needed elsewhere."""
    answers = given.answers
    found: dict[Key, list[int]] = defaultdict(list)
    for number, item in enumerate(answers.items):
        if answers.right[number] is not None:
            found[key_of(item)].append(number)
    ordered = sorted(found.items(), key=lambda pair: (pair[0][0] is None, pair[0][0] or 0, pair[0][1], not pair[0][2]))
    return tuple(_cell(given, key, numbers, needed) for key, numbers in ordered)


def _cell(given: Evidence, key: Key, numbers: list[int], needed: Sequence[str]) -> MapCell:
    items = [given.answers.items[number] for number in numbers]
    right = [float(bool(given.answers.right[number])) for number in numbers]
    reader = likeliest(given, numbers, needed) if len(numbers) >= FEWEST else ""
    chance = fmean(1 / len(item.choices) for item in items)
    return MapCell(*key, stats.mean(right, groups=groups(items)), chance, reader, tuple(item.id for item in items))


def likeliest(given: Evidence, numbers: list[int], needed: Sequence[str]) -> str:
    """The reader that makes the answers to these items most likely, if it is allowed to slip; nothing where many do."""
    here = np.isin(given.which, numbers)
    if not here.any():
        return ""
    part, weights = given.likely[here], given.weights[here]
    # Each with the rate of slips that suits it best.
    rates = np.array([0.05, 0.1, 0.2, 0.3, 0.4, 0.5])[:, None, None]
    logs = np.log((1 - rates) * part[None, :, :-1] + rates * part[None, :, -1:])
    best = (weights[None, :, None] * logs).sum(axis=1).max(axis=0)
    guess = float(weights @ np.log(part[:, -1]))
    likely = {**dict(zip(given.names[:-1], best.tolist(), strict=True)), GUESS: guess + 1}  # it has no rate to suit
    top = max(likely.values())
    near = [name for name, value in likely.items() if top - value < CLEARLY]
    near = [name for name in near if name in needed] or near
    return " / ".join(near) if len(near) <= MOST else ""
