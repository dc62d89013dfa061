"""Words of everyday scenes: people with their pronouns, things, closed places to put them, places, errands, states."""

from __future__ import annotations

from dataclasses import dataclass

from otherminds.files import read_words

_STOCKS = read_words("lessons/stocks")


def _listed(name: str) -> tuple[str, ...]:
    return tuple(" ".join(word.split()) for word in _STOCKS[name].split(","))


WOMEN, MEN, KIN = _listed("women"), _listed("men"), _listed("kin")
THINGS, HOLDERS = _listed("things"), _listed("holders")
CLEAR = _listed("clear")
"""What one can see into."""
SITES, GROUNDS = _listed("sites"), _listed("grounds")
"""Where things are kept out of doors; two of them stand on one piece of land."""
PLACES = _listed("places")
KEEPERS, CLEAR_KEEPERS = _listed("keepers"), _listed("clear_keepers")
GOODS = _listed("goods")
"""What is kept in them; all of them plural, so that one verb fits."""
ERRANDS, STAYING, ASIDES = (tuple(_STOCKS[name]) for name in ("errands", "staying", "asides"))
SLEEPY = tuple(errand for errand in ERRANDS if "nap" in errand or "sleeps" in errand)
"""Nobody is told anything or sees anything in secret meanwhile."""


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """Something that is one way and can come to be another, by somebody's hand or by itself; and what one does then.

    Only what nobody reckons with: soup goes cold, as all know who are away. "-": it never does so by itself.
    """

    thing: str
    before: str
    after: str
    by_hand: str
    by_itself: str
    do_before: str
    do_after: str


TURNS = tuple(SpokenTurn(*(part.strip() for part in line.split(";"))) for line in _STOCKS["turns"])
UNSEEN = _listed("unseen")
"""What nobody can spy on from behind a curtain."""
