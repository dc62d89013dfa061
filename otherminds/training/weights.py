"""Weights: from a GGUF file or a Hugging Face folder into a network, and out as safetensors or as an adapter.

Files carry the names and the order of numbers of Hugging Face, and adapters those of peft, so that others read them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from otherminds.errors import UsageError
from otherminds.models.local.gguf import Header, read_header
from otherminds.training.network import PARTS, Form, Llama

GGUF_PARTS = {
    "q": "attn_q", "k": "attn_k", "v": "attn_v", "o": "attn_output",
    "gate": "ffn_gate", "up": "ffn_up", "down": "ffn_down",
}  # fmt: skip
HF_PARTS = {
    "q": "self_attn.q_proj", "k": "self_attn.k_proj", "v": "self_attn.v_proj", "o": "self_attn.o_proj",
    "gate": "mlp.gate_proj", "up": "mlp.up_proj", "down": "mlp.down_proj",
}  # fmt: skip
HF_NORMS = {"attention_norm": "input_layernorm", "inner_norm": "post_attention_layernorm"}


def gguf_form(header: Header) -> Form:
    """The form of the Llama in a GGUF file; any other model is refused."""
    data = header.metadata
    if header.architecture != "llama" or any("rope.scaling" in key for key in data):
        raise UsageError(f"only plain Llamas can be trained, and this is a {header.architecture}")
    heads = data["llama.attention.head_count"]
    return Form(
        layers=data["llama.block_count"],
        width=data["llama.embedding_length"],
        inner=data["llama.feed_forward_length"],
        heads=heads,
        kv_heads=data.get("llama.attention.head_count_kv", heads),
        vocabulary=header.tensors["token_embd.weight"].shape[0],
        base=data.get("llama.rope.freq_base", 10000.0),
        epsilon=data["llama.attention.layer_norm_rms_epsilon"],
        own_head="output.weight" in header.tensors,
    )


def from_gguf(path: Path, *, attention: str = "dense") -> Llama:
    """The network with the weights of a GGUF file, at single precision."""
    import gguf

    form = gguf_form(read_header(path))
    reader = gguf.GGUFReader(str(path))
    found = {
        tensor.name: torch.from_numpy(np.array(gguf.dequantize(tensor.data, tensor.tensor_type), np.float32))
        for tensor in reader.tensors
    }
    network = Llama(form, attention=attention)
    with torch.no_grad():
        network.embedding.copy_(found["token_embd.weight"])
        network.norm.copy_(found["output_norm.weight"])
        if network.head is not None:
            network.head.copy_(found["output.weight"])
        for number, layer in enumerate(network.layers):
            layer.attention_norm.copy_(found[f"blk.{number}.attn_norm.weight"])
            layer.inner_norm.copy_(found[f"blk.{number}.ffn_norm.weight"])
            for part in PARTS:
                weight = found[f"blk.{number}.{GGUF_PARTS[part]}.weight"]
                heads = {"q": form.heads, "k": form.kv_heads}.get(part)
                getattr(layer, part).weight.copy_(from_pairs(weight, heads) if heads else weight)
    return network


def from_pairs(weight: Tensor, heads: int) -> Tensor:
    """Rows in the order of Hugging Face, from the pairs of GGUF."""
    return weight.view(heads, -1, 2, *weight.shape[1:]).transpose(1, 2).reshape(weight.shape)


def low_rank(before: Mapping[str, Tensor], after: Mapping[str, Tensor], rank: int) -> dict[str, tuple[Tensor, Tensor]]:
    """The best additions of this rank that lead from one set of matrices to another."""
    found = {}
    for name, weight in after.items():
        left, size, right = torch.linalg.svd((weight - before[name]).float(), full_matrices=False)
        root = size[:rank].sqrt()
        found[name] = ((root[:, None] * right[:rank]).contiguous(), (left[:, :rank] * root).contiguous())
    return found
