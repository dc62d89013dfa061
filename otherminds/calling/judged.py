"""Score "judged": free text that another model reads, beside the key.

The judge sees the question, the right answer and the reply, and says yes or no. What it says is kept like any call. A
reply of the judge that is neither is no verdict: the item is unparsed and its detail says so. Where words can be read
without a judge, `by_key` is what that gives, so that the agreement of both can be told (`results.judging`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from otherminds.calling.costs import Budget
from otherminds.calling.recorded import Progress, Recorded
from otherminds.formats.prompts import Posed
from otherminds.formats.verdicts import Score
from otherminds.formats.words import score_text
from otherminds.formats.written_answers import spoken, yes_or_no
from otherminds.items import Item
from otherminds.models import Message, Model, Prompt, Response, fingerprint
from otherminds.store.packing import Result
from otherminds.store.store import Store

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
        asked = [(item, result) for item, _, result in found if isinstance(result, Response) and _is_text(result)]
        recorded = Recorded(self.judge, store, budget=budget, progress=progress)
        replies = recorded.ask([self._prompt(item, result.text) for item, result in asked]) if asked else []
        missing = recorded.stopped or None
        for (item, result), reply in zip(asked, replies, strict=True):
            if reply.error is None or reply.error != missing:
                self._said[item.id, result.text] = reply
        left = {key for item, key, result in found if _is_text(result) and not self._has(item, result)}
        return {key: result for _, key, result in found if key not in left}

    def _has(self, item: Item, result: Result) -> bool:
        return (item.id, getattr(result, "text", "")) in self._said

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
        text = "\n".join(
            [
                *([item.context, ""] if item.context else []),
                f"Question: {item.question}",
                f"Right answer: {item.answer}",
                f"Reply of a reader: {spoken(reply)}",
                "",
                "Does the reply give the right answer, in whatever words? Reply with yes or no, and nothing else.",
            ]
        )
        if "chat" in self.judge.cannot:
            return Prompt(text=f"{text}\nAnswer:", stop=("\n",), max_tokens=16)
        return Prompt(messages=(Message("user", text),), max_tokens=64)


def _is_text(result: Result) -> bool:
    return isinstance(result, Response) and not result.error and bool(result.text.strip())
