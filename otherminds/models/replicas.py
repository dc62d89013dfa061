"""One model computed by many: replicas on a Ray cluster, behind the contract that a single one keeps.

Workers hold replicas of models, and what one loses when it dies another does again. A piece of work is one list of
prompts. It is handed in once and comes back once, whoever did it in the end, so whoever keeps answers sees each exactly
once. Only the program that asks writes to a store; workers know of none. Ray is imported late.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, cast

from otherminds.errors import ModelError, OthermindsError, UsageError
from otherminds.models import Model, ModelDefaults, Prompt, Response, Weighing, get_model

_log = logging.getLogger("otherminds")


@dataclass(frozen=True, slots=True)
class Cluster:
    """Which cluster, how many replicas of a model, and what each of them gets."""

    address: str = ""
    """As Ray takes it; empty: what RAY_ADDRESS says, else a cluster on this machine that ends with the program."""
    replicas: int | None = None
    """None: as many as there is room for."""
    gpus: float | None = None
    """For each replica; None: one for a model that can use it where the cluster has any."""

    @property
    def called(self) -> str:
        """The cluster in a sentence."""
        where = self.address or os.environ.get("RAY_ADDRESS", "")
        return f"the Ray cluster at {where}" if where else "Ray on this machine"


def read_cluster(text: str, *, replicas: int | None = None, gpus: float | None = None) -> Cluster:
    """`ray` or `ray:ADDRESS` as a cluster."""
    kind, colon, address = text.partition(":")
    if kind != "ray" or (colon and not address):
        raise UsageError(f"--on {text!r} should be ray, or ray:ADDRESS such as ray:10.0.0.1:6379 or ray:auto")
    return Cluster(address, replicas, gpus)


def connect(cluster: Cluster) -> Any:
    """Ray, in touch with the cluster; a program that has reached one by itself keeps that."""
    alone = not cluster.address and not os.environ.get("RAY_ADDRESS")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if alone:
        # Ray's word for "listen on the loopback only"; it is read when Ray is imported.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    try:
        import ray
    except ImportError:
        raise ModelError("--on ray needs Ray; install otherminds[ray]") from None
    if ray.is_initialized():
        return ray
    _keep_stdout_clean()
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if alone:
        options["include_dashboard"] = False
    try:
        ray.init(address=cluster.address or (None if not alone else "local"), **options)
    except Exception as error:  # from a wrong address to a full disk, Ray has its own kind for each
        why = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        raise ModelError(f"{cluster.called} cannot be reached: {why}; check --on and that it is running") from None
    return ray


def _keep_stdout_clean() -> None:
    """Ray prints a page about every worker that is lost where our results go; one sentence of ours says the same."""
    from ray._private import worker

    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = lambda data, *_, **__: _log.debug("%s", data)


def room(nodes: Sequence[Mapping[str, Any]], *, cpus: float, gpus: float) -> int:
    """How many replicas that get so much each have a place; none is spread over two nodes."""
    wanted = {name: amount for name, amount in (("CPU", cpus), ("GPU", gpus)) if amount}
    return sum(
        min(int(node["Resources"].get(name, 0) // amount) for name, amount in wanted.items())
        for node in nodes
        if node["Alive"]
    )


def total(nodes: Sequence[Mapping[str, Any]], what: str) -> float:
    """What all nodes have together of CPU or GPU."""
    return float(sum(node["Resources"].get(what, 0) for node in nodes if node["Alive"]))


def places(cluster: Cluster, nodes: Sequence[Mapping[str, Any]], *, cpus: float, gpus: float) -> int:
    """How many replicas to start; what cannot be placed is refused before anything is asked."""
    fit = room(nodes, cpus=cpus, gpus=gpus)
    wanted = cluster.replicas or max(1, fit)
    if wanted <= fit:
        return wanted
    alive = sum(bool(node["Alive"]) for node in nodes)
    has = f"{total(nodes, 'GPU'):g} GPUs and {total(nodes, 'CPU'):g} CPUs on {alive} node{'s' * (alive != 1)}"
    each = f"{gpus:g} GPU{'s' * (gpus != 1)} and " if gpus else ""
    advice = f"ask for --replicas {fit}, fewer --gpus, or add nodes" if fit else "ask for fewer --gpus, or add nodes"
    raise UsageError(
        f"{cluster.called} has {has}, so there is room for {fit} of {wanted} replicas with {each}{cpus:g} CPU each;"
        f" {advice}"
    )


CPUS = 1
"""For each worker; with more, the threads of one would wait for each other."""
PLACING = 300.0
"""Seconds that a worker may take to find its place and to start."""
TRIES = 3
"""So often a piece of work may lose its worker; then it is likely to be what kills them."""


class Worker:
    """What runs in a process of the cluster: models by name and settings, opened when they are first asked for."""

    def __init__(self) -> None:
        self._models: dict[str, Model] = {}

    def hello(self) -> tuple[int, str]:
        """Which process this is, and of which version."""
        return os.getpid(), version("otherminds")

    def told(self, spec: str, settings: Mapping[str, Any]) -> dict[str, Any] | OthermindsError:
        """What its replica of a model says of itself."""
        try:
            model = self._model(spec, settings)
            likes = {"batch": model.batch, "ask_batch": model.ask_batch}
            return {**likes, "identity": dict(model.identity), "cannot": model.cannot}
        except OthermindsError as error:
            return error

    def fewer_layers(self, spec: str, settings: Mapping[str, Any]) -> int | OthermindsError:
        """How many layers the shallower one of this model has; 0 if there is none."""
        try:
            shallower = self._model(spec, settings).shallower()
            return int(shallower.identity["layers"]) if shallower else 0
        except OthermindsError as error:
            return error

    def answer(
        self, spec: str, settings: Mapping[str, Any], verb: str, prompts: Sequence[Prompt]
    ) -> list[Any] | OthermindsError:
        """What a model answers, or the sentence that says why not: Ray would make a page of an exception."""
        try:
            model = self._model(spec, settings)
            return list(model.ask(prompts) if verb == "ask" else model.weigh(prompts))
        except OthermindsError as error:
            return error

    def _model(self, spec: str, settings: Mapping[str, Any]) -> Model:
        key = f"{spec} {sorted(settings.items())}"
        if key not in self._models:
            self._models[key] = get_model(spec, **settings)
        return self._models[key]


class WorkerPool:
    """All workers of one kind; any thread may hand in work."""

    def __init__(self, cluster: Cluster, *, can_use_gpus: bool) -> None:
        self._ray = connect(cluster)
        nodes = self._ray.nodes()
        gpus = cluster.gpus
        if gpus is None:
            gpus = 1.0 if can_use_gpus and total(nodes, "GPU") else 0.0
        self.cluster = cluster
        self.size = places(cluster, nodes, cpus=CPUS, gpus=gpus)
        self.lost = 0
        """Calls that lost their worker, and were made again."""
        # A worker that dies is replaced by a new one of ours, so that its work can go to whoever is free.
        self._kind = self._ray.remote(Worker).options(num_cpus=CPUS, num_gpus=gpus, max_restarts=0)
        self._free: SimpleQueue[Any] = SimpleQueue()
        self._alive = self.size
        self._lock = Lock()
        self._start()

    def call(self, method: str, *given: Any, calls: int = 1) -> Any:
        """What a worker makes of this, which is so many calls; if it dies over it, another one does it."""
        for _ in range(TRIES):
            worker = self._borrow()
            try:
                found = self._ray.get(getattr(worker, method).remote(*given))
            except self._ray.exceptions.RayTaskError as error:
                self._free.put(worker)
                raise error.cause from None
            except self._ray.exceptions.RayError as error:
                self._replace(worker, error, calls)
                continue
            except BaseException:
                self._free.put(worker)
                raise
            self._free.put(worker)
            if isinstance(found, OthermindsError):
                raise found
            return found
        raise ModelError(
            f"{TRIES} workers of {self.cluster.called} died over the same piece of work; most often they have too"
            " little memory: ask for fewer --replicas on a node, more --gpus each, or a smaller batch"
        )

    def pids(self) -> list[int]:
        """The processes of the workers that are free just now."""
        workers: list[Any] = []
        while not self._free.empty():
            workers.append(self._free.get())
        found = self._ray.get([worker.hello.remote() for worker in workers])
        for worker in workers:
            self._free.put(worker)
        return [pid for pid, _ in found]

    def _start(self) -> None:
        workers = [self._kind.remote() for _ in range(self.size)]
        started = {worker.hello.remote(): worker for worker in workers}
        ready, waiting = self._ray.wait([*started], num_returns=self.size, timeout=PLACING)
        if waiting:
            raise UsageError(
                f"{self.cluster.called} had no place for {len(waiting)} of {self.size} replicas within"
                f" {PLACING:.0f} s, since others are using it; ask for fewer --replicas, or try again later"
            )
        for one in ready:
            self._check(one)
            self._free.put(started[one])

    def _check(self, hello: Any) -> None:
        try:
            _, theirs = self._ray.get(hello)
        except self._ray.exceptions.RayError as error:
            raise ModelError(
                f"a worker of {self.cluster.called} cannot start: {_reason(error)}; every node needs"
                f" otherminds {version('otherminds')} and what the model needs"
            ) from None
        if theirs != version("otherminds"):
            raise UsageError(
                f"{self.cluster.called} has otherminds {theirs} and here is {version('otherminds')}; install the same"
            )

    def _borrow(self) -> Any:
        while True:
            try:
                return self._free.get(timeout=1.0)
            except Empty:
                if not self._alive:
                    raise ModelError(
                        f"all workers of {self.cluster.called} are lost and there is no place for new ones; what was"
                        " answered is kept, so give the same command again once the cluster is back"
                    ) from None

    def _replace(self, worker: Any, error: Exception, calls: int) -> None:
        _log.warning("a worker of %s is lost (%s); its work is done again", self.cluster.called, _reason(error))
        with self._lock:
            self.lost += calls
        self._ray.kill(worker)
        Thread(target=self._raise_another, daemon=True).start()

    def _raise_another(self) -> None:
        try:
            worker = self._kind.remote()
            self._ray.get(worker.hello.remote(), timeout=PLACING)
            self._free.put(worker)
        except Exception as error:  # whatever it is: this place is gone, and the others go on
            _log.warning("no new worker on %s: %s", self.cluster.called, _reason(error))
            with self._lock:
                self._alive -= 1


def _reason(error: Exception) -> str:
    """What Ray says, without its page of advice."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


