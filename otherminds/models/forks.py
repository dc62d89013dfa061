"""What a forked child, or whoever unpickles a thing, has for itself: locks, queues, loaded weights.

A child has the memory of its parent and none of its threads: a lock that a thread held is never let go of, and what a
thread was to do is never done.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property
from typing import Any
from weakref import WeakSet


class Own:
    """Something that begins again in a forked child."""

    def __new__(cls, *_: Any, **__: Any) -> Any:
        """Made, or unpickled."""
        _all.add(made := super().__new__(cls))
        return made

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Begin again, as if nothing were under way."""


class Lock(Own):
    """A lock of the kind that is given, for threads or for an event loop, and never held by another process."""

    def __init__(self, kind: Callable[[], Any]) -> None:
        self._kind = kind
        self.renew()

    def renew(self) -> None:
        self._lock = self._kind()

    def __reduce__(self) -> Any:
        return Lock, (self._kind,)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    async def __aenter__(self) -> None:
        await self._lock.acquire()

    async def __aexit__(self, *_: object) -> None:
        self._lock.release()


class Loaded(Own):
    """A model in this process: what it has loaded is loaded again elsewhere, and who it is stays known."""

    def renew(self) -> None:
        for name in self.__dict__.keys() - (kept := self.__getstate__()).keys():
            del self.__dict__[name]
        self.__dict__ |= kept

    def __getstate__(self) -> dict[str, Any]:
        loaded = {name for name in self.__dict__ if isinstance(getattr(type(self), name, None), cached_property)}
        kept = {name: self.__dict__[name] for name in self.__dict__.keys() - (loaded - {"identity", "cannot"})}
        return kept | ({"_progress": None} if "_progress" in kept else {})


_all: WeakSet[Own] = WeakSet()
_left: list[Any] = []
"""What a child must neither use nor take apart: the connections in it are its parent's."""


def _begin_again() -> None:
    for thing in list(_all):
        _left.append(dict(thing.__dict__))
        thing.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_again)
