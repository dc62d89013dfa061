"""One model behind several servers: they share the work, and one that dies is dropped and its work done by the others.

Servers count as one model only if they say the same of themselves: whoever serves other weights, or takes another form
of request, is refused with a sentence. Who dies is not part of the identity, so that a run goes on as the same run.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import cached_property, wraps
from typing import Any, TypeVar

from otherminds.errors import EndpointError, ModelError, UsageError
from otherminds.models import BROKEN_OFF, Model, Prompt, Response, Weighing
from otherminds.models.api.background import wait_for
from otherminds.models.api.endpoint import Endpoint, Served

T = TypeVar("T")
SHORT = 10.0
"""Seconds of patience with a server while there are others."""

_log = logging.getLogger("otherminds")


@wraps(Endpoint, updated=())
def serve(model: str, **settings: Any) -> Model:
    """The model behind one server, or behind several that share the work."""
    given = settings.pop("base_url", "")
    if not isinstance(given, str | Sequence) or not all(isinstance(each, str) for each in given):
        raise UsageError(f"base_url should be an address, or a list of them, not {given!r}")
    addresses = given.split() if isinstance(given, str) else list(given)
    if len(set(addresses)) < len(addresses):
        raise UsageError("base_url has an address twice; give each server once")
    if len(addresses) < 2:
        return Endpoint(model, base_url=addresses[0] if addresses else "", **settings)
    return ServerPool([Endpoint(model, base_url=address, **settings) for address in addresses])


class ServerPool(Served):
    """Several servers of one model."""

    def __init__(self, servers: Sequence[Endpoint]) -> None:
        self.name = servers[0].name
        self.parallel = sum(server.parallel for server in servers)
        self._servers = tuple(servers)
        self._patience = servers[0].wire.patience
        self._busy = dict.fromkeys(range(len(servers)), 0)
        self._dead: dict[int, EndpointError] = {}
        for server in servers:
            server.wire.patience = min(SHORT, self._patience)

    def __repr__(self) -> str:
        return f"Pool({list(self._servers)!r})"

    @property
    def retried(self) -> int:
        """How many calls had to be made again so far."""
        return sum(server.retried for server in self._servers)

    @property
    def waited(self) -> float:
        """The seconds that calls waited before they were made again, all together."""
        return sum(server.waited for server in self._servers)

    @property
    def scales(self) -> Mapping[str, str]:
        """How the scale of the log-probabilities was checked, by kind of prompt."""
        return {kind: found for server in self._servers for kind, found in server.scales.items()}

    @property
    def servers(self) -> Sequence[Endpoint]:
        """Those that are not dropped."""
        return [self._servers[number] for number in self._living()]

    @property
    def settings(self) -> Mapping[str, Any]:
        """Of the identity, what is known before a server is asked."""
        return {**self._servers[0].settings, "base_url": self._addresses}

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """What all living servers say alike, and the addresses of all."""
        found = wait_for(self._of_each(lambda server: server.identify()))
        said = {number: {**each, "base_url": self._addresses} for number, each in found.items()}
        first, *others = said
        for other in others:
            if odd := sorted(
                name for name in {*said[first], *said[other]} if said[first].get(name) != said[other].get(name)
            ):
                raise ModelError(
                    f"{self._addresses_of(first)} and {self._addresses_of(other)} differ in {odd[0]!r}, so that they"
                    " are not one model; give each its own -m"
                )
        return said[first]

    @cached_property
    def _cannot(self) -> frozenset[str]:
        return frozenset().union(*wait_for(self._of_each(lambda server: server.shown_to_lack())).values())

    async def ask_one(self, prompt: Prompt) -> Response:
        """A text for a prompt, in the event loop."""
        return await self._put(lambda server: server.ask_one(prompt))

    async def weigh_one(self, prompt: Prompt) -> Weighing:
        """The log-probabilities of a prompt's choices, in the event loop."""
        return await self._put(lambda server: server.weigh_one(prompt))

    @property
    def _addresses(self) -> list[str]:
        return sorted(str(server.settings["base_url"]) for server in self._servers)

    def _addresses_of(self, number: int) -> str:
        return str(self._servers[number].settings["base_url"])

    async def _of_each(self, of: Callable[[Endpoint], Coroutine[Any, Any, T]]) -> dict[int, T]:
        """What every living server says of itself, by number."""
        found = {}
        for number in self._living():
            try:
                found[number] = await of(self._servers[number])
            except EndpointError as error:
                self._drop(number, error)
        if not found:
            raise next(iter(self._dead.values()))
        return found

    async def _put(self, ask: Callable[[Endpoint], Coroutine[Any, Any, T]]) -> T:
        """The work of one call, by the server with the least to do; if it dies, by another."""
        while True:
            number = self._take()
            try:
                return await ask(self._servers[number])
            except EndpointError as error:
                if BROKEN_OFF.get().is_set():
                    raise
                self._drop(number, error)
            finally:
                self._busy[number] -= 1

    def _take(self) -> int:
        living = self._living()
        if not living:
            raise next(reversed(self._dead.values()))
        number = min(living, key=self._busy.__getitem__)
        self._busy[number] += 1
        return number

    def _living(self) -> list[int]:
        return [number for number in self._busy if number not in self._dead]

    def _drop(self, number: int, error: EndpointError) -> None:
        known = number in self._dead
        self._dead.setdefault(number, error)
        living = self._living()
        if len(living) == 1:
            # Nobody is left to take its place.
            self._servers[living[0]].wire.patience = self._patience
        if not known and living:
            _log.warning(
                "%s is dropped, and its work goes to %d others: %s", self._addresses_of(number), len(living), error
            )
