"""A Ray cluster: how to reach it, and whether what is asked for has a place there."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from otherminds.errors import ModelError, UsageError

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
