"""Network: a Llama in torch that reads packed lessons, with or without low-rank additions to its matrices.

A lesson is a tree: a story, and branches that each go on from it. Attention follows the tree, so that a row of many
lessons gives the numbers that each question would get alone. Only the places that are learned go through the last
matrix, which would otherwise be a fifth of the work.

Rotary positions are kept as Hugging Face keeps them (first half, second half); GGUF files interleave the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from otherminds.training.masks import MASKS

PARTS = ("q", "k", "v", "o", "gate", "up", "down")
"""The matrices of a layer."""


@dataclass(frozen=True, slots=True)
class Form:
    """The numbers that fix the form of a Llama."""

    layers: int
    width: int
    inner: int
    heads: int
    kv_heads: int
    vocabulary: int
    base: float
    epsilon: float
    own_head: bool = False
    """Whether the last matrix is another than the first."""

    @property
    def head(self) -> int:
        """The width of one head."""
        return self.width // self.heads

    def shape(self, part: str) -> tuple[int, int]:
        """Rows and columns of one of a layer's matrices."""
        kv = self.kv_heads * self.head
        rows = {"k": kv, "v": kv, "gate": self.inner, "up": self.inner}
        return rows.get(part, self.width), self.inner if part == "down" else self.width


class Matrix(nn.Module):  # type: ignore[misc]
    """A weight, to which a product of two thin matrices may be added."""

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(rows, columns))
        self.down: nn.Parameter | None = None
        self.up: nn.Parameter | None = None
        self.scale = 1.0

    def adapt(self, rank: int, scale: float, generator: torch.Generator) -> None:
        """Hold the weight still and learn an addition of this rank, which begins as nothing."""
        rows, columns = self.weight.shape
        down = torch.empty(rank, columns).uniform_(-1, 1, generator=generator) * (3 / columns) ** 0.5
        self.add(down, torch.zeros(rows, rank), scale)

    def add(self, down: Tensor, up: Tensor, scale: float) -> None:
        """Hold the weight still and go on from this addition."""
        self.weight.requires_grad_(False)
        device = self.weight.device
        self.down, self.up, self.scale = nn.Parameter(down.to(device)), nn.Parameter(up.to(device)), scale

    def forward(self) -> Tensor:
        if self.up is None or self.down is None:
            return self.weight
        return self.weight + (self.up @ self.down) * self.scale


Attend = Callable[[Tensor, Tensor, Tensor, Any], Tensor]


class Layer(nn.Module):  # type: ignore[misc]
    """One layer; it is compiled once for all of them."""

    def __init__(self, form: Form, attend: Attend) -> None:
        super().__init__()
        self.form, self._attend = form, attend
        self.attention_norm = nn.Parameter(torch.ones(form.width))
        self.inner_norm = nn.Parameter(torch.ones(form.width))
        for part in PARTS:
            setattr(self, part, Matrix(*form.shape(part)))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, mask: Any) -> Tensor:
        form = self.form
        rows, length, _ = x.shape
        qkv = F.linear(normed(x, self.attention_norm, form.epsilon), torch.cat([self.q(), self.k(), self.v()]))
        heads = qkv.view(rows, length, form.heads + 2 * form.kv_heads, form.head)
        turned = turn(heads[:, :, : -form.kv_heads], cos, sin).transpose(1, 2)
        # A copy: compiled flex attention reads a view with an offset from its buffer's beginning (torch 2.13, CPU).
        values = heads[:, :, -form.kv_heads :].transpose(1, 2).contiguous()
        mixed = self._attend(turned[:, : form.heads], turned[:, form.heads :], values, mask)
        x = x + F.linear(mixed.transpose(1, 2).reshape(rows, length, -1), self.o())
        both = F.linear(normed(x, self.inner_norm, form.epsilon), torch.cat([self.gate(), self.up()]))
        gate, up = both.chunk(2, dim=-1)
        return x + F.linear(F.silu(gate) * up, self.down())


def normed(x: Tensor, weight: Tensor, epsilon: float) -> Tensor:
    """Root-mean-square norm, worked out in single precision."""
    wide = x.float()
    scaled = wide * torch.rsqrt(wide.square().mean(-1)[..., None] + epsilon)
    return (scaled * weight).to(x.dtype)


def turn(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary positions."""
    one, two = x.float().chunk(2, dim=-1)
    return torch.cat([one * cos - two * sin, two * cos + one * sin], dim=-1).to(x.dtype)


class Llama(nn.Module):  # type: ignore[misc]
    """A Llama; `attention` is "dense" anywhere, or "flex" on a GPU."""

    def __init__(self, form: Form, *, attention: str = "dense") -> None:
        super().__init__()
        self.form, self.attention = form, attention
        self.dtype = torch.float32
        """What is computed with between the matrices."""
        self.embedding = nn.Parameter(torch.empty(form.vocabulary, form.width))
        self.layers = nn.ModuleList(Layer(form, ATTENTION[attention]) for _ in range(form.layers))
        self.norm = nn.Parameter(torch.ones(form.width))
        self.head = nn.Parameter(torch.empty(form.vocabulary, form.width)) if form.own_head else None

    def compile_layers(self) -> None:
        """Compile the layers, which are all alike."""
        for layer in self.layers:
            layer.compile()

    def matrices(self) -> Iterator[tuple[str, Matrix]]:
        """Every matrix of every layer by its name, such as "3.gate"."""
        for number, layer in enumerate(self.layers):
            for part in PARTS:
                yield f"{number}.{part}", getattr(layer, part)

    def hidden(self, rows: Mapping[str, Tensor]) -> Tensor:
        """What comes out of the last layer, for rows of tokens whose lessons and branches the keys tell apart."""
        tokens, places = rows["tokens"], rows["places"]
        half = self.form.head // 2
        turns = self.form.base ** (-torch.arange(half, device=tokens.device, dtype=torch.float32) / half)
        angles = places.clamp(min=0)[:, :, None, None].float() * turns
        x = F.embedding(tokens.clamp(min=0), self.embedding).to(self.dtype)
        cos, sin = angles.cos(), angles.sin()
        mask = MASKS[self.attention](rows)
        for layer in self.layers:
            x = layer(x, cos, sin, mask)
        return x

    def logits(self, hidden: Tensor) -> Tensor:
        """The logits after the given places alone."""
        head = self.embedding if self.head is None else self.head
        return F.linear(normed(hidden, self.norm, self.form.epsilon), head)


def _dense(q: Tensor, k: Tensor, v: Tensor, mask: Any) -> Tensor:
    groups = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(groups, dim=1), v.repeat_interleave(groups, dim=1)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


KERNEL = {
    "fwd_BLOCK_M": 64, "fwd_BLOCK_N": 64, "fwd_num_stages": 3, "fwd_num_warps": 4,
    "bwd_BLOCK_M1": 32, "bwd_BLOCK_N1": 64, "bwd_BLOCK_M2": 64, "bwd_BLOCK_N2": 32,
    "bwd_num_stages": 3, "bwd_num_warps": 4,
}  # fmt: skip
"""What flex attention is compiled with: branches are short, so that small blocks waste less (1.7 times as fast on an
H200 as what torch takes)."""


def _flex(q: Tensor, k: Tensor, v: Tensor, mask: Any) -> Tensor:
    from torch.nn.attention.flex_attention import flex_attention

    mixed: Tensor = flex_attention(q, k, v, block_mask=mask, enable_gqa=True, kernel_options=KERNEL)
    return mixed


ATTENTION: dict[str, Attend] = {"dense": _dense, "flex": _flex}
