"""Replicas on a Ray cluster of two workers: what they answer is what one process answers, also when one of them dies.

One small cluster serves all tests here; starting it takes most of their time.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from otherminds.cli import cli
from otherminds.errors import ModelError, UsageError
from otherminds.items import Suite
from otherminds.models import Model, Prompt, fingerprint
from otherminds.models import replicas as clusters
from otherminds.models.local.model import Local
from otherminds.models.replicas import _POOLS, Cluster, Replicas, places, read_cluster, room
from otherminds.runs.runs import Run, run
from otherminds.store.store import Store
from otherminds.studies.suites import get_suite
from tests.models import tiny

# Ray reads this when it is imported: listen on the loopback alone.
os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
ray = pytest.importorskip("ray", reason="Ray is not installed; install otherminds[ray]")

TWO = Cluster(replicas=2)


@pytest.fixture(scope="module")
def two_workers() -> Iterator[None]:
    """A cluster of two CPUs that listens on the loopback alone."""
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield
    _POOLS.clear()
    ray.shutdown()


@pytest.fixture(scope="module")
def replicas(two_workers: None, tiny_path: Path) -> Replicas:
    return Replicas(f"gguf:{tiny_path}", cluster=TWO)


@pytest.fixture(scope="module")
def suite() -> Suite:
    return get_suite("starter")


def content(path: Path) -> dict[str, list[Any]]:
    """All that a store keeps but times and what calls took."""
    with Store(path, read_only=True) as store:
        return {
            "calls": sorted(store.rows("SELECT key, fingerprint, verb, prompt, rendered, result FROM calls")),
            "records": sorted(store.rows("SELECT run, position, item, calls, score, checksum FROM records")),
            "models": sorted(store.rows("SELECT * FROM models")),
            "runs": sorted((row.id, row.suite, row.model, bool(row.finished)) for row in store.runs()),
        }


def asked(suite: Suite, model: Model, path: Path, **more: Any) -> Run:
    with Store(path) as store:
        return run(suite, model, store=store, **more)


@pytest.fixture(scope="module")
def whole(suite: Suite, tiny_path: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """What one process keeps."""
    path = tmp_path_factory.mktemp("one") / "one.db"
    asked(suite, Local(tiny_path), path)
    return content(path)


def test_two_workers_fill_the_store_as_one_process_does(
    replicas: Replicas, suite: Suite, tiny_path: Path, tmp_path: Path, whole: dict[str, list[Any]]
) -> None:
    done = asked(suite, replicas, tmp_path / "two.db")
    assert (replicas.parallel, len(set(replicas.pool.pids()))) == (2, 2)
    assert fingerprint(replicas) == fingerprint(Local(tiny_path))
    assert content(tmp_path / "two.db") == whole
    assert done.manifest["calls"]["made"] == len(whole["calls"]) > 2 * replicas.batch, "both have something to do"


def test_a_killed_worker_loses_nothing_and_nothing_is_kept_twice(
    replicas: Replicas, suite: Suite, tmp_path: Path, whole: dict[str, list[Any]]
) -> None:
    victim, *_ = replicas.pool.pids()
    before = replicas.retried
    killed: list[int] = []

    def kill_in_the_middle(done: int, wanted: int) -> None:
        if 0 < done < wanted and not killed:
            os.kill(victim, signal.SIGKILL)
            killed.append(done)

    done = asked(suite, replicas, tmp_path / "killed.db", progress=kill_in_the_middle)
    assert killed
    assert replicas.retried > before, "some work was with the one that died"
    assert content(tmp_path / "killed.db") == whole
    calls = done.manifest["calls"]
    assert (calls["made"], calls["errors"]) == (len(whole["calls"]), 0)
    replicas.pool.call("hello")
    assert replicas.pool._alive == 2, "another one took its place"


def test_more_prompts_than_a_batch_are_spread_and_come_back_in_order(replicas: Replicas, tiny: Local) -> None:
    prompts = [Prompt(text=f"{number} is", choices=(" a", " b"), about="here") for number in range(70)]
    assert replicas.weigh(prompts) == [one for first in (0, 32, 64) for one in tiny.weigh(prompts[first : first + 32])]
    assert replicas.ask([]) == []


def test_what_a_replica_refuses_is_a_sentence_here(replicas: Replicas, tmp_path: Path) -> None:
    lost = Replicas(f"gguf:{tmp_path}/nowhere.gguf", cluster=TWO)
    with pytest.raises(ModelError, match=r"nowhere\.gguf") as refused:
        fingerprint(lost)
    assert "\n" not in str(refused.value)
    shallower = replicas.shallower()
    assert shallower is not None
    assert shallower.identity["layers"] == 1


def test_work_that_kills_every_worker_ends_in_a_sentence(replicas: Replicas, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "TRIES", 1)
    pool = replicas.pool
    worker = pool._borrow()
    pid, _ = ray.get(worker.hello.remote())
    os.kill(pid, signal.SIGKILL)
    others = [pool._borrow()]
    pool._free.put(worker)
    with pytest.raises(ModelError, match="1 workers of Ray on this machine died over the same piece of work"):
        pool.call("hello")
    # Whoever takes its place is waited for, or it would start while the cluster ends.
    for other in (*others, pool._borrow()):
        pool._free.put(other)


def test_the_command_line_puts_a_run_on_ray(replicas: Replicas, tiny_path: Path, tmp_path: Path) -> None:
    store = tmp_path / "ray.db"
    args = ["run", "starter", "-m", f"gguf:{tiny_path}", "--limit", "6", "--store", str(store), "--json"]
    done = CliRunner().invoke(cli, [*args, "--on", "ray", "--replicas", "2"])
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("{"), "nothing of Ray's on stdout"
    again = CliRunner().invoke(cli, args)
    assert '"made": 0' in again.stdout, "the same model to the store"


@pytest.fixture(scope="module")
def roomy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model with room for a conversation."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tiny, "CONTEXT", 4096)
        return tiny.write_tiny(tmp_path_factory.mktemp("roomy") / "roomy.gguf")


SEARCH = ["--sets", "tomi", "--stories", "1", "--budget", "2", "--confirm", "1", "--endings", "2", "--no-baseline"]
PLAY = ["--limit", "2", "--turns", "1", "--retries", "0", "-M", "max_tokens=8"]


@pytest.mark.parametrize(("command", "told"), [("explore", "run.json"), ("play", "play.json")])
def test_searches_and_conversations_on_ray_are_those_of_one_process(
    two_workers: None, roomy: Path, tmp_path: Path, command: str, told: str
) -> None:
    found = []
    for where, options in (("there", ["--on", "ray", "--replicas", "2"]), ("here", [])):
        own = [*SEARCH, "--store", str(tmp_path / f"{where}.db")] if command == "explore" else PLAY
        args = [command, "-m", f"gguf:{roomy}", *own, "-o", str(tmp_path / where), *options]
        done = CliRunner().invoke(cli, args)
        assert (tmp_path / where / told).exists(), done.output
        lines = sorted((tmp_path / where).glob("*.jsonl"))
        found.append((done.exit_code, {path.name: path.read_text(encoding="utf-8") for path in lines}))
    assert found[0] == found[1]
    assert any(found[0][1].values())


def test_gpus_that_are_not_there_are_refused_before_anything_is_asked(
    two_workers: None, tiny_path: Path, tmp_path: Path
) -> None:
    args = ["run", "starter", "-m", f"gguf:{tiny_path}", "--store", str(tmp_path / "s.db"), "--on", "ray"]
    done = CliRunner().invoke(cli, [*args, "--gpus", "2", "--replicas", "3"])
    assert done.exit_code != 0
    assert "has 0 GPUs and 2 CPUs on 1 node, so there is room for 0 of 3 replicas with 2 GPUs and 1 CPU each" in str(
        done.stderr or done.exception
    )


# ── without a cluster ──


def node(cpus: float, gpus: float = 0, alive: bool = True) -> dict[str, Any]:
    return {"Alive": alive, "Resources": {"CPU": cpus, "GPU": gpus, "memory": 1e9}}


def test_room_is_counted_node_by_node() -> None:
    nodes = [node(8, 2), node(8, 2), node(64, 8, alive=False)]
    assert room(nodes, cpus=1, gpus=0) == 16
    assert room(nodes, cpus=1, gpus=1) == 4
    assert room(nodes, cpus=1, gpus=4) == 0, "no replica is spread over two nodes"
    assert room(nodes, cpus=1, gpus=0.5) == 8
    assert places(Cluster(), nodes, cpus=1, gpus=2) == 2
    assert places(Cluster(replicas=3), nodes, cpus=1, gpus=1) == 3
    with pytest.raises(UsageError, match=r"4 GPUs and 16 CPUs on 2 nodes.*room for 4 of 5.*ask for --replicas 4"):
        places(Cluster(replicas=5), nodes, cpus=1, gpus=1)


def test_where_on_points() -> None:
    assert read_cluster("ray") == Cluster()
    assert read_cluster("ray:ray://head:10001", replicas=2).address == "ray://head:10001"
    for wrong in ("slurm", "ray:", "", "rays"):
        with pytest.raises(UsageError, match="--on"):
            read_cluster(wrong)


def test_a_cluster_out_of_reach_gets_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: Any) -> None:
        raise ConnectionError("no such head\nand a page of advice")

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", refuse)
    with pytest.raises(ModelError, match=r"the Ray cluster at 10\.0\.0\.1:1 cannot be reached: no such head; check"):
        clusters.connect(Cluster("10.0.0.1:1"))


def test_without_ray_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(ModelError, match=r"install otherminds\[ray\]"):
        clusters.connect(Cluster())


def test_what_needs_no_replicas_is_told_so() -> None:
    with pytest.raises(UsageError, match="asked over the network"):
        Replicas("api:m", {"base_url": "http://127.0.0.1:1/v1"})
    with pytest.raises(UsageError, match="has no setting 'warmth'"):
        Replicas("smollm2", {"warmth": 1})
    done = CliRunner().invoke(cli, ["run", "starter", "--replicas", "2"])
    assert "give --on ray too" in str(done.stderr or done.exception)
