"""One file that keeps everything: several writers, many readers, and a sentence for everything that can go wrong."""

import os
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from otherminds.errors import StoreError
from otherminds.store import tables
from otherminds.store.store import MEMORY, Call, RunRow, Store
from otherminds.store.tables import MIGRATIONS

CALL = Call("k1", "f1", "ask", {"text": "Hello"}, "Hello", {"text": "Hi", "usage": {}}, 0.5)
RUN = RunRow("abc123", "small", "d1", "model", "f1", "raw", "text", {"seed": 0}, "2026-01-01T00:00:00", "")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def test_calls_are_there_for_the_next_one_to_open_it(path: Path) -> None:
    with Store(path) as store:
        store.keep_calls([CALL])
        store.keep_model("f1", "model", {"weights": "w"})
    with Store(path, create=False) as store:
        assert store.calls(["k1", "k2"]) == {"k1": CALL}
        assert store.recent_calls("f1", "ask") == [CALL]
        assert store.recent_calls("f1", "weigh") == []
        assert store.identity("f1") == {"weights": "w"}
        assert store.identity("f2") == {}


def test_many_keys_at_once(path: Path) -> None:
    with Store(path) as store:
        many = [Call(f"k{n}", "f", "ask", {}, "", {}, 0.0) for n in range(1700)]
        store.keep_calls(many)
        assert len(store.calls([call.key for call in many])) == 1700


def test_runs_by_the_beginning_of_their_id(path: Path) -> None:
    with Store(path) as store:
        store.begin_run(RUN)
        store.keep_run(RUN, [RECORD])
        assert store.run("abc") == RUN
        assert list(store.records("abc123")) == [RECORD]
        store.begin_run(RUN)
        assert list(store.records("abc123")) == [RECORD], "beginning again must not throw away what is there"
        store.keep_run(RunRow(**{**_fields(RUN), "id": "abd"}))
        with pytest.raises(StoreError, match="2 runs whose id begins with 'ab'"):
            store.run("ab")
        for unknown in ("zz", "", "a%"):
            with pytest.raises(StoreError, match="has no run"):
                store.run(unknown)
        assert [row.id for row in store.runs()] == ["abd", "abc123"]


def _fields(row: RunRow) -> dict[str, object]:
    return {name: getattr(row, name) for name in RunRow.__dataclass_fields__}


RECORD = {"position": 0, "item": {"id": "x"}, "calls": ["k1"], "score": {"verdict": "correct"}}


def test_the_last_run_is_the_one_that_was_written_last(path: Path) -> None:
    with Store(path) as store:
        assert store.last_run() is None
        for id, year in (("first", 2027), ("second", 2026), ("first", 2025), ("empty", 2024)):
            # The clock was set back every time.
            manifest = {"ended": f"{year}-01-02"}
            row = RunRow(**{**_fields(RUN), "id": id, "created": f"{year}-01-01", "manifest": manifest})  # type: ignore[arg-type]
            store.keep_run(row, [] if id == "empty" else [RECORD])
        last = store.last_run()
        assert last
        assert last.id == "first", "begun first, but asked again since; the one without an answer does not count"
        assert [row.id for row in store.runs()] == ["empty", "first", "second"]


def test_which_runs_are_under_way(path: Path) -> None:
    with Store(path) as writer, Store(path) as other, Store(path, read_only=True) as reader:
        assert reader.running() == set()
        writer.begin_run(RUN)
        other.begin_run(replace(RUN, id="def456"))
        assert reader.running() == {"abc123", "def456"}
        writer.keep_run(RUN, [RECORD])
        assert reader.running() == {"def456"}
        writer.begin_run(RUN)
        assert reader.running() == {"abc123", "def456"}
    with Store(path) as store:
        assert store.running() == set(), "who closes a store is at nothing any more"
    with Store(MEMORY) as store:
        store.begin_run(RUN)
        assert store.running() == set()


def test_a_record_that_is_no_json_leaves_the_store_as_it_was(path: Path) -> None:
    with Store(path) as store:
        with pytest.raises(ValueError, match="JSON"):
            store.keep_run(RUN, [{"position": 0, "item": {}, "calls": [], "score": {"value": float("nan")}}])
        assert store.runs() == []
        store.keep_run(RUN)
        assert len(store.runs()) == 1


def test_several_write_at_once_and_none_claims_what_another_has(path: Path) -> None:
    with Store(path) as first, Store(path) as second:
        first.keep_calls([CALL])
        before = first.version()
        second.keep_calls([replace(CALL, key="k2")])
        assert set(first.calls(["k1", "k2"])) == {"k1", "k2"}
        assert first.version() != before
        assert first.claim(["a", "b"]) == {"a", "b"}
        assert second.claim(["b", "c"]) == {"c"}
        first.release(["b"])
        assert second.claim(["a", "b"]) == {"b"}


