"""The weights of SmolLM2 at 16 bits without the engine: the same numbers as from llama.cpp."""

import struct
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from otherminds.models.local.gguf import F16, F32, read_header

Q4_1 = 3
BLOCKS = {
    Q4_1: np.dtype([("scale", "<f2"), ("least", "<f2"), ("quants", "u1", 16)]),
    8: np.dtype([("scale", "<f2"), ("quants", "i1", 32)]),
}
"""How 32 numbers lie in the file: by their kind."""


def write(path: Path, out: Path) -> None:
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
