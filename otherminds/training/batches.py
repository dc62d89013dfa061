"""Batches: shards on disk as an endless, repeatable line of packed rows."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import TypeVar

import numpy as np

from otherminds.errors import MissingFile, UsageError
from otherminds.training.encoding import EncodedShard, Rows, pack

PARTS = ("tokens", "places", "lesson", "branch", "targets", "question")
Ready = TypeVar("Ready")


def shard_path(folder: Path, number: int) -> Path:
    """Where the shard of this number stands."""
    return folder / f"shard-{number:05d}.npz"


def batches(
    folder: Path, count: int, *, length: int, rows: int, seed: int, skip: int = 0, wait: float = 0.0
) -> Iterator[Rows]:
    """Batches of so many rows from shards 0 to count - 1, again and again; `skip` those that were taken before.

    The first time the shards come in their order, then in orders that the seed decides. `wait`: seconds to wait for a
    shard that another process is about to write.
    """
    waiting: list[Rows] = []
    held = taken = 0
    for number, turn in _turns(count, seed):
        if turn and not held and not taken:
            raise UsageError(f"no lesson in {folder} fits into {length} tokens; give a greater --length")
        found = _shuffled(pack(_load(shard_path(folder, number), wait), length), f"{seed}:{turn}:{number}")
        waiting.append(found)
        held += len(found.tokens)
        if held < rows:
            continue
        joined = _joined(waiting)
        for start in range(0, held - rows + 1, rows):
            taken += 1
            if taken > skip:
                yield _part(joined, slice(start, start + rows))
        rest = held - held % rows
        waiting, held = [_part(joined, slice(rest, None))], held % rows


def ahead(line: Iterator[Ready], depth: int = 6) -> Iterator[Ready]:
    """The same, made ready in a thread; an error in it comes out here."""
    queue: Queue[Ready | BaseException] = Queue(depth)

    def fill() -> None:
        try:
            for each in line:
                queue.put(each)
        except BaseException as error:
            queue.put(error)

    Thread(target=fill, daemon=True).start()
    while True:
        found = queue.get()
        if isinstance(found, BaseException):
            raise found
        yield found


def _turns(count: int, seed: int) -> Iterator[tuple[int, int]]:
    turn = 0
    while True:
        order = list(range(count))
        if turn:
            random.Random(f"turn:{seed}:{turn}").shuffle(order)
        for number in order:
            yield number, turn
        turn += 1


def _load(path: Path, wait: float) -> EncodedShard:
    end = time.monotonic() + wait
    while not path.exists():
        if time.monotonic() >= end:
            raise MissingFile(
                f"there is no {path}; build the training data first, with as many shards as are asked for"
            )
        time.sleep(0.1)
    return EncodedShard.load(path)


def _shuffled(rows: Rows, seed: str) -> Rows:
    order = list(range(len(rows.tokens)))
    random.Random(seed).shuffle(order)
    return _part(rows, order)


def _part(rows: Rows, which: slice | Sequence[int]) -> Rows:
    return Rows(*(getattr(rows, part)[which] for part in PARTS))


def _joined(found: Sequence[Rows]) -> Rows:
    return Rows(*(np.concatenate([getattr(rows, part) for rows in found]) for part in PARTS))
