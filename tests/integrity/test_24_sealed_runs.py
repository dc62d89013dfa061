"""A run is what it was when it ended: what is gone since, or is another, is told, and asking again completes it."""

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import otherminds as om
from otherminds.cli import cli
from otherminds.errors import OthermindsError, StoreError
from otherminds.items import Suite
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted
from otherminds.runs import records, runs
from otherminds.runs.runs import Budget, load, run
from otherminds.runs.shards import Shard, merge
from otherminds.store.store import _OURS, Store
from tests.integrity import store_mutations
from tests.integrity.store_mutations import Tally, counted_as_large, model, printed, suite, try_out

ITEMS = 48
PAIRS = suite("letters", ITEMS)
OLD = Path(__file__).parents[1] / "golden" / "old_store.sql"
LACKS = f"lacks 38 of its {ITEMS} answers"
LATEST = ("calls", "usage", "started", "ended")
"""What a manifest tells of the last sitting, and when the first was."""
READERS = (
    ("show", "last"),
    ("show", "last", "--json"),
    ("show", "last", "i0"),
    ("report", "last"),
    ("check", "last", "--min", "all>=0.01"),
    ("compare", "last", "last"),
    ("export", "last", "--to", "csv", "-o", "run.csv"),
)


def call(*args: str) -> Result:
    return CliRunner().invoke(cli, args, prog_name="otherminds")


def spoil(*commands: str) -> None:
    with closing(sqlite3.connect("otherminds.db")) as db:
        for command in commands:
            assert db.execute(command).rowcount > 0
        db.commit()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OTHERMINDS_STORE", raising=False)
    return tmp_path


def ask(salt: str = "a", path: str = "otherminds.db", **options: Any) -> tuple[om.Run, int]:
    """The run, and how many prompts were asked for it."""
    asked = model(salt)
    with Store(path) as store:
        return run(PAIRS, asked, store=store, **options), len(asked.history)


def kept(path: str = "otherminds.db") -> str:
    """All that the store tells of the run, but for times and what the last sitting took."""
    with Store(path, read_only=True) as store:
        found = load(store, store.runs()[0].id)
        manifest = {name: told for name, told in found.manifest.items() if name not in LATEST}
        return f"{found.partial} {manifest} {found.records}" + printed(found).split("[(", 1)[1]


