"""Asking: the words of questions about where a thing is, through any chain of minds; and the answers that are sure.

What is asked has the same answer in every reading that the words of the story leave open: where it is not said whether
containers can be seen into, both readings are worked out, and only what they agree on is asked.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from otherminds.files import read_words
from otherminds.minds.sightings import Minds
from otherminds.minds.story import Story

TRUE = 0.4
"""How often a true belief is asked after where there are false ones too; where there are none, it always is."""
TERSE = frozenset({"look", "searches", "really", "beginning"})
"""Forms of question that go with the terse grammar and are left out with it."""


@dataclass(frozen=True, slots=True)
class AskedBelief:
    """A question about a thing's container, with its answer."""

    minds: Minds
    thing: str
    answer: str
    reality: str
    when: str = "now"
    """now, or beginning."""

    @property
    def kind(self) -> str:
        """What sort of question it is, for curves: memory, or the order and whether the belief is false."""
        if self.when != "now":
            return "memory"
        if not self.minds:
            return "order 0"
        return f"order {len(self.minds)} {'false' if self.answer != self.reality else 'true'}"


def questions(
    readings: Sequence[Story],
    things: Sequence[str],
    people: Sequence[str],
    rng: random.Random,
    *,
    orders: Sequence[int],
    false: bool = True,
) -> list[AskedBelief]:
    """One question for each of these orders (-1: the beginning), its answer drawn evenly from those there can be.

    Without `false`, no belief that is false is asked after.
    """
    first = {thing: _first(readings[0], thing) for thing in things}
    found: list[AskedBelief] = []
    for order in orders:
        thing = things[-1] if rng.random() < 0.6 else rng.choice(things)
        real = readings[0].world._held[thing]
        if order < 0:
            found.append(AskedBelief((), thing, first[thing], real, "beginning"))
        elif order == 0:
            found.append(AskedBelief((), thing, real, real))
        elif order == 1 or len(people) > 1:
            asked = _believed(readings, thing, people, rng, order)
            if asked and asked not in found and (false or asked.answer == asked.reality):
                found.append(asked)
    return found


def any_false(readings: Sequence[Story], things: Sequence[str], people: Sequence[str]) -> bool:
    """Whether somebody is wrong about a thing, in every reading."""
    return any(
        all(story.seen_by((person,))._held.get(thing) not in (None, story.world._held[thing]) for story in readings)
        for thing in things
        for person in people
    )


def _first(story: Story, thing: str) -> str:
    for part in story.prefixes():
        if (place := part.world._held.get(thing)) is not None:
            return place
    raise AssertionError(f"the {thing} is never anywhere")


def _believed(
    readings: Sequence[Story], thing: str, people: Sequence[str], rng: random.Random, order: int
) -> AskedBelief | None:
    by_answer: dict[str, list[Minds]] = defaultdict(list)
    for _ in range(6 if order == 1 else 14):
        minds = _chain(people, order, rng)
        answers = {story.seen_by(minds)._held.get(thing) for story in readings}
        if len(answers) == 1 and (answer := answers.pop()) is not None:
            by_answer[answer].append(minds)
    if not by_answer:
        return None
    # By answer first: most chains of many minds know only the beginning, and that would give them away.
    real = readings[0].world._held[thing]
    false = sorted(answer for answer in by_answer if answer != real)
    answer = real if real in by_answer and (not false or rng.random() < TRUE) else rng.choice(false)
    return AskedBelief(rng.choice(by_answer[answer]), thing, answer, real)


def _chain(people: Sequence[str], order: int, rng: random.Random) -> Minds:
    """So many minds, nobody after themselves; mostly all different."""
    if order <= len(people) and rng.random() < 0.85:
        return tuple(rng.sample(people, order))
    chain: list[str] = []
    while len(chain) < order:
        person = rng.choice(people)
        if not chain or chain[-1] != person:
            chain.append(person)
    return tuple(chain)


# ---- words ------------------------------------------------------------------------------------------------------

_WORDS = read_words("lessons/places")
NOW, BEGINNING, ONE, INNER = (dict[str, str](_WORDS[name]) for name in ("now", "beginning", "one", "inner"))
STEMS: dict[int, tuple[str, ...]] = {int(minds): tuple(forms) for minds, forms in _WORDS["stems"].items()}


def ask(
    asked: AskedBelief, show: Callable[[str], str], rng: random.Random, *, leave_out_terse: bool, terse: bool
) -> str:
    """The question in words; in the terse grammar, half of the time in the words that go with it."""
    thing = show(asked.thing)
    forms = _forms(asked)
    names = [name for name in forms if not (leave_out_terse and name in TERSE)]
    if terse and rng.random() < 0.5 and any(name in TERSE for name in names):
        names = [name for name in names if name in TERSE]
    form = forms[rng.choice(names)]
    if len(asked.minds) < 2:
        return form.format(t=thing, x=asked.minds[0] if asked.minds else "")
    return _nested(asked.minds, form.format(t=thing, x=asked.minds[-1]), rng)


def _forms(asked: AskedBelief) -> dict[str, str]:
    if asked.when != "now":
        return BEGINNING
    return (NOW, ONE)[len(asked.minds)] if len(asked.minds) < 2 else INNER


def _nested(minds: Minds, inner: str, rng: random.Random) -> str:
    first, *middle = minds[:-1]
    that = rng.choice(("", "that "))
    verb = "believes" if rng.random() < 0.15 else "thinks"
    chain = "".join(f"{that}{name} {verb} " for name in middle) + that + inner
    opening = rng.choice(
        ("Where does {} think ", "Where does {} think ", "Where does {} believe ", "In which container does {} think ")
    )
    if not middle and rng.random() < 0.1 and " will " not in inner and " would " not in inner:
        return f"According to {first}, where does {_base(inner)}?"
    return f"{opening.format(first)}{chain}?"


def _base(inner: str) -> str:
    """ "Anne thinks the pear is" as it stands after "does"."""
    name, verb, *rest = inner.split(" ")
    bare = {"searches": "search", "looks": "look"}.get(verb, verb.removesuffix("s"))
    return " ".join([name, bare, *rest])


def stem(asked: AskedBelief, show: Callable[[str], str], rng: random.Random) -> str:
    """The beginning of a sentence that the answer completes; empty for the past, which has none."""
    if asked.when != "now":
        return ""
    minds = asked.minds
    last = rng.choice(STEMS[min(len(minds), 2)]).format(t=show(asked.thing), x=minds[-1] if minds else "")
    verb = rng.choice(("thinks", "thinks", "believes"))
    return "".join(f"{name} {verb} that " for name in minds[:-1]) + last


def sentences(asked: AskedBelief, thing: str, choices: Sequence[str], rng: random.Random) -> dict[str, str]:
    """Choices as whole sentences, all in the same words."""
    minds, draw = asked.minds, rng.random()
    thinks = "".join(f"{name} thinks that " for name in minds)
    if draw < 0.3 or asked.when != "now":
        form = "in the {}"
    elif minds and draw < 0.65:
        form = "".join(f"{name} thinks that " for name in minds[:-1]) + minds[-1] + " will look in the {}."
    else:
        form = f"{thinks}the {thing} is in the {{}}."
    form = form[0].upper() + form[1:] if form.endswith(".") else form
    return {choice: form.format(choice) for choice in choices}
