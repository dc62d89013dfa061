"""Asking part by part: what is not asked yet is not made yet, and what is answered is handed on and let go.

An item may need another round: what came back may show that it needs another prompt.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from otherminds.calling.flights import Line, fly
from otherminds.calling.provenance import Watch
from otherminds.calling.recorded import Recorded
from otherminds.formats.plans import Plan
from otherminds.formats.prompts import Posed
from otherminds.items import Item
from otherminds.models import Prompt
from otherminds.store.packing import Result, recall

PART = 500
"""Items that are posed, looked up and judged together; while many are judged, no call is begun."""
AHEAD = 4_000
"""Prompts that wait to be asked, below which another part is made: more than any model takes at once."""
HELD = 24_000
"""Items whose prompts are held from the first look until they are asked; those of further items are made again."""
KEY = 32
"""Bytes of the key of a call."""


class Part:
    """Some items of a plan, with their prompts and what has come back so far."""

    def __init__(self, places: Sequence[int], items: Sequence[Item], posed: list[tuple[Posed, ...]]) -> None:
        self.places, self.items, self.posed = places, items, posed
        self.keys: list[tuple[str, ...]] = []
        """Of every item, the keys under which its answers are kept."""
        self.again: set[str] = set()
        """Those of these keys that another part has had before."""
        self.answered: dict[str, Result] = {}
        self.waiting: set[str] = set()

    @property
    def wanted(self) -> dict[str, Prompt]:
        """All prompts so far, by key."""
        pairs = zip(self.keys, self.posed, strict=True)
        return {key: one.prompt for keys, several in pairs for key, one in zip(keys, several, strict=True)}

    @property
    def calls(self) -> Iterator[tuple[Item, str]]:
        """Every item with the key of each of its calls."""
        return ((item, key) for item, keys in zip(self.items, self.keys, strict=True) for key in keys)


class Rounds:
    """Some items of a plan, asked in parts; each part may take several rounds, though most take one."""

    def __init__(self, plan: Plan, chosen: Sequence[int], recorded: Recorded, *, size: int) -> None:
        self._plan, self._chosen, self._recorded, self._size = plan, chosen, recorded, size
        self._held = deque[Part]()
        self._keys, self._known = self._look_ahead(), 0
        # By the first 8 bytes of a key: of a million, two are alike in one run of ten million.
        first = np.frombuffer(self._keys, dtype="<u8")[:: KEY // 8]
        self._new = np.zeros(len(first), dtype=bool)
        self._new[np.unique(first, return_index=True)[1]] = True
        self.prompts = int(np.count_nonzero(self._new))
        """How many are to be asked; two items may share one."""
        self.all_begun = False
        """Whether no part is left that was not even looked up."""

    def _look_ahead(self) -> bytes:
        """The keys of all prompts; so an item that cannot be posed is refused before anything is asked."""
        key, verb, keys = self._recorded.key, self._plan.scoring.verb, bytearray()
        for start in range(0, len(self._chosen), self._size):
            part = self._part(start)
            if start < HELD:
                self._held.append(part)
            for posed in part.posed:
                keys += bytes.fromhex("".join(key(verb, asked.prompt) for asked in posed))
        return bytes(keys)

    def _part(self, start: int) -> Part:
        places = self._chosen[start : start + self._size]
        items = [self._plan.items[place] for place in places]
        return Part(places, items, [self._plan.pose(item) for item in items])

    def _parts(self) -> Iterator[Part]:
        at = 0
        for start in range(0, len(self._chosen), self._size):
            part = self._held.popleft() if self._held else self._part(start)
            first = at
            for posed in part.posed:
                part.keys.append(tuple(self._key(n) for n in range(at, at + len(posed))))
                at += len(posed)
            new = {self._key(n) for n in range(first, at) if self._new[n]}
            part.again = {key for keys in part.keys for key in keys} - new
            self.all_begun = start + self._size >= len(self._chosen)
            yield part

    def _key(self, n: int) -> str:
        return self._keys[KEY * n : KEY * (n + 1)].hex()

    @property
    def first(self) -> Prompt | None:
        """A prompt of this plan, which tells in what form it asks."""
        return next((asked.prompt for part in self._held for posed in part.posed for asked in posed), None)

    def ask(self, draws: int, done: Callable[[Part], None], watch: Watch) -> None:
        """Ask part after part; each is done when nothing of it is missing, or the budget lets no more be asked.

        Before the first call, `watch` looks who answers.
        If this is broken off, parts that were begun are done with what the store has of them.
        """
        recorded, coming, begun = self._recorded, self._parts(), deque[Part]()
        line = Line(recorded, self._plan.scoring.verb)
        recorded.look()

        def end(part: Part) -> None:
            if new := self._grow(part, draws):
                begin(part, new)
            else:
                done(part)
                begun.remove(part)

        def told(part: Part, key: str, prompt: Prompt, result: Result) -> None:
            watch.recheck(line, key, prompt, result)
            if not recorded.stopped or result.error != recorded.stopped:
                part.answered[key] = result
                self._known += key not in part.again
            part.waiting.discard(key)
            if not part.waiting:
                end(part)

        def begin(part: Part, wanted: Mapping[str, Prompt]) -> None:
            known = recorded.recall(wanted, again=part.again)
            self._known += len(known.keys() - part.again)
            part.answered |= known
            missing = [(key, prompt) for key, prompt in wanted.items() if key not in known]
            if not missing or recorded.stopped:
                end(part)
                return
            watch.begin()
            missing.sort(key=lambda pair: str(pair[1]))
            part.waiting = {key for key, _ in missing}
            for key, prompt in missing:
                line.ask(key, prompt, partial(told, part, key, prompt))

        def go_on() -> None:
            watch.look()
            while len(line.queue) < AHEAD and (part := next(coming, None)):
                begun.append(part)
                begin(part, part.wanted)
            if recorded.progress is not None:
                recorded.progress(self._known, self.prompts)

        try:
            with recorded.asking():
                go_on()
                while line.queue:
                    fly([line], go_on)
                    line.give_up()
                    go_on()
        except BaseException:
            for part in begun:
                part.answered = recall(recorded.store, part.wanted)[0]
                done(part)
            raise

    def _grow(self, part: Part, draws: int) -> dict[str, Prompt]:
        """The prompts that one more round of a part needs; they belong to it from now on."""
        way, new = self._plan.scoring, dict[str, Prompt]()
        if way.more is None or self._recorded.stopped:
            return new
        for place, (item, posed) in enumerate(zip(part.items, part.posed, strict=True)):
            known = [part.answered[key] for key in part.keys[place] if key in part.answered]
            more = way.more(item, posed, known, draws) if len(known) == len(posed) else ()
            keys = tuple(self._recorded.key(way.verb, asked.prompt) for asked in more)
            part.posed[place], part.keys[place] = (*posed, *more), (*part.keys[place], *keys)
            new |= {key: asked.prompt for key, asked in zip(keys, more, strict=True)}
        self.prompts += len(new)
        return new
