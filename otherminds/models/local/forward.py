"""The Llama forward pass in numpy, over a tree of tokens: exact log-probabilities in single precision.

Weighing many prompts is bound by matrix multiplication, which numpy does faster than the prebuilt llama.cpp; and
since nothing is rounded on the way, a number does not depend on the batch it was computed in. Only plain Llamas are
read (`supports` says which), from files without quantised weights; everything else is weighed by the engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import ceil, prod
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otherminds.models.local import threads
from otherminds.models.local.gguf import F16, F32, PLAIN, Header, Tensor
from otherminds.models.weighing import OneByOne, Tree

Array = NDArray[np.float32]

ROWS = 256
"""Tokens multiplied at once: enough to run at full speed, few enough to stay in the cache."""
HEAD_ROWS = 64
"""The same for the last layer, whose rows are as long as the vocabulary."""
MOST_BYTES = 6 * 2**30
"""A model that would take more memory than this in single precision is left to the engine."""
PARTS = ("attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down")


def supports(header: Header) -> bool:
    """Whether this is a plain Llama: no experts, no biases, no rescaled positions, and not too large."""
    if header.architecture != "llama" or any("rope.scaling" in key for key in header.metadata):
        return False
    try:
        form = LlamaShape.of(header)
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        # Not a Llama that says what it is; the engine may know more, or will say what is missing.
        return False
    counts = (form.layers, form.heads, form.kv_heads, form.head)
    real = all(isinstance(number, float) and number > 0 for number in (form.base, form.epsilon))
    whole = all(type(count) is int and count > 0 for count in counts)
    if not real or not whole or form.layers > len(header.tensors):
        return False
    expected = {f"blk.{layer}.{part}.weight" for layer in range(form.layers) for part in PARTS}
    expected |= {"token_embd.weight", "output_norm.weight"}
    sizes = ("llama.rope.dimension_count", "llama.attention.key_length", "llama.attention.value_length")
    whole_head = all(header.metadata.get(size, form.head) == form.head for size in sizes)
    small = sum(4 * prod(tensor.shape) for tensor in header.tensors.values()) <= MOST_BYTES
    complete = expected <= set(header.tensors) <= expected | {"output.weight"}
    return complete and whole_head and small and _fits(header, form)


def _fits(header: Header, form: LlamaShape) -> bool:
    """Whether all tensors have the sides that the form lets expect, and every token has its row."""
    width, keys = form.heads * form.head, form.kv_heads * form.head
    words, inner = ([*header.tensors[name].shape, 0][0] for name in ("token_embd.weight", "blk.0.ffn_up.weight"))
    sides: dict[str, tuple[int, ...]] = dict.fromkeys(PARTS, (width, width))
    sides |= dict.fromkeys(("token_embd", "output"), (words, width))
    sides |= dict.fromkeys(("output_norm", "attn_norm", "ffn_norm"), (width,))
    sides |= dict.fromkeys(("attn_k", "attn_v"), (keys, width)) | dict.fromkeys(("ffn_gate", "ffn_up"), (inner, width))
    sides["ffn_down"] = (width, inner)
    fitting = all(tensor.shape == sides[name.split(".")[-2]] for name, tensor in header.tensors.items())
    enough = words >= len(header.metadata["tokenizer.ggml.tokens"])
    return fitting and enough and form.heads % form.kv_heads == 0 == form.head % 2


@dataclass(frozen=True, slots=True)
class LlamaShape:
    """The numbers that fix the form of a Llama."""

    layers: int
    heads: int
    kv_heads: int
    head: int
    base: float
    epsilon: float

    @classmethod
    def of(cls, header: Header) -> LlamaShape:
        """The form that a file states."""
        data = header.metadata
        heads = data["llama.attention.head_count"]
        return cls(
            layers=data["llama.block_count"],
            heads=heads,
            kv_heads=data.get("llama.attention.head_count_kv", heads),
            head=data["llama.embedding_length"] // heads,
            base=data.get("llama.rope.freq_base", 10000.0),
            epsilon=data["llama.attention.layer_norm_rms_epsilon"],
        )


@dataclass(frozen=True, slots=True)
class LlamaLayer:
    """The matrices of one layer, rows out, columns in."""

    qkv: Array
    out: Array
    gate_up: Array
    down: Array


class Forward(OneByOne):
    """A Llama's weights, and the log-probabilities that follow from them."""

    most_tokens = 16384
    most_sequences = 2**31

    def __init__(self, path: Path, header: Header, *, layers: int = 0) -> None:
        self.form = LlamaShape.of(header)
        weights = _ModelWeights(path, header.tensors, layers or self.form.layers)
        # Of the vocabulary only the rows of a prompt are wanted, so they stay as they are until then.
        self._vocabulary = weights.raw("token_embd.weight")
        last = "output.weight" if "output.weight" in header.tensors else "token_embd.weight"
        self.last = weights.together(last, norm="output_norm.weight")
        names = [f"blk.{number}" for number in range(layers or self.form.layers)]
        with ThreadPoolExecutor(threads.free()) as pool:
            self.layers = list(pool.map(weights.layer, names))

    def score(self, tree: Tree, wants: Mapping[int, Sequence[int]]) -> dict[int, list[float]]:
        """The log-probabilities of the wanted tokens after each of the given places of the tree."""
        places = list(wants)
        found: dict[int, list[float]] = {}
        with threads.apart() as each:
            hidden = self._hidden(tree, each)

            def weigh(rows: slice) -> None:
                logits = self._normed(hidden[places[rows]]) @ self.last.T
                for place, row in zip(places[rows], logits, strict=True):
                    found[place] = pick(row, wants[place])

            each(_blocks(len(places), HEAD_ROWS), weigh)
        return found

    def _hidden(self, tree: Tree, each: threads.ForEach) -> Array:
        """What comes out of the last layer for every token of the tree."""
        x = single(self._vocabulary[tree.tokens])
        turns = self._turns(tree.depths)
        runs = [
            (slice(first, end), np.array([*tree.path(tree.parents[first]), *range(first, end)]))
            for first, end in tree.runs()
        ]
        blocks = _blocks(len(x), _even(len(x)))
        for layer in self.layers:
            mixed = self._attention(x, layer, turns, runs, blocks, each)
            each(blocks, partial(self._fed_forward, x, mixed, layer))
        return x

    def _fed_forward(self, x: Array, mixed: Array, layer: LlamaLayer, rows: slice) -> None:
        x[rows] += mixed[rows] @ layer.out.T
        gate, up = np.split(self._normed(x[rows]) @ layer.gate_up.T, 2, axis=1)
        x[rows] += (gate / (1 + np.exp(-gate)) * up) @ layer.down.T

    def _attention(
        self,
        x: Array,
        layer: LlamaLayer,
        turns: tuple[Array, Array],
        runs: Sequence[tuple[slice, NDArray[np.int64]]],
        blocks: Sequence[slice],
        each: threads.ForEach,
    ) -> Array:
        """Every token looks at its ancestors and at itself; one line of the tree at a time."""
        form, n = self.form, len(x)
        by_head = np.empty((form.heads + 2 * form.kv_heads, n, form.head), np.float32)
        cos, sin = turns

        def project(rows: slice) -> None:
            made = (self._normed(x[rows]) @ layer.qkv.T).reshape(-1, len(by_head), form.head).transpose(1, 0, 2)
            by_head[: -form.kv_heads, rows] = _turned(made[: -form.kv_heads], (cos[rows], sin[rows]))
            by_head[-form.kv_heads :, rows] = made[-form.kv_heads :]

        each(blocks, project)
        q, k, v = np.split(by_head, [form.heads, form.heads + form.kv_heads])
        mixed = np.empty((n, form.heads, form.head), np.float32)

        def attend(some: Sequence[tuple[slice, NDArray[np.int64]]]) -> None:
            for line, seen in some:
                mixed[line] = _attend(q[:, line], k[:, seen], v[:, seen])

        each([runs[part :: each.threads] for part in range(each.threads)], attend)
        return mixed.reshape(n, -1)

    def _turns(self, depths: Sequence[int]) -> tuple[Array, Array]:
        half = self.form.head // 2
        angles = np.outer(depths, self.form.base ** (-np.arange(half) / half))
        return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)

    def _normed(self, x: Array) -> Array:
        normed: Array = x / np.sqrt(np.mean(x * x, axis=1, keepdims=True) + np.float32(self.form.epsilon))
        return normed


