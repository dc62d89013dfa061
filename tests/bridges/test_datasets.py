"""A suite as a folder that `datasets` reads."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from otherminds.bridges.benchmarks.known import read
from otherminds.bridges.datasets import COLUMNS, PARQUET, write
from otherminds.cli import cli
from otherminds.errors import UsageError
from otherminds.items import Item, Suite
from otherminds.studies.starter.study import starter
from tests.bridges.miniatures import MAKERS

datasets = pytest.importorskip("datasets", reason="datasets is not installed; the extra harness brings it")


def load(folder: Path, cache: Path):  # type: ignore[no-untyped-def]
    return datasets.load_dataset(str(folder), split="test", cache_dir=str(cache))


@pytest.mark.filterwarnings("ignore")
def test_datasets_reads_every_item_back(tmp_path: Path) -> None:
    suite = starter()
    write(suite, tmp_path / "starter")
    rows = load(tmp_path / "starter", tmp_path / "cache")
    assert list(rows.column_names) == list(COLUMNS)
    for row, item in zip(rows, suite, strict=True):
        again = Item(
            row["id"],
            row["question"],
            row["answer"],
            row["context"],
            tuple(row["choices"]),
            row["cloze"],
            json.loads(row["tags"]),
            json.loads(row["meta"]),
        )
        assert again == item
        assert row["choices"][row["label"]] == item.answer
        assert row["false_belief"] == item.tags.get("false_belief")


@pytest.mark.filterwarnings("ignore")
def test_free_answers_have_no_label(tmp_path: Path) -> None:
    write(Suite("free", (Item("x", "Where?", "here"),)), tmp_path / "free")
    (row,) = load(tmp_path / "free", tmp_path / "cache")
    assert (row["choices"], row["label"], row["order"]) == ([], None, None)


def test_the_card_has_a_header_and_the_croissant_a_checksum(tmp_path: Path) -> None:
    table, readme, croissant = write(starter(), tmp_path)
    header = yaml.safe_load(readme.read_text().split("---\n")[1])
    assert header["license"] == "apache-2.0"
    assert header["configs"][0]["data_files"] == [{"split": "test", "path": PARQUET}]
    data = json.loads(croissant.read_text())
    (file,) = data["distribution"]
    assert file["sha256"] == hashlib.sha256(table.read_bytes()).hexdigest()
    assert [field["name"] for field in data["recordSet"][0]["field"]] == list(COLUMNS)


def test_somebody_elses_items_keep_their_licence(tmp_path: Path) -> None:
    readme = write(read(MAKERS["tomi"](tmp_path)), tmp_path / "tomi")[1].read_text()
    assert "license: other" in readme
    assert "CC BY-NC 4.0" in readme


def test_the_command(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["export", "starter", "--to", "hf", "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "load_dataset" in done.stderr
    assert (tmp_path / "out" / PARQUET).exists()


def test_without_pyarrow_there_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"otherminds\[parquet\]"):
        write(starter(), tmp_path)
