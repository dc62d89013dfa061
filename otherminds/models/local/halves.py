"""The weights of SmolLM2 at 16 bits without the engine: the same numbers as from llama.cpp."""

import struct
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from otherminds.models.local.gguf import F16, F32, Tensor, read_header

Q4_1, Q8_0 = 3, 8
LAYOUTS = {
    F32: np.dtype("<f4"),
    Q4_1: np.dtype([("scale", "<f2"), ("least", "<f2"), ("quants", "u1", 16)]),
    Q8_0: np.dtype([("scale", "<f2"), ("quants", "i1", 32)]),
}
"""How a number, or a block of 32 of them, lies in the file."""


def write(path: Path, out: Path) -> None:
    """Write the same file with its matrices at 16 bits."""
    header, source = read_header(path), np.memmap(path, dtype=np.uint8, mode="r")
    start = min(tensor.start for tensor in header.tensors.values())
    head = bytearray(source[:start])
    stated = b"general.file_type\4\0\0\0"
    head[head.index(stated) + len(stated)] = F16
    with out.open("wb") as file:
        file.seek(start)
        for name, tensor in header.tensors.items():
            numbers = _half(source, tensor)
            entry = struct.pack("<Q", len(name.encode())) + name.encode()
            place = head.index(entry) + len(entry) + 4 + 8 * len(tensor.shape)
            struct.pack_into("<IQ", head, place, F16 if numbers.itemsize == 2 else F32, file.tell() - start)
            file.write(numbers.tobytes())
            file.write(bytes(-file.tell() % 32))
        file.seek(0)
        file.write(head)


def _half(source: NDArray[np.uint8], tensor: Tensor) -> NDArray[np.floating]:
    layout = LAYOUTS[tensor.kind]
    size = layout.itemsize * prod(tensor.shape) // (32 if layout.names else 1)
    found = source[tensor.start : tensor.start + size].view(layout)
    if not layout.names:
        return found
    # A scale times a small whole number is exact in single precision, so rounding is the same everywhere.
    numbers: NDArray[np.float32] = found["scale"].astype(np.float32)[:, None]
    if tensor.kind == Q8_0:
        numbers = numbers * found["quants"]
    else:
        quants = np.concatenate([found["quants"] & 15, found["quants"] >> 4], axis=1)
        numbers = numbers * quants + found["least"].astype(np.float32)[:, None]
    return numbers.astype("<f2")
