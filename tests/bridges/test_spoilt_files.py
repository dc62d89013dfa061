"""Files of benchmarks spoilt in every place: each is still read, or refused with a sentence of ours."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from otherminds.bridges.benchmarks.known import read
from otherminds.errors import OthermindsError
from otherminds.items import Suite
from tests.bridges.miniatures import MAKERS

TIMES = 120
ODD: tuple[Any, ...] = (None, "", " ", 0, -1, 1.5, True, [], {}, ["x"], {"x": 1}, "x" * 300, "\ud800", [[]], "A", "B. ")


def places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every part of a JSON value, as what holds it and where."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield data, key
        yield from places(value)


def spoil_json(text: str, chance: random.Random) -> str:
    lines = text.splitlines() if text.count("\n{") else [text]
    number = chance.randrange(len(lines))
    data = [json.loads(lines[number])]
    holder, key = chance.choice(list(places(data)))
    if isinstance(holder, dict) and chance.random() < 0.3:
        del holder[key]
    else:
        holder[key] = chance.choice(ODD)
    lines[number] = json.dumps(data[0]) if data else ""
    return "\n".join(lines)


def spoil_bytes(content: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(content))
    return chance.choice(
        [
            content[:start],
            content[:start] + bytes([chance.randrange(256)]) + content[start + 1 :],
            content[:start] + content[start + chance.randrange(1, 40) :],
            content[:start] + b"\n" + content[start:],
            content[:start] + b"\xff\x00" + content[start:],
        ]
    )


@pytest.mark.parametrize("name", MAKERS)
def test_spoilt_files_are_read_or_refused(name: str, tmp_path: Path) -> None:
    home = tmp_path / "whole"
    home.mkdir()
    whole = MAKERS[name](home)
    files = sorted(file for file in home.rglob("*") if file.is_file())
    refused: list[str] = []
    for seed in range(TIMES):
        chance = random.Random(f"{name}:{seed}")
        folder = tmp_path / "spoilt"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(home, folder)
        file = folder / chance.choice(files).relative_to(home)
        if file.suffix in (".json", ".jsonl") and seed % 2:
            file.write_text(spoil_json(file.read_text(encoding="utf-8"), chance), encoding="utf-8")
        else:
            file.write_bytes(spoil_bytes(file.read_bytes(), chance))
        try:
            suite = read(folder / whole.relative_to(home), name)
        except OthermindsError as error:
            refused.append(str(error))
            continue
        suite.save(tmp_path / "suite.jsonl")
        assert Suite.load(tmp_path / "suite.jsonl").digest == suite.digest
    assert len(refused) > TIMES / 10
    assert all(sentence.strip() and len(sentence) < 1500 for sentence in refused)
