"""What each model does: which known readers its answers are like, for the first screen of a profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from otherminds.diagnosis.cells import Cell as Place
from otherminds.diagnosis.diagnosis import Diagnosis
from otherminds.diagnosis.readers import GUESS
from otherminds.diagnosis.words import percent
from otherminds.pages.report import Block, Cell, Folded, Table

SILENT = "does nothing that can be told from guessing"
_NOTE = (
    "Readers are rules with exact answers to every item: an oracle, a realist who answers from the world, one who stops"
    " at the first mind, preferences for what is named last, for a letter, for a length. A mixture of them is fitted to"
    " the answers; guesses and slips cannot be told apart. Shares are of the items where readers disagree."
)
_BELIEF = {True: "false", False: "true", None: "–"}


def in_words(found: Diagnosis) -> str:
    """What a model does, in up to three sentences."""
    said = [f"{each[0].lower()}{each[1:].removesuffix('.')}" for each in found.sentences[:3]]
    return f"**{found.model}** {'; '.join(said) if said else SILENT}."


def blocks(found: Mapping[str, Diagnosis]) -> list[Block]:
    """The shares of readers, and below them the map."""
    diagnoses = [each for each in found.values() if each.items]
    if not diagnoses:
        return []
    return [_shares(diagnoses), Folded("Where: by order, what happens, and belief", [_map(diagnoses)])]


def _shares(found: Sequence[Diagnosis]) -> Table:
    names = dict.fromkeys(name for each in found for name in each.shares if name in each.needed or name == GUESS)
    rows: list[list[Cell]] = [
        [name, *(percent(each.shares[name]) if name in each.shares and name in each.needed else None for each in found)]
        for name in names
    ]
    rows.append(["items where readers disagree", *(each.disagree for each in found)])
    return Table(["answers like", *(each.model for each in found)], rows, "Which readers its answers are like", _NOTE)


def _map(found: Sequence[Diagnosis]) -> Table:
    places = {(each.model, _key(place)): place for each in found for place in each.map}
    keys = sorted({key for _, key in places}, key=lambda key: (key[0] is None, key[0] or 0, key[1], not key[2]))
    several = len(found) > 1
    columns = [name for each in found for name in (_head("right", each, several), _head("most like", each, several))]
    rows: list[list[Cell]] = []
    for key in keys:
        cells: list[Cell] = []
        for each in found:
            place = places.get((each.model, key))
            cells += [None, None] if place is None else [place.right, place.reader or "–"]
        rows.append([key[0], key[1], _BELIEF[key[2]], *cells])
    return Table(["order", "what happens", "belief", *columns], rows, "Accuracy, and the likeliest reader, by place")


def _head(word: str, found: Diagnosis, several: bool) -> str:
    return f"{found.model}: {word}" if several else word


def _key(place: Place) -> tuple[int | None, str, bool | None]:
    return place.order, place.happened, place.false_belief
