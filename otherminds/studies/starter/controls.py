"""Control questions of the starter suite: where a thing is, where it was at first, what is in a box."""

from __future__ import annotations

from collections.abc import Iterator

from otherminds.items import Item, Suite
from otherminds.items.controls import IS, WAS, control, in_pairs, verb, what_is_so
from otherminds.items.tags import FALSE_BELIEF, KIND, REALITY

TRANSFER = "unexpected transfer"


def controls(suite: Suite) -> list[Item]:
    """What is so in every story; of a thing that was moved behind somebody's back, also where it was at first."""
    return in_pairs(each for item in suite for each in _of(item))


def _of(item: Item) -> Iterator[Item]:
    world = what_is_so(item.question)
    if world is None or REALITY not in item.meta:
        return
    asked, sentence = world
    yield control(item, IS, asked, str(item.meta[REALITY]), item.choices, sentence)
    if item.tags.get(KIND) == TRANSFER and item.tags.get(FALSE_BELIEF) is True:
        # Whoever is mistaken about a thing that was moved thinks that it is where it was.
        thing = sentence.removeprefix("The ").removesuffix(" in the").rpartition(" ")[0]
        was = "were" if verb(thing) == "are" else "was"
        asked, sentence = f"Where {was} the {thing} at first?", f"At first the {thing} {was} in the"
        yield control(item, WAS, asked, item.answer, item.choices, sentence)
