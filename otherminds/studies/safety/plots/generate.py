"""Generated items by task: whole groups of twins, the same for the same seed, as many as wanted."""

from __future__ import annotations

from collections.abc import Callable

from otherminds.errors import UsageError
from otherminds.items import Item
from otherminds.studies.safety.plots.aims import aim
from otherminds.studies.safety.plots.deceived import deceived
from otherminds.studies.safety.plots.deceivers import deceiver
from otherminds.studies.safety.plots.nested import thought
from otherminds.studies.safety.plots.transfer import believed, read

GENERATORS: dict[str, Callable[[int, int], list[Item]]] = {
    "TB": read,
    "FB/SA": believed,
    "FB/HO": thought,
    "FB/D/V": deceived,
    "FB/D/A": deceiver,
    "FB/D/CA": aim,
}
"""For each task, the group of twins with a given number and seed."""


def generate(task: str, *, number: int, seed: int = 0) -> list[Item]:
    """As many items as there are whole groups for; the first groups stay the same when more are wanted."""
    if task not in GENERATORS:
        raise UsageError(f"no items are generated for {task!r}; they are for {', '.join(GENERATORS)}")
    found: list[Item] = []
    index = 0
    while len(found) + len(group := GENERATORS[task](index, seed)) <= number:
        found += group
        index += 1
    if not found:
        raise UsageError(f"{number} items of {task} are too few: a group of twins has {len(group)}")
    return found
