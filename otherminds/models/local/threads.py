"""How many threads to compute with: as many as there are cores that nobody else is using.

Threads that share one multiplication wait for each other, and wait by spinning. Where another program has one of the
cores, two threads take many times as long as one, so the cores are counted anew whenever something is computed.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

MOST = 8
"""A small model's threads wait for each other more than they work when there are many."""
SPINS = "2000"
"""How often a thread of llama.cpp looks for its fellows before it sleeps; by itself it would look 300,000 times."""


def sleep_soon() -> None:
    """Let llama.cpp's threads sleep while they wait; OpenMP reads this once, when it is loaded."""
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", SPINS)


def free() -> int:
    """The threads to use now: what OMP_NUM_THREADS says, else one for every core that is free, and at least one."""
    given = os.environ.get("OMP_NUM_THREADS", "")
    if given.isdecimal() and int(given):
        return int(given)
    # The load is that of the whole machine, of which this program may have been given only a part.
    idle = (os.cpu_count() or 1) - _others()
    return max(1, min(idle, _cores(), MOST))


class ForEach:
    """Calls a function for each of some things, several at once."""

    def __init__(self, threads: int, pool: ThreadPoolExecutor | None) -> None:
        self.threads, self._pool = threads, pool

    def __call__(self, things: Sequence[T], do: Callable[[T], object]) -> None:
        """All of them; afterwards all are done."""
        for _ in (self._pool.map if self._pool else map)(do, things):
            pass


@contextmanager
def apart() -> Iterator[ForEach]:
    """As many threads as are free, each of which multiplies alone: numpy's own would share one multiplication, and wait
    for each other while all that is no multiplication is done by one."""
    number = 1
    if not os.environ.get("OPENBLAS_NUM_THREADS"):
        number = free()
        _set_threads()(1)
    if number == 1:
        yield ForEach(1, None)
        return
    with ThreadPoolExecutor(number) as pool:
        yield ForEach(number, pool)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _others(load: str = "/proc/loadavg", own: str = "/proc/self/task") -> int:
    """How many threads of others want a core just now; where the system does not say, in the last minute."""
    try:
        running, _, _ = Path(load).read_text().split()[3].partition("/")
        return max(0, int(running) - _running(own))
    except (OSError, IndexError, ValueError):
        return round(os.getloadavg()[0]) if hasattr(os, "getloadavg") else 0


def _running(tasks: str) -> int:
    """Threads of this program that run: of the last multiplication some still spin, and they are none of the others."""
    # The state stands after the name, which may hold anything, brackets too.
    states = [each.read_text().rpartition(")")[2].split()[0] for each in Path(tasks).glob("*/stat")]
    return max(1, states.count("R"))


@cache
def _set_threads() -> Callable[[int], object]:
    """OpenBLAS's own switch, as numpy's wheels have it; with another library nothing is switched."""
    try:
        library = ctypes.CDLL(import_module("numpy._core._multiarray_umath").__file__)
        switch = library.scipy_openblas_set_num_threads64_
    except (AttributeError, ImportError, OSError, TypeError):
        return lambda _: None
    switch.argtypes, switch.restype = [ctypes.c_int], None
    return lambda threads: switch(threads)
