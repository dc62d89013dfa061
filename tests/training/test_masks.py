"""Blocks for flex attention, held against a table of every token with every other."""

from collections.abc import Sequence

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from otherminds.training.encoding import Encoded, EncodedShard, Numbers, pack  # noqa: E402
from otherminds.training.masks import BLOCK, block_tables, blocks_of, dense_mask, flex_mask, keys_of  # noqa: E402


def lessons(rng: np.random.Generator, number: int) -> Sequence[Encoded]:
    def words(most: int) -> list[int]:
        return [int(each) for each in rng.integers(0, 90, rng.integers(1, most))]

    return [Encoded(words(400), [(words(BLOCK), 0, "x") for _ in range(rng.integers(1, 6))]) for _ in range(number)]


def keys(seed: int, length: int) -> Numbers:
    rows = pack(EncodedShard.of(lessons(np.random.default_rng(seed), 30)), length)
    return keys_of(rows.lesson, rows.branch)


def by_hand(found: Numbers) -> Numbers:
    """Who sees whom, one pair of tokens at a time, by blocks."""
    table = dense_mask({"keys": torch.from_numpy(found)})[:, 0].numpy()
    short = -found.shape[1] % BLOCK
    table = np.pad(table, ((0, 0), (0, short), (0, short)))
    count = table.shape[1] // BLOCK
    return table.reshape(len(found), count, BLOCK, count, BLOCK)


@pytest.mark.parametrize("length", [1024, 1000])
@pytest.mark.parametrize("seed", range(4))
def test_blocks_are_those_in_which_something_is_seen(seed: int, length: int) -> None:
    found = keys(seed, length)
    pairs = by_hand(found)
    some, whole = block_tables(found)
    assert (some == pairs.any((2, 4))).all()
    # Where a row ends within a block, nothing that stands behind its end is in the table.
    full = length // BLOCK
    assert (whole == pairs.all((2, 4)))[:, :full, :full].all()
    assert whole.any()


def test_kernels_that_find_a_row_by_the_stride_of_its_only_head_find_it() -> None:
    """The kernels of flex attention on a GPU do so; with a stride of 0 every row would get the lists of the first."""
    found = keys(6, 1024)
    for name, listed in blocks_of(found).items():
        tensor = torch.from_numpy(np.ascontiguousarray(listed))
        assert len(found) > 1
        assert tensor.stride(1) == tensor.stride(0), name
        for row in range(len(found)):
            start = row * tensor.stride(1)
            flat = torch.as_strided(tensor, tensor.shape[2:], tensor.stride()[2:], start)
            assert (flat == tensor[row, 0]).all(), (name, row)


def test_lists_are_those_that_torch_itself_would_make() -> None:
    from torch.nn.attention.flex_attention import create_block_mask

    found = {name: torch.from_numpy(value) for name, value in blocks_of(keys(5, 1024)).items()}
    found["keys"] = torch.from_numpy(keys(5, 1024))
    ours = flex_mask(found)
    theirs = create_block_mask(ours.mask_mod, len(found["keys"]), None, 1024, 1024, device="cpu")
    assert (ours.to_dense() == theirs.to_dense()).all()
    for name in ("kv", "full_kv", "q", "full_q"):
        counts = getattr(theirs, f"{name}_num_blocks")
        assert (getattr(ours, f"{name}_num_blocks") == counts).all()
        listed = torch.arange(8) < counts[..., None]
        assert (getattr(ours, f"{name}_indices") == getattr(theirs, f"{name}_indices"))[listed].all()


def test_rows_are_filled_and_no_lesson_is_lost() -> None:
    shard = EncodedShard.of(lessons(np.random.default_rng(7), 200))
    rows = pack(shard, 4096)
    assert len(np.unique(rows.lesson[rows.lesson >= 0])) == 200
    assert (rows.tokens[:-1] >= 0).mean() > 0.95
    assert sorted(rows.tokens[rows.tokens >= 0].tolist()) == sorted(shard.tokens.tolist())