def test_the_claims_of_a_dead_program_are_free(path: Path) -> None:
    code = (
        "import os, sys; from otherminds.store.store import Store; store = Store(sys.argv[1]);"
        "print(sorted(store.claim(['a', 'b'])), flush=True); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert done.stdout == "['a', 'b']\n"
    assert done.returncode == -9
    with Store(path) as store:
        assert store.claim(["a", "b"]) == {"a", "b"}


def test_a_store_of_a_newer_version_is_refused_and_left_alone(path: Path) -> None:
    Store(path).close()
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    db.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"newer otherminds .* update"):
        Store(path)
    assert path.read_bytes() == before


def test_migrations_run_once_and_keep_what_is_there(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(path) as store:
        store.keep_calls([CALL])
    ran: list[str] = []

    def add_column(db: sqlite3.Connection) -> None:
        ran.append("add_column")
        db.execute("ALTER TABLE runs ADD COLUMN note TEXT NOT NULL DEFAULT ''")

    monkeypatch.setattr(tables, "MIGRATIONS", [*MIGRATIONS, add_column])
    for _ in range(2):
        with Store(path) as store:
            assert set(store.calls(["k1"])) == {"k1"}
    assert ran == ["add_column"]


def test_a_migration_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store(path).close()

    def broken(db: sqlite3.Connection) -> None:
        db.execute("CREATE TABLE half (x)")
        db.execute("CREATE nonsense")

    monkeypatch.setattr(tables, "MIGRATIONS", [*MIGRATIONS, broken])
    with pytest.raises(StoreError, match="syntax error"):
        Store(path)
    monkeypatch.undo()
    with Store(path) as store:
        store.keep_calls([CALL])


def test_files_that_are_no_store(tmp_path: Path) -> None:
    noise = tmp_path / "noise.db"
    noise.write_bytes(b"this is not a database, and long enough to be told from one" * 40)
    with pytest.raises(StoreError, match="not a database; move it away"):
        Store(noise)
    other = tmp_path / "other.db"
    db = sqlite3.connect(other)
    db.execute("CREATE TABLE theirs (x)")
    db.close()
    with pytest.raises(StoreError, match="database of another program"):
        Store(other)
    with pytest.raises(StoreError, match="is a folder"):
        Store(tmp_path)
    with pytest.raises(StoreError, match="there is no store"):
        Store(tmp_path / "none.db", create=False)
    assert not (tmp_path / "none.db").exists()
    with pytest.raises(StoreError, match="cannot be made"):
        Store(noise / "below" / "a-file.db")


def test_a_damaged_store_is_refused(path: Path) -> None:
    with Store(path) as store:
        store.keep_calls([Call(f"k{n}", "f", "ask", {"text": "x" * 500}, "", {}, 0.0) for n in range(200)])
    data = bytearray(path.read_bytes())
    data[4096:] = b"\x55" * (len(data) - 4096)
    path.write_bytes(bytes(data))
    with pytest.raises(StoreError, match="malformed; it is damaged"), Store(path) as store:
        store.calls(["k1"])


def test_a_full_disk_is_a_sentence_and_loses_nothing(path: Path) -> None:
    with Store(path) as store:
        store.keep_calls([CALL])
        (pages,) = store._db.execute("PRAGMA page_count").fetchone()
        store._db.execute(f"PRAGMA max_page_count = {pages}")
        big = Call("k2", "f", "ask", {"text": "x" * 100_000}, "", {}, 0.0)
        with pytest.raises(StoreError, match="disk is full; free some space"):
            store.keep_calls([big])
        assert set(store.calls(["k1", "k2"])) == {"k1"}


def test_a_closed_store_says_so(path: Path) -> None:
    store = Store(path)
    store.close()
    with pytest.raises(StoreError, match="open the store again"):
        store.runs()


def test_memory_needs_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Store(MEMORY) as store:
        store.keep_calls([CALL])
        assert set(store.calls(["k1"])) == {"k1"}
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_cannot_be_written_can_still_be_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(path) as store:
        store.keep_calls([CALL])
    monkeypatch.setattr(os, "access", lambda *_: False)
    with Store(path, create=False) as store:
        assert set(store.calls(["k1"])) == {"k1"}
        with pytest.raises(StoreError, match="cannot be written there"):
            store.keep_calls([CALL])


def test_what_a_dead_program_left_in_the_log_is_read_there_too(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "copy" / "store.db"
    copy.parent.mkdir()
    with Store(path) as store:
        store.keep_calls([CALL])
        # As it lies on the disk while the program has not closed it.
        for side in ("", "-wal", "-shm"):
            shutil.copy(f"{path}{side}", f"{copy}{side}")
    assert Path(f"{copy}-wal").stat().st_size
    monkeypatch.setattr(os, "access", lambda *_: False)
    for read_only in (True, False):
        with Store(copy, create=False, read_only=read_only) as store:
            assert set(store.calls(["k1"])) == {"k1"}
            with pytest.raises(StoreError, match="cannot be written there"):
                store.keep_calls([CALL])
