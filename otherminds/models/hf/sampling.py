"""Writing text with a transformers model: draws that belong to a prompt, and stop strings."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any


def draws(
    seeds: Sequence[int], *, temperature: float, device: Any, top_p: float = 1.0
) -> Callable[[Sequence[int], Any], Any]:
    """Scores whose greatest is a fair draw at this temperature (the Gumbel trick), one stream of chance a row.

    What comes back takes the numbers of the rows, and their scores. With a stream for every prompt, what is drawn does
    not depend on who else is in the batch. Below 1, `top_p` leaves only the likeliest tokens, as few as together have
    this chance.
    """
    import torch

    streams = [torch.Generator(device=device).manual_seed(seed) for seed in seeds]

    def noisy(rows: Sequence[int], scores: Any) -> Any:
        width = scores.shape[-1]
        drawn = [torch.empty(width, device=device).exponential_(generator=streams[row]) for row in rows]
        noise = torch.stack(drawn).to(scores.device)
        scores = scores.float() / temperature
        return (scores if top_p >= 1 else _likeliest(scores, top_p)) - noise.log()

    return noisy


def _likeliest(scores: Any, top_p: float) -> Any:
    """The scores with all but the nucleus at minus infinity."""
    chances, order = scores.softmax(dim=-1).sort(dim=-1, descending=True)
    # A token stays if those before it have not reached the share yet, so the first always does.
    beyond = chances.cumsum(dim=-1) - chances >= top_p
    return scores.masked_fill(beyond.scatter(-1, order, beyond), float("-inf"))


def enough(ids: Sequence[int], strings: Sequence[str], decode: Callable[[Sequence[int]], str]) -> int:
    """How many of the ids it takes to write one of the strings; one more than there are if they do not."""
    if not strings:
        return len(ids) + 1

    def written(count: int) -> bool:
        text = decode(ids[:count])
        return any(string in text for string in strings)

    return bisect_left(range(len(ids) + 1), True, key=written)


def cut(text: str, strings: Sequence[str]) -> tuple[str, bool]:
    """The text before the first stop string, and whether there was one."""
    ends = [text.index(stop) for stop in strings if stop in text]
    return (text[: min(ends)], True) if ends else (text, False)
