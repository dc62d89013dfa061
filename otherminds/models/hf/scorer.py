"""Log-probabilities from a transformers model, over many trees of tokens at once.

Trees of about the same size go through the model together, as many as its memory holds; where it holds fewer, fewer
are taken from then on. In a tree every token sees its ancestors alone, by a mask, and stands at the place that it has
in its own sequence. Trees that do not branch need no mask and run on the fastest kernels. The head is computed where
something is wanted and nowhere else, and what it gives comes home in one piece for all batches of a call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from otherminds.models.hf.checkpoint import is_out_of_memory
from otherminds.models.weighing import ScoredTree, Tree

TOKENS = {"cuda": 65_536, "cpu": 4_096}
"""That go through the model together, to begin with, by device."""
EVEN = 16
"""Masks are padded to a multiple of this, which GPUs want."""
HEAD_ROWS = 512
"""Rows as long as the vocabulary that are summed at once."""
SAME = 0.05
"""How far two ways of computing a log-probability may lie apart in 16 bits, of a small model."""

Numbers = npt.NDArray[np.int64]
Line = tuple[int, ScoredTree, Sequence[int]]
"""The number of a tree; what is asked of it, or of one of its branches; and where in the tree its tokens stand."""


class Scorer:
    """A transformers model that weighs trees."""

    most_tokens = 2_048
    """A longer tree would spend more on attention than sharing saves."""
    most_sequences = 2**31
    least_shared = 0.25
    """Less than that is read again sooner than it is masked."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.device = model.device
        self.tokens = TOKENS.get(self.device.type, TOKENS["cuda"])

    def score_all(self, asked: Sequence[ScoredTree]) -> Iterator[Mapping[int, Sequence[float]]]:
        """What is wanted of every tree, in order; a GPU is still computing it until the first is looked at."""
        lines: list[Line] = []
        trees: list[Line] = []
        for number, one in enumerate(asked):
            if one.tree.is_line:
                lines.append((number, one, range(len(one.tree))))
            elif self.shares(one.tree):
                trees.append((number, one, range(len(one.tree))))
            else:
                lines += [(number, *line) for line in _as_lines(one)]
        read: list[Line] = []
        values: list[Any] = []
        for some, masked in ((lines, False), (trees, True)):
            for batch in self._batches(some):
                read += batch
                values += self._held([one for _, one, _ in batch], masked)
        return _brought_home(values, read, len(asked))

    def shares(self, tree: Tree) -> bool:
        """Whether a tree of this depth can be read as one, so that its beginnings are computed once."""
        return tree.is_line or (self.takes_masks and max(tree.depths) < self.window and _ends(tree) is not None)

    @cached_property
    def window(self) -> int:
        """How far back its layers look; up to there they need no mask of their own."""
        config = self.model.config.get_text_config()
        return int(getattr(config, "sliding_window", 0) or getattr(config, "attention_chunk_size", 0) or 2**31)

    @cached_property
    def takes_masks(self) -> bool:
        """Whether the model keeps to a mask and to places that are given to it, tried on a small tree.

        Some have a state instead of a past, or places of their own making.
        """
        import torch

        if getattr(self.model, "_is_stateful", False):
            return False
        tree, one, other = Tree(), [3, 4, 5, 6, 7, 8], [3, 4, 5, 9, 8, 7]
        last = [tree.add(sequence)[-1] for sequence in (one, other)]
        whole = ScoredTree(tree, dict.fromkeys(last, (3, 5, 8)))
        try:
            (together,) = self._read([whole], True)
        except (TypeError, ValueError, RuntimeError, LookupError) as error:
            if is_out_of_memory(error):
                raise
            return False
        apart = torch.cat([self._read([line], False)[0] for line, _ in _as_lines(whole)])
        # A large model is off by more in 16 bits, but never by as much as without a mask.
        (unmasked,) = self._read([whole], False)
        wrong, right = ((values - apart).abs().max() for values in (unmasked, together))
        return bool(right < max(SAME, wrong / 5))

    @cached_property
    def _takes_no_past(self) -> bool:
        """Whether the model reads with a past that keeps nothing as it does without one, tried on a short line.

        Without one, transformers looks at every pass whether a row holds several sequences, and for that it waits until
        the device has computed all that came before.
        """
        import torch

        if getattr(self.model, "_is_stateful", False):
            return False
        ids, last = torch.tensor([[3, 4, 5, 6]], device=self.device), torch.tensor([3], device=self.device)
        plain, _ = logits_at(self.model, last, input_ids=ids, use_cache=False)
        try:
            quick, _ = logits_at(self.model, last, input_ids=ids, use_cache=False, past_key_values=_forgetful())
        except (TypeError, ValueError, RuntimeError, LookupError, AttributeError) as error:
            if is_out_of_memory(error):
                raise
            return False
        return bool(torch.allclose(plain, quick, atol=SAME))

    def _batches(self, some: Sequence[Line]) -> Iterator[list[Line]]:
        """The longest first: if memory is short, that shows at once. No batch is a small rest, which a GPU idles at."""
        waiting = sorted(some, key=lambda each: -len(each[1].tree))
        while waiting:
            most = max(1, self.tokens // max(1, len(waiting[0][1].tree)))
            count = -(-len(waiting) // -(-len(waiting) // most))
            yield waiting[:count]
            waiting = waiting[count:]

    def _held(self, batch: Sequence[ScoredTree], masked: bool) -> list[Any]:
        """What is wanted of a batch; one that memory does not hold is halved, and so are those after it."""
        try:
            return self._read(batch, masked)
        except (RuntimeError, MemoryError) as error:
            if len(batch) == 1 or not is_out_of_memory(error):
                raise
        self.free()
        self.tokens = max(1, self.tokens // 2)
        half = (len(batch) + 1) // 2
        return [*self._held(batch[:half], masked), *self._held(batch[half:], masked)]

    def free(self) -> None:
        """Give back what torch keeps of the device's memory for later."""
        import torch

        if self.device.type == "cuda":
            torch.cuda.empty_cache()

    def _read(self, batch: Sequence[ScoredTree], masked: bool) -> list[Any]:
        """The wanted log-probabilities in their order, still on the device."""
        import torch

        longest = max(len(one.tree) for one in batch)
        length = even(longest) if masked else longest
        wanted = [
            (number * length + place, tokens) for number, one in enumerate(batch) for place, tokens in one.wants.items()
        ]
        grids = [padded([one.tree.tokens for one in batch], length)]
        if masked:
            grids += [padded([rows(one) for one in batch], length) for rows in (_depths, _ends_of)]
        places, rows, tokens, *grids = self._sent(
            np.array([place for place, _ in wanted]),
            np.repeat(np.arange(len(wanted)), [len(tokens) for _, tokens in wanted]),
            np.array([token for _, tokens in wanted for token in tokens]),
            *grids,
        )
        if masked:
            options = {"position_ids": grids[1], "attention_mask": self.mask(grids[2], length)}
        else:
            options = {"past_key_values": _forgetful()} if self._takes_no_past and length < self.window else {}
        logits, _ = logits_at(self.model, places, input_ids=grids[0], use_cache=False, **options)
        sums = torch.cat([some.float().logsumexp(dim=-1) for some in logits.split(HEAD_ROWS)])
        rows, tokens = rows.to(logits.device), tokens.to(logits.device)
        return [logits[rows, tokens].float() - sums[rows]]

    def _sent(self, *arrays: Numbers) -> list[Any]:
        """Arrays on the device, in one piece, which it takes without waiting for what it computes meanwhile."""
        import torch

        piece = torch.from_numpy(np.concatenate([array.ravel() for array in arrays], dtype=np.int64))
        piece = (piece.pin_memory() if self.device.type == "cuda" else piece).to(self.device, non_blocking=True)
        parts = piece.split([array.size for array in arrays])
        return [part.view(array.shape) for part, array in zip(parts, arrays, strict=True)]

    def mask(self, ends: Any, length: int) -> Any:
        """Who sees whom: a token sees those before it whose branch it lies on, which end after it."""
        import torch

        places = torch.arange(length, device=self.device)
        sees = (places[None, :] <= places[:, None]) & (places[None, :, None] < ends[:, None, :])
        # What fills up a row sees itself; with nothing to see there would be no number at all.
        return self.as_mask(sees | (places[None, :] == places[:, None]))

    def as_mask(self, sees: Any) -> Any:
        """Who sees whom, by row, as this model's attention takes it."""
        import torch

        sees = sees[:, None]
        if self.model.config._attn_implementation == "sdpa" and self.device.type != "cuda":
            return sees
        # A GPU's kernels add a mask to the scores; made into numbers here, that is not done again in every layer.
        low = torch.finfo(self.model.dtype).min
        return torch.zeros(sees.shape, dtype=self.model.dtype, device=self.device).masked_fill(~sees, low)


def _forgetful() -> Any:
    """A past that keeps nothing."""
    from transformers import DynamicCache

    class Forgetful(DynamicCache):  # type: ignore[misc]
        def update(self, key_states: Any, value_states: Any, *_: Any, **__: Any) -> tuple[Any, Any]:
            return key_states, value_states

    return Forgetful()


def logits_at(model: Any, places: Any, **inputs: Any) -> tuple[Any, Any]:
    """The logits at some places of a batch, counted over its rows, and the past; the head is computed there alone."""
    with _narrowed(model, places, tuple(inputs["input_ids"].shape)) as narrow:
        result = model(**inputs)
    logits = result.logits.flatten(0, 1)
    return logits if narrow else logits[places.to(logits.device)], getattr(result, "past_key_values", None)


@contextmanager
def _narrowed(model: Any, places: Any, shape: tuple[int, ...]) -> Iterator[list[bool]]:
    """While this lasts, the head is shown these places only; the list tells whether it came to that.

    Over every place of a long batch it would need far more memory than the rest of the pass.
    """
    narrow: list[bool] = []

    def pick(_: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...] | None:
        if not inputs or tuple(inputs[0].shape[:2]) != shape:
            return None
        narrow.append(True)
        return (inputs[0].flatten(0, 1)[places.to(inputs[0].device)][None], *inputs[1:])

    head = model.get_output_embeddings()
    hook = head.register_forward_pre_hook(pick) if head is not None else None
    try:
        yield narrow
    finally:
        if hook:
            hook.remove()


def _brought_home(values: Sequence[Any], read: Sequence[Line], trees: int) -> Iterator[dict[int, list[float]]]:
    """By tree, the values that were read along these lines; nothing is waited for before the first."""
    import torch

    flat = iter(torch.cat([*values]).tolist() if values else ())
    found: list[dict[int, list[float]]] = [{} for _ in range(trees)]
    for number, one, places in read:
        for place, tokens in one.wants.items():
            found[number][places[place]] = [next(flat) for _ in tokens]
    yield from found


def even(length: int) -> int:
    """The next length that GPUs like."""
    return -(-length // EVEN) * EVEN


def padded(rows: Sequence[Sequence[int]], length: int) -> Numbers:
    """Rows filled up with zeros to one length."""
    lengths = np.array([len(row) for row in rows])
    grid = np.zeros((len(rows), length), np.int64)
    grid[np.arange(length) < lengths[:, None]] = np.fromiter(chain.from_iterable(rows), np.int64, lengths.sum())
    return grid


def _depths(asked: ScoredTree) -> Sequence[int]:
    return asked.tree.depths


def _ends_of(asked: ScoredTree) -> Sequence[int]:
    return _ends(asked.tree) or ()


def _ends(tree: Tree) -> list[int] | None:
    """For every token the place after the last one of its branch; None where a branch is not in one piece."""
    ends = [len(tree)] * len(tree)
    branch: list[tuple[int, int]] = []
    """The pieces of lines that lead to where we are."""
    for first, end in tree.runs():
        parent = tree.parents[first]
        while branch and branch[-1][1] - 1 > parent:
            since, until = branch.pop()
            kept = max(since, parent + 1)
            ends[kept:until] = [first] * (until - kept)
            if kept > since:
                branch.append((since, kept))
        if parent >= 0 and not (branch and branch[-1][1] - 1 == parent):
            return None
        branch.append((first, end))
    return ends


def _as_lines(asked: ScoredTree) -> Iterator[tuple[ScoredTree, Sequence[int]]]:
    """A tree as the sequences it was made of; each place is asked for in one of them."""
    parents = set(asked.tree.parents)
    left = dict(asked.wants)
    for leaf in range(len(asked.tree)):
        if leaf not in parents:
            path = asked.tree.path(leaf)
            wants = {depth: left.pop(place) for depth, place in enumerate(path) if place in left}
            line = Tree()
            line.add([asked.tree.tokens[place] for place in path])
            if wants:
                yield ScoredTree(line, wants), path
