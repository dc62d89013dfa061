"""What the training experiment learns from and is examined with; made in processes of their own."""

from __future__ import annotations

import math
import os
from argparse import Namespace
from collections.abc import Callable, Container, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from otherminds.bridges.benchmarks import tomi
from otherminds.files import write_text
from otherminds.training.bases import base_file, encoder_of
from otherminds.training.batches import PARTS, shard_path
from otherminds.training.encoding import Encoded, EncodedShard, Encoder, kinds_of, pack
from otherminds.training.leaks import known_runs, leaks
from otherminds.training.lessons import KEPT_BACK, OWN, Recipe
from otherminds.training.scene_wording import SCENES
from otherminds.training.shards import lessons_of
from otherminds.training.story_plots import Size


@dataclass(frozen=True)
class Sizes:
    """How much of everything."""

    full: int = 1800
    healed: int = 150
    ended: int = 450
    ladder: tuple[int, ...] = (16, 48, 140, 400)
    without: int = 450
    ablation: int = 140
    length: int = 4096
    rows: int = 16
    replayed: int = 4
    texts: int = 4096
    rank: int = 38
    small_rank: int = 8
    lessons: int = 2000
    """In a shard."""
    exam: int = 1000
    questions: int = 9
    every: int = 20


TOKENS = 490
"""In a lesson, about."""
TINY = Sizes(1, 1, 1, (1,), 1, 1, 1536, 2, 1, 6, 4, 2, 12, 1, 1, 1)


# ---- what is trained on, and what is examined with ---------------------------------------------------------------


SEEDS = {0: "main", 1: "main-1", 2: "main-2"}
"""The lessons of every headline, by its seed."""


