"""Where a model's weights go: whether there is room for them, on one device or over several."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from otherminds.errors import ModelError

SPREAD = "auto"
"""The device that stands for all GPUs together."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether this is a device's or the machine's way to say that it is full."""
    import torch

    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    return isinstance(error, RuntimeError) and "can't allocate memory" in str(error)


def free_memory(device: str) -> list[int]:
    """The bytes that are free: by GPU, or of the machine; empty where nothing tells."""
    import torch

    if device.startswith("cuda"):
        _, colon, number = device.partition(":")
        gpus = [int(number)] if colon else [torch.cuda.current_device()]
        return [torch.cuda.mem_get_info(gpu)[0] for gpu in gpus]
    if device == SPREAD:
        return [torch.cuda.mem_get_info(gpu)[0] for gpu in range(torch.cuda.device_count())]
    return _free_of_machine() if device == "cpu" else []


def _free_of_machine(told: str = "/proc/meminfo") -> list[int]:
    try:
        lines = dict(line.split(":", 1) for line in Path(told).read_text().splitlines())
        return [int(lines["MemAvailable"].split()[0]) * 1024]
    except (OSError, KeyError, ValueError, IndexError):
        return []


def size(config: Any, dtype: str) -> int:
    """The bytes of a model's weights in this dtype; 0 where its kind cannot be made up without them."""
    import torch
    import transformers

    try:
        with torch.device("meta"):
            model = transformers.AutoModelForCausalLM.from_config(config)
    except Exception:  # a maker's own code may do anything here, and then nothing is foreseen
        return 0
    return int(sum(part.numel() for part in model.parameters()) * getattr(torch, dtype).itemsize)


def place(name: str, wish: str | None, needed: int, dtype: str) -> str:
    """The device for weights of this size: a GPU if there is one, all GPUs together if one is too small."""
    import torch

    if wish and wish.startswith(("cuda", SPREAD)) and not torch.cuda.is_available():
        raise ModelError(
            f"{name} cannot be put on {wish!r}: torch finds no GPU here; leave out `device` to take the CPU, or check"
            " the driver with nvidia-smi"
        )
    device = wish or ("cuda" if torch.cuda.is_available() else "cpu")
    free = free_memory(device)
    if not wish and device == "cuda" and free and needed > free[0] and torch.cuda.device_count() > 1:
        device, free = SPREAD, free_memory(SPREAD)
    if free and needed > sum(free):
        narrower = " dtype=bfloat16 (half of it)," if dtype == "float32" else ""
        more = "" if device == SPREAD else f" device={SPREAD} to spread it over several GPUs,"
        raise ModelError(
            f"{name} needs {needed / 1e9:.1f} GB for its weights in {dtype}, and {_called(device)} has"
            f" {sum(free) / 1e9:.1f} GB free; take{narrower}{more} a smaller model or a quantised GGUF file"
        )
    return device


def _called(device: str) -> str:
    return {"cpu": "this machine", SPREAD: "all GPUs together"}.get(device, device)
