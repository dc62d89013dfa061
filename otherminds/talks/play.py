"""Play: two models, or one model twice, talk as the people of a casting, each with thoughts that the other cannot hear.

Conversations are played side by side, as many as the models can have calls under way, and each goes on as soon as its
last message is there. With a `Recorded` model every answer is in the store at once, and since the same arguments give
the same prompts, what was answered before is not asked again, however the work was ended.

What is said depends on the prompts and on the models alone. A model's seed is one of its settings; the prompts of two
conversations differ in the people, the scene or the state, and so do the answers that are drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any

from otherminds.calling.flights import ModelQueue, Steps, converse
from otherminds.calling.recorded import Recorded, as_recorded
from otherminds.errors import UsageError
from otherminds.items import write_lines
from otherminds.models import Model, fingerprint
from otherminds.talks.ablation import CELLS, Cell
from otherminds.talks.leaks import Leak
from otherminds.talks.roles import REMINDERS, Form, Role
from otherminds.talks.stage import NO_ANSWER, Ending, PlayedMessage, Stage
from otherminds.talks.talk import STATES, Casting, State, Talk, save
from otherminds.talks.turns import form_for

Progress = Callable[[int, int], None]
"""Called with the number of messages that are done with and the number that are wanted."""


@dataclass(frozen=True, slots=True)
class Apart:
    """A conversation that is no talk: as far as it got, and why."""

    talk: Talk
    reason: str

    @property
    def unanswered(self) -> bool:
        """Whether a call failed, so that asking again may help."""
        return self.reason.startswith(NO_ANSWER)

    def to_dict(self) -> dict[str, Any]:
        """As JSON: the talk with the reason."""
        return {**self.talk.to_dict(), "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Counts:
    """Messages: how many there are, and how many of them did not come in the right shape at once."""

    messages: int = 0
    malformed: int = 0
    """Not in the right shape at the first try."""
    retries: int = 0
    """Further tries, for that reason or because the thought was not new."""
    repeated: int = 0
    """Taken at last though the speaker had the same thought before."""
    repaired: int = 0
    """Taken at last with something mended or left out."""
    faulty: int = 0
    """Never readable; each of them ends a conversation."""
    repairs: Mapping[str, int] = field(default_factory=dict)
    """By name, of the messages that were repaired."""
    faults: Mapping[str, int] = field(default_factory=dict)
    """By name, of all tries that could not be read."""

    @property
    def share(self) -> float:
        """Of all messages, those that were malformed."""
        return self.malformed / self.messages if self.messages else 0.0

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {**asdict(self), "share": self.share}


@dataclass(frozen=True, slots=True)
class Played:
    """What came of it."""

    talks: tuple[Talk, ...]
    apart: tuple[Apart, ...]
    counts: Counts
    leaks: tuple[Leak, ...]
    """In conversations with hidden thoughts; none is expected."""
    prompts: int
    """How many of these were searched for leaks."""
    shown: int
    """Prompts that hold a thought of the other because thoughts were to be heard."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON: how many talks there are, why the others are none, how messages came out, and leaks."""
        return {
            "talks": len(self.talks),
            "apart": dict(Counter(one.reason.partition(": ")[2] or one.reason for one in self.apart)),
            "messages": self.counts.to_dict(),
            "leak_check": {
                "prompts": self.prompts,
                "leaks": len(self.leaks),
                "shown_on_purpose": self.shown,
                "found": [asdict(leak) for leak in self.leaks[:20]],
            },
        }

    def save(self, folder: Path) -> None:
        """Write what there is so far, so that whatever ends the work leaves whole conversations."""
        save(folder / "talks.jsonl", self.talks)
        write_lines(folder / "apart.jsonl", (one.to_dict() for one in self.apart))


def account(played: Played, players: Sequence[Recorded], options: Mapping[str, Any]) -> dict[str, Any]:
    """As JSON: with which options it was played, what came of it, by whom, and what it took."""
    return {
        "otherminds": version("otherminds"),
        "python": python_version(),
        **options,
        **played.to_dict(),
        "stopped": next((player.stopped for player in players if player.stopped), ""),
        # One model that plays both parts has one account of what it spent.
        "players": [_spent(player) for player in dict.fromkeys(players)],
    }


def _spent(player: Recorded) -> dict[str, Any]:
    who = {"name": player.name, "fingerprint": player.fingerprint, "identity": dict(player.identity)}
    return who | {"calls": {"made": player.made, "reused": player.reused}, "usage": asdict(player.usage)}