def sources(sizes: Sizes, seed: int = 0, left_out: str = "terse") -> dict[str, tuple[Recipe, int, int]]:
    """By folder: the recipe, how many shards, how many lessons in each; in the order in which they are needed."""
    main = Recipe(seed=seed, each=sizes.questions)
    few = _shards(sizes, sizes.ablation)
    rest = tuple(name for name in main.grammars if name != left_out)
    found = {
        name: (replace(main, seed=seed + n), _shards(sizes, sizes.full), sizes.lessons) for n, name in SEEDS.items()
    }
    found |= {
        "last": (replace(main, seed=seed + 3), _shards(sizes, sizes.ended), sizes.lessons),
        "without": (replace(main, seed=seed + 4, grammars=rest), _shards(sizes, sizes.without), sizes.lessons),
    }
    for share in (0, 25, 50, 100):
        found[f"needing-{share}"] = (replace(main, needing=share / 100), few, sizes.lessons)
    for name in ("terse", OWN):
        found[f"{name}-alone"] = (replace(main, grammars=(name,)), few, sizes.lessons)
    return found | {"few": (main, 16, max(1, sizes.lessons // 4))}


def _shards(sizes: Sizes, steps: int) -> int:
    """Enough that no lesson comes twice."""
    return max(2, math.ceil(steps * sizes.rows * sizes.length / TOKENS / sizes.lessons))


def exams(sizes: Sizes) -> dict[str, tuple[Recipe, int]]:
    """By name: a recipe of stories that are not trained on, and how many of them."""
    each = sizes.questions
    plain = partial(Recipe, forms="plain", contexts="test", each=each)
    leaving = {"plots": ("leaving",), "size": Size(people=(5, 5), rounds=(1, 2))}
    larger = Size(people=(8, 9), beats=(18, 28), rounds=(3, 4))
    found = {
        "trained": (Recipe(seed=900, contexts="test", each=each), sizes.exam * 2),
        "own": (plain(seed=901, grammars=(OWN,)), sizes.exam),
        "terse": (plain(seed=902, grammars=("terse",)), sizes.exam),
        "longer": (plain(seed=903, grammars=("terse", "plain"), size=larger), max(2, sizes.exam // 2)),
        "deep": (plain(seed=904, grammars=("terse",), **leaving), sizes.exam),
        "stage-deep": (plain(seed=906, grammars=("stage",), **leaving), sizes.exam),
    }
    for number, name in enumerate((SCENES, *KEPT_BACK)):
        found[name] = (plain(seed=910 + number, grammars=(name,)), sizes.exam)
    return found


QUICK = ("own", "terse", "longer", "deep", SCENES, *KEPT_BACK, "tomi-numbered-repaired")
ASKED = {"numbered": "\nQuestion: {}\nAnswer:", "lines": "\nQuestion: {}\nAnswer:"}
CHAT = "\n\nQuestion: {}\n\nReply with the answer in a few words, and nothing else."


def tomi_shards(encoder: Encoder, path: Path, most: int) -> Iterator[tuple[str, EncodedShard]]:
    """The test split in three forms, each by the published and by the repaired gold."""
    items = [item for item in tomi.read(path) if item.tags["split"] in ("test", path.stem)]
    before, after = encoder.frame or ([], [])
    for form in ("numbered", "lines", *(("chat",) if encoder.frame else ())):
        for gold in ("published", "repaired"):
            stories: dict[str, Encoded] = {}
            for item in items[: 6 * most]:
                lines = item.context.splitlines()
                text = "\n".join(f"{n} {line}" if form == "numbered" else line for n, line in enumerate(lines, 1))
                answer = item.answer if gold == "repaired" else str(item.meta["published_gold"])
                prompt = encoder(ASKED.get(form, CHAT).format(item.question)) + (after if form == "chat" else [])
                ids = [*encoder(answer if form == "chat" else f" {answer}"), encoder.end]
                story = [*(before if form == "chat" else []), *encoder(text)]
                branches = stories.setdefault(text, Encoded(story, [])).branches
                branches.append(([*prompt, *ids], len(prompt), str(item.tags["kind"])))
            yield f"tomi-{form}-{gold}", EncodedShard.of(stories.values())


def write_exam(folder: Path, name: str, shard: EncodedShard, length: int) -> None:
    """Packed, with the kind and the story of every question."""
    rows = {part: getattr(pack(shard, length), part).astype(np.int32) for part in PARTS}
    stories = np.repeat(np.arange(len(shard.lessons)), shard.lessons[:, 1])
    half = folder / f"{name}.part"
    with half.open("wb") as file:
        np.savez(file, kinds=np.array(kinds_of(shard), dtype=str), stories=stories, **rows)
    half.replace(folder / f"{name}.npz")


# ---- making lessons, in processes of their own ----------------------------------------------------------------------

_encoder: Encoder
_known: frozenset[int]


def _start(base: Path, benchmark: Path | None) -> None:
    global _encoder, _known
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    texts = sorted(benchmark.glob("*.txt")) if benchmark and benchmark.is_dir() else []
    _encoder, _known = encoder_of(base), known_runs(texts)


def _shard(folder: Path, recipe: Recipe, number: int, size: int) -> int:
    path = shard_path(folder, number)
    if path.exists():
        return 0
    made = list(lessons_of(recipe, number, size))
    EncodedShard.of(map(_encoder.lesson, made)).save(path)
    return sum(leaks(lesson.story, _known) for lesson in made)


def _exam(folder: Path, name: str, recipe: Recipe, number: int, length: int) -> int:
    if not (folder / f"{name}.npz").exists():
        made = lessons_of(recipe, 0, number)
        write_exam(folder, name, EncodedShard.of(map(_encoder.lesson, made)), length)
    return 0


def _tomi(folder: Path, path: Path, sizes: Sizes) -> int:
    for name, shard in tomi_shards(_encoder, path, sizes.exam):
        write_exam(folder, name, shard, sizes.length)
    return 0


def make_data(given: Namespace, sizes: Sizes, needed: Container[str], say: Callable[[str], None]) -> None:
    """The lessons of these folders: a few shards to begin with, then all exams, then the rest as it is needed."""
    os.nice(10)  # whoever trains goes first
    base, folder = base_file(given.model), given.data / "exams"
    folder.mkdir(parents=True, exist_ok=True)
    made = {name: how for name, how in sources(sizes, given.seed, given.without).items() if name in needed}
    wanted = [(name, number) for name, (_, count, _) in made.items() for number in range(count)]
    for name in made:
        (given.data / name).mkdir(exist_ok=True)
    with ProcessPoolExecutor(given.processes, initializer=_start, initargs=(base, given.tomi)) as pool:

        def shards(which: Iterable[tuple[str, int]]) -> list[Future[int]]:
            return [pool.submit(_shard, given.data / name, made[name][0], n, made[name][2]) for name, n in which]

        first = shards(wanted[: given.processes])
        exam = [pool.submit(_exam, folder, name, *how, sizes.length) for name, how in exams(sizes).items()]
        exam += [pool.submit(_tomi, folder, given.tomi, sizes)] if given.tomi else []
        others = shards(wanted[given.processes :])
        leaked = sum(each.result() for each in (*first, *exam))
        write_text(folder / "done", "")
        say(f"data: {len(exam)} exams are there")
        for number, each in enumerate(others, given.processes + 1):
            leaked += each.result()
            if number % 20 == 0 or number == len(wanted):
                say(f"data: {number} of {len(wanted)} shards, {leaked} stories that stand in ToMi")
