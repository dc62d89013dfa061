"""Models whose scores are known beforehand: what a number is worth shows beside theirs.

Each is made from the suite it is to answer, and finds its item through what a prompt refers to, whatever the wording,
the way of scoring or the order of the choices. A baseline that cannot tell some choices apart weighs them alike; where
it must say something, a seeded draw decides.
"""

from __future__ import annotations

import random as chance
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import log
from string import ascii_uppercase as LETTERS
from typing import Any

from otherminds.errors import ModelError, UsageError
from otherminds.formats.json_prompts import write
from otherminds.formats.prompts import About
from otherminds.formats.verdicts import value_of
from otherminds.formats.words import pose_text, score_text
from otherminds.heuristics.rules import HEURISTICS, Rule
from otherminds.items import Item, Suite
from otherminds.items.tags import FIRST_ORDER, GOLD, REALITY, SENTENCES, has_right_answer
from otherminds.models import ModelDefaults, Prompt, Response, Weighing
from otherminds.models.scripted import Scripted
from otherminds.plugins import added, load

States = Callable[[Item], Sequence[str]]
"""What a baseline says is believed after every sentence of an item."""

SURE = 0.95


class Reader(Scripted):
    """A baseline that answers by a rule, so that what it gets can be told without asking it.

    Where JSON with states is asked for, it answers by `states`, a rule for these.
    """

    def __init__(
        self, name: str, suite: Suite, rule: Rule, seed: int = 0, *, states: States | None = None, sure: float = SURE
    ) -> None:
        super().__init__(self._say, name=name, weigh=self._weights_shown)
        self.suite, self.seed = suite, seed
        self._rule, self._states, self._sure = rule, states, sure
        self._find = finder(name, suite)

    @property
    def identity(self) -> Mapping[str, Any]:
        """What it is, and for which items; found late, since the digest of a large suite takes a while."""
        # The same words can have another answer in another suite, so a stored call must not serve both.
        return {**self._own, "suite": self.suite.digest, "seed": self.seed}

    @identity.setter
    def identity(self, own: Mapping[str, Any]) -> None:
        self._own = own

    def values(self, items: Collection[Item]) -> dict[str, float]:
        """By item id what it gets by letters, or in words if some have no choices; without items where that is none."""
        letters = all(item.choices for item in items)
        return {item.id: value for item in items if (value := self.value(item, letters=letters)) is not None}

    def value(self, item: Item, *, letters: bool) -> float | None:
        """What it gets for an item by letters, or else in words; none where no answer is right."""
        gets = self.by_letters if letters else self.in_words
        return gets(item) if has_right_answer(item.tags) else None

    def by_letters(self, item: Item) -> float | None:
        """1 or 0 for an item, as score 'letters' has it; none where the right choice is as good as another."""
        good = set(self._rule(item)) or set(item.choices)
        others = len(item.choices) - len(good)
        # Where what is good clearly weighs most, nothing has to be weighed; suites are large, and baselines many.
        if others and good <= set(item.choices) and self._sure / len(good) > 2 * (1 - self._sure) / others:
            return 0.0 if item.answer not in good else 1.0 if len(good) == 1 else None
        return value_of(item.answer, {own: log(one) for own, one in self._weights(item).items()})

    def in_words(self, item: Item) -> float | None:
        """The same by score 'text'."""
        said = Response("Answer: " + self._pick(item))
        return score_text(item, pose_text(item, prompt="raw", seed=self.seed), [said]).value

    def share(self, item: Item) -> float:
        """S, the probability of the right choice among the choices."""
        return self._weights(item)[item.answer]

    def _pick(self, item: Item) -> str:
        return "".join(_draw(self._rule(item), item, self.seed))

    def _weights(self, item: Item) -> dict[str, float]:
        good = set(self._rule(item)) or set(item.choices)
        others = len(item.choices) - len(good)
        share = self._sure / len(good) if others else 1 / len(good)
        return {choice: share if choice in good else (1 - self._sure) / others for choice in item.choices}

    def _say(self, prompt: Prompt) -> str:
        about = self._find(prompt)
        picked = self._pick(about.item)
        if about.wants:
            chain = self._states(about.item) if self._states else [picked] * len(about.item.meta.get(SENTENCES, ()))
            return write(about.item, about.wants, answer=picked, states=chain)
        return "Answer: " + next((own for own, choice in _labels(prompt, about).items() if choice == picked), picked)

    def _weights_shown(self, prompt: Prompt) -> dict[str, float]:
        about = self._find(prompt)
        by_choice = self._weights(about.item)
        return {own: by_choice[choice] for own, choice in _labels(prompt, about).items()}


reader = Reader


