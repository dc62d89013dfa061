"""Stage: one conversation while it is played, message by message, and what each message took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from otherminds.models import Prompt, Response
from otherminds.talks import leaks
from otherminds.talks.leaks import Leak, Sent
from otherminds.talks.roles import Role, prompt
from otherminds.talks.talk import Casting, State, Talk, Turn
from otherminds.talks.turns import Read, read

NO_ANSWER = "no answer for message"
"""How the reason begins where a call failed, so that asking again may help."""


@dataclass(frozen=True, slots=True)
class PlayedMessage:
    """All tries of one message; the one that was taken, if any; whether the speaker thought so for the first time."""

    tries: tuple[Read, ...]
    taken: Read | None
    new: bool

    @property
    def malformed(self) -> bool:
        """Whether the first try was not in the right shape."""
        return not self.tries[0].clean


@dataclass(frozen=True, slots=True)
class Ending:
    """What a conversation left behind: the talk as far as it got, why it is none, and what was searched for leaks."""

    talk: Talk
    reason: str
    messages: tuple[PlayedMessage, ...]
    leaks: tuple[Leak, ...]
    prompts: int


@dataclass(frozen=True, slots=True)
class _Try:
    given: Prompt
    text: str
    read: Read


@dataclass(slots=True)
class Stage:
    """A conversation under way; `reason` says why it cannot go on."""

    casting: Casting
    state: State
    roles: tuple[Role, Role]
    turns: list[Turn] = field(default_factory=list)
    reason: str = ""
    _tries: list[_Try] = field(default_factory=list)
    """Of the message under way."""
    _messages: list[PlayedMessage] = field(default_factory=list)
    _sent: list[Sent] = field(default_factory=list)

    def ask(self, side: int) -> Prompt:
        """The prompt for the next message, or for the same once more.

        Asked again, it is in other words. A thought that can be kept is kept, so that only the speech is asked for.
        """
        return prompt(self.roles[side], tuple(self.turns), reminder=len(self._tries), thought=self._kept(side))

    def hear(self, side: int, given: Prompt, response: Response) -> None:
        """Read one try."""
        if response.error:
            self.reason = f"{NO_ANSWER} {len(self.turns) + 1}: {response.error}"
            return
        role, kept, text = self.roles[side], self._kept(side), given.prefill + response.text
        names, cut = (role.me.first, role.other.first), response.finish == "length"
        # Where the thought was ended for the model, all that it wrote is speech.
        heard = f'"{response.text}' if kept else text
        found = read(heard, form=role.form, beginning=role.beginning, names=names, cut=cut, thought=kept)
        if response.finish == "refused":
            found = Read(fault="the model refused")
        self._tries.append(_Try(given, text, found))

    def _kept(self, side: int) -> str:
        """The thought of the last try, if it only lacks a speech and a message can be begun for the model."""
        if not self._tries or self.roles[side].form != "prefill":
            return ""
        last = self._tries[-1]
        # If it was kept before and there is still no speech, the next try begins anew.
        again = last.given.prefill.startswith(f"({last.read.thought})")
        return "" if again or last.read.clean or not self._new(side, last.read) else last.read.thought

    def waits(self, side: int) -> bool:
        """Whether the message should be asked for once more: it is misshapen, or nothing new."""
        last = self._tries[-1].read if self._tries else Read()
        return not self.reason and not (last.clean and self._new(side, last))

    def settle(self, side: int) -> None:
        """Take the best try, the first of several; if none can be read, the conversation ends here."""
        good = [one for one in self._tries if not one.read.fault]
        taken = max(good, key=lambda one: (self._new(side, one.read), one.read.clean), default=None)
        # Of the tries that were not taken nobody heard anything; but their prompts were read.
        self._sent += [Sent(side, one.given, one.text if one is taken else "") for one in self._tries]
        tries, self._tries = tuple(one.read for one in self._tries), []
        if self.reason:
            return
        found = taken.read if taken else None
        self._messages.append(PlayedMessage(tries, found, found is None or self._new(side, found)))
        if found is None:
            self.reason = f"message {len(self.turns) + 1} cannot be read: {tries[-1].fault}"
        else:
            self.turns.append(Turn(side, found.thought, found.speech))

    def _new(self, side: int, found: Read) -> bool:
        """Whether the speaker never thought or said the same before; a question could not tell two such messages."""
        before = {text for turn in self.turns if turn.speaker == side for text in (turn.thought, turn.speech) if text}
        return found.thought not in before and found.speech not in before

    def end(self, made: Mapping[str, Any]) -> Ending:
        """The talk, searched for leaks; one that has any is none, unless thoughts were to be heard."""
        role = self.roles[0]
        swapped = role.order == 2
        # Whatever is not as usual stands in the id, so that talks of one casting can lie in one file.
        unusual = {"swapped": swapped, "attributes-shown": role.attributes, "thoughts-shown": role.thoughts}
        id = "/".join([self.casting.id, self.state, *(name for name, so in unusual.items() if so)])
        talk = Talk(id, self.casting, self.state, tuple(self.turns), int(swapped))
        found = leaks.check(talk, self._sent)
        if found and not self.reason and not role.thoughts:
            self.reason = f"a thought of {self.casting.people[found[0].side].first} reached the other"
        told = {
            "forms": [each.form for each in self.roles],
            "swap": swapped,
            "thoughts": role.thoughts,
            "attributes": role.attributes,
            "inner": role.inner,
            "malformed": sum(message.malformed for message in self._messages),
            "repairs": {
                str(number): list(message.taken.repairs)
                for number, message in enumerate(self._messages)
                if message.taken and message.taken.repairs
            },
            "leaks": len(found),
        }
        talk = replace(talk, made={**made, **told})
        searched, self._sent = len(self._sent), []
        return Ending(talk, self.reason, tuple(self._messages), tuple(found), searched)
