"""Encoding: lessons as numbers, and numbers as shards on disk.

A lesson becomes its story, once, and then each question with its completion. `Shard` keeps them flat: the tokens one
after another, and for every lesson and every branch how many there are and from where on they are learned.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from otherminds.errors import BadFile, UsageError
from otherminds.files import replacing
from otherminds.models import Message
from otherminds.models.chat_template import chat_runs, raw_runs
from otherminds.models.local.gguf import Header
from otherminds.training.lessons import Lesson

Numbers = NDArray[np.int64]
MARK = "\ue000"


class Encoder:
    """Text to tokens as the model's own tokenizer does it, with the frame that its chat template puts round a turn."""

    def __init__(
        self, tokenizer: Any, *, end: int, frame: tuple[list[int], list[int]] | None, start: Sequence[int] = ()
    ) -> None:
        self._tokenizer = tokenizer
        self.start = list(start)
        """What the model wants at the beginning of a text that is no chat."""
        self.end = end
        """The token that closes a reply."""
        self.frame = frame
        """What stands before and after a user's turn; none for a base model."""

    @classmethod
    def of(cls, tokenizer: Any, header: Header) -> Encoder:
        """A tokenizer, with the marks and the template that the head of a GGUF file states."""
        end = header.special("eos")
        if end is None:
            raise UsageError("this model names no token that ends a text, so no reply could be taught to end")
        frame = None
        if header.template:
            runs = chat_runs([Message("user", MARK)], "", header)
            place = next(n for n, run in enumerate(runs) if isinstance(run, str) and MARK in run)
            before, after = str(runs[place]).split(MARK)
            sides = ([*runs[:place], before], [after, *runs[place + 1 :]])
            frame = tuple(
                [token for run in side for token in ([run] if isinstance(run, int) else _ids(tokenizer, run))]
                for side in sides
            )
        start = [run for run in raw_runs("", header) if isinstance(run, int)]
        return cls(tokenizer, end=end, frame=frame, start=start)  # type: ignore[arg-type]

    def __call__(self, text: str) -> list[int]:
        return _ids(self._tokenizer, text)

    def lesson(self, lesson: Lesson) -> Encoded:
        """The story's tokens, and for each branch its tokens and where its completion begins."""
        chat = lesson.chat and self.frame is not None
        before, after = self.frame if chat and self.frame else (self.start, [])
        branches = []
        for branch in lesson.branches:
            prompt = [*self(branch.prompt), *after, *self(branch.prefill)]
            text = branch.completion if chat or not lesson.chat else f" {branch.completion.lstrip()}"
            branches.append(([*prompt, *self(text), self.end], len(prompt), branch.kind))
        return Encoded([*before, *self(lesson.story)], branches)


def _ids(tokenizer: Any, text: str) -> list[int]:
    return list(tokenizer.encode(text, add_special_tokens=False).ids) if text else []


