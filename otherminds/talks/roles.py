"""Roles: what each of the two is told, and what each has heard when it is their turn.

Somebody is told who they are, whom they talk with, the situation, their own goal and their own personality. They are
not told the other's goal or personality, and never hear the other's thoughts: each of these can be switched, which
gives the conditions that hiding is compared with. The words are the same in all of them, so that nothing else differs.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from otherminds.files import read_words
from otherminds.models import Message, Prompt
from otherminds.talks.talk import GREETINGS, TRAITS, Casting, Person, State, Turn

Form = Literal["prefill", "json", "plain"]

OWN = {"belief": "think", "intention": "will", "desire": "want", "emotion": "feel", "knowledge": "know"}
OBJECT = {"he": "him", "she": "her", "they": "them"}
POSSESSIVE = {"he": "his", "she": "her", "they": "their"}
_TEXTS = read_words("dialogue/wording")["roles"]
WORDS = {trait: (high, low) for trait, (high, low) in _TEXTS["traits"].items()}
"""For each factor, the words for high and low."""
REMINDERS: tuple[str, ...] = tuple(_TEXTS["reminders"])
"""A message that cannot be read is asked for again with one of these under the last thing heard. Another wording each
time, because the same prompt would only bring the same answer: from the store, and from a model that draws nothing."""
NUDGES = {"belief": "that", "intention": "try to", "desire": "to", "emotion": "a little", "knowledge": "that"}
"""The next words of a thought, written for the model only when it is asked again: small ones like to stop at once."""
MAX_TOKENS = 160


@dataclass(frozen=True, slots=True)
class Role:
    """One side of one conversation."""

    casting: Casting
    side: int
    """0 speaks first and has the first goal."""
    state: State
    order: int
    """1: thinks about their own state; 2: about the partner's."""
    form: Form = "prefill"
    thoughts: bool = False
    """The other's thoughts are heard too."""
    attributes: bool = False
    """The other's goal and personality are known too."""
    inner: bool = True
    """There are thoughts at all."""

    @property
    def me(self) -> Person:
        """Who this is."""
        return self.casting.people[self.side]

    @property
    def other(self) -> Person:
        """Whom they talk with."""
        return self.casting.people[1 - self.side]

    @property
    def beginning(self) -> str:
        """How every thought begins, such as "I think that they want"; empty if there are none."""
        return beginning(self.state, self.order, self.other) if self.inner else ""

    @property
    def shape(self) -> str:
        """What a message looks like."""
        # In plain words: with "(I think …)" for a pattern, a small model writes just that, dots and all.
        if self.form == "json":
            parts = {"thought": "your thought"} if self.inner else {}
            return json.dumps({**parts, "speech": "your words"})
        return '(your thought) "your words"' if self.inner else '"your words"'


def beginning(state: State, order: int, partner: Person) -> str:
    """The words that a thought about this state begins with."""
    verb = OWN[state]
    if order == 1:
        return f"I {verb}"
    ending = "" if verb == "will" or partner.pronoun == "they" else "s"
    return f"I think that {partner.pronoun} {verb}{ending}"


def brief(role: Role) -> str:
    """The system prompt."""
    me, other, scene = role.me, role.other, role.casting.scene
    goal, other_goal = scene.goals[role.side], scene.goals[1 - role.side]
    their, them = POSSESSIVE[other.pronoun].capitalize(), OBJECT[other.pronoun]
    lines = [_TEXTS["brief"].format(me=me, other=other, their=their, scene=scene, goal=goal, traits=personality(me))]
    if role.attributes:
        # The goal is written to the one who has it, so it is shown as something said to them.
        lines.append(_TEXTS["known"].format(other=other, them=them, goal=other_goal, traits=personality(other)))
    return "\n".join([*lines, *_wishes(role)])


