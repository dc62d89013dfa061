"""Short names for large values: whoever types one into a shell wants to know what it is, not to read all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import MISSING, Field, fields
from typing import Any

LONGEST = 60
"""Characters of one text."""
WHOLE = 600
"""Characters of everything together."""
FEW = 3
"""Entries of a list that are named."""


class Brief:
    """A dataclass made with `repr=False` that prints itself shortly."""

    __slots__ = ()

    def __repr__(self) -> str:
        own: tuple[Field[Any], ...] = fields(self)  # type: ignore[arg-type]
        parts = [
            f"{part.name}={brief(value)}"
            for part in own
            if part.repr and not _left(part, value := getattr(self, part.name))
        ]
        return cut(f"{type(self).__name__}({', '.join(parts)})", WHOLE)


def brief(value: object) -> str:
    """A value in a few words: long texts are cut, many entries are counted."""
    if isinstance(value, str):
        return repr(cut(value, LONGEST))
    if isinstance(value, Mapping | list | tuple | set | frozenset) and len(value) > FEW:
        return f"<{len(value):,} entries>"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{brief(key)}: {brief(one)}' for key, one in value.items())}}}"
    if isinstance(value, tuple) and type(value) is tuple:
        return f"({', '.join(map(brief, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, list):
        return f"[{', '.join(map(brief, value))}]"
    return cut(repr(value), 2 * LONGEST)


def cut(text: str, most: int) -> str:
    """The text, or its beginning."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def plain(text: str) -> str:
    """The text as a terminal can print it on one line: what would steer it is written as Python writes it."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


def _left(part: Field[Any], value: object) -> bool:
    """Whether it goes without saying: as it is by default, or empty."""
    if part.default is not MISSING:
        return bool(value == part.default)
    return part.default_factory is not MISSING and isinstance(value, Sized) and not len(value)