def gguf_tokenizer(header: Header) -> Any:
    """A `tokenizers.Tokenizer` of a byte-level BPE vocabulary."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers

    data = header.metadata
    if data["tokenizer.ggml.model"] != "gpt2" or not data.get("tokenizer.ggml.merges"):
        raise UsageError(
            "only models with a byte-level BPE vocabulary can be trained from a GGUF file; give a Hugging Face folder"
        )
    vocabulary = {token: number for number, token in enumerate(data["tokenizer.ggml.tokens"])}
    merges = [tuple(merge.split(" ")) for merge in data["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    digits = [pre_tokenizers.Split(Regex(r"\p{N}"), "isolated")] if data.get("tokenizer.ggml.pre") == "smollm" else []
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*digits, byte_level])
    return tokenizer


@dataclass(frozen=True, slots=True)
class Encoded:
    """One lesson as tokens."""

    story: list[int]
    branches: list[tuple[list[int], int, str]]

    def __len__(self) -> int:
        return len(self.story) + sum(len(tokens) for tokens, _, _ in self.branches)


@dataclass(frozen=True)
class EncodedShard:
    """Many lessons as flat arrays."""

    tokens: Numbers
    lessons: Numbers
    """A row each: tokens of the story, number of branches."""
    branches: Numbers
    """A row each: tokens, of these before the completion, number of its kind."""
    kinds: tuple[str, ...]

    @classmethod
    def of(cls, encoded: Iterable[Encoded]) -> EncodedShard:
        """These lessons."""
        tokens: list[int] = []
        lessons: list[tuple[int, int]] = []
        branches: list[tuple[int, int, int]] = []
        kinds: dict[str, int] = {}
        for each in encoded:
            tokens += each.story
            lessons.append((len(each.story), len(each.branches)))
            for ids, start, kind in each.branches:
                tokens += ids
                branches.append((len(ids), start, kinds.setdefault(kind, len(kinds))))
        rows = (np.array(lessons, np.int64).reshape(-1, 2), np.array(branches, np.int64).reshape(-1, 3))
        return cls(np.array(tokens, np.int64), *rows, tuple(kinds))

    def save(self, path: Path) -> None:
        """Write it whole or not at all."""
        small = np.uint16 if not len(self.tokens) or self.tokens.max() < 2**16 else np.uint32
        with replacing(path) as half, half.open("wb") as file:
            np.savez(
                file,
                tokens=self.tokens.astype(small),
                lessons=self.lessons.astype(np.int32),
                branches=self.branches.astype(np.int32),
                kinds=np.array(self.kinds, dtype=str),
            )

    @classmethod
    def load(cls, path: Path) -> EncodedShard:
        """Read what `save` wrote."""
        try:
            # Opened here: numpy leaves a file open that is no archive.
            with path.open("rb") as file, np.load(file, allow_pickle=False) as data:
                arrays = [data[name].astype(np.int64) for name in ("tokens", "lessons", "branches")]
                kinds = tuple(str(kind) for kind in data["kinds"])
                return cls(arrays[0], arrays[1], arrays[2], kinds)
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise BadFile(f"{path} is not a shard of training data ({error}); build it anew") from None


@dataclass(frozen=True, slots=True)
class Rows:
    """Lessons packed into rows of one length; -1 stands where nothing is."""

    tokens: Numbers
    places: Numbers
    """How far each token stands from the beginning of its own text."""
    lesson: Numbers
    branch: Numbers
    """0 for the story, and from 1 on for what follows it; a token sees its story and its own branch only."""
    targets: Numbers
    """The token to be said next, where that is learned."""
    question: Numbers
    """For a learned place: the number of its branch within the shard."""


def pack(shard: EncodedShard, length: int) -> Rows:
    """The lessons of a shard in rows of this many tokens, each where it fits best; too long ones are left out."""
    rows: list[list[NDArray[np.int64]]] = []
    free: list[tuple[int, int]] = []
    """Tokens that still fit, and the row; sorted."""
    at = first = 0
    for number, (story, count) in enumerate(shard.lessons.tolist()):
        spans = shard.branches[first : first + count]
        size = story + int(spans[:, 0].sum())
        if size <= length:
            best = bisect_left(free, (size, 0))
            left, row = free.pop(best) if best < len(free) else (length, len(rows))
            if row == len(rows):
                rows.append([])
            rows[row].append(_columns(shard.tokens[at : at + size], story, spans, number, first))
            insort(free, (left - size, row))
        at += size
        first += count
    full = np.full((len(rows), 6, length), -1, np.int64)
    for whole, blocks in zip(full, rows, strict=True):
        joined = np.concatenate(blocks, axis=1)
        whole[:, : joined.shape[1]] = joined
    return Rows(*(full[:, part] for part in range(6)))


def _columns(tokens: Numbers, story: int, spans: Numbers, lesson: int, first: int) -> Numbers:
    out = np.full((6, len(tokens)), -1, np.int64)
    out[0], out[2] = tokens, lesson
    out[1, :story], out[3, :story] = np.arange(story), 0
    at = story
    for number, (size, start, _) in enumerate(spans.tolist()):
        out[1, at : at + size] = np.arange(story, story + size)
        out[3, at : at + size] = number + 1
        # The token before the completion is the first from which something is learned.
        learned = slice(at + start - 1, at + size - 1)
        out[4, learned] = tokens[at + start : at + size]
        out[5, learned] = first + number
        at += size
    return out


def kinds_of(shard: EncodedShard) -> Sequence[str]:
    """The kind of every branch."""
    return [shard.kinds[kind] for kind in shard.branches[:, 2].tolist()]
