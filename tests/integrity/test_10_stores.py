"""A store says what was answered and nothing else, whatever is done to its file, its clock and its rows."""

import json
import logging
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from otherminds.calling.recorded import Recorded
from otherminds.cli import cli
from otherminds.errors import EndpointError, ModelError, StoreError
from otherminds.items import Item, Suite
from otherminds.models import Prompt, Response, Usage, Weighing
from otherminds.models.scripted import Scripted
from otherminds.runs import runs
from otherminds.runs.runs import Budget, Run, load, run
from otherminds.store.store import _OURS, MEMORY, Store
from otherminds.store.tables import MIGRATIONS

N = 8
SUITE = Suite(
    "tiny",
    tuple(Item(id=f"i{n}", question=f"Which {n}?", answer="x", choices=("x", "y")) for n in range(N)),
    prompt="direct",
    score="text",
)


def says_a(prompt: Prompt) -> Response:
    return Response("A", usage=Usage(10, 0, 1), rendered="…")


def call(*args: str) -> Result:
    return CliRunner().invoke(cli, args, prog_name="otherminds")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own with a suite in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OTHERMINDS_STORE", raising=False)
    SUITE.save(tmp_path / "tiny.jsonl")
    return tmp_path


def asking(monkeypatch: pytest.MonkeyPatch, answer: Callable[[Prompt], Response], **options: Any) -> Scripted:
    """Whoever is named on the command line, this one answers."""
    model = Scripted(answer, name="m", batch=1, **options)
    monkeypatch.setattr("otherminds.terminal.names.open_model", lambda *_, **__: model)
    return model


# ---- a file that is taken away --------------------------------------------------------------------------------------


def deleted(path: Path) -> None:
    path.unlink()


def deleted_with_all(path: Path) -> None:
    for each in path.parent.glob("*"):
        each.unlink()


def replaced(path: Path) -> None:
    other = path.with_name("other")
    Store(other).close()
    os.replace(other, path)


def copied_over(path: Path) -> None:
    copy = shutil.copy(path, path.with_name("copy"))
    os.replace(copy, path)


def moved(path: Path) -> None:
    path.rename(path.with_name("moved.db"))


def folder_removed(path: Path) -> None:
    shutil.rmtree(path.parent)


def log_removed(path: Path) -> None:
    Path(f"{path}-wal").unlink()


