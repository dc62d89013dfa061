"""What a careful reader makes of a nested question, read off the written events without any belief engine.

A mind's history is what that mind has witnessed; what X thinks that Y thinks is Y's history within X's. The engine
supposes that whatever X missed, nobody saw. A person who reads is not so sure, in two places:

* X hears of a move that X missed. Whoever was in the room then, as far as X can tell, has seen it, or has not.
* X overhears what is said to a whole room. X knows who is in it, or knows only whom X has seen come and go.

Every combination is a reader. A question has an answer if all of them give the same one.

Nothing is imported from the package.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product
from typing import Any

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Step:
    """Something that happens: people come or go, are found in the room, a thing is put or said to be in a place."""

    kind: str
    people: frozenset[str] = frozenset()
    place: str = ""
    secretly: frozenset[str] = frozenset()
    missed_by: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Reader:
    """`witnesses`: who saw a move that was missed: nobody, or those who were there early or late in the time for it."""

    witnesses: str
    knows_the_room: bool


READERS = tuple(Reader(*each) for each in product(("nobody", "early", "late"), (True, False)))


def answers(events: Sequence[Json], minds: Sequence[str], thing: str) -> dict[Reader, str | None]:
    """Where each reader takes these minds to have the thing."""
    return {reader: _answer(list(_steps(events, thing)), minds, reader) for reader in READERS}


def _answer(history: list[Step], minds: Sequence[str], reader: Reader) -> str | None:
    for mind in minds:
        history = _witnessed(history, mind, reader)
    return _place(history)


def _steps(events: Sequence[Json], thing: str) -> Iterator[Step]:
    """The events; those who come or go one after another do so together, as the script has it."""
    for kind, run in groupby(events, key=lambda event: str(event["do"])):
        several = list(run)
        if kind in ("enter_room", "leave_room"):
            yield Step("come" if kind == "enter_room" else "go", frozenset(event["person"] for event in several))
            continue
        for event in several:
            secretly, missed = (frozenset(event.get(name, ())) for name in ("peekers", "distracted"))
            if kind == "move_to_container" and event["object"] == thing:
                yield Step("move", frozenset(), event["container"], secretly, missed)
            elif kind == "tell_publicly":
                yield Step("say", frozenset(), event["fact"]["value"], secretly, missed)
            elif kind == "tell_privately":
                both = frozenset({event["speaker"], event["listener"]})
                yield Step("say", both, event["fact"]["value"], secretly, missed)


def _witnessed(history: list[Step], mind: str, reader: Reader) -> list[Step]:
    """The part of a history that a mind has witnessed, as that mind has it."""
    own: list[Step] = []
    there: frozenset[str] = frozenset()
    for step in history:
        before, there = there, _room(there, step)
        if step.kind == "come":
            if mind in step.people:
                own += [step, Step("find", there)]
            elif mind in before:
                own.append(step)
        elif step.kind in ("go", "find", "move"):
            if (mind in before and mind not in step.missed_by) or mind in step.secretly:
                own.append(replace(step, secretly=frozenset(), missed_by=frozenset()))
                if mind in step.secretly:
                    own.insert(-1, Step("find", before))  # to see the move is to see who is there
        else:
            audience = step.people or before
            if mind in audience - step.missed_by or mind in step.secretly:
                if mind in step.secretly and not step.people and not reader.knows_the_room:
                    audience = _present(own)
                _learn(own, Step("say", audience, step.place), mind, reader)
    return own


def _learn(own: list[Step], said: Step, mind: str, reader: Reader) -> None:
    """What is said, and before it the move that must have been missed if it comes as news."""
    if reader.witnesses != "nobody" and _place(own) not in (None, said.place):
        went = [index for index, step in enumerate(own) if step.kind == "go" and mind in step.people]
        knew = [index for index, step in enumerate(own) if step.kind in ("move", "say")]
        # Whoever was away takes it to have been moved then; whoever never was cannot say when.
        early, late = (went[-1] + 1,) * 2 if went else (knew[-1] + 1, len(own))
        where = early if reader.witnesses == "early" else late
        own.insert(where, Step("move", place=said.place, missed_by=frozenset({mind})))
    own.append(said)


def _room(there: frozenset[str], step: Step) -> frozenset[str]:
    """Who is in the room after a step."""
    if step.kind == "come":
        return there | step.people
    if step.kind == "go":
        return there - step.people
    return step.people if step.kind == "find" else there


def _present(history: Sequence[Step]) -> frozenset[str]:
    there: frozenset[str] = frozenset()
    for step in history:
        there = _room(there, step)
    return there


def _place(history: Sequence[Step]) -> str | None:
    return next((step.place for step in reversed(history) if step.place), None)
