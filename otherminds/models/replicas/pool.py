"""Workers on a Ray cluster: each holds replicas of models, and what one loses when it dies another does again.

A piece of work is one list of prompts. It is handed in once and comes back once, whoever did it in the end, so whoever
keeps answers sees each exactly once. Only the program that asks writes to a store; workers know of none.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any

from otherminds.errors import ModelError, OthermindsError, UsageError
from otherminds.models import Model, Prompt, get_model
from otherminds.models.replicas.cluster import Cluster, connect, places, total

CPUS = 1
"""For each worker; with more, the threads of one would wait for each other."""
PLACING = 300.0
"""Seconds that a worker may take to find its place and to start."""
TRIES = 3
"""So often a piece of work may lose its worker; then it is likely to be what kills them."""

_log = logging.getLogger("otherminds")


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
            own = {name: getattr(model, name) for name in ("identity", "batch", "ask_batch", "parallel")}
            return {**own, "identity": dict(model.identity), "cannot": model.cannot}
        except OthermindsError as error:
            return error

    def fewer_layers(self, spec: str, settings: Mapping[str, Any]) -> int | OthermindsError:
        """How many layers the shallower one of this model has; 0 if there is none."""
        try:
            shallower = getattr(self._model(spec, settings), "shallower", lambda: None)()
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


class Pool:
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
