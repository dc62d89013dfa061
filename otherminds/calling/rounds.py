"""Asking part by part: what is not asked yet is not made yet, and what is answered is handed on and let go.

An item may need another round: what came back may show that it needs another prompt. Free text may go to a judge, who
sees the question, the right answer and the reply, and says yes or no. What it says is kept like any call. A reply of
the judge that is neither is no verdict: the item is unparsed and its detail says so. Where words can be read without a
judge, `by_key` is what that gives, so that the agreement of both can be told (`results.annotations`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeGuard

import numpy as np

from otherminds.calling.costs import Budget
from otherminds.calling.flights import ModelQueue, fly
from otherminds.calling.provenance import Watch
from otherminds.calling.recorded import Progress, Recorded
from otherminds.formats.plans import Plan
from otherminds.formats.prompts import Posed
from otherminds.formats.verdicts import Score
from otherminds.formats.words import score_text
from otherminds.formats.written_answers import spoken, yes_or_no
from otherminds.items import Item
from otherminds.models import Message, Model, Prompt, Response, fingerprint
from otherminds.store.packing import Result, recall
from otherminds.store.store import Store

PART = 500
"""Items that are posed, looked up and judged together; while many are judged, no call is begun."""
AHEAD = 4_000
"""Prompts that wait to be asked, below which another part is made: more than any model takes at once."""
HELD = 24_000
"""Items whose prompts are held from the first look until they are asked; those of further items are made again."""
KEY = 32
"""Bytes of the key of a call."""


class AskedPart:
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
        self._held = deque[AskedPart]()
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

    def _part(self, start: int) -> AskedPart:
        places = self._chosen[start : start + self._size]
        items = [self._plan.items[place] for place in places]
        return AskedPart(places, items, [self._plan.pose(item) for item in items])

    def _parts(self) -> Iterator[AskedPart]:
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

    def ask(self, draws: int, done: Callable[[AskedPart], None], watch: Watch) -> None:
        """Ask part after part; each is done when nothing of it is missing, or the budget lets no more be asked.

        Before the first call, `watch` looks who answers.
        If this is broken off, parts that were begun are done with what the store has of them.
        """
        recorded, coming, begun = self._recorded, self._parts(), deque[AskedPart]()
        line = ModelQueue(recorded, self._plan.scoring.verb)
        recorded.look()

        def end(part: AskedPart) -> None:
            if new := self._grow(part, draws):
                begin(part, new)
            else:
                done(part)
                begun.remove(part)

        def told(part: AskedPart, key: str, prompt: Prompt, result: Result) -> None:
            watch.recheck(line, key, prompt, result)
            if not recorded.stopped or result.error != recorded.stopped:
                part.answered[key] = result
                self._known += key not in part.again
            part.waiting.discard(key)
            if not part.waiting:
                end(part)

        def begin(part: AskedPart, wanted: Mapping[str, Prompt]) -> None:
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

    def _grow(self, part: AskedPart, draws: int) -> dict[str, Prompt]:
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


JUDGE = """Question: {question}
Right answer: {answer}
Reply of a reader: {reply}

Does the reply give the right answer, in whatever words? Reply with yes or no, and nothing else."""
UNREAD = "the judge said neither yes nor no"


class Grader:
    """Puts replies to a judge, all in one batch, and scores by what it says."""

    def __init__(self, judge: Model) -> None:
        self.judge = judge
        self._said: dict[tuple[str, str], Response] = {}

    @property
    def named(self) -> dict[str, object]:
        """Who it is, for the manifest of a run."""
        return {"name": self.judge.name, "fingerprint": fingerprint(self.judge), "identity": dict(self.judge.identity)}

    def ask(
        self,
        calls: Iterable[tuple[Item, str]],
        answered: Mapping[str, Result],
        store: Store,
        *,
        budget: Budget | None = None,
        progress: Progress | None = None,
    ) -> dict[str, Result]:
        """Have the answers to these items judged, by the keys of their calls; those that a budget lets be."""
        found = [(item, key, answered[key]) for item, key in calls if key in answered]
        asked = [(item, result) for item, _, result in found if _is_text(result)]
        recorded = Recorded(self.judge, store, budget=budget, progress=progress)
        replies = recorded.ask([self._prompt(item, result.text) for item, result in asked]) if asked else []
        missing = recorded.stopped or None
        for (item, result), reply in zip(asked, replies, strict=True):
            if reply.error is None or reply.error != missing:
                self._said[item.id, result.text] = reply
        left = {key for item, key, result in found if _is_text(result) and (item.id, result.text) not in self._said}
        return {key: result for _, key, result in found if key not in left}

    def score(self, item: Item, posed: Sequence[Posed], results: Sequence[Response]) -> Score:
        """The judge's verdict on one reply."""
        (response,) = results
        by_key = score_text(item, posed, results)
        if by_key.verdict in ("error", "refused") or not response.text.strip():
            return by_key
        if response.finish == "length" and by_key.verdict == "truncated":
            return by_key
        reply = self._said[item.id, response.text]
        if reply.error:
            return Score("error", why=f"the judge {self.judge.name}: {reply.error}")
        told = {"by_key": by_key.verdict, "judge": spoken(reply.text)[:200]}
        right = yes_or_no(reply.text)
        if right is None:
            return Score("unparsed", why=f"{UNREAD}: {reply.text[:100]!r}", detail={**told, "judge_unread": True})
        said = f"the judge {self.judge.name} says {'yes' if right else 'no'}"
        answer = by_key.answer or spoken(response.text)[:200]
        return Score("correct" if right else "incorrect", float(right), answer, said, told)

    def _prompt(self, item: Item, reply: str) -> Prompt:
        text = JUDGE.format(question=item.question, answer=item.answer, reply=spoken(reply))
        text = f"{item.context}\n\n{text}" if item.context else text
        if "chat" in self.judge.cannot:
            return Prompt(text=f"{text}\nAnswer:", stop=("\n",), max_tokens=16)
        return Prompt(messages=(Message("user", text),), max_tokens=64)


def _is_text(result: Result) -> TypeGuard[Response]:
    return isinstance(result, Response) and not result.error and bool(result.text.strip())
