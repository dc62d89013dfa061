"""The engine: llama.cpp, behind whichever of its Python packages is there.

An engine tokenises, weighs and writes; what a prompt is, and what a choice is, it does not know.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Protocol

from otherminds.errors import ModelError, UsageError
from otherminds.models.local.prefix_tree import Tree

CHUNK = 512
"""Tokens that llama.cpp reads at once."""
SEQUENCES = 64
"""Sequences that one tree may hold; llama.cpp keeps a list of them for every token."""

MOST_THREADS = 8
"""A small model's threads wait for each other more than they work when there are many."""


class Scorer(Protocol):
    """Whatever gives log-probabilities."""

    most_tokens: int
    """Tokens that one tree may hold, unless it holds a single sequence."""
    most_sequences: int

    def score(self, tree: Tree, wants: Mapping[int, Sequence[int]]) -> dict[int, list[float]]:
        """The log-probabilities of the wanted tokens after each of the given places of the tree."""
        ...


class Engine(Scorer, Protocol):
    """One file of weights, loaded."""

    def tokenize(self, text: str) -> list[int]:
        """The tokens of a plain text; the names of control tokens in it are text like any other."""
        ...

    def write(
        self, tokens: Sequence[int], *, limit: int, temperature: float, top_p: float, seed: int, grammar: str
    ) -> Iterator[int]:
        """At most `limit` tokens that follow, one by one, up to the end of the turn."""
        ...


def _cyllama(path: Path, context: int) -> Engine:
    from otherminds.models.local.cyllama_engine import Cyllama

    return Cyllama(path, context=context)


def _llama_cpp_python(path: Path, context: int) -> Engine:
    from otherminds.models.local.llama_cpp_engine import LlamaCppPython

    return LlamaCppPython(path, context=context)


ENGINES: dict[str, Callable[[Path, int], Engine]] = {"cyllama": _cyllama, "llama-cpp-python": _llama_cpp_python}
"""By the name of the package on the index."""


def engine_version(name: str) -> str:
    """The installed version of an engine's package."""
    if name not in ENGINES:
        raise UsageError(f"there is no engine {name!r}; there are {', '.join(ENGINES)}")
    try:
        return version(name)
    except PackageNotFoundError:
        raise ModelError(f"the engine {name} is not installed; run `pip install {name}` or use another") from None


def threads() -> int:
    """The cores to use: OMP_NUM_THREADS where that is set, as for numpy, else what there is, up to MOST_THREADS."""
    given = os.environ.get("OMP_NUM_THREADS", "")
    if given.isdecimal() and int(given):
        return int(given)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MOST_THREADS)


def members(tree: Tree) -> list[list[int]]:
    """For every token of the tree, the sequences it belongs to; llama.cpp lets a token be in several at once."""
    parents = set(tree.parents)
    found: list[list[int]] = [[] for _ in range(len(tree))]
    leaves = (place for place in range(len(tree)) if place not in parents)
    for sequence, leaf in enumerate(leaves):
        for place in tree.path(leaf):
            found[place].append(sequence)
    return found