def pick(logits: NDArray[np.floating], tokens: Sequence[int]) -> list[float]:
    """The log-probabilities of some tokens, from the logits of all."""
    top = logits.max()
    total = float(top) + float(np.log(np.exp(logits - top).sum(dtype=np.float64)))
    return [float(logits[token]) - total for token in tokens]


def _attend(q: Array, k: Array, v: Array) -> Array:
    """Attention of a line of tokens to their past and, inside the line, to none that comes later."""
    heads, n, width = q.shape
    groups, seen, _ = k.shape
    # Heads that share keys are stacked, so that one multiplication serves them all.
    scores: Array = (q.reshape(groups, -1, width) @ k.transpose(0, 2, 1)).reshape(heads, n, seen)
    scores *= np.float32(width**-0.5)
    scores[:, :, seen - n :] += np.triu(np.full((n, n), -np.inf, np.float32), 1)
    scores -= scores.max(axis=2, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=2, keepdims=True)
    mixed: Array = scores.reshape(groups, -1, seen) @ v
    return mixed.reshape(heads, n, width).transpose(1, 0, 2)


def _turned(x: Array, turns: tuple[Array, Array]) -> Array:
    """Rotary positions; GGUF keeps the two numbers of a rotated pair side by side."""
    cos, sin = turns
    even, odd = x[..., 0::2], x[..., 1::2]
    out = np.empty(x.shape, np.float32)
    out[..., 0::2] = even * cos - odd * sin
    out[..., 1::2] = even * sin + odd * cos
    return out


