"""Leaks: stories that stand in a benchmark must not stand in what a model is taught.

A story is known by its runs of words, without case, punctuation and numbers of lines; names and things are among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from otherminds.files import read_text

RUN = 12
"""Words in a run: a sentence of the kind is shorter, so a run never lies within one that all such stories share."""
SHARE = 0.5
"""Of a story's runs; from here on it counts as taken from the benchmark."""
_NUMBERED = re.compile(r"^[\s\-*]*\d+(?::\d+)?[\s.:)]+", re.MULTILINE)


def known_runs(files: Iterable[Path]) -> frozenset[int]:
    """Every run of words in these files, as numbers."""
    return frozenset(run for path in files for run in _runs(read_text(path, kind="benchmark")))


def leaks(story: str, known: frozenset[int]) -> bool:
    """Whether at least half of what the story says stands in the files."""
    found = list(_runs(story)) if known else []
    return bool(found) and sum(run in known for run in found) >= SHARE * len(found)


def _runs(text: str) -> Iterator[int]:
    plain = _NUMBERED.sub("", text.replace("\\n", "\n")).replace("_", " ").casefold()
    words = re.findall(r"\w+", plain)
    # Numbers rather than texts, which would be ten times as large; the built-in hash differs between processes.
    codes = [int.from_bytes(word.encode()[:7], "big") for word in words]
    for start in range(len(codes) - RUN + 1):
        yield hash(tuple(codes[start : start + RUN]))
