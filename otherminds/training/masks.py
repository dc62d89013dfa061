"""Masks: which tokens of packed lessons see which, as a table or as the blocks that flex attention walks through.

Blocks are found from where lessons and branches begin, without comparing tokens with tokens, and on the CPU: a batch
can be made ready while the GPU learns from the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from otherminds.training.encoding import Numbers

Keys = NDArray[np.int32]
BITS = 6
"""Enough for the branches of any lesson; a token's lesson and branch are kept as one number."""
BLOCK = 128
"""Tokens that flex attention takes at once."""
STORY = 0
"""The branch of a story's own tokens."""


def keys_of(lesson: Numbers, branch: Numbers) -> Keys:
    """Lesson and branch of a token as one number."""
    found: Keys = ((lesson << BITS) + branch.clip(min=STORY)).astype(np.int32)
    return found


def sees(one: Tensor, other: Tensor) -> Tensor:
    """Whether a token with the first key may look at an earlier one with the second: its story, or its own branch."""
    story = other & (2**BITS - 1) == STORY
    return (one >> BITS == other >> BITS) & (story | (one == other))


def dense_mask(rows: Mapping[str, Tensor]) -> Tensor:
    """True where the token of a row (second last) sees the token of a column (last)."""
    keys = rows["keys"]
    length = keys.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool, device=keys.device).tril()
    return (sees(keys[:, :, None], keys[:, None, :]) & causal)[:, None]


def flex_mask(rows: Mapping[str, Tensor]) -> Any:
    """The same as a `BlockMask`, from what `blocks_of` found."""
    from torch.nn.attention.flex_attention import BlockMask

    keys = rows["keys"]

    def visible(row: Tensor, head: Tensor, one: Tensor, other: Tensor) -> Tensor:
        return (one >= other) & sees(keys[row, one], keys[row, other])

    length = keys.shape[1]
    lists = {name: rows[name] for name in LISTS}
    return BlockMask(seq_lengths=(length, length), **lists, BLOCK_SIZE=(BLOCK, BLOCK), mask_mod=visible)


MASKS: dict[str, Callable[[Mapping[str, Tensor]], Any]] = {"dense": dense_mask, "flex": flex_mask}


# ---- blocks ---------------------------------------------------------------------------------------------------------

SIDES = ("kv", "full_kv", "q", "full_q")
LISTS = tuple(f"{side}_{what}" for side in SIDES for what in ("num_blocks", "indices"))


def blocks_of(keys: Keys) -> dict[str, Keys]:
    """For every block of tokens, by the names of `BlockMask`, how many blocks it sees and which; and by how many."""
    some, whole = block_tables(keys)
    found: dict[str, Keys] = {}
    for side, table in zip(SIDES, (some & ~whole, whole, (some & ~whole).mT, whole.mT), strict=True):
        rows, count, _ = table.shape
        # Shaped, not with None between: that axis would have a stride of 0, by which the kernels on a GPU find the row.
        found[f"{side}_num_blocks"] = table.sum(-1, dtype=np.int32).reshape(rows, 1, count)
        order = np.argsort(~table, axis=-1, kind="stable").astype(np.int32)
        found[f"{side}_indices"] = np.ascontiguousarray(order).reshape(rows, 1, count, count)
    return found


def block_tables(keys: Keys) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Of which blocks (last) a block (second last) sees something, and of which every token sees every token."""
    number, length = keys.shape
    count = -(-length // BLOCK)
    keys = np.pad(keys, ((0, 0), (0, count * BLOCK - length)), mode="edge")
    row, at, run, story, end = _runs(keys)
    block = at // BLOCK
    # A token sees its own run up to itself, and of its story what was told until then: two stretches of blocks.
    steps = np.zeros((number, count, count + 1), np.int32)
    for first, last in ((run, at), (story, np.minimum(end, at))):
        np.add.at(steps, (row, block, first // BLOCK), 1)
        np.add.at(steps, (row, block, last // BLOCK + 1), -1)
    head, tail = keys[:, ::BLOCK], keys[:, BLOCK - 1 :: BLOCK]
    lesson, one_lesson = head >> BITS, head >> BITS == tail >> BITS
    told = (head & (2**BITS - 1) == STORY) & (head == tail)
    same = (lesson[:, :, None] == lesson[:, None, :]) & one_lesson[:, :, None]
    return steps.cumsum(-1)[:, :, :-1] > 0, same & told[:, None, :] & np.tri(count, k=-1, dtype=bool)


def _runs(keys: Keys) -> tuple[Numbers, Numbers, Numbers, Numbers, Numbers]:
    """For the first token of every run of one key in every block: its row and place, and where its run began, where
    its lesson began, and where the story of that ended."""
    length = keys.shape[1]
    place = np.arange(length)
    begins, opens = _changes(keys), _changes(keys >> BITS)
    run = np.maximum.accumulate(np.where(begins, place, 0), axis=1)
    story = np.maximum.accumulate(np.where(opens, place, 0), axis=1)
    following = np.minimum.accumulate(np.where(begins, place, length)[:, ::-1], axis=1)[:, ::-1]
    ends = np.concatenate([following[:, 1:], np.full((len(keys), 1), length)], axis=1) - 1
    row, at = np.nonzero(begins | (place % BLOCK == 0))
    story = story[row, at]
    return row, at, run[row, at], story, ends[row, story]


def _changes(keys: Keys) -> NDArray[np.bool_]:
    """Where another key stands than before."""
    found: NDArray[np.bool_] = np.diff(keys, axis=1, prepend=keys[:, :1] - 1) != 0
    return found
