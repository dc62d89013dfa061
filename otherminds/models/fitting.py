"""The form of request that a server takes, as far as it differs from the usual one; its refusals teach it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from otherminds.models.wishes import LENGTH, LENGTH_TOO, Body

_NO_SYSTEM = re.compile(r"system.{0,20}(role|message|prompt|instruction)|role.{0,20}system", re.IGNORECASE)


class Fit:
    """Whether a server takes a system turn, what it calls the greatest length, how many next tokens it reports."""

    def __init__(self, *, system: bool) -> None:
        self._system, self._length, self._most = system, LENGTH, 0

    def fitted(self, body: Body) -> Body:
        """A body in this form."""
        fitted = {self._length if name == LENGTH else name: value for name, value in body.items()}
        for name in ("logprobs", "top_logprobs"):
            if self._most and name in fitted and fitted[name] is not True:
                fitted[name] = min(fitted[name], self._most)
        if "messages" in fitted:
            fitted["messages"] = self.turns(fitted["messages"])
        return fitted

    def turns(self, turns: Sequence[Body]) -> Sequence[Body]:
        """The turns of a chat; a system turn that the server refuses stands at the head of what the user says."""
        if self._system or [turn["role"] for turn in turns[:2]] != ["system", "user"]:
            return turns
        system, user, *others = turns
        return [{"role": "user", "content": f"{system['content']}\n\n{user['content']}"}, *others]

    def learn(self, said: str, body: Body) -> None:
        """Take in what a server said to a body that it refused."""
        if LENGTH_TOO in said and LENGTH in body:
            self._length = LENGTH_TOO
        if any(turn["role"] == "system" for turn in body.get("messages", ())) and _NO_SYSTEM.search(said):
            self._system = False
        asked: Any = body.get("top_logprobs", body.get("logprobs", 0))
        fewer = [number for number in map(int, re.findall(r"\b\d{1,4}\b", said)) if 0 < number < asked]
        if "logprobs" in said and fewer:
            self._most = max(fewer)
