"""What a forked child, or whoever unpickles a thing, has for itself: locks, queues, loaded weights.

A child has the memory of its parent and none of its threads: a lock that a thread held is never let go of, and what a
thread was to do is never done.
"""

from __future__ import annotations

import asyncio
import os
from functools import cached_property
from threading import RLock
from typing import Any
from weakref import WeakSet


class Own:
    """Something that begins again in a forked child."""

    def __new__(cls, *_: Any, **__: Any) -> Any:
        """Made, or unpickled."""
        made = super().__new__(cls)
        _all.add(made)
        return made

    def renew(self) -> None:
        """Begin again, as if nothing were under way."""
        raise NotImplementedError


class _Lock(Own):
    def __init__(self) -> None:
        self.renew()

    def __reduce__(self) -> Any:
        return type(self), ()


class ThreadLock(_Lock):
    """A lock for threads, which the one that holds it may take again."""

    def renew(self) -> None:
        self._lock = RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


class LoopLock(_Lock):
    """A lock for what goes on in an event loop."""

    def renew(self) -> None:
        self._lock = asyncio.Lock()

    async def __aenter__(self) -> None:
        await self._lock.acquire()

    async def __aexit__(self, *_: object) -> None:
        self._lock.release()


class Loaded(Own):
    """A model in this process: what it has loaded is loaded again elsewhere, and who it is stays known."""

    def renew(self) -> None:
        self.__dict__.update(kept := self.__getstate__())
        for name in self.__dict__.keys() - kept.keys():
            del self.__dict__[name]

    def __getstate__(self) -> dict[str, Any]:
        known = ("identity", "cannot")
        return {
            name: None if name == "_progress" else value
            for name, value in self.__dict__.items()
            if name in known or not isinstance(getattr(type(self), name, None), cached_property)
        }


_all: WeakSet[Own] = WeakSet()
_left: list[Any] = []
"""What a child must neither use nor take apart: the connections in it are its parent's."""


def _begin_again() -> None:
    for thing in list(_all):
        _left.append(dict(thing.__dict__))
        thing.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_again)
