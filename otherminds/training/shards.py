"""Shards: many lessons, made on many cores and written in numbered files, as tokens or as text.

A shard follows from the recipe and its number alone, so that it does not matter how many cores made it, or when.
`recipe.json` is written last: a folder without it is not whole.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from otherminds.errors import BadFile
from otherminds.files import parse_json, read_text, write_text
from otherminds.items import write_lines
from otherminds.training.batches import shard_path
from otherminds.training.encoding import EncodedShard, Encoder
from otherminds.training.leaks import leaks
from otherminds.training.lessons import Lesson, Recipe, lesson

LESSONS = 2000
"""Lessons in a shard."""
RECIPE = "recipe.json"

MakeEncoder = Callable[[], Encoder]


@dataclass(frozen=True)
class Job:
    """What every core is told once."""

    folder: Path
    recipe: Recipe
    size: int
    make_encoder: MakeEncoder | None
    """None: as text."""
    known: frozenset[int] = frozenset()
    """Runs of words of benchmarks."""


_job: Job | None = None
_encoder: Encoder | None = None


def lessons_of(recipe: Recipe, number: int, size: int = LESSONS) -> Iterator[Lesson]:
    """The lessons of a shard."""
    return (lesson(recipe, number * size + each) for each in range(size))


def write_shards(job: Job, *, count: int, processes: int = 0) -> Iterator[tuple[int, int]]:
    """Write shards 0 to count - 1; as they get done, their numbers and how many stories stand in a benchmark."""
    make_folder(job.folder)
    with ProcessPoolExecutor(processes or os.cpu_count(), initializer=_start, initargs=(job,)) as pool:
        yield from pool.map(_write, range(count))


def make_folder(path: Path) -> None:
    """Make a folder, with those above it, unless it is there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(f"{path} cannot be made: {error.strerror or error}; give another folder") from None


def _start(job: Job) -> None:
    global _job, _encoder
    # Encoding one text after another gains nothing from threads, and the cores are all busy.
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    _job, _encoder = job, job.make_encoder() if job.make_encoder else None


def _write(number: int) -> tuple[int, int]:
    assert _job is not None
    path = shard_path(_job.folder, number)
    made = list(lessons_of(_job.recipe, number, _job.size))
    if _encoder:
        EncodedShard.of(map(_encoder.lesson, made)).save(path)
    else:
        write_lines(path.with_suffix(".jsonl"), [line for each in made for line in as_lines(each)])
    return number, sum(leaks(each.story, _job.known) for each in made)


def as_lines(made: Lesson) -> Iterator[dict[str, Any]]:
    """A line for every question, in the forms that other trainers take: a chat, or a prompt with its completion."""
    for branch in made.branches:
        asked, tags = made.story + branch.prompt, {"kind": branch.kind, "grammar": made.grammar}
        if made.chat:
            reply = branch.prefill + branch.completion
            turns = [{"role": "user", "content": asked}, {"role": "assistant", "content": reply}]
            yield {"messages": turns, **tags}
        else:
            yield {"prompt": asked, "completion": branch.completion, **tags}


def write_recipe(folder: Path, recipe: Recipe, *, shards: int, size: int, **more: Any) -> Path:
    """Say what the folder holds and how it was made."""
    path = folder / RECIPE
    write_text(path, json.dumps({"shards": shards, "lessons": size, **more, "recipe": asdict(recipe)}, indent=1) + "\n")
    return path


def read_recipe(folder: Path) -> Mapping[str, Any]:
    """What a folder holds; one that was not written to its end is refused."""
    path = folder / RECIPE
    if not path.is_file():
        raise BadFile(f"{folder} has no {RECIPE}: make it with `otherminds build lessons`, to its end")
    try:
        found: Mapping[str, Any] = parse_json(read_text(path))
        int(found["shards"]), str(found["tokenizer"]), str(found["recipe"]["contexts"])
    except (ValueError, KeyError, TypeError) as error:
        raise BadFile(f"{path} is not what `otherminds build lessons` writes ({error}); make the folder anew") from None
    return found
