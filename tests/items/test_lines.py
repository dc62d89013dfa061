"""Suites that stay in their file: read line by line, however lines end, and refused once the file is another."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from threading import Thread

import pytest

from otherminds.errors import BadFile, UsageError
from otherminds.items import Item, Suite, lines

SUITE = Suite(
    "some", tuple(Item(f"i{n}", "Wo ist der Schlüssel?", "a", f"Geschichte {n}", ("a", "b")) for n in range(7))
)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "BLOCK", 2)
    monkeypatch.setattr(lines, "BLOCKS", 2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    SUITE.save(tmp_path / "some.jsonl")
    return tmp_path / "some.jsonl"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\n\n \n"])
def test_however_lines_end(path: Path, end: str) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", end).encode())
    found = Suite.load(path)
    assert found == SUITE
    assert (found.digest, hash(found)) == (SUITE.digest, hash(SUITE))
    assert [found.items[n] for n in (6, 0, 3, -1)] == [SUITE.items[n] for n in (6, 0, 3, -1)]
    assert found.items[1:5:2] == SUITE.items[1:5:2]
    assert [found.find(id) for id in ("i4", "i9")] == [SUITE.items[4], None]
    assert found.using(score="text").digest == SUITE.digest


def test_a_file_in_its_place_is_another_and_one_written_over_is_refused(path: Path) -> None:
    found = Suite.load(path)
    Suite("other", SUITE.items[:1]).save(path)
    assert found == SUITE, "what was loaded is still there"
    again = Suite.load(path)
    with path.open("a", encoding="utf-8") as file:
        file.write("\n")
    lines_left = again.items
    lines_left._blocks.clear()  # type: ignore[attr-defined]
    with pytest.raises(BadFile, match=r"some\.jsonl was changed while it was in use"):
        list(lines_left)


def test_a_pipe_is_read_once_and_kept(path: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=lambda: pipe.write_bytes(path.read_bytes()))
    writer.start()
    found = Suite.load(pipe)
    writer.join()
    assert found == SUITE


def test_it_travels_as_a_tuple(path: Path) -> None:
    assert pickle.loads(pickle.dumps(Suite.load(path))).items == SUITE.items


def test_faults_are_told_by_line_and_byte(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole + whole.split(b"\n")[3] + b"\n")
    with pytest.raises(UsageError, match="two items called 'i2'"):
        Suite.load(path)
    path.write_bytes(whole + b"\xff\n")
    with pytest.raises(BadFile, match=f"byte {len(whole)} cannot be read"):
        Suite.load(path)
    monkeypatch.setattr(lines, "LONGEST", 100)
    path.write_bytes(b'{"otherminds": 1, "suite": "s"}\n' + b"x" * 200)
    with pytest.raises(BadFile, match="line 2 is longer than"):
        Suite.load(path)
