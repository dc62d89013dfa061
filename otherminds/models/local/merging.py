"""Weights as other files: an adapter put into those it was made for, and SmolLM2 at 16 bits without the engine."""

from __future__ import annotations

import shutil
import struct
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from otherminds.errors import WeightsError
from otherminds.models.adapters import Adapter, Array
from otherminds.models.local import weights
from otherminds.models.local.forward import LlamaShape, numbers, supports
from otherminds.models.local.gguf import F16, F32, PLAIN, Header, read_header

NAMES = {
    "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
}  # fmt: skip
"""What GGUF calls the matrices of a layer, by what Hugging Face calls them."""


def merge(base: Path, sha256: str, adapter: Adapter, *, model: str, progress: weights.Progress | None = None) -> Path:
    """The file of these weights with the adapter in them, made once and kept in the cache under both digests."""
    header = read_header(base)
    if not supports(header):
        raise WeightsError(f"{model}: adapters are merged into plain Llamas, and this is another kind of model")
    names = matrices(header)
    adapter.check({base.name: sha256}, {name: header.tensors[ours].shape for name, ours in names.items()}, model)

    def make(half: Path) -> None:
        source = base if header.plain else weights.expand(base, sha256=sha256, progress=progress)
        shutil.copyfile(source, half)
        _add(half, adapter, names)

    place = weights.cache() / f"{sha256[:32]}+{adapter.sha256[:32]}.f16.gguf"
    needed = 2 * sum(prod(tensor.shape) for tensor in header.tensors.values())
    what = f"merging {adapter.path.stem} into {base.name}"
    return weights.made(place, make, what=what, needed=needed, name=base.name, progress=progress)


def matrices(header: Header) -> dict[str, str]:
    """The names in the file of all matrices that an adapter may change, by their names in Hugging Face."""
    layers = range(LlamaShape.of(header).layers)
    return {
        f"model.layers.{layer}.{theirs}": f"blk.{layer}.{ours}.weight"
        for layer in layers
        for theirs, ours in NAMES.items()
    }


def _add(path: Path, adapter: Adapter, names: dict[str, str]) -> None:
    header = read_header(path)
    form = LlamaShape.of(header)
    heads = {"attn_q": form.heads, "attn_k": form.kv_heads}
    file = np.memmap(path, dtype=np.uint8, mode="r+")
    for name in adapter.parts:
        tensor = header.tensors[names[name]]
        addition = adapter.addition(name)
        turned = heads.get(names[name].split(".")[2])
        whole = numbers(file, tensor) + (in_pairs(addition, turned) if turned else addition)
        end = tensor.start + PLAIN[tensor.kind] * prod(tensor.shape)
        file[tensor.start : end] = np.frombuffer(_bytes(whole, tensor.kind), np.uint8)
    file.flush()


def in_pairs(weight: Array, heads: int) -> Array:
    """Rows in the order of GGUF, which keeps the two numbers of a rotated pair side by side, from halves."""
    return weight.reshape(heads, 2, -1, weight.shape[1]).swapaxes(1, 2).reshape(weight.shape)


def _bytes(weight: Array, kind: int) -> bytes:
    if kind == F32:
        return weight.astype("<f4").tobytes()
    if kind == F16:
        return weight.astype("<f2").tobytes()
    # BF16 is the upper half of a single-precision number; half of the lower is added to round.
    return ((weight.astype("<f4").view(np.uint32) + 0x8000) >> 16).astype("<u2").tobytes()


Q4_1 = 3
BLOCKS = {
    Q4_1: np.dtype([("scale", "<f2"), ("least", "<f2"), ("quants", "u1", 16)]),
    8: np.dtype([("scale", "<f2"), ("quants", "i1", 32)]),
}
"""How 32 numbers lie in the file: by their kind."""


def write_halves(path: Path, out: Path) -> None:
    """Write the same file with its matrices at 16 bits."""
    header, source = read_header(path), np.memmap(path, dtype=np.uint8, mode="r")
    start = min(tensor.start for tensor in header.tensors.values())
    head, stated = bytearray(source[:start]), b"general.file_type\4\0\0\0"
    head[head.index(stated) + len(stated)] = F16
    with out.open("wb") as file:
        file.seek(start)
        for name, tensor in header.tensors.items():
            place = head.index(struct.pack("<Q", len(name)) + name.encode()) + 12 + len(name) + 8 * len(tensor.shape)
            kind = F32 if tensor.kind == F32 else F16
            struct.pack_into("<IQ", head, place, kind, file.tell() - start)
            size, data = prod(tensor.shape), source[tensor.start :]
            file.write((data[: 4 * size] if kind == F32 else _half(data, tensor.kind, size // 32)).tobytes())
        file.seek(0)
        file.write(head)


def _half(data: NDArray[np.uint8], kind: int, number: int) -> NDArray[np.float16]:
    blocks = data[: number * BLOCKS[kind].itemsize].view(BLOCKS[kind])
    quants, least = blocks["quants"], np.zeros(number, np.float32)
    if kind == Q4_1:
        quants, least = np.concatenate([quants & 15, quants >> 4], axis=1), blocks["least"].astype(np.float32)
    # A scale times a small whole number is exact in single precision, so rounding is the same everywhere.
    return (quants * blocks["scale"].astype(np.float32)[:, None] + least[:, None]).astype(np.float16)