@pytest.mark.parametrize("parallel", [1, 3])
@pytest.mark.parametrize(
    "take_away", [deleted, deleted_with_all, replaced, copied_over, moved, folder_removed, log_removed]
)
@pytest.mark.parametrize("when", [0, N // 2, N - 1])
def test_a_store_that_is_taken_away_ends_the_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, take_away: Callable[[Path], None], when: int, parallel: int
) -> None:
    path, seen = folder / "below" / "store.db", 0

    def answer(prompt: Prompt) -> Response:
        nonlocal seen
        if seen == when:
            take_away(path)
        seen += 1
        return says_a(prompt)

    asking(monkeypatch, answer, parallel=parallel)
    done = call("run", "tiny.jsonl", "-m", "m", "--store", str(path))
    assert done.exit_code == 1
    assert "store.db was deleted, moved or replaced while it was written, so its answers are lost" in done.stderr
    assert done.stdout == ""
    assert seen <= when + parallel + 1, "it stops at once"


def test_a_store_that_is_taken_away_after_the_last_answer_is_noticed_too(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = Store(path)
    run(SUITE, Scripted(says_a, name="m"), store=store)
    path.unlink()
    with pytest.raises(StoreError, match="deleted, moved or replaced"), store:
        pass


def test_who_only_reads_may_go_on(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Store(path) as store:
        done = run(SUITE, Scripted(says_a, name="m"), store=store)
    with Store(path) as store:
        path.unlink()
        assert load(store, done.id) == done


def test_a_search_ends_with_its_store(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(prompt: Prompt) -> Response:
        Path("otherminds.db").unlink(missing_ok=True)
        return says_a(prompt)

    asking(monkeypatch, answer)
    done = call("explore", "--against", "api:m", *SEARCH, "-o", "out")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "deleted, moved or replaced" in done.stderr
    assert not Path("out").exists()


def test_a_series_ends_with_its_store(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def weigh(prompts: list[Prompt]) -> list[Weighing]:
        Path("otherminds.db").unlink(missing_ok=True)
        asked.extend(prompts)
        return [Weighing(dict.fromkeys(prompt.choices, -2.0)) for prompt in prompts]

    asked: list[Prompt] = []
    asking(monkeypatch, says_a).weigh = weigh  # type: ignore[assignment, method-assign]
    members = ", ".join(f"{{name: m{n}, spec: 'api:m', series: s, rank: {n}}}" for n in (1, 2))
    Path("two.yaml").write_text(f"suite: {{size: 4}}\nmodels: [{members}]")
    done = call("series", "two.yaml", "-o", "out")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "deleted, moved or replaced" in done.stderr
    assert len(asked) == 1
    assert not Path("out").exists()


# ---- a clock that goes back -----------------------------------------------------------------------------------------


def test_the_last_run_is_the_last_whatever_the_clock_says(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    years = iter(range(2040, 2000, -1))
    monkeypatch.setattr(runs, "now", lambda: f"{next(years)}-01-01T00:00:00.000+00:00")
    asking(monkeypatch, says_a)
    made = []
    for seed in ("1", "2", "3", "1"):
        done = call("run", "tiny.jsonl", "-m", "m", "--seed", seed, "--json")
        made.append(json.loads(done.stdout)["run"])
        assert json.loads(call("show", "last", "--json").stdout)["run"] == made[-1]
    listed = [row["id"] for row in json.loads(call("runs", "--json").stdout)]
    assert listed == [made[3], made[2], made[1]]


def old_store(path: Path) -> None:
    """A store as it was before rows had checksums and runs a number: two runs, one answered call."""
    manifest = {"calls": {"made": 7, "reused": 2}, "usage": {"prompt": 70, "cached": 0, "written": 7}}
    with closing(sqlite3.connect(path)) as db:
        for step in MIGRATIONS[:2]:
            step(db)
        row = ("tiny", "d", "m", "f", "direct", "text")
        for id, year in (("late", 2027), ("early", 2026)):
            text = json.dumps({**manifest, "ended": f"{year}-05-01"})
            db.execute(
                "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (id, *row, text, f"{year - 2}-01-01", "")
            )
            db.execute("INSERT INTO records VALUES (?, 0, '{}', '[]', '{\"verdict\": \"error\"}')", (id,))
        db.execute("INSERT INTO runs VALUES ('broken', '', '', '', '', '', '', 'no JSON', '2025', '')")
        recorded = Recorded(Scripted(says_a, name="m"), Store(MEMORY))
        prompt, result = Prompt(text="?"), {"text": "A", "finish": "stop", "usage": {}}
        row = (recorded.key("ask", prompt), recorded.fingerprint, "ask", json.dumps(prompt.to_dict()), "?")
        db.execute("INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, 0.1, '2026')", (*row, json.dumps(result)))
        db.execute(f"PRAGMA application_id = {_OURS}")
        db.execute("PRAGMA user_version = 2")
        db.commit()


def test_an_older_store_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    old_store(path)
    model = Scripted(says_a, name="m")
    with Store(path) as store:
        last = store.last_run()
        assert last
        assert last.id == "late"
        assert store.sittings("late")[1].usage == Usage(70, 0, 7)
        recorded = Recorded(model, store)
        assert recorded.ask([Prompt(text="?")])[0].text == "A"
        assert (recorded.made, recorded.reused, model.history) == (0, 1, [])
        with pytest.raises(StoreError, match="malformed"):
            store.runs()
    found = json.loads(call("store", "verify", "--store", str(path), "--json").stdout)
    assert found["without_checksum"] == {"calls": 1, "records": 2, "runs": 3}
    assert [(flaw["table"], flaw["first"]) for flaw in found["flaws"]] == [("runs", ["broken"])]


@pytest.mark.parametrize("at_rest", [False, True])
def test_an_older_store_is_read_where_it_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_rest: bool
) -> None:
    path = tmp_path / "store.db"
    old_store(path)
    before = path.read_bytes()
    if at_rest:
        monkeypatch.setattr(os, "access", lambda *_: False)
    with Store(path, create=False, read_only=not at_rest) as store:
        assert store.run("late").sound
        assert list(store.records("late")) == [{"position": 0, "item": {}, "calls": [], "score": {"verdict": "error"}}]
    assert path.read_bytes() == before


# ---- what was spent -------------------------------------------------------------------------------------------------


class Troubled(Scripted):
    """Has to ask again and to wait once for every prompt, and is gone after `lasts` of them."""

    retried, waited = 100, 50.0

    def __init__(self, lasts: int) -> None:
        super().__init__(self._troubled, name="troubled", batch=1)
        self._lasts = lasts

    def _troubled(self, prompt: Prompt) -> Response:
        self.retried, self.waited, self._lasts = self.retried + 1, self.waited + 0.5, self._lasts - 1
        if self._lasts < 0:
            raise EndpointError("the server is gone")
        return Response(error="too long") if "Which 0" in str(prompt) else says_a(prompt)


def test_the_manifest_tells_errors_retries_and_waiting_of_all_sittings(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        with pytest.raises(EndpointError):
            run(SUITE, Troubled(lasts=3), store=store)
        (row,) = store.runs()
        counted = dict(row.manifest["calls"])
        in_all = counted.pop("in_all")
        assert counted == {"made": 3, "reused": 0, "errors": 1, "retried": 4, "waited": 2.0}
        assert in_all == {
            **{name: counted[name] for name in ("made", "errors", "retried", "waited")},
            "sittings": 1,
            "usage": {"prompt": 20, "cached": 0, "written": 2},
        }
        done = run(SUITE, Troubled(lasts=99), store=store)
        counted = dict(done.manifest["calls"])
        in_all = counted.pop("in_all")
        # The one without an answer is asked once more.
        assert counted == {"made": 6, "reused": 2, "errors": 1, "retried": 6, "waited": 3.0}
        assert (in_all["sittings"], in_all["made"], in_all["errors"]) == (2, 9, 2)
        assert (in_all["retried"], in_all["waited"]) == (10, 5.0)
        assert in_all["usage"] == {"prompt": 70, "cached": 0, "written": 7}
        assert load(store, done.id).manifest == done.manifest


SEARCH = (
    *("--sets", "tomi", "--stories", "1", "--budget", "3", "--endings", "5", "--people", "2", "--moves", "2"),
    *("--score", "text", "--no-baseline"),
)


def test_a_search_counts_what_was_paid_before_it_was_killed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(BaseException):
        """As good as a kill: what is under way is lost."""

    def dies(prompt: Prompt) -> Response:
        if len(model.history) > 5:
            raise Killed
        return says_a(prompt)

    model = asking(monkeypatch, dies)
    with pytest.raises(Killed):
        call("explore", "--against", "api:m", *SEARCH, "-o", "out")
    model = asking(monkeypatch, says_a)
    for made in (True, False):
        shutil.rmtree("out", ignore_errors=True)
        before = len(model.history)
        done = call("explore", "--against", "api:m", *SEARCH, "-o", "out")
        assert done.exit_code == 0, done.output
        counted = json.loads(Path("out/run.json").read_text(encoding="utf-8"))["model"]["calls"]
        assert counted["made"] == len(model.history) - before
        assert bool(counted["made"]) is made
        assert counted["in_all"]["made"] == len(model.history) + 5
        assert counted["in_all"]["usage"]["prompt"] == 10 * counted["in_all"]["made"]
        assert counted["in_all"]["sittings"] == 2


# ---- rows that are damaged ------------------------------------------------------------------------------------------


def spoil(command: str, path: str | Path = "otherminds.db") -> None:
    with closing(sqlite3.connect(path)) as db:
        assert db.execute(command).rowcount > 0
        db.commit()


ONE = "(SELECT key FROM calls ORDER BY key LIMIT 1)"
SPOILT_CALLS = {
    "another answer": "result = replace(result, '\"A\"', '\"B\"')",
    "another cost": "result = replace(result, '10', '11')",
    "half its JSON": "result = substr(result, 1, 9)",
    "no JSON": "result = 'x'",
    "no text": "result = CAST(X'FFFE' AS TEXT)",
    "another question": "prompt = replace(prompt, 'Which', 'Whose')",
    "another model": "fingerprint = 'f'",
    "another verb": "verb = 'weigh'",
    "other words sent": "rendered = 'other'",
    "bytes": "rendered = X'00FF'",
    "another time": "seconds = 17.0",
}
UNMARKED = {
    # Without a checksum, as an older otherminds wrote it.
    "old: an answer that no model gives": "result = replace(result, 'stop', 'stopp'), checksum = ''",
    "old: no JSON": "result = 'x', checksum = ''",
    "old: no answer": "result = '{}', checksum = ''",
    "old: no text": "result = CAST(X'FFFE' AS TEXT), checksum = ''",
}


@pytest.fixture
def finished(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A run in the store of this folder."""
    asking(monkeypatch, says_a)
    return str(json.loads(call("run", "tiny.jsonl", "-m", "m", "--json").stdout)["run"])


def again(monkeypatch: pytest.MonkeyPatch) -> tuple[Result, int]:
    """The run once more, and how many prompts it asked."""
    model = asking(monkeypatch, says_a)
    return call("run", "tiny.jsonl", "-m", "m", "--json"), len(model.history)


@pytest.mark.parametrize("change", [*SPOILT_CALLS.values(), *UNMARKED.values()], ids=[*SPOILT_CALLS, *UNMARKED])
def test_a_damaged_call_is_asked_again_and_gives_no_number(
    finished: str, monkeypatch: pytest.MonkeyPatch, change: str, caplog: pytest.LogCaptureFixture
) -> None:
    whole = json.loads(call("show", "last", "--json").stdout)
    spoil(f"UPDATE calls SET {change} WHERE key = {ONE}")
    for command in (("show", "last"), ("show", "last", "--json"), ("report", "last")):
        done = call(*command)
        if "stopp" not in change:
            assert (done.exit_code, done.stdout) == (1, ""), command
            assert "damaged" in done.stderr
    found = call("store", "verify", "--json")
    assert found.exit_code == 3
    assert {flaw["table"]: flaw["rows"] for flaw in json.loads(found.stdout)["flaws"]} == {"calls": 1, "records": 1}
    with caplog.at_level(logging.WARNING, "otherminds"):
        done, asked = again(monkeypatch)
    assert (done.exit_code, asked) == (0, 1)
    assert [record.getMessage() for record in caplog.records] == [
        "otherminds.db: damaged answers, which are asked for again: 1"
    ]
    assert json.loads(call("show", "last", "--json").stdout)["records"] == whole["records"]
    assert call("store", "verify").exit_code == 0


SPOILT_RECORDS = {
    "another verdict": "score = replace(score, 'correct', 'incorrect')",
    "another value": "score = replace(score, '1.0', '0.0')",
    "another right answer": "item = replace(item, '\"x\"', '\"y\"')",
    "other calls": "calls = '[]'",
    "no JSON": "score = 'x'",
    "no text": "item = CAST(X'FFFE' AS TEXT)",
}


@pytest.mark.parametrize("change", SPOILT_RECORDS.values(), ids=SPOILT_RECORDS)
def test_a_damaged_answer_is_made_anew_from_its_calls(
    finished: str, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    whole = json.loads(call("show", "last", "--json").stdout)
    spoil(f"UPDATE records SET {change} WHERE position = 2")
    for command in (("show", "last"), ("report", "last"), ("runs",)):
        done = call(*command)
        assert (done.exit_code, done.stdout) == (1, ""), command
        assert "checksum is wrong" in done.stderr
    assert call("store", "verify").exit_code == 3
    done, asked = again(monkeypatch)
    assert (done.exit_code, asked) == (0, 0)
    assert json.loads(call("show", "last", "--json").stdout)["records"] == whole["records"]
    assert call("store", "verify").exit_code == 0


def test_a_damaged_run_says_so_and_is_made_anew(finished: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil("UPDATE runs SET manifest = replace(manifest, '\"made\": 8', '\"made\": 9')")
    assert json.loads(call("runs", "--json").stdout)[0]["sound"] is False
    assert "damaged" in call("runs").stdout
    done = call("show", "last")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "is damaged (its checksum is wrong)" in done.stderr
    assert call("store", "verify").exit_code == 3
    done, asked = again(monkeypatch)
    assert (done.exit_code, asked) == (0, 0)
    assert call("show", "last").exit_code == call("store", "verify").exit_code == 0


def test_a_call_that_is_gone_is_missed(finished: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(f"DELETE FROM calls WHERE key = {ONE}")
    done = call("show", "last")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "is not there" in done.stderr
    found = call("store", "verify")
    assert found.exit_code == 3
    assert "the calls that it was scored by are damaged or gone" in " ".join(found.stdout.split())
    assert again(monkeypatch)[1] == 1


def test_discard_removes_what_is_damaged_and_a_rerun_asks_just_that(
    finished: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = json.loads(call("show", "last", "--json").stdout)
    changes = [*SPOILT_CALLS.values()][:3]
    for change in changes:
        spoil(f"UPDATE calls SET {change} WHERE key = (SELECT max(key) FROM calls WHERE checksum != 'seen')")
        spoil("UPDATE calls SET checksum = 'seen' WHERE key = (SELECT max(key) FROM calls WHERE checksum != 'seen')")
    spoil("UPDATE records SET score = '{}' WHERE position = (SELECT max(position) FROM records)")
    done = call("store", "verify", "--discard", "--json")
    assert done.exit_code == 3
    told = json.loads(done.stdout)
    assert told["discarded"]["calls"] == 3
    assert told["discarded"]["records"] in (3, 4)
    assert told["discarded"]["unfinished"] == [finished]
    assert call("store", "verify").exit_code == 0
    shown = json.loads(call("show", "last", "--json").stdout)
    assert shown["partial"] is True
    assert len(shown["records"]) == N - told["discarded"]["records"]
    assert json.loads(call("runs", "--json").stdout)[0]["state"] == "stopped"
    done, asked = again(monkeypatch)
    assert (done.exit_code, asked) == (0, 3)
    assert json.loads(call("show", "last", "--json").stdout)["records"] == whole["records"]


def test_what_is_sound_is_called_sound(finished: str) -> None:
    before = Path("otherminds.db").read_bytes()
    done = call("store", "verify")
    assert done.exit_code == 0
    assert done.stdout == "otherminds.db: 8 calls, 8 answers, 1 run; nothing damaged\n"
    assert json.loads(call("store", "verify", "--discard", "--json").stdout) == {
        "store": "otherminds.db",
        "rows": {"calls": 8, "records": 8, "runs": 1},
        "without_checksum": {"calls": 0, "records": 0, "runs": 0},
        "not_sealed": [],
        "flaws": [],
        "discarded": None,
    }
    assert Path("otherminds.db").read_bytes() == before
    assert call("store", "verify", "--store", "none.db").exit_code == 2


# ---- what is missing is told ----------------------------------------------------------------------------------------


def hash_of(prompt: Prompt) -> int:
    return sum(json.dumps(prompt.to_dict()).encode())


def test_a_run_with_errors_ends_with_3(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asking(monkeypatch, lambda prompt: Response("A", "error") if "Which 3" in str(prompt) else says_a(prompt))
    done = call("run", "tiny.jsonl", "-m", "m")
    assert done.exit_code == 3
    assert "1 of 8 items failed, the first with: the reply ends with 'error', which is no way to end" in done.stderr


def test_a_search_with_errors_ends_with_3(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = asking(monkeypatch, lambda prompt: says_a(prompt) if len(model.history) > 2 else Response(error="too long"))
    done = call("explore", "--against", "api:m", *SEARCH, "-o", "out")
    assert done.exit_code == 3
    assert "2 of 14 questions got no answer, so other stories might be found; the same command asks" in done.stderr
    assert Path("out/run.json").exists()


def some_fail(prompts: list[Prompt]) -> list[Weighing]:
    return [
        Weighing(error="too long")
        if hash_of(prompt) % 9 == 0
        else Weighing({choice: -1.0 - place for place, choice in enumerate(prompt.choices)})
        for prompt in prompts
    ]


def test_a_series_with_errors_ends_with_3(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asking(monkeypatch, says_a).weigh = some_fail  # type: ignore[assignment, method-assign]
    Path("one.yaml").write_text("suite: {size: 4}\nmodels: [{name: m, spec: 'api:m', series: s, rank: 1}]")
    done = call("series", "one.yaml", "-o", "out")
    assert done.exit_code == 3, done.output
    assert "items got no answer" in done.stderr
    assert "not everything could be asked of m; give the same command again" in done.stderr


def test_a_profile_with_errors_ends_with_3(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asking(monkeypatch, says_a).weigh = some_fail  # type: ignore[assignment, method-assign]
    done = call("profile", "-m", "api:m", "--no-studies", "-o", "out", "--json")
    assert done.exit_code == 3, done.output
    assert "calls failed" in done.stderr
    assert json.loads(done.stdout)["partial"] is True


# ---- a model that breaks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parallel", [1, 4])
@pytest.mark.parametrize("error", [ValueError, KeyError, OverflowError, RecursionError, AttributeError, OSError])
def test_a_model_that_breaks_is_named_and_loses_nothing_that_was_answered(
    error: type[Exception], parallel: int, tmp_path: Path
) -> None:
    def breaks(prompt: Prompt) -> Response:
        if "Which 7" in str(prompt):
            raise error("inside")
        return says_a(prompt)

    def put(answer: Callable[[Prompt], Response], store: Store) -> Run:
        return run(SUITE, Scripted(answer, name="fragile", batch=1, parallel=parallel), store=store)

    with Store(tmp_path / "store.db") as store:
        with pytest.raises(ModelError, match=rf"fragile failed with {error.__name__}: .*inside"):
            put(breaks, store)
        part = load(store, store.runs()[0].id)
        assert part.partial
        whole = put(says_a, store)
        assert whole.manifest["calls"]["reused"] == len(part) >= N - parallel


def test_a_broken_meter_does_not_take_the_run_with_it(tmp_path: Path) -> None:
    from otherminds.calling.costs import Meter, Metered

    meter = Meter()
    wrong = Response("A", usage=None)  # type: ignore[arg-type]
    model = Scripted(lambda prompt: wrong if "Which 3" in str(prompt) else says_a(prompt), name="m")
    done = run(SUITE, Metered(model, meter))
    assert done.verdicts()["error"] == 1
    assert meter.usage == Usage(10 * (N - 1), 0, N - 1)


def test_a_spent_budget_is_no_error(tmp_path: Path) -> None:
    done = run(SUITE, Scripted(says_a, name="m", batch=1), budget=Budget(calls=3))
    assert done.partial
    assert done.manifest["calls"]["errors"] == 0
