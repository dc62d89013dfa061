"""How well a network does on every exam, by kind of question."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from training_parts.data import Sizes

from otherminds.stories.contexts import bank
from otherminds.training.batches import PARTS
from otherminds.training.encoding import Encoded, EncodedShard, Encoder, Rows, pack
from otherminds.training.loop import Machine, _whole_batches, evaluating, outputs

Scores = dict[str, dict[str, tuple[float, int, int]]]
"""By exam and kind of question: the share of right answers, of how many questions, about how many stories."""


class Exams:
    """Every exam, packed and on the device, and some plain text."""

    def __init__(self, folder: Path, encoder: Encoder, machine: Machine, sizes: Sizes) -> None:
        self._machine = machine
        self._sets: dict[str, tuple[list[Any], list[str], list[int]]] = {}
        for path in sorted(folder.glob("*.npz")):
            with np.load(path) as data:
                rows = Rows(*(data[part].astype(np.int64) for part in PARTS))
                batches = [machine.put(part) for part in _whole_batches(rows, sizes.rows)]
                self._sets[path.stem] = (batches, data["kinds"].tolist(), data["stories"].tolist())
        text = "\n\n".join(context.scene for context in bank())[:: 1 if sizes.exam > 100 else 9]
        ids, self._characters = encoder(text), len(text)
        pieces = [ids[first : first + sizes.length] for first in range(0, len(ids), sizes.length)]
        shard = EncodedShard.of(Encoded(piece[:1], [(piece[1:], 0, "text")]) for piece in pieces if len(piece) > 1)
        self._plain = [machine.put(part) for part in _whole_batches(pack(shard, sizes.length), sizes.rows)]

    def scores(self, network: Any, names: Sequence[str] = ()) -> tuple[Scores, dict[str, str]]:
        """By exam and kind, plain text in bits a character; and by exam every answer: right 1, wrong 0, too long -."""
        right = {name: self._right(network, name) for name in self._sets if not names or name in names}
        found = {name: self._table(name, values) for name, values in right.items()}
        total = 0.0
        with evaluating(network, self._machine):
            for rows in self._plain:
                total += float(F.cross_entropy(outputs(network, rows).float(), rows["targets"], reduction="sum"))
        found["plain text"] = {"bits a character": (total / math.log(2) / self._characters, self._characters, 1)}
        return found, {name: "".join("-01"[value + 1] for value in values) for name, values in right.items()}

    def _right(self, network: Any, name: str) -> list[int]:
        batches, kinds, _ = self._sets[name]
        right = torch.full((len(kinds),), -1, dtype=torch.int64, device=self._machine.device)
        with evaluating(network, self._machine):
            for rows in batches:
                right[rows["question"]] = 1
                right[rows["question"][outputs(network, rows).argmax(-1) != rows["targets"]]] = 0
        found: list[int] = right.tolist()
        return found

    def _table(self, name: str, right: Sequence[int]) -> dict[str, tuple[float, int, int]]:
        _, kinds, stories = self._sets[name]
        groups: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for value, kind, story in zip(right, kinds, stories, strict=True):
            what, _, form = kind.partition(" / ")
            for group in ("all", what, *([f"form {form}"] if name == "trained" else [])):
                groups[group] += [(value, story)] if value >= 0 else []
        return {
            kind: (sum(value for value, _ in found) / len(found), len(found), len({story for _, story in found}))
            for kind, found in sorted(groups.items())
            if found
        }
