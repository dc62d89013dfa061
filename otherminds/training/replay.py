"""Replay: text that the model itself wrote before it was taught, so that what it knew is not forgotten.

While it learns, its chances for every next token of such text are held to what they were. No text of anybody else is
needed for that, and nothing but the last layer's output has to be kept: what follows it does not learn.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from otherminds.training import ranks
from otherminds.training.encoding import Encoder, Numbers, Rows
from otherminds.training.loop import Machine, evaluating
from otherminds.training.network import Llama, normed, turn

OPENINGS = (
    "The", "In the", "When", "She", "He said", "It was", "Once upon a time", "One of the most", "A", "After", "Many",
    "How to", "Why do", "If you", "My", "Last summer", "Scientists", "To make", "There are", "During the", "They",
    "At first", "People who", "The small town", "Every morning", "Dear", "We", "According to", "Although", "I",
    "Chapter 1", "On Monday", "In 1950", "The museum", "The teacher", "Her brother", "This recipe", "Question:",
)  # fmt: skip
"""How plain texts begin; the model goes on from there."""


@dataclass(frozen=True)
class Replay:
    """Texts packed into rows, and what the last layer said of them before anything was learned."""

    rows: Rows
    hidden: Tensor
    share: int
    """Rows of replay in a step."""
    weight: float = 1.0
    """How much it counts beside what is taught."""

    def part(self, seed: int, step: int) -> tuple[Rows, Numbers]:
        """The rows of this step, which follow from seed and step alone, and where their learned places are kept."""
        which = random.Random(f"replay:{seed}:{step}").sample(range(len(self.rows.tokens)), self.share)
        which = which[ranks.rank() :: ranks.world()]
        rows = Rows(*(getattr(self.rows, part)[which] for part in Rows.__slots__))
        row, place = np.nonzero(rows.targets >= 0)
        return rows, np.array(which)[row] * rows.targets.shape[1] + place

    def loss(self, network: Llama, logits: Tensor, places: Tensor) -> Tensor:
        """How far the chances of every next token have moved, in nats a token, times the weight."""
        kept = self.hidden.flatten(0, 1).index_select(0, places)
        with torch.no_grad():
            before = F.log_softmax(network.logits(kept).float(), dim=-1)
        now = F.log_softmax(logits.float(), dim=-1)
        return self.weight * F.kl_div(now, before, log_target=True, reduction="sum") / (len(kept) * ranks.world())


def replay(
    network: Llama,
    encoder: Encoder,
    machine: Machine,
    *,
    texts: int,
    tokens: int,
    length: int,
    rows: int,
    share: int,
    weight: float = 1.0,
    seed: int = 0,
    at_once: int = 2048,
) -> Replay:
    """So many texts of so many tokens, written by the network as it is now, in rows of the given length."""
    starts = beginnings(encoder, texts, seed)
    generator = torch.Generator(machine.device).manual_seed(seed)
    found = []
    for first in range(0, texts, at_once):
        found.append(written(network, starts[first : first + at_once], tokens, machine, generator))
    packed = in_rows(np.concatenate(found), length)
    whole = len(packed.tokens) // rows * rows or len(packed.tokens)
    packed = Rows(*(getattr(packed, part)[:whole] for part in Rows.__slots__))
    return Replay(packed, last_layer(network, packed, machine, rows), share, weight)


def beginnings(encoder: Encoder, texts: int, seed: int) -> list[list[int]]:
    """First tokens: openings of plain text and, where the model knows chats, the frame in which a user speaks."""
    rng = random.Random(f"beginnings:{seed}")
    before = encoder.frame[0] if encoder.frame else []
    return [list(before) if before and rng.random() < 0.4 else encoder(rng.choice(OPENINGS)) for _ in range(texts)]


@torch.no_grad()  # type: ignore[untyped-decorator]
def written(
    network: Llama, starts: Sequence[list[int]], length: int, machine: Machine, generator: torch.Generator
) -> Numbers:
    """Texts of `length` tokens that go on from these beginnings, every token drawn by its chance."""
    form, dtype = network.form, machine.dtype
    layers = [_fused(layer, dtype) for layer in network.layers]
    given = torch.full((len(starts), length), -1, dtype=torch.int64)
    for number, start in enumerate(starts):
        given[number, : min(len(start), length)] = torch.tensor(start[:length])
    text = given.to(machine.device)
    shape = (form.layers, len(starts), form.kv_heads, length, form.head)
    keys = torch.empty(shape, dtype=dtype, device=machine.device)
    values = torch.empty_like(keys)
    half = form.head // 2
    turns = form.base ** (-torch.arange(half, device=machine.device, dtype=torch.float32) / half)
    for place in range(length - 1):
        x = F.embedding(text[:, place], network.embedding).to(dtype)
        cos, sin = (place * turns).cos(), (place * turns).sin()
        for number, (attention_norm, qkv, out, inner_norm, gate_up, down) in enumerate(layers):
            heads = F.linear(normed(x, attention_norm, form.epsilon), qkv).view(len(x), -1, form.head)
            turned = turn(heads[:, : -form.kv_heads], cos, sin)
            keys[number, :, :, place] = turned[:, form.heads :]
            values[number, :, :, place] = heads[:, -form.kv_heads :]
            seen = keys[number, :, :, : place + 1], values[number, :, :, : place + 1]
            grouped = turned[:, : form.heads].view(len(x), form.kv_heads, -1, form.head)
            mixed = F.scaled_dot_product_attention(grouped, *seen)
            x = x + F.linear(mixed.reshape(len(x), -1), out)
            gate, up = F.linear(normed(x, inner_norm, form.epsilon), gate_up).chunk(2, dim=-1)
            x = x + F.linear(F.silu(gate) * up, down)
        with machine.precision():
            chances = network.logits(x).float().softmax(-1)
        drawn = torch.multinomial(chances, 1, generator=generator)[:, 0]
        text[:, place + 1] = torch.where(text[:, place + 1] < 0, drawn, text[:, place + 1])
    found: Numbers = text.cpu().numpy()
    return found


def _fused(layer: torch.nn.Module, dtype: torch.dtype) -> tuple[Tensor, ...]:
    """The weights of a layer as they are multiplied, without a graph behind them."""
    part = {name: getattr(layer, name)().detach().to(dtype) for name in ("q", "k", "v", "o", "gate", "up", "down")}
    qkv, gate_up = torch.cat([part["q"], part["k"], part["v"]]), torch.cat([part["gate"], part["up"]])
    return layer.attention_norm, qkv, part["o"], layer.inner_norm, gate_up, part["down"]


def in_rows(texts: Numbers, length: int) -> Rows:
    """Texts of one length side by side in rows; every token but the last of a text is learned from."""
    number, tokens = texts.shape
    each = length // tokens
    count = number // each
    texts = texts[: count * each].astype(np.int64)
    targets = np.concatenate([texts[:, 1:], np.full((len(texts), 1), -1)], axis=1)
    places = np.broadcast_to(np.arange(tokens), texts.shape)
    lesson = np.broadcast_to(np.arange(len(texts))[:, None] % each, texts.shape)
    nothing = np.zeros_like(texts)
    columns = (texts, places, lesson, nothing, targets, np.where(targets >= 0, 0, -1))
    full = [np.full((count, length), -1, np.int64) for _ in columns]
    for whole, column in zip(full, columns, strict=True):
        whole[:, : each * tokens] = column.reshape(count, each * tokens)
    return Rows(*full)


def last_layer(network: Llama, packed: Rows, machine: Machine, rows: int) -> Tensor:
    """What comes out of the last layer for every token, kept at half precision on the device."""
    found = []
    with evaluating(network, machine):
        for first in range(0, len(packed.tokens), rows):
            put = machine.put(Rows(*(getattr(packed, part)[first : first + rows] for part in Rows.__slots__)))
            found.append(network.hidden(put))
    return torch.cat(found)