def play(
    castings: Sequence[Casting],
    first: Model,
    second: Model,
    *,
    turns: int = 7,
    states: Sequence[State] = STATES,
    limit: int | None = None,
    seed: int = 0,
    swap: bool = False,
    thoughts: bool = False,
    attributes: bool = False,
    ablation: bool = False,
    inner: bool = True,
    form: str | None = None,
    retries: int = 2,
    progress: Progress | None = None,
    keep: Callable[[Played], None] | None = None,
) -> Played:
    """Let `first` be the one who speaks first and `second` the other, in every casting and for every state.

    The first thinks about their own state and the second about the first's; `swap` turns that round. `thoughts` and
    `attributes` show what is hidden otherwise, and without `inner` nobody thinks. At most `limit` conversations are
    played, spread over castings and states; `seed` says with which state the first one begins. For an `ablation` each
    of them is played four times: with all hidden, with either shown, and with both. `keep` is called with what there
    is whenever some conversations have come to their end.
    """
    _check(castings, states, turns, limit, retries)
    if ablation and (thoughts or attributes):
        raise UsageError("an ablation shows thoughts and attributes by turns; ask for it, or for one of them, alone")
    players = (first, second)
    forms = (form_for(first, form), form_for(second, form))
    names, marks = [model.name for model in players], [fingerprint(model) for model in players]
    made = {"how": "played", "players": names, "fingerprints": marks}
    chosen = _conversations(castings, states, seed)[:limit]
    stages = [
        Stage(casting, state, _roles(casting, state, forms, swap, cell, inner))
        for cell in (CELLS if ablation else [(attributes, thoughts)])
        for casting, state in chosen
    ]
    lines = {mark: ModelQueue(as_recorded(model), "ask") for mark, model in zip(marks, players, strict=True)}
    width = sum(line.recorded.parallel * line.recorded.ask_batch for line in lines.values())
    board = _Board(stages, 2 * turns, made, width, progress, keep)
    with ExitStack() as stack:
        for line in lines.values():
            stack.enter_context(line.recorded.asking())
        under_way = (_talk(number, board, [lines[mark] for mark in marks], retries) for number in range(len(stages)))
        converse(under_way, list(lines.values()), width)
    if keep is not None:
        keep(board.played)
    return board.played


@dataclass(slots=True)
class _Board:
    """How far the conversations have come."""

    stages: Sequence[Stage]
    messages: int
    """Of each, if it comes to its end."""
    made: Mapping[str, Any]
    width: int
    progress: Progress | None
    keep: Callable[[Played], None] | None
    done: int = 0
    endings: dict[int, Ending] = field(default_factory=dict)

    @property
    def played(self) -> Played:
        """What there is, in the order of the castings."""
        return _played([self.endings[number] for number in sorted(self.endings)])

    def goes_on(self, number: int, messages: int) -> bool:
        """Whether a conversation that had so many messages before has not come to its end."""
        stage = self.stages[number]
        over = bool(stage.reason) or len(stage.turns) == self.messages
        self.done += (self.messages if over else len(stage.turns)) - messages
        if self.progress is not None:
            self.progress(self.done, len(self.stages) * self.messages)
        if over:
            self.endings[number] = stage.end(self.made)
            # Not after each: all that there is is written again.
            if self.keep is not None and len(self.endings) % self.width == 0:
                self.keep(self.played)
        return not over


def _talk(number: int, board: _Board, lines: Sequence[ModelQueue], retries: int) -> Steps:
    """One conversation; what is misshapen or said before is asked for again."""
    stage = board.stages[number]
    while True:
        before = len(stage.turns)
        side = before % 2
        for _ in range(retries + 1):
            given = stage.ask(side)
            response = yield lines[side], given
            stage.hear(side, given, response)
            if not stage.waits(side):
                break
        stage.settle(side)
        if not board.goes_on(number, before):
            return


def _played(endings: Sequence[Ending]) -> Played:
    hidden = [one for one in endings if not one.talk.made["thoughts"]]
    return Played(
        talks=tuple(one.talk for one in endings if not one.reason),
        apart=tuple(Apart(one.talk, one.reason) for one in endings if one.reason),
        counts=_count([message for one in endings for message in one.messages]),
        leaks=tuple(leak for one in hidden for leak in one.leaks),
        prompts=sum(one.prompts for one in hidden),
        shown=sum(len(one.leaks) for one in endings if one.talk.made["thoughts"]),
    )


def _check(castings: Sequence[Casting], states: Sequence[State], turns: int, limit: int | None, retries: int) -> None:
    if not castings or not states:
        raise UsageError("there is nothing to play without a casting and a state")
    if twice := [casting for casting, times in Counter(one.id for one in castings).items() if times > 1]:
        raise UsageError(f"the casting {twice[0]!r} is there twice; every conversation needs an id of its own")
    if wrong := [state for state in states if state not in STATES]:
        raise UsageError(f"there is no state {wrong[0]!r}; there are {', '.join(STATES)}")
    if turns < 1 or (limit is not None and limit < 1):
        raise UsageError("turns and limit should be at least 1")
    if not 0 <= retries <= len(REMINDERS):
        raise UsageError(f"retries should be 0 to {len(REMINDERS)}, the number of ways to ask again, not {retries}")


def _conversations(castings: Sequence[Casting], states: Sequence[State], seed: int) -> list[tuple[Casting, State]]:
    """Every casting in every state; castings come first, each with the next state, so that every beginning is even."""
    several = tuple(dict.fromkeys(states))
    return [
        (casting, several[(number + lap + seed) % len(several)])
        for lap in range(len(several))
        for number, casting in enumerate(castings)
    ]


def _roles(
    casting: Casting, state: State, forms: tuple[Form, Form], swap: bool, cell: Cell, inner: bool
) -> tuple[Role, Role]:
    attributes, thoughts = cell
    one, other = (
        Role(casting, side, state, 2 if (side == 1) != swap else 1, forms[side], thoughts, attributes, inner)
        for side in (0, 1)
    )
    return one, other


def _count(messages: Sequence[PlayedMessage]) -> Counts:
    taken = [message.taken for message in messages if message.taken]
    return Counts(
        messages=len(messages),
        malformed=sum(message.malformed for message in messages),
        retries=sum(len(message.tries) - 1 for message in messages),
        repeated=sum(not message.new for message in messages),
        repaired=sum(bool(found.repairs) for found in taken),
        faulty=len(messages) - len(taken),
        repairs=_tally(name for found in taken for name in found.repairs),
        faults=_tally(one.fault for message in messages for one in message.tries if one.fault),
    )


def _tally(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))