def personality(person: Person) -> str:
    """Five words, joined."""
    words = [WORDS[trait][person.levels[trait] == "low"] for trait in TRAITS]
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _wishes(role: Role) -> list[str]:
    """What to write, in as few words as will do: a longer text loses small models."""
    talk = f"Talk with {OBJECT[role.other.pronoun]}. Each time,"
    last = f"Write nothing but your next message, in exactly this shape:\n{role.shape}"
    if not role.inner:
        return [f"{talk} say one or two short sentences, always new ones.", last]
    whose = "your own" if role.order == 1 else f"{role.other.first}'s"
    thought, speech = ("under thought", "under speech") if role.form == "json" else ("in round brackets", "in quotes")
    wishes = _TEXTS["wishes"].format(talk=talk, whose=whose, role=role, thought=thought, speech=speech)
    return [wishes, last]


def prompt(role: Role, turns: tuple[Turn, ...], *, reminder: int = 0, thought: str = "") -> Prompt:
    """What one side is given when it is their turn; `reminder` counts how often this message was asked for before.

    With `thought`, a prefilled message is begun up to the first word of the speech.
    """
    said: list[Message] = []
    # Both greetings belong to the first thing heard: templates want the user first and the two by turns.
    heard = [_line(role, speaker, words) for speaker, words in enumerate(GREETINGS)]
    for turn in turns:
        if turn.speaker != role.side:
            heard.append(_line(role, turn.speaker, turn.speech, turn.thought if role.thoughts else ""))
            continue
        said += [Message("user", "\n".join(heard)), Message("assistant", _own(role, turn))]
        heard = []
    if reminder:
        heard.append(_remind(role, reminder))
    return Prompt(
        messages=(Message("system", brief(role)), *said, Message("user", "\n".join(heard))),
        prefill=_begin(role, thought, reminder) if role.form == "prefill" else "",
        schema=_schema(role) if role.form == "json" else "",
        stop=_stop(role),
        max_tokens=MAX_TOKENS,
    )


def _remind(role: Role, reminder: int) -> str:
    speech = f"one or two short sentences said aloud to {role.other.first}"
    parts = (
        f"one sentence of thought, new and in your own words, then {speech}" if role.inner else f"{speech}, new ones"
    )
    return REMINDERS[reminder - 1].format(me=role.me.first, parts=parts)


def _begin(role: Role, thought: str, reminder: int) -> str:
    if thought:
        return f'({thought}) "'
    if not role.inner:
        return '"'
    return f"({role.beginning} {NUDGES[role.state]}" if reminder else f"({role.beginning}"


def _stop(role: Role) -> tuple[str, ...]:
    """Where a model is stopped that goes on after its message, or with the other's part."""
    if role.form == "json":
        return ()
    names = tuple(f"\n{person.first}:" for person in role.casting.people)
    # A message that was begun by us has no reason for an empty line; one that was not may come after one.
    return (*names, '"\n', "\n\n") if role.form == "prefill" else (*names, '"\n')


def _line(role: Role, speaker: int, speech: str, thought: str = "") -> str:
    name = role.casting.people[speaker].first
    return f'{name}: ({thought}) "{speech}"' if thought else f'{name}: "{speech}"'


def _own(role: Role, turn: Turn) -> str:
    if role.form == "json":
        parts = {"thought": turn.thought} if role.inner else {}
        return json.dumps({**parts, "speech": turn.speech}, ensure_ascii=False)
    return f'({turn.thought}) "{turn.speech}"' if role.inner else f'"{turn.speech}"'


def _schema(role: Role) -> str:
    speech = {"type": "string"}
    # Neither quotes nor escapes: llama.cpp takes a pattern to the letter, and they would end the text early.
    thought = {"type": "string", "pattern": rf'^{role.beginning} [^"\\]+$'}
    properties = {"thought": thought, "speech": speech} if role.inner else {"speech": speech}
    closed = {"required": list(properties), "additionalProperties": False}
    return json.dumps({"type": "object", "properties": properties, **closed})