ON_GPUS = ("hf",)
"""Kinds of models that compute on a GPU where there is one."""

_POOLS: dict[tuple[Cluster, bool], WorkerPool] = {}
"""Workers are shared by all models of a program, as its memory would be."""


class Replicas(ModelDefaults):
    """The model of this name and these settings, on all workers of a cluster; they start when it is first asked.

    Its identity is that of one replica, so its answers are those that a single process would keep.
    """

    def __init__(self, spec: str, settings: Mapping[str, Any] | None = None, *, cluster: Cluster | None = None) -> None:
        self._spec, self._settings = spec, {**(settings or {})}
        self._cluster = cluster or Cluster()
        # Made and never used here: a slip in its name or its settings is told before a cluster is reached.
        model = get_model(spec, **self._settings)
        if model.is_served:
            raise UsageError(
                f"{spec} is asked over the network, so replicas of it would ask the same server; leave out --on, and"
                " give --base-url several addresses where there are several servers"
            )
        self.name = model.name
        self._known = model.settings

    def __repr__(self) -> str:
        return f"Replicas({self._spec!r})"

    @cached_property
    def pool(self) -> WorkerPool:
        """The workers."""
        can_use_gpus = self._spec.partition(":")[0] in ON_GPUS and self._settings.get("device") != "cpu"
        kind = (self._cluster, can_use_gpus)
        if kind not in _POOLS:
            _POOLS[kind] = WorkerPool(self._cluster, can_use_gpus=can_use_gpus)
        return _POOLS[kind]

    @cached_property
    def _told(self) -> dict[str, Any]:
        return cast("dict[str, Any]", self.pool.call("told", self._spec, self._settings))

    @property
    def settings(self) -> Mapping[str, Any]:
        """Those of a replica."""
        return self._known

    @property
    def identity(self) -> Mapping[str, Any]:
        """All that can change an answer, as a replica tells it."""
        return cast("Mapping[str, Any]", self._told["identity"])

    @property
    def cannot(self) -> frozenset[str]:
        """What a replica refuses."""
        return cast("frozenset[str]", self._told["cannot"])

    @property
    def batch(self) -> int:
        """How many prompts a replica likes to weigh in one call."""
        return int(self._told["batch"])

    @property
    def ask_batch(self) -> int:
        """How many it likes to write texts for in one call."""
        return int(self._told["ask_batch"])

    @property
    def parallel(self) -> int:
        """As many calls as there are workers."""
        return self.pool.size

    @property
    def retried(self) -> int:
        """Calls that were made again because a worker was lost."""
        return self.pool.lost if "pool" in self.__dict__ else 0

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """A text for every prompt, in order."""
        return self._answer("ask", prompts, self.ask_batch)

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        """The log-probabilities of every prompt's choices, in order."""
        return self._answer("weigh", prompts, self.batch)

    def shallower(self) -> Replicas | None:
        """The same model without the last third of its layers; none where these cannot be left out."""
        layers = self.pool.call("fewer_layers", self._spec, self._settings)
        if not layers:
            return None
        return Replicas(self._spec, {**self._settings, "layers": layers}, cluster=self._cluster)

    def _answer(self, verb: str, prompts: Sequence[Prompt], most: int) -> list[Any]:
        def put(some: Sequence[Prompt]) -> list[Any]:
            return cast("list[Any]", self.pool.call("answer", self._spec, self._settings, verb, some, calls=len(some)))

        pieces = list(_pieces(prompts, most))
        if len(pieces) < 2:
            return put(pieces[0]) if pieces else []
        with ThreadPoolExecutor(self.parallel) as threads:
            return [result for some in threads.map(put, pieces) for result in some]


def _pieces(prompts: Sequence[Prompt], most: int) -> Iterator[list[Prompt]]:
    """Prompts as they travel: what only baselines read stays here."""
    for first in range(0, len(prompts), most):
        yield [replace(prompt, about=None) for prompt in prompts[first : first + most]]
