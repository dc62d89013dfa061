"""Log-probabilities from a transformers model, where prompts that begin alike pay for their beginning once.

Knows token ids and torch, nothing of prompts. A path is a tuple of ids, and what can be asked of it is the
log-probability that some token comes next. Rows are padded on the right and need no mask: in a causal model no token
sees what comes after it.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from otherminds.models.sequences import overlap

Path = tuple[int, ...]
Wanted = Mapping[Path, Iterable[int]]
"""For every path, the tokens whose chance to come next is asked for."""


@dataclass(frozen=True, slots=True, order=True)
class Row:
    """A path to read, and the paths on the way (by their last place in it) of which something is asked."""

    ids: Path
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Rows whose first `shared` tokens are the same and are read once."""

    shared: int
    rows: tuple[Row, ...]

    @property
    def cost(self) -> int:
        """The tokens to compute."""
        return self.shared + sum(len(row.ids) - self.shared for row in self.rows)


def plan(paths: Iterable[Path], *, share: bool = True) -> list[Group]:
    """Paths as rows, in groups with one shared beginning each, cut so that few tokens are computed."""
    rows: list[Row] = []
    # From the longest down, a path that another one continues comes right after it and needs no row of its own.
    for path in sorted(paths, reverse=True):
        if rows and rows[-1].ids[: len(path)] == path:
            rows[-1] = Row(rows[-1].ids, (len(path) - 1, *rows[-1].places))
        else:
            rows.append(Row(path, (len(path) - 1,)))
    rows.reverse()
    if not share:
        return [Group(0, tuple(rows))]
    return _cut(rows, [overlap(one.ids, other.ids) for one, other in pairwise(rows)])


def _cut(rows: Sequence[Row], overlaps: Sequence[int]) -> list[Group]:
    if len(rows) < 2:
        return [Group(0, (row,)) for row in rows]
    # What is asked must lie after the shared beginning, whose own logits are not kept.
    whole = Group(min(*overlaps, min(row.places[0] for row in rows)), tuple(rows))
    middle = len(overlaps) // 2
    cut = 1 + min(range(len(overlaps)), key=lambda place: (overlaps[place], abs(place - middle)))
    parts = _cut(rows[:cut], overlaps[: cut - 1]) + _cut(rows[cut:], overlaps[cut:])
    return [whole] if whole.cost <= sum(part.cost for part in parts) else parts


def look_up(model: Any, groups: Iterable[Group], wanted: Wanted, *, batch: int) -> Mapping[tuple[Path, int], float]:
    """The log-probability of every wanted token after its path."""
    import torch

    found: dict[tuple[Path, int], float] = {}
    with torch.inference_mode():
        for group in groups:
            past = _read(model, [group.rows[0].ids[: group.shared]], None, [0])[1] if group.shared else None
            shared = group.shared if past is not None else 0
            rows = sorted(group.rows, key=lambda row: len(row.ids))
            for first in range(0, len(rows), batch):
                found |= _tails(model, rows[first : first + batch], shared, past, wanted)
    return found


def _tails(model: Any, rows: Sequence[Row], shared: int, past: Any, wanted: Wanted) -> dict[tuple[Path, int], float]:
    """What is wanted of some rows, given the past they share."""
    if past is not None:
        past = copy.deepcopy(past)
        past.batch_repeat_interleave(len(rows))
    places = sorted({place for row in rows for place in row.places})
    logits, _ = _read(model, [row.ids[shared:] for row in rows], past, [place - shared for place in places])
    totals = logits.logsumexp(dim=-1)
    found = {}
    for number, row in enumerate(rows):
        for place in row.places:
            column, path = places.index(place), row.ids[: place + 1]
            for token in wanted[path]:
                found[path, token] = float(logits[number, column, token] - totals[number, column])
    return found


def _read(model: Any, sequences: Sequence[Path], past: Any, places: Sequence[int]) -> tuple[Any, Any]:
    """The logits at some places as float32, and the past after reading; a model that has only a state gives none."""
    import torch

    longest = max(map(len, sequences))
    ids = torch.tensor([[*path, *[0] * (longest - len(path))] for path in sequences], device=model.device)
    keep = torch.tensor(places, device=model.device)
    # The head over every place of a long batch would need far more memory than the rest of the pass.
    narrow = "logits_to_keep" in inspect.signature(model.forward).parameters
    options = {"logits_to_keep": keep} if narrow else {}
    result = model(input_ids=ids, past_key_values=past, use_cache=True, **options)
    logits = result.logits if narrow else result.logits[:, keep]
    return logits.float(), getattr(result, "past_key_values", None)
