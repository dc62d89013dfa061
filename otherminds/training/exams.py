"""Exams: what a network scores on held-out lessons, on a suite of items, and on plain text that nobody asks about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from otherminds.errors import UsageError
from otherminds.files import read_text
from otherminds.items import Item, Suite
from otherminds.items.tags import KIND
from otherminds.training.batches import shard_path
from otherminds.training.encoding import EncodedShard, Encoder
from otherminds.training.forms import Branch
from otherminds.training.lessons import Lesson
from otherminds.training.loop import Machine, Settings, bits_per_character, by_kind, right_answers
from otherminds.training.network import Llama
from otherminds.training.shards import read_recipe

Table = dict[str, tuple[float, int]]
"""A score and the number of what it is a mean of, by kind of question."""


def is_suite(exam: Path) -> bool:
    """Whether an exam is a suite rather than a folder of lessons."""
    return exam.suffix == ".jsonl"


def examine(network: Llama, folder: Path, machine: Machine, settings: Settings) -> Table:
    """For every kind of question in a folder of lessons, the share answered right word for word, and of how many."""
    numbers = range(int(read_recipe(folder)["shards"]))
    return _scored(network, (EncodedShard.load(shard_path(folder, number)) for number in numbers), machine, settings)


def examine_suite(network: Llama, path: Path, encoder: Encoder, machine: Machine, settings: Settings) -> Table:
    """The same for a suite, every item asked as an open question."""
    shard = EncodedShard.of(encoder.lesson(as_lesson(item)) for item in Suite.load(path))
    return _scored(network, [shard], machine, settings)


def as_lesson(item: Item) -> Lesson:
    """An item as lessons ask plainly: its question after its story, and its answer alone."""
    kind = str(item.tags.get(KIND, "question"))
    branch = Branch(
        f"\nQuestion: {item.question}\nAnswer:", f" {item.answer}", item.question, item.answer, item.choices, kind
    )
    return Lesson(item.context, (branch,), chat=False, grammar="", plot="")


def _scored(network: Llama, shards: Iterable[EncodedShard], machine: Machine, settings: Settings) -> Table:
    right: list[int] = []
    kinds: list[str] = []
    for shard in shards:
        found, names = right_answers(network, shard, machine, length=settings.length, rows=settings.rows)
        right += found.tolist()
        kinds += [name.split(" / ")[0] for name in names]
    if not any(value >= 0 for value in right):
        raise UsageError(f"no question of an exam fits into {settings.length} tokens; give a greater --length")
    return by_kind(right, kinds) | by_kind(right, ["all"] * len(right))


def examine_plain(network: Llama, path: Path, encoder: Encoder, machine: Machine, settings: Settings) -> Table:
    """Bits that a character of a text takes to be foretold, and how many characters it has."""
    text = read_plain(path)
    bits = bits_per_character(network, encoder(text), len(text), machine, length=settings.length, rows=settings.rows)
    return {"bits_per_character": (bits, len(text))}


def read_plain(path: Path) -> str:
    """The text of a file, if there is any in it."""
    text = read_text(path)
    if len(text) < 2:
        raise UsageError(f"{path} holds no text that could be foretold; give --plain a text file of some pages")
    return text


def told(tables: Sequence[tuple[str, Table]]) -> str:
    """The main number of every exam in a line."""
    words = []
    for name, table in tables:
        kind = "all" if "all" in table else "bits_per_character"
        unit = "" if kind == "all" else " bits a character"
        words.append(f"{name} {table[kind][0]:.3f}{unit} (n {table[kind][1]:,})")
    return ", ".join(words)
