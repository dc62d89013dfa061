"""A run in parts is the run as a whole."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from otherminds.cli import cli
from otherminds.errors import StoreError, UsageError
from otherminds.heuristics.readers import realist
from otherminds.items import Suite
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted
from otherminds.runs.runs import load, run
from otherminds.runs.shards import Shard, merge
from otherminds.store.store import Store
from otherminds.studies.suites import get_suite

TIMES = {"started", "ended"}


@pytest.fixture(scope="module")
def suite() -> Suite:
    return get_suite("starter")


def content(path: Path) -> dict[str, list[Any]]:
    """All that a store keeps but times, and in how many sittings it came."""
    with Store(path, read_only=True) as store:
        calls = sorted(store.rows("SELECT key, fingerprint, verb, prompt, rendered, result FROM calls"))
        records = sorted(store.rows("SELECT run, position, item, calls, score, checksum FROM records"))
        models = sorted(store.rows("SELECT * FROM models"))
        runs = []
        for row in store.runs():
            manifest = {name: value for name, value in row.manifest.items() if name not in TIMES}
            in_all = {name: value for name, value in manifest["calls"]["in_all"].items() if name != "sittings"}
            manifest["calls"] = {**manifest["calls"], "in_all": in_all}
            runs.append((row.id, row.suite, row.digest, row.model, row.score, bool(row.finished), manifest))
    return {"calls": calls, "records": records, "models": models, "runs": runs}


def asked(suite: Suite, path: Path, shard: str = "", limit: int | None = None) -> None:
    with Store(path) as store:
        run(suite, realist(suite), store=store, limit=limit, shard=Shard.read(shard) if shard else None)


def merged(path: Path, *sources: Path) -> Path:
    opened = [Store(source, read_only=True) for source in sources]
    with Store(path) as store:
        merge(store, opened)
    for each in opened:
        each.close()
    return path


@pytest.mark.parametrize(("parts", "limit"), [(2, None), (3, 25), (5, None)])
def test_shards_merged_are_the_run_in_one_piece(suite: Suite, tmp_path: Path, parts: int, limit: int | None) -> None:
    asked(suite, tmp_path / "whole.db", limit=limit)
    files = [tmp_path / f"{number}.db" for number in range(parts)]
    for number, path in enumerate(files, 1):
        asked(suite, path, f"{number}/{parts}", limit)
    found = content(merged(tmp_path / "merged.db", *reversed(files)))
    assert found == content(tmp_path / "whole.db")
    assert content(merged(tmp_path / "merged.db", *files)) == found, "merged once more, nothing is there twice"


def test_shards_in_one_store_add_up(suite: Suite, tmp_path: Path) -> None:
    asked(suite, tmp_path / "whole.db")
    for shard in ("2/2", "1/2"):
        asked(suite, tmp_path / "parts.db", shard)
    parts, whole = content(tmp_path / "parts.db"), content(tmp_path / "whole.db")
    assert (parts["calls"], parts["records"]) == (whole["calls"], whole["records"])
    assert parts["runs"][0][:6] == whole["runs"][0][:6]


def test_a_shard_is_a_part_of_the_run_with_whole_stories(suite: Suite, tmp_path: Path) -> None:
    stories: list[set[str]] = []
    for shard in ("1/2", "2/2"):
        with Store(tmp_path / f"{shard[0]}.db") as store:
            done = run(suite, realist(suite), store=store, shard=Shard.read(shard))
        assert done.partial
        assert f"shard {shard} alone was asked" in done.manifest["stopped"]
        stories.append({str(record.item.tags["story"]) for record in done.records})
    assert not stories[0] & stories[1]


def test_a_missing_shard_leaves_the_run_unfinished_and_can_come_later(suite: Suite, tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.db" for number in (1, 2, 3)]
    for number, path in enumerate(files, 1):
        asked(suite, path, f"{number}/3")
    args = ["merge", *map(str, files[:2]), "--store", str(tmp_path / "all.db"), "--json"]
    done = CliRunner().invoke(cli, args)
    assert done.exit_code == 3
    (id,) = json.loads(done.stdout)["unfinished"]
    assert "ask the shards that are missing" in done.stderr
    done = CliRunner().invoke(cli, ["merge", str(files[2]), "--store", str(tmp_path / "all.db")])
    assert done.exit_code == 0, done.stderr
    with Store(tmp_path / "all.db") as store:
        found = load(store, id)
    assert (len(found), found.partial) == (len(suite), False)


def test_shards_of_different_suites_are_refused_and_nothing_is_written(suite: Suite, tmp_path: Path) -> None:
    other = Suite(suite.name, suite.items[:-2])
    asked(suite, tmp_path / "1.db", "1/2")
    asked(other, tmp_path / "2.db", "2/2")
    with pytest.raises(UsageError, match=r"shards of different suites cannot be merged: .*1\.db has one of 'starter'"):
        merged(tmp_path / "all.db", tmp_path / "1.db", tmp_path / "2.db")
    assert content(tmp_path / "all.db") == {"calls": [], "records": [], "models": [], "runs": []}


def test_a_shard_that_is_asked_is_a_success(tmp_path: Path) -> None:
    args = ["run", "starter", "-m", "baseline:oracle", "--store", str(tmp_path / "s.db"), "--shard", "1/2"]
    done = CliRunner().invoke(cli, args)
    assert done.exit_code == 0
    assert "shard 1/2 is asked" in done.stderr
    stopped = CliRunner().invoke(cli, [*args[:-1], "2/2", "--budget", "calls=4"])
    assert (stopped.exit_code, "not finished: " in stopped.stderr) == (3, True)


def leaning(share: float, prompt: Prompt) -> dict[str, float]:
    """So much on A, the rest on B."""
    return {choice: share if choice == "A" else 1 - share for choice in prompt.choices}


def test_two_answers_to_one_call_are_refused(suite: Suite, tmp_path: Path) -> None:
    for name, share in (("1", 0.9), ("2", 0.8)):
        with Store(tmp_path / f"{name}.db") as store:
            run(suite, Scripted(lambda _: "A", name="m", weigh=partial(leaning, share)), store=store, limit=4)
    with pytest.raises(StoreError, match="holds another answer to call"):
        merged(tmp_path / "all.db", tmp_path / "1.db", tmp_path / "2.db")
    assert content(tmp_path / "all.db")["calls"] == []


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "1/0", "-1/2", "a/b", "1/2/3", "½/2"])
def test_no_shard_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(UsageError, match="--shard"):
        Shard.read(text)


def test_more_shards_than_stories_are_refused(suite: Suite) -> None:
    with pytest.raises(UsageError, match="take fewer shards"):
        run(suite, realist(suite), shard=Shard(9999, 9999))
