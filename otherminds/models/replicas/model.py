"""Replicas: one model that many workers compute, and that nobody can tell from a single one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from typing import Any, cast

from otherminds.errors import UsageError
from otherminds.models import Prompt, Response, Weighing, get_model
from otherminds.models.replicas.cluster import Cluster
from otherminds.models.replicas.pool import Pool

ON_GPUS = ("hf",)
"""Kinds of models that compute on a GPU where there is one."""

_POOLS: dict[tuple[Cluster, bool], Pool] = {}
"""Workers are shared by all models of a program, as its memory would be."""


class Replicas:
    """The model of this name and these settings, on all workers of a cluster; they start when it is first asked.

    Its identity is that of one replica, so its answers are those that a single process would keep.
    """

    def __init__(self, spec: str, settings: Mapping[str, Any] | None = None, *, cluster: Cluster | None = None) -> None:
        self._spec, self._settings = spec, {**(settings or {})}
        self._cluster = cluster or Cluster()
        # Made and never used here: a slip in its name or its settings is told before a cluster is reached.
        model = get_model(spec, **self._settings)
        if hasattr(model, "found_lacking"):
            raise UsageError(
                f"{spec} is asked over the network, so replicas of it would ask the same server; leave out --on, and"
                " give --base-url several addresses where there are several servers"
            )
        self.name = model.name
        self.settings: Mapping[str, Any] = getattr(model, "settings", {})

    def __repr__(self) -> str:
        return f"Replicas({self._spec!r})"

    @cached_property
    def pool(self) -> Pool:
        """The workers."""
        can_use_gpus = self._spec.partition(":")[0] in ON_GPUS and self._settings.get("device") != "cpu"
        kind = (self._cluster, can_use_gpus)
        if kind not in _POOLS:
            _POOLS[kind] = Pool(self._cluster, can_use_gpus=can_use_gpus)
        return _POOLS[kind]

    @cached_property
    def _told(self) -> dict[str, Any]:
        return cast("dict[str, Any]", self.pool.call("told", self._spec, self._settings))

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
