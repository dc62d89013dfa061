"""Writing text with a transformers model: many rows at once, each for as long as it has something to say.

The past is kept, so every step reads one token a row. What was written comes home every few steps only: the device
never waits for us in between, and rows that have come to their end leave the batch there. Draws belong to a prompt.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from otherminds.models.hf.scorer import Scorer, even, logits_at

LOOK = 16
"""Steps between two looks at what was written."""

Ids = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Manner:
    """How texts go on, and when they have come to their end."""

    choose: Callable[[Any, Sequence[int]], Any]
    """Picks the next ids from logits, given the numbers of the rows."""
    ends: Sequence[int]
    """Ids after which nothing comes."""
    said_all: Callable[[int, Sequence[int]], bool]
    """Whether what a row has written is enough."""


@dataclass(slots=True)
class TextRow:
    """A text in the making."""

    number: int
    prompt: Ids
    limit: int
    written: list[int]


def write(scorer: Scorer, prompts: Sequence[Ids], limits: Sequence[int], manner: Manner) -> list[list[int]]:
    """The ids that follow every prompt, up to its limit or one of the ends."""
    import torch

    rows = [
        TextRow(number, prompt, limit, []) for number, (prompt, limit) in enumerate(zip(prompts, limits, strict=True))
    ]
    done = {row.number: row.written for row in rows if not row.limit}
    rows = [row for row in rows if row.limit]
    if not rows:
        return [done[number] for number in range(len(prompts))]
    width = max(len(row.prompt) for row in rows)
    room = even(width + max(row.limit for row in rows))
    device = scorer.device
    pads = torch.tensor([width - len(row.prompt) for row in rows], device=device)
    ids = torch.tensor([[manner.ends[0]] * (width - len(row.prompt)) + [*row.prompt] for row in rows], device=device)
    seen = torch.arange(room, device=device)[None] >= pads[:, None]
    past: Any = None
    step = 0
    while rows:
        new: list[Any] = []
        # No row goes past its limit: there, some models have no place left.
        for _ in range(min(LOOK, *(row.limit - len(row.written) for row in rows))):
            logits, past = _step(scorer, ids, past, seen, pads, width + step)
            ids = manner.choose(logits, [row.number for row in rows])[:, None]
            new.append(ids)
            step += 1
        stay = []
        for place, (row, more) in enumerate(zip(rows, torch.cat(new, dim=1).tolist(), strict=True)):
            if _taken(row, more, manner.ends) or manner.said_all(row.number, row.written):
                done[row.number] = row.written
            else:
                stay.append(place)
        if len(stay) < len(rows) and stay:
            kept = torch.tensor(stay, device=device)
            past.batch_select_indices(kept)
            ids, seen, pads = ids[kept], seen[kept], pads[kept]
        rows = [rows[place] for place in stay]
    return [done[number] for number in range(len(prompts))]


def _taken(row: TextRow, more: Sequence[int], ends: Sequence[int]) -> bool:
    """Add what was written; whether the row has come to its end."""
    for token in more:
        row.written.append(token)
        if token in ends:
            return True
    return len(row.written) >= row.limit


def _step(scorer: Scorer, ids: Any, past: Any, seen: Any, pads: Any, until: int) -> tuple[Any, Any]:
    """Logits after the last token of every row, and the past with it."""
    import torch

    rows, count = ids.shape
    places = torch.arange(until - count, until, device=scorer.device)
    mask = seen[:, :until]
    if scorer.takes_masks and until < scorer.window:
        # Made here, it spares the model a look at every step whether anything is padded, for which it would wait. Its
        # rows lie evenly in memory, else every layer would copy it.
        columns = torch.arange(even(until), device=scorer.device)[None, :]
        causal, own = columns <= places[:, None], columns == places[:, None]
        mask = scorer.as_mask((seen[:, None, : even(until)] & causal) | own)[..., :until]
    last = torch.arange(1, rows + 1, device=scorer.device) * count - 1
    return logits_at(
        scorer.model,
        last,
        input_ids=ids,
        attention_mask=mask,
        position_ids=(places[None] - pads[:, None]).clamp(min=0),
        past_key_values=past,
        use_cache=True,
    )


def write_with_a_state(
    scorer: Scorer, prompts: Sequence[Ids], limits: Sequence[int], manner: Manner
) -> list[list[int]]:
    """The same for a model that has a state instead of a past, which transformers itself knows how to hand on.

    All prompts are of one length.
    """
    import torch

    width, rows = len(prompts[0]), range(len(prompts))

    def only(_: Any, logits: Any) -> Any:
        chosen = manner.choose(logits, rows)
        return torch.full_like(logits, float("-inf")).scatter(-1, chosen[:, None], 0.0)

    def stopped(ids: Any, _: Any, **__: Any) -> Any:
        done = [manner.said_all(row, written) for row, written in enumerate(ids[:, width:].tolist())]
        return torch.tensor(done, device=ids.device)

    ids = torch.tensor([[*prompt] for prompt in prompts], device=scorer.device)
    result = scorer.model.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        max_new_tokens=max(limits),
        do_sample=False,
        logits_processor=[only],
        stopping_criteria=[stopped],
    )
    written = [row[width:][:limit] for row, limit in zip(result.tolist(), limits, strict=True)]
    cuts = [next((place + 1 for place, token in enumerate(row) if token in manner.ends), len(row)) for row in written]
    return [row[:cut] for row, cut in zip(written, cuts, strict=True)]


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
