"""The numpy forward pass against llama.cpp, which shares no code with it."""

from pathlib import Path

import gguf
import numpy as np
import pytest

from otherminds.models.local import threads, weights
from otherminds.models.local.engine import Engine
from otherminds.models.local.forward import Forward, supports
from otherminds.models.local.gguf import read_header
from otherminds.models.local.model import Local
from otherminds.models.weighing import Tree
from tests.models.tiny import write_tiny

KINDS = gguf.GGMLQuantizationType
SEQUENCES = [[5, 70, 90, 120, 33], [5, 70, 90, 8, 9, 10, 200], [5, 70, 91], [77, 5, 70], [5]]
WANTED = [3, 60, 261]


def grow(sequences: list[list[int]]) -> tuple[Tree, list[int]]:
    tree = Tree()
    return tree, [tree.add(sequence)[-1] for sequence in sequences]


@pytest.mark.parametrize("own_head", [True, False])
@pytest.mark.parametrize("kind", [KINDS.F32, KINDS.F16, KINDS.BF16])
def test_agrees_with_llama_cpp(tmp_path: Path, kind: KINDS, own_head: bool) -> None:
    path = write_tiny(tmp_path / "tiny.gguf", kind=kind, own_head=own_head)
    header = read_header(path)
    assert supports(header)
    tree, ends = grow(SEQUENCES)
    wants = dict.fromkeys(ends, WANTED)
    ours, theirs = Forward(path, header).score(tree, wants), Engine(path, context=128).score(tree, wants)
    # llama.cpp keeps the past at 16 bits, and with BF16 weights rounds activations to 8 bits of precision as well.
    tolerance = 0.1 if kind == KINDS.BF16 else 0.01
    for end in ends:
        assert ours[end] == pytest.approx(theirs[end], abs=tolerance)


def test_a_tree_gives_what_each_sequence_gives_alone(tiny_path: Path) -> None:
    forward = Forward(tiny_path, read_header(tiny_path))
    tree, ends = grow(SEQUENCES)
    together = forward.score(tree, dict.fromkeys(ends, WANTED))
    for sequence, end in zip(SEQUENCES, ends, strict=True):
        alone, (last,) = grow([sequence])
        assert forward.score(alone, {last: WANTED})[last] == pytest.approx(together[end], abs=1e-5)


def test_long_trees_are_computed_in_blocks(tiny_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forward = Forward(tiny_path, read_header(tiny_path))
    tree, ends = grow(SEQUENCES)
    whole = forward.score(tree, dict.fromkeys(ends, WANTED))
    monkeypatch.setattr("otherminds.models.local.forward.ROWS", 3)
    monkeypatch.setattr("otherminds.models.local.forward.HEAD_ROWS", 2)
    blocks = forward.score(tree, dict.fromkeys(ends, WANTED))
    assert all(blocks[end] == pytest.approx(whole[end], abs=1e-5) for end in ends)


def test_numbers_are_the_same_to_the_last_digit_whoever_else_computes(
    tiny_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.setattr(threads, "_cores", lambda: 4)
    forward = Forward(tiny_path, read_header(tiny_path))
    tree, ends = grow([np.random.default_rng(seed).integers(3, 250, 90).tolist() for seed in range(3)])
    found = []
    for free in (1, 2, 3, 4):
        monkeypatch.setattr(threads, "free", lambda free=free: free)
        found.append(forward.score(tree, dict.fromkeys(ends, WANTED)))
    assert found[1:] == found[:-1]


def test_probabilities_sum_to_one(tiny_path: Path) -> None:
    header = read_header(tiny_path)
    tree, ends = grow(SEQUENCES[:1])
    logprobs = Forward(tiny_path, header).score(tree, {ends[0]: range(len(header.pieces))})[ends[0]]
    assert np.exp(logprobs).sum() == pytest.approx(1, abs=1e-5)


def test_other_models_are_left_to_the_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scaled = read_header(write_tiny(tmp_path / "scaled.gguf", more={"llama.rope.scaling.factor": 2.0}))
    assert not supports(scaled)
    plain = read_header(write_tiny(tmp_path / "plain.gguf"))
    biased = type(plain)(plain.metadata, {**plain.tensors, "blk.0.attn_q.bias": plain.tensors["output_norm.weight"]})
    assert not supports(biased)
    assert not supports(type(plain)({**plain.metadata, "general.architecture": "gemma3"}, plain.tensors))
    monkeypatch.setattr("otherminds.models.local.forward.MOST_BYTES", 1000)
    assert not supports(plain)


def test_agrees_with_llama_cpp_on_the_real_model(smollm2: Local) -> None:
    path = weights.expand(weights.get("smollm2"), sha256=weights.WEIGHTS["smollm2"].sha256)
    engine = Engine(path, context=512)
    story = "Sally puts the marble into the basket and leaves. Anne moves the marble to the box. Sally comes back."
    questions = ["Where will Sally look?", "Where is the marble?", "Who left the room?"]
    texts = [f"{story}\nQuestion: {question}\nA. basket\nB. box\nAnswer:" for question in questions]
    tree, ends = grow([engine.tokenize(text) for text in texts])
    labels = [engine.tokenize(" A")[0], engine.tokenize(" B")[0]]
    ours = Forward(path, read_header(path)).score(tree, dict.fromkeys(ends, labels))
    theirs = engine.score(tree, dict.fromkeys(ends, labels))

    def share(pair: list[float]) -> float:
        return float(1 / (1 + np.exp(pair[1] - pair[0])))

    assert max(abs(share(ours[end]) - share(theirs[end])) for end in ends) < 2e-3