@pytest.fixture(params=[False, True], ids=["small", "large"])
def finished(folder: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """The id of a run in the store of this folder, read as small runs are or as large ones."""
    with counted_as_large(request.param):
        yield ask()[0].id


# ---- answers that are gone, or are others ---------------------------------------------------------------------------


def test_a_run_that_lacks_answers_is_not_shown_and_asking_again_completes_it(finished: str) -> None:
    whole = kept()
    spoil("DELETE FROM records WHERE position >= 10")
    for command in READERS:
        done = call(*command)
        assert (done.exit_code, done.stdout) == (1, ""), command
        assert LACKS in done.stderr
        assert "give its command again" in done.stderr
    listed = call("runs", "--json")
    assert listed.exit_code == 3
    assert json.loads(listed.stdout)[0]["state"] == "damaged"
    assert "done" not in call("runs").stdout
    assert LACKS in listed.stderr
    with pytest.raises(OthermindsError, match=LACKS):
        om.load("last")
    found = call("store", "verify", "--json")
    assert found.exit_code == 3
    assert [LACKS in flaw["why"] for flaw in json.loads(found.stdout)["flaws"]] == [True]
    assert ask()[1] == 0
    assert kept() == whole
    assert {call(*command).exit_code for command in (*READERS, ("runs",), ("store", "verify"))} == {0}


def test_only_the_calls_that_are_gone_too_are_asked(finished: str) -> None:
    whole = kept()
    lost = "(SELECT value FROM records, json_each(records.calls) WHERE position >= 40)"
    spoil(f"DELETE FROM calls WHERE key IN {lost}", "DELETE FROM records WHERE position >= 40")
    assert ask()[1] == 2 * 8
    assert kept() == whole


FOREIGN = {
    "another answer": "INSERT OR REPLACE INTO records SELECT * FROM other.records WHERE position = 3",
    "all answers": "INSERT OR REPLACE INTO records SELECT * FROM other.records",
    "another call": "INSERT OR REPLACE INTO calls SELECT * FROM other.calls ORDER BY key LIMIT 1",
    "another run": "INSERT OR REPLACE INTO runs SELECT * FROM other.runs",
    "another seal": "INSERT OR REPLACE INTO seals SELECT * FROM other.seals",
    "an answer too many": "INSERT INTO records SELECT run, 99, item, calls, score, '' FROM records LIMIT 1",
    "an answer twice": "INSERT OR REPLACE INTO records SELECT run, 5, item, calls, score, '' FROM records LIMIT 1",
    "no checksum": "UPDATE records SET score = replace(score, '1.0', '0.0'), checksum = '' WHERE score LIKE '%1.0%'",
    "no seal": "DELETE FROM seals",
    "another place among the runs": "UPDATE runs SET written = written + 1",
    "an earlier place": "UPDATE runs SET written = 0",
}


@pytest.mark.parametrize("change", FOREIGN.values(), ids=FOREIGN)
def test_what_is_sound_by_itself_but_not_of_this_run_is_told(finished: str, change: str) -> None:
    whole = kept()
    ask("b", "other.db")
    with closing(sqlite3.connect("otherminds.db")) as db:
        db.execute("ATTACH 'other.db' AS other")
        assert db.execute(change).rowcount > 0
        db.commit()
    for command in READERS[:2] if "INTO calls" in change else READERS:
        if command == READERS[0] and "INTO calls" in change and records.CHECKED < ITEMS:
            continue  # of large runs, calls are read where they are shown
        done = call(*command)
        assert (done.exit_code, done.stdout) == (1, ""), command
        assert finished in done.stderr
    assert call("store", "verify").exit_code == 3
    assert ask()[1] == ("INTO calls" in change)
    assert kept() == whole
    assert {call(*command).exit_code for command in (*READERS, ("runs",), ("store", "verify"))} == {0}


def test_discard_leaves_what_a_rerun_can_make_again(finished: str) -> None:
    whole = kept()
    spoil("DELETE FROM records WHERE position >= 10")
    done = call("store", "verify", "--discard", "--json")
    assert done.exit_code == 3
    assert json.loads(done.stdout)["discarded"]["runs"] == 1
    assert call("store", "verify").exit_code == 0
    assert ask()[1] == 0
    assert kept().split(maxsplit=1)[0] == whole.split(maxsplit=1)[0] == "False"
    assert call("show", "last").exit_code == 0


def test_a_run_whose_row_is_gone_is_missed(folder: Path) -> None:
    ask()
    lost = ask(seed=1)[0]
    spoil(f"DELETE FROM runs WHERE id = '{lost.id}'")
    for command in (("runs",), ("show", "last"), ("check", "last", "--min", "all>=0.01")):
        done = call(*command)
        assert (done.exit_code, done.stdout) == (1, ""), command
        assert f"the row of run {lost.id} is gone" in done.stderr
    assert call("store", "verify").exit_code == 3
    assert ask(seed=1)[1] == 0
    assert json.loads(call("show", "last", "--json").stdout)["run"] == lost.id
    spoil(f"DELETE FROM runs WHERE id = '{lost.id}'")
    assert call("store", "verify", "--discard").exit_code == 3
    assert call("runs").exit_code == call("store", "verify").exit_code == 0


def test_swapped_pages_are_found_and_nothing_is_written_into_such_a_file(folder: Path) -> None:
    ask()
    data = Path("otherminds.db").read_bytes()
    size = int.from_bytes(data[16:18])
    pages = [data[start : start + size] for start in range(0, len(data), size)]
    leaves = [number for number, page in enumerate(pages) if number and page[0] == 10]
    found = set()
    for one, other in zip(leaves, leaves[1:] + leaves[:1], strict=True):
        swapped = list(pages)
        swapped[one], swapped[other] = pages[other], pages[one]
        Path("otherminds.db").write_bytes(b"".join(swapped))
        assert call("store", "verify").exit_code == 1, (one, other)
        try:
            done = ask()[0]
        except StoreError as error:
            found.add(str(error).split("(")[0].strip())
        else:
            assert done.values() == {record.item.id: record.value() for record in run(PAIRS, model("a")).records}
    assert "otherminds.db: the file itself is malformed" in found
    assert not any("begins with" in said for said in found)


# ---- runs that are not sealed ---------------------------------------------------------------------------------------


def as_it_lies() -> None:
    """Copy the store as it is on the disk while it is written, which is all that a kill leaves."""
    for side in ("", "-wal"):
        if Path(f"otherminds.db{side}").exists():
            shutil.copy(f"otherminds.db{side}", f"killed.db{side}")


def killed_after(times: int, salt: str = "a") -> Scripted:
    """A model after so many of whose batches the store is copied."""
    whole, seen = model(salt), 0

    def weigh(prompt: Prompt) -> Any:
        nonlocal seen
        seen += 1
        if seen == times:
            as_it_lies()
        return whole._weigh(prompt)  # type: ignore[misc]

    return Scripted(lambda _: "A", name="m", weigh=weigh, batch=4)


def test_a_killed_run_is_unfinished_and_not_damaged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "PART", 12)
    with Store("otherminds.db") as store:
        whole = run(PAIRS, killed_after(50), store=store)
    row = json.loads(call("runs", "--store", "killed.db", "--json").stdout)[0]
    assert (row["state"], row["sealed"], 0 < row["n"] < ITEMS) == ("stopped", None, True)
    done = call("show", "last", "--store", "killed.db")
    assert done.exit_code == 0
    assert "is not finished" in done.stderr
    assert call("check", "last", "--min", "all>=0.01", "--store", "killed.db").exit_code == 1
    assert call("store", "verify", "--store", "killed.db").exit_code == 0
    again, asked = ask(path="killed.db")
    assert 0 < asked < 2 * ITEMS
    assert again.values() == whole.values()
    assert call("check", "last", "--min", "all>=0.01", "--store", "killed.db").exit_code == 0


