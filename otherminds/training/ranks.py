"""Ranks: several processes, each with its device and its part of every step's rows, that learn as one.

`torchrun` or `accelerate launch` starts them and says in the environment who is who. Gradients are added up, so that
a step is what one process with all the rows would take; the first process alone writes and speaks.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import Tensor

PATIENCE = timedelta(hours=2)
"""How long the others wait while the first one examines."""


def rank() -> int:
    """The number of this process."""
    return int(os.environ.get("RANK", "0"))


def world() -> int:
    """How many processes there are."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def local() -> int:
    """The number of this process on its own machine, and of its GPU."""
    return int(os.environ.get("LOCAL_RANK", "0"))


@contextmanager
def together(device: torch.device) -> Iterator[None]:
    """The processes know each other in here."""
    if world() == 1:
        yield
        return
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo", timeout=PATIENCE)
    try:
        yield
    finally:
        dist.destroy_process_group()


def add_up(tensors: Sequence[Tensor]) -> None:
    """Put the sum over all processes into every tensor."""
    if world() == 1 or not tensors:
        return
    flat = torch.cat([tensor.flatten() for tensor in tensors])
    dist.all_reduce(flat)
    for tensor, part in zip(tensors, flat.split([tensor.numel() for tensor in tensors]), strict=True):
        tensor.copy_(part.view_as(tensor))


def greatest(number: float, device: torch.device) -> float:
    """The greatest of what the processes have here, so that all go by one clock."""
    if world() == 1:
        return number
    found = torch.tensor(number, device=device)
    dist.all_reduce(found, op=dist.ReduceOp.MAX)
    return float(found)
