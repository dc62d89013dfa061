"""Shards: many lessons, encoded on many cores and written in numbered files.

A shard follows from the recipe and its number alone, so that it does not matter how many cores made it, or when.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from otherminds.training.batches import shard_path
from otherminds.training.encoding import Encoder, Shard
from otherminds.training.lessons import Lesson, Recipe, lesson

LESSONS = 2000
"""Lessons in a shard."""

_encoder: Encoder | None = None


def lessons_of(recipe: Recipe, number: int, size: int = LESSONS) -> Iterator[Lesson]:
    """The lessons of a shard."""
    return (lesson(recipe, number * size + each) for each in range(size))


def make_shard(recipe: Recipe, number: int, encoder: Encoder, size: int = LESSONS) -> Shard:
    """One shard."""
    return Shard.of(encoder.lesson(each) for each in lessons_of(recipe, number, size))


def write_shards(
    folder: Path,
    recipe: Recipe,
    make_encoder: Callable[[], Encoder],
    *,
    count: int,
    size: int = LESSONS,
    processes: int = 0,
) -> Iterator[int]:
    """Write shards 0 to count - 1, those that are there already left as they are; the numbers as they get done."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = [number for number in range(count) if not shard_path(folder, number).exists()]
    jobs = [(folder, recipe, number, size) for number in missing]
    with ProcessPoolExecutor(processes or os.cpu_count(), initializer=_start, initargs=(make_encoder,)) as pool:
        yield from pool.map(_write, jobs)


def _start(make_encoder: Callable[[], Encoder]) -> None:
    global _encoder
    # Encoding one text after another gains nothing from threads, and the cores are all busy.
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    _encoder = make_encoder()


def _write(job: tuple[Path, Recipe, int, int]) -> int:
    folder, recipe, number, size = job
    assert _encoder is not None
    make_shard(recipe, number, _encoder, size).save(shard_path(folder, number))
    return number