class _ModelWeights:
    """The tensors of a file, put into one piece of memory: the system hands out a large piece much sooner than many."""

    def __init__(self, path: Path, tensors: Mapping[str, Tensor], layers: int) -> None:
        self._file, self._tensors = np.memmap(path, dtype=np.uint8, mode="r"), tensors
        used = {f"blk.{number}.{part}.weight" for number in range(layers) for part in PARTS}
        size = sum(prod(tensor.shape) for name, tensor in tensors.items() if name in used)
        last = tensors.get("output.weight", tensors["token_embd.weight"])
        self._room = np.empty(size + prod(last.shape), np.float32)
        self._taken, self._lock = 0, Lock()

    def raw(self, name: str) -> NDArray[Any]:
        """A tensor as it lies in the file."""
        return _raw(self._file, self._tensors[name])

    def together(self, *names: str, norm: str = "") -> Array:
        """Matrices one below the other. The norm before them only scales columns: it is multiplied in for good."""
        parts = [self.raw(name) for name in names]
        shape = (sum(len(part) for part in parts), parts[0].shape[1])
        with self._lock:
            found = self._room[self._taken : self._taken + prod(shape)].reshape(shape)
            self._taken += prod(shape)
        start = 0
        for part in parts:
            found[start : start + len(part)] = part if part.dtype != np.uint16 else single(part)
            start += len(part)
        if norm:
            found *= single(self.raw(norm))
        return found

    def layer(self, name: str) -> LlamaLayer:
        """The matrices of a layer."""
        q, k, v, out, gate, up, down = (f"{name}.{part}.weight" for part in PARTS if not part.endswith("_norm"))
        return LlamaLayer(
            qkv=self.together(q, k, v, norm=f"{name}.attn_norm.weight"),
            out=self.together(out),
            gate_up=self.together(gate, up, norm=f"{name}.ffn_norm.weight"),
            down=self.together(down),
        )


def numbers(file: NDArray[np.uint8], tensor: Tensor) -> Array:
    """A tensor that is not quantised, in single precision."""
    return single(_raw(file, tensor))


def _raw(file: NDArray[np.uint8], tensor: Tensor) -> NDArray[Any]:
    data = file[tensor.start : tensor.start + PLAIN[tensor.kind] * prod(tensor.shape)]
    return data.view({F32: "<f4", F16: "<f2"}.get(tensor.kind, "<u2")).reshape(tensor.shape)


def single(raw: NDArray[Any]) -> Array:
    """Numbers that are not quantised, in single precision."""
    if raw.dtype == np.uint16:
        # BF16 is the upper half of a single-precision number.
        return (raw.astype(np.uint32) << 16).view(np.float32)
    return raw.astype(np.float32)


def _even(n: int) -> int:
    """Rows of a block, such that two threads have as many blocks as each other. By the rows alone: the last digits go
    with the size of a block, and must not go with how many threads there are, or with who else computes."""
    return max(1, ceil(n / (2 * ceil(n / (2 * ROWS)))))


def _blocks(n: int, rows: int) -> list[slice]:
    return [slice(start, min(start + rows, n)) for start in range(0, n, rows)]
