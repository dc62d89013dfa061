"""The waist: what is asked (Item, Suite), what gives answers away (lint), and cards that tell where items come from.

Everything left of here makes questions, everything right of it measures answers. Imports `errors` and `files` alone.
"""

from otherminds.items.item import (
    SCHEMA,
    Item,
    Suite,
    read_lines,
    told_apart,
    write_lines,
)
from otherminds.items.tags import Tag

__all__ = [
    "SCHEMA",
    "Item",
    "Suite",
    "Tag",
    "read_lines",
    "told_apart",
    "write_lines",
]
