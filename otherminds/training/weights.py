"""Weights: from a GGUF file or a Hugging Face folder into a network, and out as safetensors or as an adapter.

Files carry the names and the order of numbers of Hugging Face, and adapters those of peft, so that others read them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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


def to_pairs(weight: Tensor, heads: int) -> Tensor:
    """Rows in the order of GGUF, from the halves of Hugging Face."""
    return weight.view(heads, 2, -1, *weight.shape[1:]).transpose(1, 2).reshape(weight.shape)


def full_state(network: Llama) -> dict[str, Tensor]:
    """Every weight under the name that Hugging Face gives it, additions merged."""
    state = {"model.embed_tokens.weight": network.embedding, "model.norm.weight": network.norm}
    if network.head is not None:
        state["lm_head.weight"] = network.head
    for number, layer in enumerate(network.layers):
        for name, theirs in HF_NORMS.items():
            state[f"model.layers.{number}.{theirs}.weight"] = getattr(layer, name)
        for part in PARTS:
            state[f"model.layers.{number}.{HF_PARTS[part]}.weight"] = getattr(layer, part)()
    return {name: weight.detach() for name, weight in state.items()}


def load_full(network: Llama, state: Mapping[str, Tensor]) -> None:
    """Put such weights into a network without additions."""
    with torch.no_grad():
        for name, weight in full_state(network).items():
            if name not in state or state[name].shape != weight.shape:
                raise UsageError(f"these weights have no {name} of the form {tuple(weight.shape)}")
            weight.copy_(state[name])


def adapter_names(name: str) -> tuple[str, str]:
    """What peft calls the two thin matrices of a matrix such as "3.gate"."""
    number, part = name.split(".")
    stem = f"base_model.model.model.layers.{number}.{HF_PARTS[part]}"
    return f"{stem}.lora_A.weight", f"{stem}.lora_B.weight"


def low_rank(before: Mapping[str, Tensor], after: Mapping[str, Tensor], rank: int) -> dict[str, tuple[Tensor, Tensor]]:
    """The best additions of this rank that lead from one set of matrices to another."""
    found = {}
    for name, weight in after.items():
        left, size, right = torch.linalg.svd((weight - before[name]).float(), full_matrices=False)
        root = size[:rank].sqrt()
        found[name] = ((root[:, None] * right[:rank]).contiguous(), (left[:, :rank] * root).contiguous())
    return found


def adapter_config(rank: int, scale: float, base: Mapping[str, Any]) -> str:
    """The file that peft wants beside an adapter, with what it was made from."""
    known = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "r": rank,
        "lora_alpha": rank * scale,
        "target_modules": [name.split(".")[-1] for name in HF_PARTS.values()],
        "bias": "none",
        "otherminds": dict(base),
    }
    return json.dumps(known, indent=1)
