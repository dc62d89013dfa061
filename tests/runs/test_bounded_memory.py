"""A suite on disk is asked, and asked again, without being held: memory grows by what is counted of an item."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path
from types import ModuleType

import pytest

from otherminds.calling import flights, rounds
from otherminds.heuristics.readers import realist
from otherminds.items import Item, Suite, lines
from otherminds.models import scripted
from otherminds.runs import records, runs
from otherminds.runs.runs import Run, run
from otherminds.runs.shards import Shard, merge
from otherminds.store import run_seals
from otherminds.store.store import Store

STORY = "Nora puts the letter into the drawer and leaves the room. Paul moves it to the box. " * 30
LEAST, FEW, MANY = 60, 200, 600
MOST = 700
"""Bytes by which memory may grow with an item: an item of these, as an object, takes more than 3,000."""


def item(number: int) -> Item:
    twin = f"t{number // 2}"
    return Item(
        id=f"i{number}",
        context=f"{STORY}This is story {number}.",
        question="Where will Nora look for the letter?",
        answer="box" if number % 2 else "drawer",
        choices=("drawer", "box"),
        tags={"story": twin, "twin": twin, "false_belief": number % 2 == 0, "order": 1 + number % 3},
        meta={"reality": "box"},
    )


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that few items are as many parts as a million would be."""
    small: dict[ModuleType, dict[str, int]] = {
        rounds: {"AHEAD": 20, "HELD": 40},
        runs: {"PART": 40, "CHECKED": 50},
        records: {"CHECKED": 50},
        run_seals: {"AT_ONCE": 20},
        lines: {"BLOCK": 20, "BLOCKS": 2},
        scripted: {"HISTORY": 20},
        flights: {"SELDOM": 700},
    }
    for module, names in small.items():
        for name, value in names.items():
            monkeypatch.setattr(module, name, value)


def ask(path: Path, store: Path, shard: str = "") -> Run:
    suite = Suite.load(path)
    with Store(store) as kept:
        return run(suite, realist(suite), store=kept, shard=Shard.read(shard) if shard else None)


def peak(path: Path, store: Path) -> int:
    gc.collect()
    tracemalloc.start()
    ask(path, store)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def test_memory_grows_by_little_with_an_item(tmp_path: Path) -> None:
    peaks = []
    for number in (LEAST, FEW, MANY):  # the first for what is loaded once
        path = tmp_path / f"{number}.jsonl"
        Suite("many", tuple(map(item, range(number)))).save(path)
        peaks.append([peak(path, tmp_path / f"{number}.db") for _ in range(2)])
    grown = [(many - few) / (MANY - FEW) for few, many in zip(*peaks[1:], strict=True)]
    print(grown)
    assert max(grown) < MOST, "bytes an item, asked and then all from the store"


def test_parts_shards_and_suites_in_memory_come_to_the_same(tmp_path: Path) -> None:
    whole = Suite("many", tuple(map(item, range(FEW))))
    whole.save(tmp_path / "s.jsonl")
    assert Suite.load(tmp_path / "s.jsonl") == whole
    assert Suite.load(tmp_path / "s.jsonl").digest == whole.digest
    in_parts = ask(tmp_path / "s.jsonl", tmp_path / "parts.db")
    at_once = run(whole, realist(whole))
    assert (in_parts.id, in_parts.partial) == (at_once.id, False)
    assert list(in_parts.records) == list(at_once.records)
    assert in_parts.values(false_belief=True) == at_once.values(false_belief=True)
    assert in_parts.values("S") == at_once.values("S")
    assert in_parts.manifest["calls"]["made"] == at_once.manifest["calls"]["made"] == 2 * FEW
    for shard in ("1/2", "2/2"):
        part = ask(tmp_path / "s.jsonl", tmp_path / f"{shard[0]}.db", shard)
        assert part.values().items() <= at_once.values().items()
    with Store(tmp_path / "all.db") as store, Store(tmp_path / "1.db") as one, Store(tmp_path / "2.db") as two:
        merge(store, [one, two])
        assert store.run(at_once.id).finished
        assert list(records.load(store, at_once.id, texts=False).records) == [
            type(record)(record.item, (), (), record.calls, record.score) for record in at_once.records
        ]
        assert records.in_columns(store, store.run(at_once.id))
