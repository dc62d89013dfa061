"""Judges: how many planted errors a judge of prose finds, and how often it objects to what is right.

A judge is put on trial before it is trusted. A passage tells the last event of a story, or the same event with one
thing changed: another container, somebody who secretly watches, somebody who misses it. The engine says which claims
the change turns round, so what the judge should say is proved, not thought up.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from otherminds.errors import ModelError
from otherminds.minds.events import Event, Move
from otherminds.minds.story import Story
from otherminds.models import Model
from otherminds.prose.claims import Step, claims, steps
from otherminds.prose.consult import Claim, Consultation, consult, question, verdict
from otherminds.prose.retelling import preface
from otherminds.stats import Estimate, mean
from otherminds.stories.contexts import bank, setting
from otherminds.stories.sets import Cell, action_sets

PAIRS = 30
LEAST_FOUND = 0.75
MOST_OBJECTED = 0.4
"""Beyond this hardly a passage of some ten claims would ever pass."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A claim about a passage, and whether an error that was planted in the passage makes it wrong."""

    story: str
    kind: str
    preface: str
    claim: Claim
    planted: bool


@dataclass(frozen=True, slots=True)
class Checked:
    """How a judge did."""

    judge: str
    found: Estimate
    """The share of planted errors that it found."""
    objected: Estimate
    """The share of sound passages that it objected to."""

    @property
    def distrust(self) -> str:
        """Why it is not to be trusted; empty if it is."""
        if self.found.value < LEAST_FOUND:
            return f"{self.judge} found {self.found} of the planted errors; a judge should find {LEAST_FOUND:.0%}"
        if self.objected.value > MOST_OBJECTED:
            return f"{self.judge} objected to {self.objected} of sound passages; {MOST_OBJECTED:.0%} is the most"
        return ""


def check_judge(judge: Model, *, pairs: int = PAIRS, seed: int = 0) -> Checked:
    """Put a judge on trial: so many passages with an error, and as many without."""
    asked = trials(pairs, seed=seed)
    (objections,) = consult([_hearing(asked)], judge)
    shares = []
    for planted in (True, False):
        own = [each for each in zip(asked, objections, strict=True) if each[0].planted is planted]
        shares.append(mean([float(objected) for _, objected in own], groups=[trial.story for trial, _ in own]))
    return Checked(judge.name, *shares)


def _hearing(asked: Sequence[Trial]) -> Consultation[list[bool]]:
    responses = yield [question("judge", trial.preface, trial.claim) for trial in asked]
    for response in responses:
        if response.error:
            raise ModelError(f"the judge could not be tried: {response.error}")
    return [verdict(response) is not trial.claim.hoped for trial, response in zip(asked, responses, strict=True)]


@cache
def trials(pairs: int, *, seed: int = 0) -> tuple[Trial, ...]:
    """For every kind of error in turn, a passage with it and the same passage without."""
    made: list[Trial] = []
    wanted = [list(PLANTED)[number % len(PLANTED)] for number in range(pairs)]
    stories = _stories(seed)
    for kind in wanted:
        made += next(found for story in stories if (found := _pair(story, kind)))
    return tuple(made)


def _stories(seed: int) -> Iterator[Story]:
    """Random stories that end with a thing being put somewhere, in a room where not everybody is."""
    rng = random.Random(f"judges:{seed}")
    cell = Cell(action_sets()["tomi"], 3, 3)
    while True:
        context = rng.choice(bank())
        story = setting(context, cell, seed=rng.randrange(2**31)).story(9, seed=rng.randrange(2**31))
        for part in story.prefixes():
            if isinstance(part.events[-1], Move) and len(part.people) > 2 and rng.random() < 0.3:
                yield part


def _pair(story: Story, kind: str) -> list[Trial]:
    """A sound passage and one with an error, asked about a claim that the error turns round; none where it cannot."""
    event, step = story.events[-1], steps(story)[-1]
    if len(step.moments) > 1:
        return []
    for changed in filter(step.before.can, PLANTED[kind](event, step.before)):
        other = steps(step.before.after(changed))[-1]
        turned = [claim for claim in claims(step) if _turned(claim, other)]
        if turned and len(other.moments) == 1:
            told = {
                planted: preface(step.before.text, step, each.raw) for planted, each in ((False, step), (True, other))
            }
            return [Trial(story.text, kind, text, turned[0], planted) for planted, text in told.items()]
    return []


def _turned(claim: Claim, other: Step) -> bool:
    """Whether the opposite of a claim holds after the changed event."""
    known = claims(other)
    if claim.question.startswith("After the new passage, is it so that") and claim.hoped:
        return claim not in known
    return claim._replace(hoped=not claim.hoped) in known


def _elsewhere(event: Event, before: Story) -> Iterator[Event]:
    if isinstance(event, Move):
        others = [name for name, role in before.cast.roles.items() if role == "container" and name != event.container]
        yield from (replace(event, container=name) for name in others)


def _watched(event: Event, before: Story) -> Iterator[Event]:
    absent = sorted(set(before.people) - event.scene(before))
    yield from (replace(event, peekers=frozenset({name})) for name in absent)


def _missed(event: Event, before: Story) -> Iterator[Event]:
    present = sorted(event.scene(before) - {name for name, _ in event.names()})
    yield from (replace(event, distracted=frozenset({name})) for name in present)


PLANTED = {"another container": _elsewhere, "a secret watcher": _watched, "somebody misses it": _missed}
"""Kinds of error, each with the ways to plant it in an event."""