def test_a_finished_run_that_changes_while_it_is_asked_again_is_unfinished_until_it_ends(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask()
    monkeypatch.setattr(runs, "PART", 12)
    spoil("UPDATE calls SET result = 'x'")
    with Store("otherminds.db") as store:
        run(PAIRS, killed_after(50, "b"), store=store)
    assert json.loads(call("runs", "--store", "killed.db", "--json").stdout)[0]["state"] == "stopped"
    assert ask("b", "killed.db")[0].values() == ask("b")[0].values()
    assert call("store", "verify", "--store", "killed.db").exit_code == 0


def test_a_run_that_its_budget_stopped_is_sealed_as_it_is(folder: Path) -> None:
    done = ask(budget=Budget(calls=20))[0]
    assert "is not finished" in call("show", "last").stderr
    assert call("store", "verify").exit_code == 0
    spoil("DELETE FROM records WHERE position = 1")
    assert f"lacks 1 of its {len(done)} answers" in call("show", "last").stderr
    assert ask()[1] == 2 * ITEMS - 20
    assert call("check", "last", "--min", "all>=0.01").exit_code == 0


@pytest.fixture
def old(folder: Path) -> Path:
    """A store of an otherminds that knew no seals: one run that was finished, and one that a budget stopped."""
    path = folder / "otherminds.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(OLD.read_text(encoding="utf-8"))
        db.execute(f"PRAGMA application_id = {_OURS}")
        db.execute("PRAGMA user_version = 3")
    return path


S = [0.32942009146, 0.492730597656, 0.371818013864, 0.409724780076, 0.367671620533, 0.182104474545]


def test_a_run_of_an_older_program_is_read_as_not_sealed(old: Path) -> None:
    for read_only in (True, False):
        before = old.read_bytes()
        with Store(old, read_only=read_only) as store:
            found = load(store, "11b6d20014")
            part = load(store, "13e6f7744b")
        assert [record.value("S") for record in found.records] == pytest.approx(S)
        assert (found.mean(), part.verdicts()["correct"], len(part), part.partial) == (0.0, 2, 3, True)
        assert not read_only or old.read_bytes() == before
    assert "done, not sealed" in call("runs").stdout
    done = call("check", "11b6", "--min", "all>=0")
    assert (done.exit_code, "is not sealed" in done.stderr) == (0, True)
    found = call("store", "verify", "--json")
    assert (found.exit_code, json.loads(found.stdout)["not_sealed"]) == (0, ["11b6d20014"])
    assert "not sealed" in call("store", "verify").stdout


def test_asking_it_again_seals_it(old: Path) -> None:
    with Store(old) as store:
        line = [load(store, "11b6d20014").records[place].item for place in range(6)]
        asked = Scripted(lambda _: "A", name="m")
        again = run(Suite("pairs", tuple(line), prompt="direct", score="letters"), asked, store=store)
        assert (again.id, asked.history) == ("11b6d20014", [])
        assert [record.value("S") for record in again.records] == pytest.approx(S)
        assert store.run(again.id).sealed == 6
    assert json.loads(call("store", "verify", "--json").stdout)["not_sealed"] == []
    spoil("DELETE FROM records WHERE run = '11b6d20014' AND position = 2")
    assert "lacks 1 of its 6 answers" in call("show", "11b6").stderr


# ---- whatever writes runs seals them --------------------------------------------------------------------------------


def test_shards_in_one_store_and_merged_ones_are_sealed(folder: Path) -> None:
    for number in ("1/2", "2/2"):
        ask(path="both.db", shard=Shard.read(number))
        ask(path=f"{number[0]}.db", shard=Shard.read(number))
    with Store("merged.db") as store, Store("1.db") as one, Store("2.db") as two:
        merge(store, [one, two])
    for path in ("both.db", "merged.db"):
        with Store(path) as store:
            assert [(row.sealed, bool(row.finished)) for row in store.runs()] == [(ITEMS, True)]
        assert call("store", "verify", "--store", path).exit_code == 0
    with closing(sqlite3.connect("1.db")) as db:
        db.execute("DELETE FROM records WHERE position = (SELECT max(position) FROM records)")
        db.commit()
    with Store("again.db") as store, Store("1.db") as one, Store("2.db") as two:
        with pytest.raises(StoreError, match=r"1\.db: run .* lacks 1 of its"):
            merge(store, [one, two])
        assert store.runs() == []


def test_a_call_without_a_checksum_gets_one_with_the_seal(folder: Path) -> None:
    ask()
    spoil(
        "UPDATE calls SET checksum = ''", "UPDATE runs SET manifest = json_remove(manifest, '$.sealed'), checksum = ''"
    )
    spoil("DELETE FROM seals")
    assert ask()[1] == 0
    spoil("UPDATE calls SET result = replace(result, '\"A\": -', '\"A\": -1')")
    done = call("show", "last")
    assert (done.exit_code, done.stdout) == (1, "")


# ---- names of stores ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["file:x?mode=memory", "file:y", "a?b.db", "a#b.db", "a%20b.db", "file::memory:", "-"])
def test_a_store_is_a_file_whatever_its_name(folder: Path, name: str) -> None:
    ask(path=name)
    assert os.path.getsize(name) > 0
    again, asked = ask(path=name)
    assert asked == 0
    with Store(name, read_only=True) as store:
        assert load(store, again.id).values() == again.values()


# ---- damage at random -----------------------------------------------------------------------------------------------


def test_no_damage_changes_a_number_in_silence() -> None:
    tally = Tally()
    try_out(154, 24, tally)
    assert not tally.wrong, "\n".join(tally.wrong)
    assert sum(counts["message"] for counts in tally.counts.values()) > 70


def test_the_mutations_are_told_apart() -> None:
    before = {"show": (0, "0.5", ""), "runs": (0, "1", "")}
    cases: list[tuple[store_mutations.Outcome, str]] = [
        (before, ""),
        ({**before, "show": (0, "0.6", "")}, "show"),
        ({**before, "show": (1, "", "damaged")}, ""),
        ({**before, "runs": (0, "2", "one is damaged")}, ""),
    ]
    for now, silent in cases:
        assert store_mutations.differ(before, now) == silent
