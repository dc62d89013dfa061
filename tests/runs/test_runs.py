"""A suite put to a model: what comes of it, and that nothing is lost or asked twice however it ends."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from math import inf
from pathlib import Path
from time import sleep

import pytest

from otherminds.calling.costs import Budget
from otherminds.errors import EndpointError, ModelError, StoreError, UsageError
from otherminds.formats.scores import VERDICTS
from otherminds.heuristics.readers import oracle, realist
from otherminds.items import Item, Suite
from otherminds.models import Prompt, Response, Usage, Weighing
from otherminds.models.scripted import Scripted
from otherminds.runs.runs import Run, load, run
from otherminds.store.store import Store
from otherminds.studies.starter.study import starter
from tests.counting_server import CountingServer

PROGRAM = Path(__file__).parents[1] / "asking_program.py"


def pick_a(prompt: Prompt) -> Response:
    return Response("A", usage=Usage(prompt=5, written=1), rendered=prompt.text)


def counts(done: Run) -> dict[str, int]:
    """Calls of the last sitting."""
    return {name: done.manifest["calls"][name] for name in ("made", "reused")}


def test_a_run_is_records_with_scores() -> None:
    suite = starter()
    done = run(suite, realist(suite))
    assert len(done) == len(suite)
    assert [record.item for record in done.records] == list(suite)
    assert done.mean(false_belief=True) == 0.0
    assert done.mean(false_belief=False) == 1.0
    assert done.mean("S", false_belief=False) == pytest.approx(0.95)
    assert done.verdicts() == {**dict.fromkeys(VERDICTS, 0), "correct": 24, "incorrect": 24}
    assert done.where(kind="unexpected contents", false_belief=True).mean() == 0.0
    assert not done.partial
    for record in done.records:
        assert len(record.prompts) == len(record.results) == len(record.calls) == 2


def test_an_item_without_a_right_answer_is_neither_right_nor_wrong() -> None:
    plain = starter()
    open_ended = [replace(item, tags={**item.tags, "scored": False}) for item in plain.items[:4]]
    suite = Suite("starter", (*open_ended, *plain.items[4:]))
    done = run(suite, realist(suite))
    assert done.verdicts() == {**dict.fromkeys(VERDICTS, 0), "correct": 22, "incorrect": 22, "unscored": 4}
    assert len(done.values()) == 44
    assert len(done.values("S")) == 48
    assert [record.verdict for record in done.records[:5]] == [*["unscored"] * 4, done.records[4].score.verdict]
    failed = run(suite.using(score="text", prompt="direct"), Scripted(lambda _: Response("", error="no"), name="down"))
    assert failed.verdicts()["error"] == 48  # what was never answered is an error and no more


def test_a_mean_of_nothing_is_refused() -> None:
    suite = starter()
    done = run(suite, oracle(suite))
    with pytest.raises(UsageError, match="no value for an item with order=9"):
        done.mean(order=9)
    with pytest.raises(UsageError, match="no S_token"):
        done.mean("S_token")


def test_the_manifest_says_what_was_run() -> None:
    suite = starter()
    done = run(suite, oracle(suite), seed=4, limit=10)
    assert done.manifest["digest"] == suite.digest
    assert done.manifest["items"] == 48
    assert (done.manifest["seed"], done.manifest["limit"]) == (4, 10)
    assert done.manifest["identity"]["suite"] == suite.digest
    nothing = {"errors": 0, "retried": 0, "waited": 0.0}
    in_all = {"sittings": 1, "made": 20, **nothing, "usage": done.manifest["usage"]}
    assert done.manifest["calls"] == {"made": 20, "reused": 0, **nothing, "in_all": in_all}
    assert {"otherminds", "python", "platform", "started", "ended"} <= set(done.manifest)
    json.dumps(done.manifest, allow_nan=False)


@pytest.mark.parametrize(("prompt", "score"), [("raw", "letters"), ("raw", "cloze"), ("cot", "text")])
def test_a_run_survives_the_store(tmp_path: Path, prompt: str, score: str) -> None:
    suite = starter().using(prompt=prompt, score=score)
    with Store(tmp_path / "store.db") as store:
        done = run(suite, oracle(suite), store=store)
        assert load(store, done.id) == done
        assert load(store, done.id[:4]) == done
        with pytest.raises(StoreError, match="has no run"):
            load(store, "nothing")


def test_asked_again_it_is_the_same_run_and_costs_nothing(tmp_path: Path) -> None:
    suite = starter()
    model = oracle(suite)
    with Store(tmp_path / "store.db") as store:
        first = run(suite, model, store=store)
        calls = len(model.history)
        second = run(suite, model, store=store)
        assert (second.id, second.records) == (first.id, first.records)
        assert counts(second) == {"made": 0, "reused": calls}
        assert len(model.history) == calls
        others = {
            run(suite, model, store=store, seed=1).id,
            run(suite, model, store=store, limit=2).id,
            run(suite.using(score="cloze"), model, store=store).id,
            run(suite, realist(suite), store=store).id,
        }
        assert len(others | {first.id}) == 5
        assert len(store.runs()) == 5


def test_a_run_that_was_asked_again_is_the_last(tmp_path: Path) -> None:
    suite = starter()
    with Store(tmp_path / "store.db") as store:
        first = run(suite, oracle(suite), store=store)
        for model in (realist(suite), oracle(suite)):
            sleep(0.005)  # Times are kept by the millisecond.
            run(suite, model, store=store)
        last = store.last_run()
    assert last
    assert last.id == first.id


def spoilt(store: Store, command: str) -> None:
    with sqlite3.connect(store.path) as db:
        db.execute(command)
    db.close()


def test_a_damaged_manifest_is_mended_by_running_again(tmp_path: Path) -> None:
    suite = starter()
    with Store(tmp_path / "store.db") as store:
        done = run(suite, oracle(suite), store=store, limit=2)
        spoilt(store, "UPDATE runs SET manifest = '{}'")
        with pytest.raises(StoreError, match="is damaged"):
            load(store, done.id)
        again = run(suite, oracle(suite), store=store, limit=2)
        assert load(store, done.id) == again
        assert again.manifest["started"] == done.manifest["started"]


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("value", "high", "a score is 'high'"),
        ("value", True, "a score is True"),
        ("detail.S", "high", "a score is 'high'"),
        ("verdict", "splendid", "a verdict is 'splendid'"),
    ],
)
def test_a_damaged_score_is_a_damaged_run(tmp_path: Path, path: str, value: object, words: str) -> None:
    suite = starter()
    with Store(tmp_path / "store.db") as store:
        done = run(suite, oracle(suite), store=store, limit=2)
        # As an older otherminds wrote it, without a checksum.
        new = f"json_set(score, '$.{path}', json('{json.dumps(value)}'))"
        spoilt(store, f"UPDATE records SET score = {new}, checksum = ''")
        with pytest.raises(StoreError, match=f"run {done.id} is damaged .{words}"):
            load(store, done.id)


def test_the_order_of_items_changes_no_score() -> None:
    suite = starter()
    turned = Suite(suite.name, suite.items[::-1])
    model = oracle(suite)
    assert run(turned, model).values("S") == run(suite, model).values("S")


def test_two_identities_with_one_name_never_share_an_answer(tmp_path: Path) -> None:
    suite = Suite("tiny", (Item(id="one", question="Which?", answer="x", choices=("x", "y")),), score="text")
    with Store(tmp_path / "store.db") as store:
        runs = []
        for digest, letter in (("aaaa", "A"), ("bbbb", "B")):
            model = Scripted(lambda _, letter=letter: letter, name="model.gguf")  # type: ignore[misc]
            model.identity = {"file": "model.gguf", "sha256": digest}
            runs.append(run(suite, model, store=store))
        assert sorted(done.mean() for done in runs) == [0.0, 1.0]
        assert runs[0].id != runs[1].id
        assert runs[1].manifest["calls"]["made"] == 1


def test_a_spent_budget_leaves_a_partial_run_that_can_go_on(tmp_path: Path) -> None:
    suite = starter()
    model = oracle(suite)
    with Store(tmp_path / "store.db") as store:
        part = run(suite, model, store=store, budget=Budget(calls=21))
        assert part.partial
        assert len(part) == 10
        assert part.manifest["stopped"] == "the budget of 21 calls is spent"
        assert load(store, part.id) == part
        whole = run(suite, model, store=store)
        assert not whole.partial
        assert whole.id == part.id
        assert len(model.history) == 96
        assert whole.records == run(suite, model).records


def test_an_item_that_failed_is_an_error_and_is_asked_again(tmp_path: Path) -> None:
    broken = True

    def weigh(prompt: Prompt) -> dict[str, float]:
        return dict.fromkeys(prompt.choices, 0.5)

    class Sometimes(Scripted):
        def weigh(self, prompts):  # type: ignore[no-untyped-def]
            found = super().weigh(prompts)
            return [
                Weighing(error="too long") if broken and "bakery" in p.text else w
                for p, w in zip(prompts, found, strict=True)
            ]

    suite = starter()
    model = Sometimes(pick_a, name="sometimes", weigh=weigh)
    with Store(tmp_path / "store.db") as store:
        first = run(suite, model, store=store)
        assert first.verdicts()["error"] == 2
        assert not first.partial
        assert len(first.values("S")) == 46
        assert load(store, first.id).verdicts() == first.verdicts()
        broken = False
        second = run(suite, model, store=store)
        assert second.verdicts()["error"] == 0
        assert counts(second) == {"made": 4, "reused": 92}


def test_a_model_that_gives_up_leaves_what_was_answered(tmp_path: Path) -> None:
    suite = starter().using(prompt="direct", score="text")
    asked = 0

    def give_up(prompt: Prompt) -> Response:
        nonlocal asked
        asked += 1
        if asked > 5:
            raise EndpointError("the server is gone")
        return pick_a(prompt)

    with Store(tmp_path / "store.db") as store:
        with pytest.raises(EndpointError, match="is gone"):
            run(suite, Scripted(give_up, name="m", batch=1), store=store)
        (row,) = store.runs()
        assert row.finished == ""
        part = load(store, row.id)
        assert part.partial
        assert len(part) == 5
        whole = run(suite, Scripted(pick_a, name="m", batch=1), store=store)
        assert counts(whole) == {"made": 43, "reused": 5}


def test_nothing_infinite_reaches_the_store(tmp_path: Path) -> None:
    model = Scripted(pick_a, name="sure")
    seen = Weighing({"A": -0.1}, bounds={"B": (-inf, -4.0)})
    model.weigh = lambda prompts: [seen for _ in prompts]  # type: ignore[method-assign]
    with Store(tmp_path / "store.db") as store:
        done = run(starter(), model, store=store)
        assert load(store, done.id) == done


def test_bad_requests_are_refused_before_anything_is_asked(tmp_path: Path) -> None:
    suite = starter()
    model = oracle(suite)
    for wrong in (suite.using(prompt="rap"), suite.using(score="vibes"), suite.using(prompt="cot")):
        with Store(tmp_path / "store.db") as store, pytest.raises(UsageError):
            run(wrong, model, store=store)
    with pytest.raises(ModelError, match="made for suite"):
        run(Suite("other", (Item(id="x", question="?", answer="a", choices=("a", "b")),)), model)
    assert model.history == [] or all("?" in prompt.text for prompt in model.history)


# ── a real program, a real server, and a real death ──


@pytest.fixture
def small(tmp_path: Path) -> Path:
    starter().where(kind="unexpected contents").save(tmp_path / "suite.jsonl")
    return tmp_path / "suite.jsonl"


def start(server: CountingServer, folder: Path, suite: Path, parallel: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(PROGRAM), server.url, str(folder / "store.db"), str(suite), str(parallel)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def wait_for(program: subprocess.Popen[str], reached: Callable[[int], bool]) -> int:
    assert program.stdout
    for line in program.stdout:
        word, count, *_ = line.split()
        if word == "answered" and reached(int(count)):
            return int(count)
    pytest.fail("the program ended before it was far enough")


@pytest.mark.parametrize("parallel", [1, 4])
def test_killed_in_the_middle_and_run_again(tmp_path: Path, small: Path, parallel: int) -> None:
    server = CountingServer(hold_after=15)
    with server.running():
        program = start(server, tmp_path, small, parallel)
        assert program.stdout
        with program.stdout:
            wait_for(program, lambda count: count == 15)
            os.kill(program.pid, signal.SIGKILL)
            assert program.wait() == -signal.SIGKILL
        server.release()
        again = start(server, tmp_path, small, parallel)
        out, _ = again.communicate(timeout=60)
    assert again.returncode == 0
    assert out.splitlines()[-1] == "calls 33 15"
    assert len(server.answered) == 48
    assert set(server.times.values()) == {1}
    with Store(tmp_path / "store.db", create=False) as store:
        (row,) = store.runs()
        done = load(store, row.id)
    assert not done.partial
    assert len({record.item.id for record in done.records}) == 24


def test_two_programs_at_one_run_share_the_work_and_ask_nothing_twice(tmp_path: Path, small: Path) -> None:
    server = CountingServer(hold_after=0)
    with server.running():
        both = [start(server, tmp_path, small, 4) for _ in range(2)]
        for program in both:
            wait_for(program, lambda count: count == 0)
        server.release()
        ends = [program.communicate(timeout=60)[0].splitlines()[-1] for program in both]
    assert [program.returncode for program in both] == [0, 0]
    made, reused = zip(*((int(number) for number in end.split()[1:]) for end in ends), strict=True)
    assert sum(made) == 48
    assert all(made), f"one of them did all the work: {ends}"
    assert [mine + known for mine, known in zip(made, reused, strict=True)] == [48, 48]
    assert set(server.times.values()) == {1}
    with Store(tmp_path / "store.db", create=False) as store:
        (row,) = store.runs()
        done = load(store, row.id)
        assert store.sittings(row.id)[1].made == 48
    assert len(done) == 24
    assert not done.partial


def test_a_program_takes_over_what_a_dead_one_was_asking(tmp_path: Path, small: Path) -> None:
    server = CountingServer(hold_after=15)
    with server.running():
        first = start(server, tmp_path, small, 4)
        assert first.stdout
        with first.stdout:
            wait_for(first, lambda count: count == 15)
            second = start(server, tmp_path, small, 4)
            os.kill(first.pid, signal.SIGKILL)
            assert first.wait() == -signal.SIGKILL
        server.release()
        out, _ = second.communicate(timeout=60)
    assert second.returncode == 0
    assert out.splitlines()[-1] == "calls 33 15"


def test_ctrl_c_keeps_what_was_answered(tmp_path: Path, small: Path) -> None:
    server = CountingServer(delay=0.05)
    with server.running():
        program = start(server, tmp_path, small, 4)
        assert program.stdout
        with program.stdout:
            wait_for(program, lambda count: count >= 12)
            program.send_signal(signal.SIGINT)
            assert program.wait(timeout=30) == 3
        kept = len(server.answered)
        assert 12 <= kept < 48
        with Store(tmp_path / "store.db", create=False) as store:
            (row,) = store.runs()
            part = load(store, row.id)
        assert part.partial
        # Calls under way came home and were kept: everything the server answered is there.
        assert part.manifest["calls"]["made"] == kept
        again = start(server, tmp_path, small, 4)
        out, _ = again.communicate(timeout=60)
    assert out.splitlines()[-1] == f"calls {48 - kept} {kept}"
    assert set(server.times.values()) == {1}
