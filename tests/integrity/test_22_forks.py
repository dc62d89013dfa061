"""A forked or spawned child, and whoever unpickles a model, asks servers as the parent does."""

import multiprocessing
import os
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import otherminds as om
from otherminds.models.api.endpoint import Endpoint
from otherminds.models.api.pool import serve
from otherminds.store.store import Store
from tests.faults.bench import KEY, suite
from tests.models.scripted_server import Call, Reply, completion, serving, top

LETTERS = om.Prompt(text="Where? A) box B) tin", choices=("A", "B"), labels=True)
LIMIT = 30
"""Seconds that no child needs unless it hangs."""
fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


def weigh(model: om.Model, _: int = 0) -> dict[str, float]:
    return dict(model.weigh([LETTERS])[0].logprobs)


def answer(_: Call) -> Reply:
    return completion(" A", **top({" A": -1.0, "A": -2.0, " B": -2.0, "B": -3.0}))


def in_a_fork(work: Callable[[], Any]) -> Any:
    """What comes of something in a forked child that has our memory, sent back as a pickle; None where it hangs."""
    reader, writer = multiprocessing.Pipe(duplex=False)

    def child() -> None:
        try:
            writer.send(work())
        except Exception as error:
            writer.send(error)

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    try:
        return reader.recv() if reader.poll(LIMIT) else None
    finally:
        process.kill()
        process.join()


@fork
@pytest.mark.parametrize("servers", [1, 2])
def test_a_forked_child_asks_the_server_that_its_parent_asked(servers: int) -> None:
    with serving(answer) as one, serving(answer) as two:
        model = serve("m", base_url=[one.url, two.url][:servers])
        expected = weigh(model)
        assert in_a_fork(partial(weigh, model)) == expected
        assert weigh(model) == expected, "nor is the parent disturbed"


@fork
def test_a_child_that_is_forked_while_the_parent_asks_disturbs_nobody() -> None:
    slow = completion(" A", **top({" A": -1.0, " B": -2.0}))
    with serving(lambda _: Reply(slow.body, delay=0.3)) as server:
        model = Endpoint("m", base_url=server.url, parallel=4, server="other", lacks="")
        with ThreadPoolExecutor(8) as several:
            under_way = [several.submit(weigh, model) for _ in range(8)]
            while len(server.calls) < 2:
                pass
            in_child = in_a_fork(partial(weigh, model))
            assert [in_child] * 8 == [future.result(LIMIT) for future in under_way]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_pool_of_processes_asks(method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip("this system has no such processes")
    with serving(answer) as server:
        model = Endpoint("m", base_url=server.url)
        expected = weigh(model)
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
            futures = [pool.submit(weigh, model, number) for number in range(4)]
            assert [future.result(LIMIT) for future in futures] == [expected] * 4


def test_joblib_asks() -> None:
    joblib = pytest.importorskip("joblib")
    with serving(answer) as server:
        model = Endpoint("m", base_url=server.url)
        expected = weigh(model)
        assert joblib.Parallel(2, timeout=LIMIT)(joblib.delayed(weigh)(model) for _ in range(4)) == [expected] * 4


@fork
def test_a_store_of_the_parent_is_refused_with_a_sentence_and_stays_whole(tmp_path: Path) -> None:
    asked = suite(4).using(prompt="raw", score="letters")
    with serving(answer) as server, Store(tmp_path / "store.db") as store:
        model = Endpoint("m", base_url=server.url)
        run = om.run(asked, model, store=store)
        refused = in_a_fork(partial(om.run, asked, model, store=store))
        assert "was opened before this process was forked; open it here with Store(" in str(refused)
        with_own = in_a_fork(lambda: om.run(asked, model, store=tmp_path / "store.db").verdicts())
        assert with_own == run.verdicts()
        assert len(store.runs()) == 1, "the same run"


# ── pickles ──


def copied(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


def test_an_endpoint_comes_back_with_what_it_knows_of_its_server() -> None:
    with serving(answer) as server:
        model = Endpoint("m", base_url=server.url, temperature=0.5, seed=7, patience=40)
        model.wire.patience = 30
        identity, expected, calls = model.identity, weigh(model), len(server.calls)
        again = copied(model)
        assert (again.identity, again.cannot, again.wire.patience) == (identity, model.cannot, 30)
        assert weigh(again) == expected
        assert len(server.calls) == calls + 1, "nothing had to be tried out again"


def test_a_pickle_holds_no_key_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", KEY)
    keys = []

    def note(call: Call) -> Reply:
        keys.append(call.headers["Authorization"])
        return answer(call)

    with serving(note) as server:
        model = Endpoint("m", base_url=server.url, key_env="SOME_KEY", lacks="")
        weigh(model)
        pickled = pickle.dumps(model)
        assert KEY.encode() not in pickled
        weigh(pickle.loads(pickled))
    assert set(keys) == {f"Bearer {KEY}"}


def test_several_servers_a_local_model_and_a_scripted_one_come_back() -> None:
    for model in (
        serve("m", base_url="http://127.0.0.1:9/v1 http://127.0.0.1:10/v1"),
        om.Scripted(str, name="s"),
    ):
        assert type(copied(model)) is type(model)
        assert repr(copied(model)) == repr(model) or model.name == copied(model).name


def test_stories_items_suites_and_runs_come_back_equal() -> None:
    story = om.Story.of(om.Enter("Sally", "kitchen"), om.Enter("Anne", "kitchen"))
    for _ in range(600):
        story = story.then(om.Leave("Anne", "kitchen")).then(om.Enter("Anne", "kitchen"))
    with serving(answer) as server:
        run = om.run(suite(3).using(prompt="raw", score="letters"), Endpoint("m", base_url=server.url))
    for thing in (story, suite(3), suite(3).items[0], run):
        assert copied(thing) == thing