def baseline(name: str, suite: Suite, *, seed: int = 0) -> Reader:
    """The baseline of a heuristic; refused where no item of the suite says what the heuristic goes by."""
    each, called = HEURISTICS[name], spec_name(name)
    rule = each.rule(suite.items)
    for item in suite if each.needs in (REALITY, FIRST_ORDER) else ():
        if not isinstance(item.meta.get(each.needs, ""), str):
            found = item.meta[each.needs]
            raise UsageError(f"the {called} needs texts, and in item {item.id!r} meta.{each.needs} is {found!r}")
    if each.needs and not any(map(rule, suite)):
        raise UsageError(f"the {called} needs items with meta.{each.needs}, and suite {suite.name!r} has none")
    made = reader(called, suite, rule, seed, states=gold_chain if name == "oracle" else None)
    if each.version > 1:
        made.identity = {**made._own, "version": each.version}
    return made


def oracle(suite: Suite, *, seed: int = 0) -> Reader:
    """Knows every answer, and every state on the way to it."""
    return baseline("oracle", suite, seed=seed)


def realist(suite: Suite, *, seed: int = 0) -> Reader:
    """Answers from the world, whatever people believe: fails exactly the false beliefs."""
    return baseline("realist", suite, seed=seed)


def random(suite: Suite, *, seed: int = 0) -> Reader:
    """Draws one choice an item."""
    return reader("random", suite, lambda item: _draw(item.choices, item, seed), seed)


def spec_name(name: str) -> str:
    """How a heuristic is called in `-m baseline:NAME`."""
    return name.replace(" ", "_")


def _added(name: str, suite: Suite) -> Reader:
    made: Reader = load("readers", name)(suite)
    return made


BASELINES: dict[str, Callable[..., Reader]] = {
    **{spec_name(name): partial(baseline, name) for name, each in HEURISTICS.items() if not each.by_place},
    "random": random,
    **{name: partial(_added, name) for name in added("readers")},
}
first_order, last_mention, option_only = (BASELINES[name] for name in ("first_order", "last_mention", "option_only"))


class Baseline(ModelDefaults):
    """A baseline by its name alone, until it is put to a suite: `run` makes it from the questions that it answers."""

    batch = ask_batch = parallel = 1
    cannot: frozenset[str] = frozenset()

    def __init__(self, name: str) -> None:
        if name not in BASELINES:
            raise UsageError(f"there is no baseline {name!r}; there are {', '.join(sorted(BASELINES))}")
        self.name = name
        self.identity = {"baseline": name}

    def __repr__(self) -> str:
        return f"<baseline:{self.name}, to be put to a suite>"

    def made_for(self, suite: Suite) -> Reader:
        """The model that answers this suite."""
        return BASELINES[self.name](suite)

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """Refuses: it knows no question yet."""
        raise self._unmade

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        """Refuses: it knows no question yet."""
        raise self._unmade

    @property
    def _unmade(self) -> ModelError:
        return ModelError(
            f"baseline:{self.name} answers the questions of a suite, and here it has none; put it to one with run"
        )


def baselines(suite: Suite) -> list[Reader]:
    """The baselines that stand beside models, as far as this suite carries enough for them."""
    made = []
    for name, make in BASELINES.items():
        each = HEURISTICS.get(name.replace("_", " "))
        if each is None or "baseline" in each.uses:
            with suppress(UsageError):
                made.append(make(suite))
    return made


def finder(name: str, suite: Suite) -> Callable[[Prompt], About]:
    """What tells a baseline of that name which item of its suite a prompt is about."""

    def find(prompt: Prompt) -> About:
        about = prompt.about
        if isinstance(about, About):
            own = suite.find(about.item.id)
            # A form that needs no sentence is put without it.
            if own and _words(about.item) in (_words(own), _words(replace(own, cloze=""))):
                return About(own, about.choices, about.wants)
        raise ModelError(f"the {name} was made for suite {suite.name!r}, which has no such prompt")

    return find


def gold_chain(item: Item) -> list[str]:
    """The chain that is right at every sentence and changes as late as it may; else the answer from the beginning."""
    chain: list[str] = []
    for states in item.meta.get(GOLD, [[item.answer]] * len(item.meta.get(SENTENCES, ()))):
        chain.append(chain[-1] if chain and chain[-1] in states else states[0])
    return chain


def _labels(prompt: Prompt, about: About) -> dict[str, str]:
    """The choices of the item, by the letter or the continuation that stands for each in the prompt."""
    return dict(zip(prompt.choices or LETTERS, about.choices, strict=False))


def _words(item: Item) -> tuple[str, str, str, tuple[str, ...]]:
    """All of an item that every wording is made of."""
    return item.context, item.question, item.cloze, item.choices


def _draw(choices: Sequence[str], item: Item, seed: int) -> Sequence[str]:
    pool = list(choices) or list(item.choices)
    return chance.Random(f"baseline:{seed}:{item.id}").sample(pool, 1) if pool else []
